package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

const (
	// DefaultOutputLimit is how much output of a command is kept if a CommandLine sets no limit, in bytes.
	DefaultOutputLimit = 1 << 20
	// releaseTimeout is how long a client may take to release a terminal, once nobody waits for it any more.
	releaseTimeout = 5 * time.Second
)

// The errors of [Terminals] beside [ErrOutsideRoots], those of package exec and those of the client.
var (
	// ErrReleased says that the terminal has been released.
	ErrReleased = errors.New("server: the terminal was released")
	// ErrTerminalsClosed says that the turn is over, so that nothing may be started.
	ErrTerminalsClosed = errors.New("server: no more terminals in this turn")
)

// terminalClient is the part of a client that has terminals.
type terminalClient interface {
	CreateTerminal(ctx context.Context, params *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error)
	TerminalOutput(ctx context.Context, params *acpv1.TerminalOutputRequest) (*acpv1.TerminalOutputResponse, error)
	WaitForTerminalExit(ctx context.Context, params *acpv1.WaitForTerminalExitRequest) (*acpv1.WaitForTerminalExitResponse, error)
	KillTerminal(ctx context.Context, params *acpv1.KillTerminalRequest) (*acpv1.KillTerminalResponse, error)
	ReleaseTerminal(ctx context.Context, params *acpv1.ReleaseTerminalRequest) (*acpv1.ReleaseTerminalResponse, error)
}

// A CommandLine is a command for [Terminals] to run.
type CommandLine struct {
	// Command is the program: its path, or a name to look up in PATH.
	Command string
	// Args are its arguments. There is no shell, unless Command is one.
	Args []string
	// Env are "NAME=value" pairs that are added to the environment.
	Env []string
	// Dir is the directory to run in. If empty, the session's working directory; a relative one is taken from that.
	Dir string
	// OutputLimit is how much of the output is kept, in bytes: its end. If zero, DefaultOutputLimit.
	OutputLimit int
}

// TerminalOutput is what a command has written so far.
type TerminalOutput struct {
	// Text is standard output and standard error, as they came. It is UTF-8 and has at most the limit's bytes.
	Text string
	// Truncated says that the start was dropped, up to a character's first byte.
	Truncated bool
	// Exit is how the command ended; nil while it runs.
	Exit *Exit
}

// An Exit is how a command ended.
type Exit struct {
	// Code is its exit code. If a signal ended it, -1.
	Code int
	// Signal is the name of that signal, such as "SIGKILL".
	Signal string
}

// Terminals run commands for a turn: in terminals of the client if it has them, where the user sees them; and on this machine otherwise, unless [LocalNever] forbids
// that. Only the directory that a command starts in is held to the session's directories, not what it does there. All terminals are released when their context or
// the turn ends, whatever the engine does. It is safe for concurrent use.
// https://agentclientprotocol.com/protocol/terminals
type Terminals struct {
	access toolAccess

	mu     sync.Mutex
	closed bool
	open   map[*Terminal]bool
	// creating are the requests to create a terminal that the client has not answered; each is given up by its function.
	creating map[*creation]context.CancelFunc
	created  sync.WaitGroup // counts them, and calls of Run; grows under mu while closed is not set
}

func newTerminals(a toolAccess) *Terminals {
	return &Terminals{access: a, open: map[*Terminal]bool{}, creating: map[*creation]context.CancelFunc{}}
}

// Run starts a command. It does not wait for it. When ctx ends, the command is killed and the terminal released; [Terminal.Release] does that earlier. Once the turn is
// cancelled nothing is started any more, whatever ctx is.
func (t *Terminals) Run(ctx context.Context, c CommandLine) (*Terminal, error) {
	if err := t.access.allows(Execute); err != nil {
		return nil, err
	}
	if c.Command == "" || c.OutputLimit < 0 {
		return nil, fmt.Errorf("server: a command line without a command: %w", fs.ErrInvalid)
	}
	if c.OutputLimit == 0 {
		c.OutputLimit = DefaultOutputLimit
	}
	if c.Dir == "" {
		c.Dir = t.access.roots.cwd
	}
	dir, err := t.access.roots.named("chdir", c.Dir)
	if err != nil {
		return nil, err
	}
	c.Dir = dir
	starting, stop := t.access.starting(ctx)
	defer stop()
	if err := starting.Err(); err != nil {
		return nil, err
	}
	if !t.enter() {
		return nil, ErrTerminalsClosed
	}
	defer t.created.Done()
	back, err := t.backend(starting, c)
	if err != nil {
		return nil, err
	}
	term := &Terminal{owner: t, back: back, limit: c.OutputLimit, claim: make(chan struct{}), released: make(chan struct{})}
	if !t.adopt(term) {
		term.abandon()
		return nil, ErrTerminalsClosed
	}
	// The lock orders this with a release that comes at once.
	term.mu.Lock()
	defer term.mu.Unlock()
	term.stop = context.AfterFunc(ctx, term.abandon)
	return term, nil
}

func (t *Terminals) backend(ctx context.Context, c CommandLine) (terminalBackend, error) {
	if t.access.caps.GetTerminal() {
		return t.create(ctx, c)
	}
	if t.access.local == LocalNever {
		return nil, &acp.UnsupportedError{Method: acpv1.MethodCreateTerminal, Capability: "terminal"}
	}
	dir, err := t.access.roots.realDir(ctx, c.Dir)
	if err != nil {
		return nil, err
	}
	c.Dir = filepath.Clean(dir)
	return startLocal(c)
}

// enter makes close wait for a call of Run: until its terminal is one that close knows. It reports whether there may be one.
func (t *Terminals) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.created.Add(1)
	return true
}

// adopt makes close release the terminal. It reports whether there may be one.
func (t *Terminals) adopt(term *Terminal) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.open[term] = true
	}
	return !t.closed
}

func (t *Terminals) forget(term *Terminal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, term)
}

// has reports whether a terminal of that id is open, so that a client can show it.
func (t *Terminals) has(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for term := range t.open {
		if id != "" && term.ID() == id && !term.isReleased() {
			return true
		}
	}
	return false
}

// close releases all terminals, and lets there be no more. It returns when that is done; a client that does not answer holds it up for a few times releaseTimeout.
func (t *Terminals) close() {
	t.mu.Lock()
	t.closed = true
	for _, giveUp := range t.creating {
		giveUp()
	}
	open := make([]*Terminal, 0, len(t.open))
	for term := range t.open {
		open = append(open, term)
	}
	t.mu.Unlock()
	var releases sync.WaitGroup
	for _, term := range open {
		releases.Go(term.abandon)
	}
	releases.Wait()
	t.created.Wait()
}

// A Terminal is a command that runs or has run. It is safe for concurrent use.
type Terminal struct {
	owner *Terminals
	back  terminalBackend
	limit int

	users sync.WaitGroup // calls of the backend; grows under mu while claimed is not set

	mu       sync.Mutex
	stop     func() bool   // ends the watch on the context of Run
	claimed  bool          // somebody releases it
	claim    chan struct{} // closed then
	err      error         // of the release; set before released is closed
	released chan struct{}
}

// terminalBackend is where a command runs.
type terminalBackend interface {
	// id is what the client calls the terminal; empty if it is none of the client's.
	id() string
	output(ctx context.Context) (TerminalOutput, error)
	wait(ctx context.Context) (Exit, error)
	kill(ctx context.Context) error
	release(ctx context.Context) error
}

// ID returns the client's id of the terminal, for a [TerminalItem]. It is empty if the command runs on this machine, where the client cannot show it.
func (t *Terminal) ID() string { return t.back.id() }

// Output returns what the command has written so far, and how it ended if it has. Like Wait and Kill, it fails with [ErrReleased] if the terminal is released before it is done.
func (t *Terminal) Output(ctx context.Context) (out TerminalOutput, err error) {
	err = t.use(ctx, func(ctx context.Context) error {
		out, err = t.back.output(ctx)
		return err
	})
	if err != nil {
		return TerminalOutput{}, err
	}
	text, cut := keepEnd(out.Text, t.limit)
	out.Text, out.Truncated = text, out.Truncated || cut
	return out, nil
}

// Wait waits until the command has ended, and returns how. If it returns because ctx has ended, the command still runs.
func (t *Terminal) Wait(ctx context.Context) (exit Exit, err error) {
	err = t.use(ctx, func(ctx context.Context) error {
		exit, err = t.back.wait(ctx)
		return err
	})
	return exit, err
}

// Kill ends the command and what it has started. The terminal stays: its output can be read.
func (t *Terminal) Kill(ctx context.Context) error { return t.use(ctx, t.back.kill) }

// use calls the backend, unless the terminal is released; a call that waits then is given up. So nothing is asked of the client behind the release.
func (t *Terminal) use(ctx context.Context, f func(ctx context.Context) error) error {
	t.mu.Lock()
	if t.claimed {
		t.mu.Unlock()
		return ErrReleased
	}
	t.users.Add(1)
	t.mu.Unlock()
	defer t.users.Done()
	ctx, stop := endingWith(ctx, t.claim, ErrReleased)
	defer stop()
	err := f(ctx)
	if err != nil && t.isReleased() {
		return ErrReleased
	}
	return err
}

// Release ends the command if it runs, and the terminal. Only the first call does; others wait for it and return the same. Even if ctx ends first, the terminal is
// released.
func (t *Terminal) Release(ctx context.Context) error {
	first, stop := t.take()
	if first {
		if stop != nil {
			stop()
		}
		go t.release() // which ends, and close waits for it
	}
	select {
	case <-t.released:
		return t.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take reports whether nobody else releases the terminal. From then on it is not shown any more: what shows it is sent before.
func (t *Terminal) take() (first bool, stop func() bool) {
	if order := t.owner.access.order; order != nil {
		order.Lock()
		defer order.Unlock()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	first = !t.claimed
	t.claimed = true
	if first {
		close(t.claim)
	}
	return first, t.stop
}

func (t *Terminal) release() {
	t.users.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	defer close(t.released)
	t.err = t.back.release(ctx)
	t.owner.forget(t)
}

// abandon releases the terminal when nobody else will.
func (t *Terminal) abandon() { _ = t.Release(context.Background()) }

func (t *Terminal) isReleased() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.claimed
}
