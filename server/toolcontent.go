package server

import (
	"encoding/json"
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// Diff shows a change that the tool means to make, or has made: the diff of a file takes the place of an earlier one of the same file. If d is nil, as [AppliedDiff]
// returns it where nothing has changed, nothing is shown.
func (c *Call) Diff(d *DiffItem) error { return c.show(d) }

// Terminal shows one of the turn's terminals, live; see [Turn.Terminals]. The error is [ErrUnknownTerminal] if it is none of those or has been released, unless the call
// has shown it before. An empty id, which a command on this machine has, shows nothing.
func (c *Call) Terminal(terminalID string) error {
	if terminalID == "" {
		return nil
	}
	return c.show(&TerminalItem{TerminalID: terminalID})
}

// showsLocked reports whether the client can show the item: it does not know a terminal that it has not created, or that was released.
func (c *Call) showsLocked(item Item) bool {
	terminal, ok := item.(*TerminalItem)
	if !ok {
		return true
	}
	shown := func(other Item) bool {
		t, ok := other.(*TerminalItem)
		return ok && t.TerminalID == terminal.TerminalID
	}
	return slices.ContainsFunc(c.shown, shown) || c.t.terminals != nil && c.t.terminals.has(terminal.TerminalID)
}

func (c *Call) show(item Item) error {
	c.t.s.mu.Lock()
	defer c.t.s.mu.Unlock()
	if err := c.usableLocked(); err != nil {
		return err
	}
	if isNothing(item) {
		return nil
	}
	if !c.showsLocked(item) {
		return ErrUnknownTerminal
	}
	c.keep(item)
	u := c.patch()
	u.Content = c.contentLocked()
	return c.t.s.sendLocked(u)
}

// keep adds a diff or terminal to those that are shown.
func (c *Call) keep(item Item) {
	same := func(other Item) bool {
		switch item := item.(type) {
		case *DiffItem:
			d, ok := other.(*DiffItem)
			return ok && d.Path == item.Path
		case *TerminalItem:
			t, ok := other.(*TerminalItem)
			return ok && t.TerminalID == item.TerminalID
		case *TextItem, *MediaItem:
		}
		return false
	}
	if i := slices.IndexFunc(c.shown, same); i >= 0 {
		c.shown[i] = item
		return
	}
	c.shown = append(c.shown, item)
}

// takeLocked takes over a result and puts what the client is to see into u.
func (c *Call) takeLocked(r Result, u *acpv1.ToolCallUpdate) {
	if len(r.Items) > 0 {
		c.output = nil
		for _, item := range r.Items {
			if isNothing(item) {
				continue
			}
			switch item := item.(type) {
			case *TerminalItem:
				c.takeTerminalLocked(item)
			case *DiffItem:
				c.keep(item)
			case *TextItem, *MediaItem:
				c.output = append(c.output, item)
			}
		}
		u.Content = c.contentLocked()
	}
	l := newLosses()
	if output := rawJSON(r.Output, "tool output", l.at("output")); output != nil {
		c.result, u.RawOutput = json.RawMessage(output), output
	}
	c.t.s.conn.server.logDropped("result", *l.list)
}

// isNothing reports whether an item is nil, or media without any.
func isNothing(item Item) bool {
	switch item := item.(type) {
	case *TextItem:
		return item == nil
	case *DiffItem:
		return item == nil
	case *TerminalItem:
		return item == nil
	case *MediaItem:
		if item == nil {
			return true
		}
		switch p := item.Part.(type) {
		case *TextPart:
			return p == nil
		case *ImagePart:
			return p == nil
		case *AudioPart:
			return p == nil
		case *DocumentPart:
			return p == nil
		case *ResourcePart:
			return p == nil
		}
	}
	return true
}

// takeTerminalLocked takes over a terminal of a result, or what came out of it if the client does not know it.
func (c *Call) takeTerminalLocked(item *TerminalItem) {
	switch {
	case c.showsLocked(item):
		c.keep(item)
	case item.Output != "":
		c.output = append(c.output, &TextItem{item.Output})
	default:
		c.t.s.conn.server.logDropped("content", []Dropped{{Cause: DropMalformed, What: "terminal", Why: "it is none of the turn's, or was released"}})
	}
}

func (c *Call) items() []Item { return slices.Concat(c.shown, c.output) }

// contentLocked returns all that is shown; not nil, which would leave it as it is.
func (c *Call) contentLocked() []acpv1.ToolCallContent {
	content, dropped := contentOf(Result{Items: c.items()}, c.t.s.cwd)
	c.t.s.conn.server.logDropped("content", dropped)
	if content == nil {
		content = []acpv1.ToolCallContent{}
	}
	return content
}
