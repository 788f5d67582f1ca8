package server

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// A Turn is one prompt and all that is said until it is answered. It is the engine's only mouth, and keeps the rules whatever the engine does: tool calls are announced
// once and resolved in the end, and nothing is said after the answer. Its methods are safe for concurrent use; once the turn is over they return
// [ErrTurnOver] and nothing is sent. https://agentclientprotocol.com/protocol/prompt-turn
type Turn struct {
	s        *Session
	prompt   []Part
	dropped  []Dropped
	command  string
	args     string
	ended    <-chan struct{} // the context's Done
	cancel   context.CancelCauseFunc
	start    chan struct{} // closed when the turn may run
	settled  chan struct{} // closed when nothing more is said
	answered chan struct{} // closed when the answer is on the wire
	returned chan struct{} // closed when the engine has returned

	requests sync.WaitGroup // requests to the client that wait; grows under the session's mu while closing is not set
	keeping  sync.Mutex     // held while the store is written

	// Guarded by the session's mu.
	running   bool // the engine has it, or is about to
	over      bool
	closing   bool // no more terminals and permissions
	message   message
	calls     []*Call
	compacts  []*Compaction
	usage     *UsageTurn // on its own: the session keeps it, and must not keep the turn with it
	record    record
	files     *Files
	terminals *Terminals
}

// A message is the message that is being said.
type message struct {
	id      string // empty if there is none
	thought bool
	tail    string // the beginning of a character whose rest is to come
}

// Session returns the turn's session.
func (t *Turn) Session() *Session { return t.s }

// Prompt returns what the user said. It must not be changed.
func (t *Turn) Prompt() []Part { return t.prompt }

// Dropped returns what the prompt lost on its way to [Turn.Prompt]. The paths are in the client's list of content blocks.
func (t *Turn) Dropped() []Dropped { return slices.Clone(t.dropped) }

// Text returns the text of the prompt, its pieces joined.
func (t *Turn) Text() string {
	var b strings.Builder
	for _, p := range t.prompt {
		if text, ok := p.(*TextPart); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// Command returns the slash command that the prompt is, and the text after its name. ok is false if it is none of the session's commands.
func (t *Turn) Command() (name, args string, ok bool) { return t.command, t.args, t.command != "" }

// Client returns the connection to the client, for extension calls: acp.CallExtension(ctx, turn.Client(), "_x/y", params). What is called past the turn is not held to
// its rules.
func (t *Turn) Client() *acp.AgentConn { return t.s.client }

// Say adds text to the agent's answer. A message goes on until the agent thinks, calls a tool or calls NewMessage.
func (t *Turn) Say(text string) error { return t.speak(false, text) }

// Think adds text to the agent's reasoning.
func (t *Turn) Think(text string) error { return t.speak(true, text) }

// NewMessage ends the message that is being said.
func (t *Turn) NewMessage() error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over {
		return ErrTurnOver
	}
	return t.endMessageLocked()
}

func (t *Turn) speak(thought bool, text string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over {
		return ErrTurnOver
	}
	if text == "" {
		return nil
	}
	if err := t.beginMessageLocked(thought); err != nil {
		return err
	}
	whole, tail := splitText(t.message.tail + text)
	t.message.tail = tail
	return t.chunkLocked(whole)
}

// splitText returns text without the beginning of a character at its end, and that beginning: a model's deltas may cut through a character.
func splitText(text string) (whole, tail string) {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return text[:i], text[i:]
			}
			break
		}
	}
	return text, ""
}

func (t *Turn) beginMessageLocked(thought bool) error {
	if t.message.id != "" && t.message.thought == thought {
		return nil
	}
	if err := t.endMessageLocked(); err != nil {
		return err
	}
	t.message = message{id: t.s.conn.server.newID(MessageIDs), thought: thought}
	return nil
}

func (t *Turn) endMessageLocked() error {
	var err error
	if tail := t.message.tail; tail != "" {
		t.message.tail = ""
		err = t.chunkLocked(tail)
	}
	t.message = message{}
	t.record.endText()
	return err
}

func (t *Turn) chunkLocked(text string) error {
	if text == "" {
		return nil
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	chunk := acpv1.ContentChunk{Content: &acpv1.TextContent{Text: text}, MessageID: new(acpv1.MessageID(t.message.id))}
	var u acpv1.SessionUpdate = (*acpv1.AgentMessageChunk)(&chunk)
	if t.message.thought {
		u = (*acpv1.AgentThoughtChunk)(&chunk)
	}
	if err := t.s.sendLocked(u); err != nil {
		return err
	}
	t.record.text(t.message.id, t.message.thought, text)
	return nil
}

// Show adds something that is not text to the agent's answer: an image, audio, a document or a link.
func (t *Turn) Show(p Part) error {
	if text, ok := p.(*TextPart); ok {
		return t.Say(text.Text)
	}
	l := newLosses()
	block := blockOf(p, l)
	t.s.conn.server.logDropped("part", *l.list)
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	switch {
	case t.over:
		return ErrTurnOver
	case block == nil:
		return &Error{Kind: ErrorInvalid, Message: "the part cannot be shown"}
	}
	if err := t.beginMessageLocked(false); err != nil {
		return err
	}
	id := t.message.id
	if err := t.s.sendLocked(&acpv1.AgentMessageChunk{Content: block, MessageID: new(acpv1.MessageID(id))}); err != nil {
		return err
	}
	t.record.endText()
	t.record.add(Entry{Role: AgentRole, MessageID: id, Time: time.Now(), Blocks: []Block{&MediaBlock{p}}})
	return nil
}

// Plan shows what the agent means to do: always all of it. https://agentclientprotocol.com/protocol/agent-plan
func (t *Turn) Plan(todos []Todo) (err error) {
	plan, dropped := planOf(todos)
	t.s.conn.server.logDropped("plan", dropped)
	t.flushAfter(func() {
		if t.over {
			err = ErrTurnOver
			return
		}
		if err = t.s.sendLocked(plan); err == nil {
			t.record.add(Entry{Role: AgentRole, Time: time.Now(), Blocks: []Block{&PlanBlock{slices.Clone(todos)}}})
		}
	})
	return err
}

// alive returns ErrTurnOver if the turn is over.
func (t *Turn) alive() error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over {
		return ErrTurnOver
	}
	return nil
}

// SetMode changes the session's mode; see [Session.SetMode].
func (t *Turn) SetMode(id string) error {
	t.s.mu.Lock()
	if t.over {
		t.s.mu.Unlock()
		return ErrTurnOver
	}
	changed, err := t.s.setModeLocked(id)
	t.s.mu.Unlock()
	if changed {
		t.s.conn.server.keepMeta(t.s)
	}
	return err
}

// SetTitle changes the session's title.
func (t *Turn) SetTitle(title string) error {
	t.s.mu.Lock()
	if t.over {
		t.s.mu.Unlock()
		return ErrTurnOver
	}
	err := t.s.setTitleLocked(title)
	t.s.mu.Unlock()
	if err == nil {
		t.s.conn.server.keepMeta(t.s)
	}
	return err
}

// RefreshConfig asks the engine for the session's settings again and tells the client if they have changed.
func (t *Turn) RefreshConfig(ctx context.Context) error {
	if err := t.alive(); err != nil {
		return err
	}
	return t.s.RefreshConfig(ctx)
}

// SetOption changes a setting; see [Session.SetOption].
func (t *Turn) SetOption(ctx context.Context, id string, value ConfigValue) error {
	if err := t.alive(); err != nil {
		return err
	}
	return t.s.SetOption(ctx, id, value)
}

// RefreshCommands asks the engine for the session's commands again and tells the client if they have changed.
func (t *Turn) RefreshCommands() error {
	if err := t.alive(); err != nil {
		return err
	}
	return t.s.RefreshCommands()
}

// Notice tells the user something that is not part of the conversation. It does nothing if the client cannot show it.
func (t *Turn) Notice(severity Severity, title, description string) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over {
		return ErrTurnOver
	}
	return t.s.noticeLocked(severity, title, description)
}

// Usage adds what a model request has used to the turn and the session, and tells the client how full the model's window is, if that is known, and what the session
// has cost so far.
func (t *Turn) Usage(u Usage) error {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over {
		return ErrTurnOver
	}
	if len(t.usage.Requests) == 0 {
		t.s.usage = append(t.s.usage, t.usage)
	}
	t.usage.Requests = append(t.usage.Requests, u)
	if w, ok := usageUpdateOf(Usage{Context: u.Context, Window: u.Window, Cost: t.s.costLocked(u.Cost)}); ok {
		return t.s.sendLocked(w)
	}
	return nil
}

// costLocked adds a cost and returns what the session has cost, if that is in one currency.
func (s *Session) costLocked(c Cost) Cost {
	if c != (Cost{}) {
		s.costs[c.Currency] += c.Amount
	}
	if len(s.costs) != 1 {
		return Cost{}
	}
	for currency, amount := range s.costs {
		c = Cost{Amount: amount, Currency: currency}
	}
	return c
}

// Used returns what the turn has used so far.
func (t *Turn) Used() UsageTotal {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return RollUpUsage([]*UsageTurn{t.usage}).Session
}

// settle ends the turn: calls that are open are resolved, and nothing more can be said. If failed, they have failed.
func (t *Turn) settle(failed bool) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over {
		return
	}
	t.s.logFailed("message", t.endMessageLocked())
	for _, c := range slices.Clone(t.calls) {
		if !c.over {
			t.s.logFailed("tool call", c.resolveLocked(failed))
		}
	}
	for _, c := range t.compacts {
		if !c.over {
			t.s.logFailed("compaction", c.endLocked(acpv1.CompactionStatusCancelled, ""))
		}
	}
	t.over = true
	close(t.settled)
}
