package server

import (
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A Compaction is the agent's summing up of the conversation so that it fits the model's window again. It is shown to clients that can show it, and is no part of the
// history. What the engine leaves open when its turn ends is cancelled. Its methods are safe for concurrent use; they return [ErrTurnOver] once the turn is over,
// [ErrCompactionOver] once the compaction is.
type Compaction struct {
	t  *Turn
	id acpv1.CompactionID

	over bool // guarded by the session's mu
}

// Compact shows that the agent has begun to sum up the conversation.
func (t *Turn) Compact() (*Compaction, error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over {
		return nil, ErrTurnOver
	}
	c := &Compaction{t: t, id: acpv1.CompactionID(t.s.conn.server.newID(CompactionIDs))}
	if err := t.endMessageLocked(); err != nil {
		return nil, err
	}
	if err := c.sendLocked(&acpv1.CompactionUpdate{CompactionID: c.id, Status: acpv1.CompactionStatusInProgress}); err != nil {
		return nil, err
	}
	t.compacts = append(t.compacts, c)
	return c, nil
}

// Summary adds text to the summary that is shown.
func (c *Compaction) Summary(text string) error {
	c.t.s.mu.Lock()
	defer c.t.s.mu.Unlock()
	if err := c.usableLocked(); err != nil || text == "" {
		return err
	}
	return c.sendLocked(&acpv1.CompactionSummaryChunk{CompactionID: c.id, Content: &acpv1.TextContent{Text: clean(text)}})
}

// Done says that the conversation has been summed up.
func (c *Compaction) Done() error { return c.end(acpv1.CompactionStatusCompleted, "") }

// Fail says that it could not be. The text of the error is shown.
func (c *Compaction) Fail(cause error) error {
	text := ""
	if cause != nil {
		text = clean(cause.Error())
	}
	return c.end(acpv1.CompactionStatusFailed, text)
}

func (c *Compaction) end(status acpv1.CompactionStatus, problem string) error {
	c.t.s.mu.Lock()
	defer c.t.s.mu.Unlock()
	if err := c.usableLocked(); err != nil {
		return err
	}
	return c.endLocked(status, problem)
}

func (c *Compaction) endLocked(status acpv1.CompactionStatus, problem string) error {
	c.over = true
	u := &acpv1.CompactionUpdate{CompactionID: c.id, Status: status}
	if problem != "" {
		u.Error = wire.Value(problem)
	}
	return c.sendLocked(u)
}

func (c *Compaction) usableLocked() error {
	switch {
	case c.t.over:
		return ErrTurnOver
	case c.over:
		return ErrCompactionOver
	}
	return nil
}

// sendLocked sends an update if the client can show it.
func (c *Compaction) sendLocked(u acpv1.SessionUpdate) error {
	caps := c.t.s.Capabilities()
	if caps == nil || caps.Session == nil || caps.Session.Compaction == nil {
		return nil
	}
	return c.t.s.sendLocked(u)
}
