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

func (t *Terminals) end(c *creation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.creating, c)
	t.created.Done()
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

// run releases the terminal itself if nobody takes the answer any more. After ctx has ended, the client has releaseTimeout to answer.
func (c *creation) run(ctx context.Context) {
	defer c.owner.end(c)
	client := c.owner.access.client
	calling, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := afterGrace(ctx, releaseTimeout, cancel)
	defer stop()
	var a clientAnswer
	res, err := client.CreateTerminal(calling, c.req)
	if err == nil {
		a.term = &clientTerminal{client: client, sessionID: c.req.SessionID, terminalID: res.TerminalID}
	}
	a.err = err
	select {
	case c.answer <- a:
		return
	case <-ctx.Done():
	}
	if err == nil {
		releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer cancel()
		_ = a.term.release(releasing)
	}
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

func (t *clientTerminal) wait(ctx context.Context) (Exit, error) {
	res, err := t.client.WaitForTerminalExit(ctx, &acpv1.WaitForTerminalExitRequest{SessionID: t.sessionID, TerminalID: t.terminalID})
	if err != nil {
		return Exit{}, err
	}
	return exitOf(res.ExitCode, res.Signal), nil
}

func (t *clientTerminal) kill(ctx context.Context) error {
	_, err := t.client.KillTerminal(ctx, &acpv1.KillTerminalRequest{SessionID: t.sessionID, TerminalID: t.terminalID})
	return err
}

func (t *clientTerminal) release(ctx context.Context) error {
	_, err := t.client.ReleaseTerminal(ctx, &acpv1.ReleaseTerminalRequest{SessionID: t.sessionID, TerminalID: t.terminalID})
	return err
}

func exitOf(code *uint32, signal *string) Exit {
	e := Exit{Code: -1, Signal: valueOr(signal, "")}
	if code != nil {
		e.Code = int(*code)
	}
	return e
}
