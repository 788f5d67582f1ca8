package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// DefaultGrace is how long a spawned agent may take to exit once its input is closed.
	DefaultGrace = 2 * time.Second
	// DefaultStderrTail is how much of a spawned agent's standard error is kept, in bytes.
	DefaultStderrTail = 8 << 10
)

// SpawnOptions change how [Spawn] runs an agent. The zero value is ready to use.
type SpawnOptions struct {
	// Grace is how long the agent may take to exit after its input was closed, before it is killed with all its process group. If zero, DefaultGrace; if negative,
	// it is killed at once.
	Grace time.Duration
	// Stderr also gets what the agent writes to standard error. If nil, only the tail is kept. The command's own Stderr must not be set.
	Stderr io.Writer
	// StderrTail is how much of the agent's standard error is kept for errors, in bytes. If zero, DefaultStderrTail; if negative, nothing is.
	StderrTail int
}

// A StartError says that an agent could not be started, or ended before it had answered initialize.
type StartError struct {
	// Command is the program; empty if it is not known.
	Command string
	// Err says why. It may be an [*exec.Error] or hold an [*ExitError].
	Err error
}

// Error names the command and the error.
func (e *StartError) Error() string {
	if e.Command == "" {
		return fmt.Sprintf("acp: the agent did not start: %v", e.Err)
	}
	return fmt.Sprintf("acp: cannot start %s: %v", e.Command, e.Err)
}

// Unwrap returns the error.
func (e *StartError) Unwrap() error { return e.Err }

// An ExitError says that a spawned agent ended with an exit status other than zero.
type ExitError struct {
	// State is how it ended.
	State *os.ProcessState
	// Stderr is the end of what it wrote to standard error. It may hold anything and is not part of the error's text but for its last line.
	Stderr string
}

// Error returns the state and the last line of standard error.
func (e *ExitError) Error() string {
	s := "the agent ended with " + e.State.String()
	tail := strings.TrimSpace(e.Stderr)
	if i := strings.LastIndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	if tail != "" {
		s += ": " + tail
	}
	return s
}

// A Process is a spawned agent, as a transport. Reading returns [io.EOF] or an [*ExitError] when it has ended.
type Process struct {
	cmd    *exec.Cmd
	in     *os.File // the agent's standard input
	out    *os.File // the agent's standard output
	stderr *tailWriter
	grace  time.Duration

	close  sync.Once
	exited chan struct{} // closed when the process has ended
	mine   chan struct{} // closed when this side ends it
	state  *os.ProcessState
}

// Spawn starts an agent and returns the transport to it, for [NewClient]. The command runs in a process group of its own, so that signals from the terminal do
// not reach it; its standard streams must not be set. When ctx ends, the agent is closed as by Close. If opts is nil, the zero SpawnOptions.
//
// The error is a [*StartError].
func Spawn(ctx context.Context, cmd *exec.Cmd, opts *SpawnOptions) (*Process, error) {
	var o SpawnOptions
	if opts != nil {
		o = *opts
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	if o.StderrTail == 0 {
		o.StderrTail = DefaultStderrTail
	}
	p := &Process{cmd: cmd, grace: max(o.Grace, 0), exited: make(chan struct{}), mine: make(chan struct{}), stderr: &tailWriter{max: max(o.StderrTail, 0), next: o.Stderr}}
	if err := p.start(ctx); err != nil {
		return nil, &StartError{Command: cmd.Path, Err: err}
	}
	stop := context.AfterFunc(ctx, func() { _ = p.Close() })
	go func() {
		p.wait()
		stop()
	}()
	return p, nil
}

func (p *Process) start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if p.cmd.Stdin != nil || p.cmd.Stdout != nil || p.cmd.Stderr != nil {
		return errors.New("the command's standard streams are set")
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, childIn.Close(), in.Close())
	}
	p.in, p.out = in, out
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, p.stderr
	p.cmd.WaitDelay = max(p.grace, time.Millisecond)
	ownGroup(p.cmd)
	err = p.cmd.Start()
	_ = childIn.Close()
	_ = childOut.Close()
	if err != nil {
		_ = in.Close()
		_ = out.Close()
	}
	return err
}

// wait waits for the process to end, and then for what it left behind in its group.
func (p *Process) wait() {
	_ = p.cmd.Wait()
	p.state = p.cmd.ProcessState
	close(p.exited)
	// A child of the agent may hold its standard output. What is in the pipe can still be read, but nothing can be asked any more.
	killGroup(p.cmd.Process)
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stderr returns the end of what the agent has written to standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

// Exited returns a channel that is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// State returns how the process ended; nil while it runs.
func (p *Process) State() *os.ProcessState {
	select {
	case <-p.exited:
		return p.state
	default:
		return nil
	}
}

// Read reads from the agent's standard output.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if err == nil || n > 0 {
		return n, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
		err = p.ending()
	}
	return 0, err
}

// ending returns how the process ended, after its output did.
func (p *Process) ending() error {
	timer := time.NewTimer(max(p.grace, time.Millisecond))
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C: // it goes on without an output
		return io.EOF
	}
	select {
	case <-p.mine:
		return io.EOF
	default:
	}
	if p.state == nil || p.state.Success() {
		return io.EOF
	}
	return &ExitError{State: p.state, Stderr: p.Stderr()}
}

// Write writes to the agent's standard input.
func (p *Process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close closes the agent's standard input and waits until it has exited, or kills it and its process group when the grace period is over. It is called by
// [Conn.Close].
func (p *Process) Close() error {
	p.close.Do(func() {
		close(p.mine)
		_ = p.in.Close()
		timer := time.NewTimer(p.grace)
		defer timer.Stop()
		select {
		case <-p.exited:
		case <-timer.C:
			killGroup(p.cmd.Process)
			<-p.exited
		}
		_ = p.out.Close()
	})
	return nil
}

// Kill kills the agent and its process group at once.
func (p *Process) Kill() { killGroup(p.cmd.Process) }

// A tailWriter keeps the end of what is written to it.
type tailWriter struct {
	next io.Writer
	max  int

	mu  sync.Mutex
	buf []byte
}

// Write keeps b, and passes it on. It never fails, so that the agent's standard error is always read.
func (w *tailWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	w.buf = append(w.buf, b[max(0, len(b)-w.max):]...)
	w.buf = append(w.buf[:0], w.buf[max(0, len(w.buf)-w.max):]...)
	w.mu.Unlock()
	if w.next != nil {
		_, _ = w.next.Write(b)
	}
	return len(b), nil
}

// String returns what is kept.
func (w *tailWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.ToValidUTF8(string(w.buf), "")
}
