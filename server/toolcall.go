package server

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A Call is a tool call that was announced to the client. It is pending until Start, Output, Done or Fail. What the engine leaves open when its turn ends is
// resolved: completed if the turn ended well, failed otherwise. Its methods are safe for concurrent use; they return [ErrTurnOver] once the turn is over,
// [ErrCallOver] once the call is completed or failed. https://agentclientprotocol.com/protocol/tool-calls
type Call struct {
	t    *Turn
	id   string
	name string
	kind ToolKind

	// Guarded by the session's mu.
	title     string
	input     json.RawMessage
	locations []Location
	shown     []Item // diffs and terminals, which stay
	output    []Item // the rest, which the next output replaces
	result    json.RawMessage
	recorded  bool
	running   bool
	asking    bool // waits for permission
	over      bool
	err       error // why it never was announced
}

// A ToolOption says more about a tool call.
type ToolOption func(*toolOptions)

type toolOptions struct {
	id        string
	locations []Location
	input     json.RawMessage
}

// At says which place in a file the call is about. Line is 1-based; zero is none.
func At(path string, line int) ToolOption {
	return func(o *toolOptions) { o.locations = append(o.locations, Location{Path: path, Line: line}) }
}

// Input gives the tool's input, a value that encoding/json can write. What it cannot write is left out.
func Input(input any) ToolOption {
	return func(o *toolOptions) { o.input = inputOf(input) }
}

// CallID gives the call the id that the model gave it. If the session has had a call with it, the call gets another; see [Call.ID].
func CallID(id string) ToolOption {
	return func(o *toolOptions) { o.id = id }
}

func inputOf(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := wire.RawOf(v)
	if err != nil {
		return nil
	}
	return json.RawMessage(b)
}

// Tool announces a tool call. name is the tool's name for programs, title for people.
func (t *Turn) Tool(name string, kind ToolKind, title string, opts ...ToolOption) *Call {
	var o toolOptions
	for _, opt := range opts {
		opt(&o)
	}
	if title == "" {
		title = name
	}
	c := &Call{t: t, name: clean(name), kind: kind, title: clean(title), input: o.input, locations: o.locations}
	t.flushAfter(func() {
		c.id = t.s.callIDLocked(clean(o.id))
		if t.over {
			c.over, c.err = true, ErrTurnOver
			return
		}
		if c.err = t.endMessageLocked(); c.err == nil {
			c.err = t.s.sendLocked(c.announcement())
		}
		if c.err != nil {
			c.over = true
			return
		}
		t.calls = append(t.calls, c)
	})
	return c
}

func (c *Call) announcement() *acpv1.ToolCall {
	locations, dropped := locationsOf(c.locations, c.t.s.cwd)
	c.t.s.conn.server.logDropped("locations", dropped)
	u := &acpv1.ToolCall{
		ToolCallID: acpv1.ToolCallID(c.id), Title: c.title, Kind: new(wireKind(c.kind)), Status: new(acpv1.ToolCallStatusPending),
		Locations: locations, RawInput: wire.Raw(c.input),
	}
	if c.name != "" {
		u.Name = &c.name
	}
	return u
}

// ID returns the call's id.
func (c *Call) ID() string { return c.id }

// Name returns the tool's name.
func (c *Call) Name() string { return c.name }

// Kind returns the tool's kind.
func (c *Call) Kind() ToolKind { return c.kind }

// RawInput returns the tool's input as JSON, as far as it is known.
func (c *Call) RawInput() json.RawMessage {
	c.t.s.mu.Lock()
	defer c.t.s.mu.Unlock()
	return slices.Clone(c.input)
}

// Over reports whether the call is completed or failed.
func (c *Call) Over() bool {
	c.t.s.mu.Lock()
	defer c.t.s.mu.Unlock()
	return c.over
}

// usableLocked returns why nothing more can be said about the call.
func (c *Call) usableLocked() error {
	switch {
	case c.err != nil:
		return c.err
	case c.t.over:
		return ErrTurnOver
	case c.over:
		return ErrCallOver
	}
	return nil
}

// mayRunLocked returns why the call must not run. In a read-only mode that also fails it.
func (c *Call) mayRunLocked() error {
	if err := c.usableLocked(); err != nil {
		return err
	}
	if c.asking {
		return ErrPermissionPending
	}
	if !c.running && c.kind.Mutates() && c.t.s.readOnlyLocked() {
		return errors.Join(ErrReadOnly, c.failLocked(readOnlyText))
	}
	return nil
}

// Refine tells more about the call, as the model goes on saying it: a better title if it is not empty, the input so far if it is not nil, further locations.
func (c *Call) Refine(title string, input any, opts ...ToolOption) error {
	var o toolOptions
	for _, opt := range opts {
		opt(&o)
	}
	if in := inputOf(input); in != nil {
		o.input = in
	}
	c.t.s.mu.Lock()
	defer c.t.s.mu.Unlock()
	if err := c.usableLocked(); err != nil {
		return err
	}
	u := c.patch()
	if title != "" {
		c.title = clean(title)
		u.Title = &c.title
	}
	if o.input != nil {
		c.input = o.input
		u.RawInput = wire.Raw(o.input)
	}
	if len(o.locations) > 0 {
		c.locations = append(c.locations, o.locations...)
		u.Locations, _ = locationsOf(c.locations, c.t.s.cwd)
	}
	return c.t.s.sendLocked(u)
}

func (c *Call) patch() *acpv1.ToolCallUpdate {
	return &acpv1.ToolCallUpdate{ToolCallID: acpv1.ToolCallID(c.id)}
}

// Start says that the tool is running. It fails, and the call with it, with [ErrReadOnly] in a read-only mode if the tool changes something; it fails with
// [ErrPermissionPending] while the user is asked.
func (c *Call) Start() (err error) {
	c.t.flushAfter(func() {
		if err = c.mayRunLocked(); err != nil || c.running {
			return
		}
		c.running = true
		c.recordLocked()
		u := c.patch()
		u.Status = new(acpv1.ToolCallStatusInProgress)
		err = c.t.s.sendLocked(u)
	})
	return err
}

// Output shows what the tool has produced so far, instead of the output shown before. Diffs and terminals stay. It starts the call.
func (c *Call) Output(r Result) (err error) {
	c.t.flushAfter(func() {
		if err = c.mayRunLocked(); err != nil {
			return
		}
		u := c.patch()
		if !c.running {
			c.running = true
			c.recordLocked()
			u.Status = new(acpv1.ToolCallStatusInProgress)
		}
		c.takeLocked(r, u)
		err = c.t.s.sendLocked(u)
	})
	return err
}

// Done completes the call. The items of the result, if there are any, take the place of the output shown before; diffs and terminals stay.
func (c *Call) Done(r Result) (err error) {
	c.t.flushAfter(func() {
		if err = c.mayRunLocked(); err == nil {
			err = c.finishLocked(r, acpv1.ToolCallStatusCompleted)
		}
	})
	return err
}

// Fail fails the call. The text of the error is shown. It fails with [ErrPermissionPending] while the user is asked.
func (c *Call) Fail(cause error) error {
	text := "The tool failed."
	if cause != nil {
		text = clean(cause.Error())
	}
	return c.FailWith(Text(text))
}

// FailWith is Fail for a tool that has said itself what went wrong: the items of the result, if there are any, take the place of the output shown before.
func (c *Call) FailWith(r Result) (err error) {
	c.t.flushAfter(func() {
		if err = c.usableLocked(); err == nil && c.asking {
			err = ErrPermissionPending
		}
		if err == nil {
			err = c.finishLocked(r, acpv1.ToolCallStatusFailed)
		}
	})
	return err
}

func (c *Call) failLocked(text string) error {
	return c.finishLocked(Text(text), acpv1.ToolCallStatusFailed)
}

// resolveLocked ends a call that the engine has left open.
func (c *Call) resolveLocked(failed bool) error {
	switch {
	case failed:
		return c.finishLocked(Result{}, acpv1.ToolCallStatusFailed)
	case !c.running && c.kind.Mutates() && c.t.s.readOnlyLocked():
		return c.failLocked("The call did not run.")
	}
	return c.finishLocked(Result{}, acpv1.ToolCallStatusCompleted)
}

func (c *Call) finishLocked(r Result, status acpv1.ToolCallStatus) error {
	u := c.patch()
	u.Status = &status
	c.takeLocked(r, u)
	c.over = true
	c.recordLocked()
	c.t.record.add(Entry{Role: AgentRole, Time: time.Now(), Blocks: []Block{&ToolResultBlock{
		CallID: c.id, Result: Result{Items: c.items(), Output: c.result}, Failed: status == acpv1.ToolCallStatusFailed,
	}}})
	return c.t.s.sendLocked(u)
}

// recordLocked puts the call into the history, once: when it runs or ends, because then its input is known.
func (c *Call) recordLocked() {
	if c.recorded {
		return
	}
	c.recorded = true
	c.t.record.add(Entry{Role: AgentRole, Time: time.Now(), Blocks: []Block{&ToolCallBlock{
		ID: c.id, Name: c.name, Title: c.title, Kind: c.kind, Input: c.input, Locations: slices.Clone(c.locations),
	}}})
}

// readOnlyText is what the user reads of a call that a read-only mode refuses.
const readOnlyText = "The session's mode is read-only."

func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
