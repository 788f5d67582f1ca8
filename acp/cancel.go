package acp

import (
	"context"
	"math"
	"slices"

	"github.com/acpwire/acpwire/gen/wire"
)

// cancelRequest cancels one request of the peer, on the read loop.
func (c *Conn) cancelRequest(id wire.RequestID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.inFlight[id.Key()]; r != nil {
		r.cancel(ErrCancelledByPeer)
	}
}

// cancelTurns cancels the turns of a session that are in work, on the read loop: those that the peer asked for before it cancelled, and no later one.
// https://agentclientprotocol.com/protocol/prompt-turn#cancellation
func (c *Conn) cancelTurns(params wire.Message) {
	session, ok := c.sessionOf(params)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.inFlight {
		if r.method == c.role.Turn && r.session == session {
			r.turnOver = true
			r.cancel(ErrCancelledByPeer)
		}
	}
}

func (c *Conn) sessionOf(params any) (string, bool) {
	if c.role.SessionOf == nil || isNil(params) {
		return "", false
	}
	return c.role.SessionOf(params)
}

// sendCancel sends the notification that cancels the turns of a session, and answers the permission requests that they wait for. If onlyRunning, it does
// nothing unless a turn is running that is not cancelled yet. It does not wait for room in the outbox, because whoever cancels must not wait.
func (c *Conn) sendCancel(params any, frame []byte, onlyRunning bool) error {
	session, _ := c.sessionOf(params)
	c.mu.Lock()
	running, starting := false, false
	for _, call := range c.pending {
		if call.method != c.role.Turn || call.session != session || call.abandoned || call.cancelled {
			continue
		}
		call.cancelled = true
		if call.end == math.MaxInt64 { // its frame is not in the outbox yet: the cancellation must not come before it
			starting = true
			call.sendLater = slices.Clone(frame)
			continue
		}
		running = true
	}
	if onlyRunning && !running && !starting {
		c.mu.Unlock()
		return nil
	}
	// Under the mutex, so that no turn that is asked for later can come before the cancellation.
	var err error
	if running || !onlyRunning {
		err = c.outbox.push(frame)
	}
	var waiting []*incoming
	for _, r := range c.inFlight {
		if r.method == c.role.Permission && r.session == session && c.role.CancelledPermission != nil {
			waiting = append(waiting, r)
		}
	}
	c.mu.Unlock()
	for _, r := range waiting {
		c.answerCancelled(r)
	}
	return err
}

// answerCancelled answers a permission request that has a handler, whose own answer is then ignored.
func (c *Conn) answerCancelled(r *incoming) {
	c.mu.Lock()
	answered := r.answered
	r.answered = true
	delete(c.inFlight, r.key)
	c.mu.Unlock()
	if answered {
		return
	}
	frame, err := c.encodeResult(nil, r, c.role.CancelledPermission())
	if err == nil {
		err = c.outbox.push(frame)
	}
	if err != nil {
		c.log.Warn("acp: could not answer a request", "method", r.method, "error", err)
	}
	r.cancel(ErrCancelled)
}

// lateLocked reports whether a permission request belongs to a turn that this side has cancelled. It needs mu.
func (c *Conn) lateLocked(r *incoming) bool {
	if r.method != c.role.Permission || c.role.CancelledPermission == nil {
		return false
	}
	for _, call := range c.pending {
		if call.method == c.role.Turn && call.session == r.session && call.cancelled {
			return true
		}
	}
	return false
}

// CancelTurn sends the notification that cancels the running turns of the session that params name, if there are any, and answers their permission requests as
// cancelled. A turn that has had its answer is not cancelled late, and none is cancelled twice. It does not wait: the turn's call returns when the peer has answered it.
func (c *Conn) CancelTurn(_ context.Context, params wire.Marshaler) error {
	if _, err := c.outgoing(c.role.Cancel, params, true); err != nil {
		return err
	}
	frame, _, err := appendCall(nil, -1, c.role.Cancel, params)
	if err != nil {
		return &OutboundError{Method: c.role.Cancel, Err: err}
	}
	return c.sendCancel(params, frame, true)
}
