package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acprun/internal/terminal"
	"github.com/acpwire/acpwire/tools/acprun/internal/view"
	"github.com/acpwire/acpwire/tools/acprun/internal/workspace"
)

// A host is what is around the program, beside its standard streams.
type host struct {
	// interrupts gets a value for each Ctrl-C.
	interrupts <-chan os.Signal
	// start starts the agent.
	start func(ctx context.Context, command []string) (agentProcess, error)
	// getenv reads the environment.
	getenv func(name string) string
	// isTerminal reports whether a stream is a terminal.
	isTerminal func(stream any) bool
}

// An agentProcess is an agent that was started: the transport to it, and what else can be done with a process.
type agentProcess interface {
	acp.Transport
	// Kill ends it at once.
	Kill()
	// Stderr returns the end of what it has written to standard error.
	Stderr() string
}

// spawn starts an agent as a process of its own.
func spawn(ctx context.Context, command []string) (agentProcess, error) {
	p, err := acp.Spawn(ctx, exec.Command(command[0], command[1:]...), nil)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// isTerminal reports whether the stream is a character device, which is near enough: what else is one does no harm.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// run runs acprun with the arguments after the program name. It has told the error that it returns; exitStatus says what it means.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, h *host) error {
	hard, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	r := &runner{host: h, notes: newNotes(stderr), hard: hard, giveUp: giveUp, release: func() {}, input: newLineReader(stdin), faults: make(chan error, 2)}
	err := r.run(ctx, args, stdin, stdout)
	if err != nil {
		r.notes.say("%v", err)
		r.explain(err)
	}
	r.notes.close(hard)
	r.release()
	return err
}

// A runner is one run of the program.
type runner struct {
	host   *host
	notes  *notes
	hard   context.Context // ends when nothing is waited for any more
	giveUp context.CancelFunc
	// release ends the control of signals. Until then Ctrl-C ends whatever is waited for.
	release func()
	input   *lineReader
	faults  chan error

	set       *settings
	secrets   *secrets
	workspace *workspace.Workspace
	printer   *view.Printer
	recorder  *recorder // nil: none
	terminals *terminal.Manager
	client    *client
	filter    *acp.SessionFilter
	agent     agentProcess
	conn      *acp.ClientConn
	prompted  chan struct{} // closed when the prompt is on the wire
	methods   []acpv1.AuthMethod
}

func (r *runner) run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) (err error) {
	r.set, err = parseArgs(args, stdout, r.host.getenv)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	r.secrets = newSecrets(r.set.secrets)
	r.notes.hideSecrets(r.secrets.hideText)
	if r.workspace, err = workspace.Open(r.set.cwd); err != nil {
		return usageError("--cwd: %w", err)
	}
	defer func() { err = errors.Join(err, r.workspace.Close()) }()
	if r.set.prompt == "" {
		if r.set.prompt, err = r.readPrompt(ctx, stdin); err != nil {
			return err
		}
	}
	if r.set.record != "" {
		if r.recorder, err = newRecorder(r.set.record); err != nil {
			return usageError("--record: %w", err)
		}
	}
	r.printer = view.NewPrinter(stdout, r.secrets.hiding(r.format(stdout)))
	reason, err := r.work(ctx)
	if r.recorder != nil {
		if e := r.recorder.close(); e != nil && err == nil {
			err = fmt.Errorf("--record: %w", e)
		}
	}
	return r.end(reason, err)
}

func (r *runner) format(stdout io.Writer) view.Format {
	if r.set.json {
		return view.JSON{}
	}
	color := r.host.isTerminal(stdout) && r.host.getenv("NO_COLOR") == "" && r.host.getenv("TERM") != "dumb"
	return &view.Text{Color: color, Rel: r.workspace.Rel}
}

// end shows the end. That must not wait for a reader who has been given up.
func (r *runner) end(reason acpv1.StopReason, err error) error {
	shown := make(chan struct{})
	e := &view.End{StopReason: reason, Status: exitStatus(err)}
	if err != nil {
		e.Error = err.Error()
	}
	go func() {
		defer close(shown)
		r.printer.Show(e)
	}()
	select {
	case <-shown:
	case <-r.hard.Done():
		return err
	}
	if err == nil && isClosed(r.printer.Failed()) {
		return outputError(r.printer.Err())
	}
	return err
}

func outputError(err error) error {
	return &failure{statusLocal, fmt.Errorf("standard output: %w", err)}
}

// explain says more about an error of the agent.
func (r *runner) explain(err error) {
	var remote *acp.Error
	if errors.As(err, &remote) {
		if len(remote.Data) > 0 {
			r.notes.say("the error's data: %s", cut(view.OneLine(string(remote.Data)), 500))
		}
		if remote.Code == acp.CodeAuthRequired {
			r.explainAuth()
		}
	}
	if exitStatus(err) != statusAgent || r.agent == nil {
		return
	}
	if tail := strings.TrimSpace(r.agent.Stderr()); tail != "" {
		lines := strings.Split(tail, "\n")
		r.notes.say("the agent's last words on standard error:")
		for _, line := range lines[max(0, len(lines)-10):] {
			r.notes.print("  " + view.Clean(line) + "\n")
		}
	}
}

// explainAuth lists how one can log in.
func (r *runner) explainAuth() {
	r.notes.say("log in with the agent's own program first")
	for _, m := range r.methods {
		switch m := m.(type) {
		case *acpv1.AuthMethodAgent:
			r.notes.print(fmt.Sprintf("  %s: %s\n", view.OneLine(string(m.ID)), view.OneLine(m.Name)))
		case *acpv1.AuthMethodTerminal:
			r.notes.print(fmt.Sprintf("  %s: %s\n", view.OneLine(string(m.ID)), view.OneLine(m.Name)))
		}
	}
}

func cut(s string, limit int) string {
	for i := range s {
		if i >= limit {
			return s[:i] + "…"
		}
	}
	return s
}

// work starts the agent, runs the turn and ends the agent.
func (r *runner) work(ctx context.Context) (acpv1.StopReason, error) {
	var err error
	if r.agent, err = r.host.start(context.WithoutCancel(ctx), r.set.agent); err != nil {
		return "", &failure{statusAgent, err}
	}
	r.connect()
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	over, done := make(chan struct{}), make(chan struct{})
	c := &control{
		interrupts: r.host.interrupts, timeout: r.set.timeout, prompted: r.prompted, over: over, faults: r.faults,
		cancelTurn: func() { _ = r.client.cancelTurn() }, kill: r.agent.Kill, say: r.notes.say, stop: stop, hard: r.giveUp,
	}
	var running sync.WaitGroup
	running.Go(func() { c.run(ctx, done) })
	r.release = func() {
		close(done)
		running.Wait()
	}
	reason, err := r.turn(work)
	close(over)
	r.disconnect(err)
	return reason, r.outcome(reason, err, c.cause())
}

// drainTime is how long what an agent that has ended said before may take to be handled.
const drainTime = time.Second

// disconnect ends the agent and its commands. err is how the turn failed, if it did.
func (r *runner) disconnect(err error) {
	if errors.Is(err, acp.ErrClosed) {
		// The agent has ended. Its last words may still wait to be shown, and closing would drop them.
		select {
		case <-r.conn.Done():
		case <-time.After(2 * drainTime):
		case <-r.hard.Done():
		}
	}
	_ = r.conn.Close()
	select {
	case <-r.conn.Done():
	case <-r.hard.Done():
	}
	r.terminals.Close(r.hard)
}

// outcome decides what the run comes to. cause is why it was to end early, if it was.
func (r *runner) outcome(reason acpv1.StopReason, err, cause error) error {
	var local *failure
	switch {
	case err == nil && reason == acpv1.StopReasonCancelled && errors.Is(cause, errTimeout):
		return fmt.Errorf("%w: %v", errTimeout, r.set.timeout)
	case err == nil && errors.As(cause, &local):
		return cause
	case err == nil:
		return stopped(reason)
	case cause == nil:
		return err
	}
	var remote *acp.Error
	if errors.As(err, &remote) {
		r.notes.warn("the agent answered the cancelled turn with an error: %v", remote)
	}
	if errors.Is(cause, errTimeout) {
		return fmt.Errorf("%w: %v", errTimeout, r.set.timeout)
	}
	return cause
}

// watch reports what happens to the outputs.
func (r *runner) watch(ended <-chan struct{}) {
	var recordFailed <-chan struct{}
	if r.recorder != nil {
		recordFailed = r.recorder.failed
	}
	select {
	case <-ended:
	case <-r.printer.Failed():
		r.faults <- outputError(r.printer.Err())
	case <-recordFailed:
		r.faults <- &failure{statusLocal, errors.New("--record: the file could not be written")}
	}
}

// readPrompt reads the prompt from standard input.
func (r *runner) readPrompt(ctx context.Context, stdin io.Reader) (string, error) {
	if r.host.isTerminal(stdin) {
		r.notes.say("type the prompt; Ctrl-D ends it")
	}
	type read struct {
		text []byte
		err  error
	}
	result := make(chan read, 1)
	go func() { // it is left behind if reading does not end
		text, err := io.ReadAll(io.LimitReader(stdin, maxPrompt+1))
		result <- read{text, err}
	}()
	select {
	case got := <-result:
		switch {
		case got.err != nil:
			return "", usageError("standard input: %w", got.err)
		case len(got.text) > maxPrompt:
			return "", usageError("standard input: the prompt has more than %d MiB", maxPrompt>>20)
		}
		prompt := strings.TrimRight(string(got.text), "\r\n")
		return prompt, checkPrompt(prompt)
	case <-r.host.interrupts:
		return "", errInterrupted
	case <-ctx.Done():
		return "", errTerminated
	}
}

// maxPrompt is how long a prompt from standard input may be, in bytes.
const maxPrompt = 16 << 20
