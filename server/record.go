package server

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/acpwire/acpwire/server/store"
)

// A record is what was said in a turn and is not in the store yet. It is guarded by the session's mu.
type record struct {
	off     bool // there is no store
	turn    store.Turn
	entries []Entry
	said    *strings.Builder // the text of the last entry, which is still growing
	failed  error            // why the store did not take something
}

// text adds to the message that is being said.
func (r *record) text(id string, thought bool, text string) {
	if r.off {
		return
	}
	if r.said == nil {
		var block Block = &TextBlock{}
		if thought {
			block = &ThinkingBlock{}
		}
		r.said = new(strings.Builder)
		r.entries = append(r.entries, Entry{Role: AgentRole, MessageID: id, Time: time.Now(), Blocks: []Block{block}})
	}
	r.said.WriteString(text)
}

// endText ends the message.
func (r *record) endText() {
	if r.said == nil {
		return
	}
	switch b := r.entries[len(r.entries)-1].Blocks[0].(type) {
	case *TextBlock:
		b.Text = r.said.String()
	case *ThinkingBlock:
		b.Text = r.said.String()
	case *MediaBlock, *ToolCallBlock, *ToolResultBlock, *PlanBlock:
	}
	r.said = nil
}

// add adds an entry that is complete. The message before it has ended.
func (r *record) add(e Entry) {
	if r.off {
		return
	}
	r.endText()
	r.entries = append(r.entries, e)
}

// take returns the entries that are complete.
func (r *record) take() []Entry {
	n := len(r.entries)
	if r.said != nil {
		n--
	}
	if n == 0 {
		return nil
	}
	taken := r.entries[:n:n]
	r.entries = r.entries[n:]
	return taken
}

// begin writes the prompt to the store.
func (t *Turn) begin(ctx context.Context) error {
	keep := t.s.conn.server.opts.Store
	if keep == nil {
		t.begun(record{off: true})
		return nil
	}
	data, err := encodeEntry(userEntry(t.prompt))
	if err != nil {
		return storeError(err)
	}
	turn, err := keep.Begin(ctx, t.s.id, t.usage.ID, data)
	if err != nil {
		return t.storeError(err)
	}
	t.begun(record{turn: turn})
	return nil
}

// begun lets others than the engine have the turn.
func (t *Turn) begun(r record) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.record, t.running = r, true
	t.command, t.args, _ = t.s.commandOfLocked(t.prompt)
}

func userEntry(prompt []Part) Entry {
	entry := Entry{Role: UserRole, Time: time.Now()}
	for _, p := range prompt {
		if text, ok := p.(*TextPart); ok {
			entry.Blocks = append(entry.Blocks, &TextBlock{text.Text})
			continue
		}
		entry.Blocks = append(entry.Blocks, &MediaBlock{p})
	}
	return entry
}

// noteSteering keeps what the user said during the turn, before the engine answers to it. forget undoes that, unless the turn has gone on.
func (t *Turn) noteSteering(prompt []Part) (forget func()) {
	entry := userEntry(prompt)
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over {
		return func() {}
	}
	t.record.add(entry)
	return func() {
		t.s.mu.Lock()
		defer t.s.mu.Unlock()
		t.record.entries = slices.DeleteFunc(t.record.entries, func(e Entry) bool { return e.Role == UserRole && e.Time.Equal(entry.Time) })
	}
}

// flushAfter runs f under the session's mutex, and then writes what is complete to the store.
func (t *Turn) flushAfter(f func()) {
	if t.locked(f) {
		_ = t.keep(context.Background(), false) // commit fails for it too
	}
}

// locked runs f under the session's mutex, which is free again even if f panics. It reports whether there is something to write.
func (t *Turn) locked(f func()) (due bool) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	f()
	return !t.record.off && t.record.turn != nil && len(t.record.entries) > 0
}

// commit writes the rest to the store and marks the turn as complete.
func (t *Turn) commit(ctx context.Context) error {
	if t.record.off || t.record.turn == nil {
		return nil
	}
	return t.keep(ctx, true)
}

// keep writes what is complete, in order.
func (t *Turn) keep(ctx context.Context, commit bool) error {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	t.s.mu.Lock()
	entries, failed := t.record.take(), t.record.failed
	t.s.mu.Unlock()
	if failed != nil {
		return failed
	}
	err := t.write(ctx, entries, commit)
	if err == nil || errors.Is(err, store.ErrCommitted) {
		return nil
	}
	err = t.storeError(err)
	t.s.conn.server.logFailure("Store", err)
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.record.failed = err
	return err
}

// storeError returns the error that stands for a failure of the store. A session that it has no more was deleted on another connection or by another process.
func (t *Turn) storeError(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return &NotFoundError{t.s.id}
	}
	return storeError(err)
}

func (t *Turn) write(ctx context.Context, entries []Entry, commit bool) error {
	records := make([]json.RawMessage, 0, len(entries))
	for _, e := range entries {
		data, err := encodeEntry(e)
		if err != nil {
			return err
		}
		records = append(records, data)
	}
	switch {
	case commit:
		return t.record.turn.Commit(ctx, records...)
	case len(records) > 0:
		return t.record.turn.Append(ctx, records...)
	}
	return nil
}
