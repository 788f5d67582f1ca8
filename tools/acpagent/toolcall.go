package main

import (
	"context"
	"strconv"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A toolCall is something that a turn does besides talking. It is announced before anything else is said of it, and resolved at the end of its turn at the latest.
type toolCall struct {
	turn   *turn
	id     acpv1.ToolCallID
	title  string
	kind   acpv1.ToolKind
	closed bool // completed or failed
}

// tool announces a tool call as pending. Locations are the paths of the files it is about.
func (t *turn) tool(ctx context.Context, kind acpv1.ToolKind, title string, content []acpv1.ToolCallContent, paths ...string) (*toolCall, error) {
	t.session.mu.Lock()
	t.session.calls++
	c := &toolCall{turn: t, id: acpv1.ToolCallID("call-" + strconv.Itoa(t.session.calls)), title: title, kind: kind}
	t.session.mu.Unlock()
	t.calls = append(t.calls, c)
	var locations []acpv1.ToolCallLocation
	for _, p := range paths {
		locations = append(locations, acpv1.ToolCallLocation{Path: p})
	}
	return c, t.send(ctx, &acpv1.ToolCall{
		ToolCallID: c.id, Title: title, Kind: new(kind), Status: new(acpv1.ToolCallStatusPending), Content: content, Locations: locations,
	})
}

func (c *toolCall) update(status acpv1.ToolCallStatus, content ...acpv1.ToolCallContent) *acpv1.ToolCallUpdate {
	return &acpv1.ToolCallUpdate{ToolCallID: c.id, Status: new(status), Content: content}
}

// start says that the work has begun.
func (c *toolCall) start(ctx context.Context) error {
	return c.turn.send(ctx, c.update(acpv1.ToolCallStatusInProgress))
}

// finish resolves the call, once. Content, if there is any, takes the place of what the call had.
func (c *toolCall) finish(ctx context.Context, status acpv1.ToolCallStatus, content ...acpv1.ToolCallContent) error {
	return c.finishAs(ctx, status, content, content)
}

// finishAs resolves the call with content that differs between now and a replay.
func (c *toolCall) finishAs(ctx context.Context, status acpv1.ToolCallStatus, live, replayed []acpv1.ToolCallContent) error {
	if c.closed {
		return nil
	}
	c.closed = true
	c.turn.session.record(c.update(status, replayed...))
	return c.turn.show(ctx, c.update(status, live...))
}

// cancelledChoice is what ask returns if the client chose nothing.
const cancelledChoice acpv1.PermissionOptionKind = "cancelled"

var permissionOptions = []acpv1.PermissionOption{
	{OptionID: "once", Name: "Allow", Kind: acpv1.PermissionOptionKindAllowOnce},
	{OptionID: "always", Name: "Always allow", Kind: acpv1.PermissionOptionKindAllowAlways},
	{OptionID: "no", Name: "Reject", Kind: acpv1.PermissionOptionKindRejectOnce},
	{OptionID: "never", Name: "Always reject", Kind: acpv1.PermissionOptionKindRejectAlways},
}

// ask asks the user whether the call may go on. What is no known choice is a rejection.
func (c *toolCall) ask(ctx context.Context) (acpv1.PermissionOptionKind, error) {
	r, err := c.turn.client.RequestPermission(ctx, &acpv1.RequestPermissionRequest{
		SessionID: c.turn.session.id,
		ToolCall:  acpv1.ToolCallUpdate{ToolCallID: c.id, Title: new(c.title), Kind: new(c.kind), Status: new(acpv1.ToolCallStatusPending)},
		Options:   permissionOptions,
	})
	if ctx.Err() != nil { // the answer to a question that no longer matters may come in time
		err = ctx.Err()
	}
	if err != nil {
		return "", err
	}
	switch o := r.Outcome.(type) {
	case *acpv1.SelectedPermissionOutcome:
		for _, option := range permissionOptions {
			if option.OptionID == o.OptionID {
				return option.Kind, nil
			}
		}
	case *acpv1.CancelledPermissionOutcome:
		return cancelledChoice, nil
	case *acpv1.UnknownRequestPermissionOutcome:
	}
	return acpv1.PermissionOptionKindRejectOnce, nil
}

// allowed reports whether the call may go on. In the mode that asks it asks, unless the user has said "always" or "never" to this kind of call in this session.
func (c *toolCall) allowed(ctx context.Context) (bool, error) {
	s := c.turn.session
	s.mu.Lock()
	choice, known := s.answers[c.kind]
	asks := s.settings.mode == modeAsk
	s.mu.Unlock()
	if !asks {
		return true, nil
	}
	if !known {
		var err error
		if choice, err = c.ask(ctx); err != nil {
			return false, err
		}
	}
	allowed := choice == acpv1.PermissionOptionKindAllowOnce || choice == acpv1.PermissionOptionKindAllowAlways
	if choice == acpv1.PermissionOptionKindAllowAlways || choice == acpv1.PermissionOptionKindRejectAlways {
		s.mu.Lock()
		s.answers[c.kind] = choice
		s.mu.Unlock()
	}
	return allowed, nil
}
