package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A turn is one prompt that is worked on. It is what commands speak through; only its own goroutine may.
type turn struct {
	agent    *agent
	client   *acp.AgentConn
	session  *session
	cancel   context.CancelCauseFunc
	answered chan struct{} // closed when the response is on the wire

	title    string // of the session
	reason   acpv1.StopReason
	calls    []*toolCall
	speaking string          // the kind of the message that chunks belong to; empty if the next starts a new one
	message  acpv1.MessageID // of the message that chunks belong to
}

// Prompt runs one turn. Turns of a session run one after the other.
func (a *agent) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	s, err := a.findActive(p.SessionID)
	if err != nil {
		return nil, err
	}
	t := &turn{agent: a, client: a.client, session: s, answered: make(chan struct{}), reason: acpv1.StopReasonEndTurn}
	ctx, t.cancel = context.WithCancelCause(ctx)
	defer t.cancel(nil)
	if err := s.enter(t); err != nil {
		return nil, err
	}
	acp.AfterResponse(ctx, func(context.Context) { s.leave(t) })
	if err := s.take(ctx); err != nil {
		return t.outcome(ctx, err)
	}
	acp.AfterResponse(ctx, func(context.Context) { s.free() })
	return t.outcome(ctx, t.run(ctx, p.Prompt))
}

// enter registers a turn, so that closing the session ends it.
func (s *session) enter(t *turn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.active {
		return notFound(s.id)
	}
	s.turns[t] = true
	s.prompts++
	return nil
}

func (s *session) leave(t *turn) {
	s.mu.Lock()
	delete(s.turns, t)
	s.mu.Unlock()
	close(t.answered)
}

// outcome makes the response. A turn that was cancelled has no other result, even if its command has come to its end. The connection itself makes the stop reason
// of what session/cancel has ended. https://agentclientprotocol.com/protocol/prompt-turn#cancellation
func (t *turn) outcome(ctx context.Context, err error) (*acpv1.PromptResponse, error) {
	switch {
	case ctx.Err() == nil && err == nil:
		return &acpv1.PromptResponse{StopReason: t.reason}, nil
	case ctx.Err() == nil:
		return nil, err
	case errors.Is(context.Cause(ctx), errClosed):
		return &acpv1.PromptResponse{StopReason: acpv1.StopReasonCancelled}, nil
	}
	return nil, ctx.Err()
}

// run does what the prompt says. What the client cannot do or refuses to do is told to the user and no failure of the turn.
func (t *turn) run(ctx context.Context, prompt []acpv1.ContentBlock) error {
	// What is open must be resolved before the response, also if the turn was cancelled.
	defer t.settle(context.WithoutCancel(ctx))
	for _, b := range prompt {
		t.session.record(&acpv1.UserMessageChunk{Content: b, MessageID: new(t.nextMessage("user"))})
	}
	var named bool
	if t.title, named = t.session.nameAfter(promptText(prompt)); named {
		if err := t.show(ctx, &acpv1.SessionInfoUpdate{Title: wire.Value(t.title)}); err != nil {
			return err
		}
	}
	err := t.obey(ctx, prompt)
	var unsupported *acp.UnsupportedError
	var said *acp.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &unsupported):
		return t.say(ctx, "The client does not offer "+unsupported.Capability+".")
	case errors.As(err, &said) && said.Remote():
		return t.say(ctx, fmt.Sprintf("The client refused: %s (code %d).", said.Message, said.Code))
	}
	return err
}

// settle resolves the tool calls that a command has left open.
func (t *turn) settle(ctx context.Context) {
	for _, c := range t.calls {
		if err := c.finish(ctx, acpv1.ToolCallStatusFailed); err != nil {
			t.agent.logger.Warn("tool call left open", "session", t.session.id, "error", err)
		}
	}
}

// say adds text to the answer.
func (t *turn) say(ctx context.Context, text string) error {
	if t.session.current().loud {
		text = strings.ToUpper(text)
	}
	return t.sayBlock(ctx, &acpv1.TextContent{Text: text})
}

// sayBlock adds any content to the answer.
func (t *turn) sayBlock(ctx context.Context, block acpv1.ContentBlock) error {
	const kind = "agent"
	return t.chunk(ctx, kind, &acpv1.AgentMessageChunk{Content: block, MessageID: new(t.nextMessage(kind))})
}

// think adds text to the thoughts.
func (t *turn) think(ctx context.Context, text string) error {
	const kind = "thought"
	return t.chunk(ctx, kind, &acpv1.AgentThoughtChunk{Content: &acpv1.TextContent{Text: text}, MessageID: new(t.nextMessage(kind))})
}

// chunk sends a part of a message of the kind, which the next may go on with.
func (t *turn) chunk(ctx context.Context, kind string, u acpv1.SessionUpdate) error {
	err := t.send(ctx, u)
	t.speaking = kind
	return err
}

// nextMessage returns the id of the message that a chunk of this kind belongs to: the one before goes on unless something else came between.
func (t *turn) nextMessage(kind string) acpv1.MessageID {
	if t.speaking != kind {
		t.session.mu.Lock()
		defer t.session.mu.Unlock()
		t.session.messages++
		t.speaking, t.message = kind, acpv1.MessageID("message-"+strconv.Itoa(t.session.messages))
	}
	return t.message
}

// send tells the client something that is part of the history.
func (t *turn) send(ctx context.Context, u acpv1.SessionUpdate) error {
	t.session.record(u)
	return t.show(ctx, u)
}

// show tells the client something that is not replayed.
func (t *turn) show(ctx context.Context, u acpv1.SessionUpdate) error {
	t.speaking = "" // whatever it is, it ends the message
	return t.agent.notify(ctx, t.session, u)
}

// needs is the error of a call that the client does not offer. The connection would not send it either, but only after much ado.
func needs(method, capability string, offered bool) error {
	if offered {
		return nil
	}
	return &acp.UnsupportedError{Method: method, Capability: capability}
}

// path makes a path of a prompt absolute: it is relative to the session's directory.
func (t *turn) path(name string) string {
	if isAbs(name) {
		return name
	}
	return strings.TrimRight(t.session.cwd, "/") + "/" + name
}
