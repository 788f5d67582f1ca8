package server

import (
	"context"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// clientTerminal is a terminal of the client.
type clientTerminal struct {
	client     terminalClient
	sessionID  acpv1.SessionID
	terminalID acpv1.TerminalID
	exit       clientExit
}

// create lets the client start a command. A request that has been sent is waited for even if ctx ends: its answer has the id without which nobody could release the
// terminal.
func (t *Terminals) create(ctx context.Context, line CommandLine) (terminalBackend, error) {
	req := &acpv1.CreateTerminalRequest{
		SessionID: t.access.sessionID, Command: line.Command, Args: line.Args,
		Cwd: new(line.Dir), OutputByteLimit: new(uint64(line.OutputLimit)),
	}
	for _, pair := range line.Env {
		name, value, _ := strings.Cut(pair, "=")
		req.Env = append(req.Env, acpv1.EnvVariable{Name: name, Value: value})
	}
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	c := &creation{owner: t, req: req, answer: make(chan clientAnswer)}
	if !t.begin(c, giveUp) {
		return nil, ErrTerminalsClosed
	}
	go c.run(ctx)
	select {
	case a := <-c.answer:
		return a.term, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin makes close give c up and wait for it. It reports whether there may be more terminals.
func (t *Terminals) begin(c *creation, giveUp context.CancelFunc) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.creating[c] = giveUp
	t.created.Add(1)
	return true
}

// end lets close not wait for c, or not any more. It may be called more than once.
func (t *Terminals) end(c *creation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.creating[c] != nil {
		delete(t.creating, c)
		t.created.Done()
	}
}

// A creation is a request to create a terminal.
type creation struct {
	owner  *Terminals
	req    *acpv1.CreateTerminalRequest
	answer chan clientAnswer
}

type clientAnswer struct {
	term terminalBackend
	err  error
}

// run releases the terminal itself if nobody takes the answer any more. After ctx has ended, the turn waits releaseTimeout for that, but run waits until the client
// answers or has gone: the request is not cancelled, because a client that does not know cancellation would have created the terminal all the same.
func (c *creation) run(ctx context.Context) {
	stop := afterGrace(ctx, releaseTimeout, func() { c.owner.end(c) })
	defer c.owner.end(c)
	defer stop()
	access := &c.owner.access
	var a clientAnswer
	res, err := access.client.CreateTerminal(context.WithoutCancel(ctx), c.req)
	if err == nil {
		a.term = &clientTerminal{client: access.client, sessionID: c.req.SessionID, terminalID: res.TerminalID}
	}
	a.err = err
	select {
	case c.answer <- a:
		return
	case <-ctx.Done():
	}
	// With the session, the client has closed its terminals.
	if err != nil || access.closed != nil && access.closed() {
		return
	}
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_ = a.term.release(releasing)
}

func (t *clientTerminal) id() string { return string(t.terminalID) }

func (t *clientTerminal) output(ctx context.Context) (TerminalOutput, error) {
	res, err := t.client.TerminalOutput(ctx, &acpv1.TerminalOutputRequest{SessionID: t.sessionID, TerminalID: t.terminalID})
	if err != nil {
		return TerminalOutput{}, err
	}
	out := TerminalOutput{Text: res.Output, Truncated: res.Truncated}
	if s := res.ExitStatus; s != nil {
		out.Exit = new(exitOf(s.ExitCode, s.Signal))
	}
	return out, nil
}

func (t *clientTerminal) kill(ctx context.Context) error {
	_, err := t.client.KillTerminal(ctx, &acpv1.KillTerminalRequest{SessionID: t.sessionID, TerminalID: t.terminalID})
	return err
}

func exitOf(code *uint32, signal *string) Exit {
	e := Exit{Code: -1, Signal: valueOr(signal, "")}
	if code != nil {
		e.Code = int(*code)
	}
	return e
}
