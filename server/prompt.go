package server

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// Prompt runs a turn. https://agentclientprotocol.com/protocol/prompt-turn
func (c *connection) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	s, err := c.admittedTo(ctx, p.SessionID)
	if err != nil {
		return refused(ctx, err)
	}
	prompt, dropped, err := c.promptOf(p.Prompt)
	if err != nil {
		return nil, err
	}
	asked := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(ErrTurnOver)
	t := &Turn{
		s: s, prompt: prompt, dropped: dropped, ended: ctx.Done(), cancel: cancel,
		start: make(chan struct{}), settled: make(chan struct{}), answered: make(chan struct{}), returned: make(chan struct{}),
		usage: &UsageTurn{ID: c.server.newID(TurnIDs)},
	}
	// Prompts have their places in the order in which the client sent them.
	if err := acp.InOrder(ctx, func() error { return s.enqueue(t) }); err != nil {
		t.settle(true)
		if !acp.AfterResponse(ctx, func(context.Context) { s.leaveRefused(t) }) {
			s.leaveRefused(t)
		}
		if asked.Err() != nil {
			err = asked.Err()
		}
		return refused(asked, err)
	}
	if !acp.AfterResponse(ctx, func(context.Context) { s.leave(t) }) {
		s.leave(t)
	}
	defer t.settle(true)
	if err := t.wait(ctx); err != nil {
		close(t.returned)
		return t.answer(asked, ctx, "", err)
	}
	finish, err := t.run(ctx)
	return t.answer(asked, ctx, finish, err)
}

// refused answers a prompt that got no turn, maybe because the client has cancelled it.
func refused(ctx context.Context, err error) (*acpv1.PromptResponse, error) {
	if errors.Is(err, context.Canceled) && isCancelled(context.Cause(ctx)) {
		return &acpv1.PromptResponse{StopReason: acpv1.StopReasonCancelled}, nil
	}
	return nil, wireError(err)
}

// Cancel does nothing: the connection has already ended the contexts of the session's prompts, before anything that came later was handled.
func (c *connection) Cancel(context.Context, *acpv1.CancelNotification) error { return nil }

// promptOf maps a prompt. What the agent did not advertise, or what makes no sense, is an error.
func (c *connection) promptOf(blocks []acpv1.ContentBlock) ([]Part, []Dropped, error) {
	parts, dropped := partsOf(blocks, c.server.accepts)
	for _, d := range dropped {
		if d.Became == "" && (d.Cause == DropUnsupported || d.Cause == DropMalformed) {
			return nil, nil, invalid("/prompt"+d.Path, d.What+": "+d.Why)
		}
	}
	c.server.logDropped("prompt", dropped)
	return parts, dropped, nil
}

// enqueue gives the turn its place in the session, as the policy says.
func (s *Session) enqueue(t *Turn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending || s.closed {
		return &NotFoundError{s.id}
	}
	switch s.conn.server.opts.Policy {
	case Reject:
		// A turn that is over is only being answered, and the client may know already.
		if slices.ContainsFunc(s.turns, func(t *Turn) bool { return !t.over }) {
			s.refused = append(s.refused, t)
			return &Error{Kind: ErrorBusy, Message: "a turn of the session is running", Retryable: true}
		}
	case Preempt:
		for _, other := range s.turns {
			other.cancel(errPreempted)
		}
	case Queue:
	}
	s.turns = append(s.turns, t)
	if len(s.turns) == 1 {
		close(t.start)
	}
	return nil
}

// leave lets the next turn run once the answer to t is on the wire: nothing of it may come before.
func (s *Session) leave(t *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(t.answered)
	i := slices.Index(s.turns, t)
	s.turns = slices.Delete(s.turns, i, i+1)
	select {
	case <-t.returned:
	default:
		s.wedged = append(s.wedged, t)
	}
	if i == 0 && len(s.turns) > 0 {
		close(s.turns[0].start)
	}
}

// leaveRefused notes that a prompt that got no place has its answer.
func (s *Session) leaveRefused(t *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(t.answered)
	s.refused = slices.DeleteFunc(s.refused, func(r *Turn) bool { return r == t })
}

// wait waits until the turn may run.
func (t *Turn) wait(ctx context.Context) error {
	select {
	case <-t.start:
		return t.waitForWedged(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitForWedged waits for engines that are still in turns of the session that were given up, though not for ever.
func (t *Turn) waitForWedged(ctx context.Context) error {
	t.s.mu.Lock()
	wedged := t.s.wedged
	t.s.wedged = nil
	t.s.mu.Unlock()
	if len(wedged) == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(t.s.conn.server.opts.CancelGrace)
	defer timer.Stop()
	for i, w := range wedged {
		select {
		case <-w.returned:
			continue
		case <-ctx.Done():
			t.s.keepWedged(wedged[i:])
			return ctx.Err()
		case <-timer.C:
		}
		t.s.keepWedged(wedged[i:])
		if t.s.conn.server.opts.RefuseWedged {
			return &Error{Kind: ErrorBusy, Message: "an earlier turn of the session has not ended", Retryable: true}
		}
		t.s.conn.server.opts.Logger.Warn("server: a turn begins while the engine is in one that was given up", "session", t.s.id)
		break
	}
	return ctx.Err()
}

func (s *Session) keepWedged(turns []*Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range turns {
		select {
		case <-t.returned:
		default:
			s.wedged = append(s.wedged, t)
		}
	}
}

var errExited = errors.New("server: the engine ended its goroutine")

// An outcome is what the engine's Prompt returned.
type outcome struct {
	finish Finish
	err    error
}

// run lets the engine work. If the turn is cancelled and the engine does not return in time, it is left behind.
func (t *Turn) run(ctx context.Context) (Finish, error) {
	if err := t.begin(ctx); err != nil {
		close(t.returned)
		return "", err
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errExited}
		defer func() {
			close(t.returned)
			done <- o
		}()
		o.err = t.s.conn.guarded("Prompt", func() (err error) {
			o.finish, err = t.call(ctx)
			return err
		})
	}()
	select {
	case o := <-done:
		return o.finish, o.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(t.s.conn.server.opts.CancelGrace)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.finish, o.err
	case <-timer.C:
		t.s.conn.server.opts.Logger.Warn("server: the engine did not end a cancelled turn; it is left behind", "session", t.s.id)
		return Aborted, nil
	}
}

func (t *Turn) call(ctx context.Context) (Finish, error) {
	if commander, ok := t.s.conn.server.engine.(Commander); ok && t.command != "" {
		return commander.RunCommand(ctx, t, t.command, t.args)
	}
	return t.s.conn.server.engine.Prompt(ctx, t)
}

// answer settles the turn and returns its answer. asked is the request's own context.
func (t *Turn) answer(asked, ctx context.Context, finish Finish, err error) (*acpv1.PromptResponse, error) {
	cancelled := isCancelled(context.Cause(ctx))
	var stop acpv1.StopReason
	if err == nil && !cancelled {
		stop, err = stopReasonOf(finish)
	}
	t.close()
	t.settle(err != nil || cancelled)
	if keepErr := t.commit(context.WithoutCancel(ctx)); keepErr != nil && err == nil {
		err = keepErr
	}
	cancelled = cancelled || isCancelled(context.Cause(asked))
	switch {
	case cancelled:
		if err != nil && !errors.Is(err, context.Canceled) {
			t.s.conn.server.logFailure("a cancelled turn", t.s.redacted(err))
		}
		return &acpv1.PromptResponse{StopReason: acpv1.StopReasonCancelled}, nil
	case err != nil:
		return nil, t.s.failed("Prompt", err)
	}
	return &acpv1.PromptResponse{StopReason: stop}, nil
}

// isCancelled reports whether the cause is one for which a turn counts as cancelled: the client's doing, never the engine's own.
func isCancelled(cause error) bool {
	return errors.Is(cause, acp.ErrCancelledByPeer) || errors.Is(cause, ErrSessionClosed) || errors.Is(cause, errPreempted)
}

// logDropped notes what a mapping has dropped.
func (s *Server) logDropped(what string, dropped []Dropped) {
	for i, d := range dropped {
		if i == 10 {
			s.opts.Logger.Info("server: dropped more", "from", what, "count", strconv.Itoa(len(dropped)-i))
			return
		}
		s.opts.Logger.Info("server: dropped", "from", what, "what", d.String())
	}
}
