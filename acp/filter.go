package acp

import (
	"context"
	"sync"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// maxHeld is how many updates a [SessionFilter] holds while it does not know their session yet.
const maxHeld = 1024

// A SessionFilter is a client handler that passes on only the updates of sessions that are in use, so that what an agent sends late for a session that was
// closed, or lost with an earlier agent, is not shown in another. All else goes to the embedded handler.
//
// Call Expect before session/new, session/load or session/resume, and Open or, if the call failed, Settle after it: until then updates of sessions that are not
// open are held, because an agent may send the first before its response. It is safe for concurrent use.
type SessionFilter struct {
	// Client handles what passes. Required.
	acpv1.Client
	// OnStale is told of updates that do not pass. If nil, they are dropped silently.
	OnStale func(*acpv1.SessionNotification)

	mu       sync.Mutex
	open     map[acpv1.SessionID]bool
	expected int
	held     []*acpv1.SessionNotification
}

// Expect says that a session is about to be opened.
func (f *SessionFilter) Expect() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expected++
}

// Open says that a session that was expected is open, and passes on what was held for it. The error is the handler's.
func (f *SessionFilter) Open(ctx context.Context, session acpv1.SessionID) error {
	var err error
	for {
		due := f.due(session)
		if len(due) == 0 {
			break
		}
		for _, n := range due {
			if e := f.Client.SessionUpdate(ctx, n); e != nil && err == nil {
				err = e
			}
		}
	}
	f.Settle()
	return err
}

// due takes what is held for the session. If nothing is, the session is open from then on.
func (f *SessionFilter) due(session acpv1.SessionID) []*acpv1.SessionNotification {
	f.mu.Lock()
	defer f.mu.Unlock()
	var due, rest []*acpv1.SessionNotification
	for _, n := range f.held {
		if n.SessionID == session {
			due = append(due, n)
		} else {
			rest = append(rest, n)
		}
	}
	f.held = rest
	if len(due) == 0 {
		if f.open == nil {
			f.open = map[acpv1.SessionID]bool{}
		}
		f.open[session] = true
	}
	return due
}

// Settle says that a session that was expected is not going to be opened, or is open already.
func (f *SessionFilter) Settle() {
	f.mu.Lock()
	f.expected = max(0, f.expected-1)
	var stale []*acpv1.SessionNotification
	if f.expected == 0 {
		stale, f.held = f.held, nil
	}
	f.mu.Unlock()
	f.drop(stale...)
}

// Close says that a session is no longer in use.
func (f *SessionFilter) Close(session acpv1.SessionID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, session)
}

func (f *SessionFilter) drop(stale ...*acpv1.SessionNotification) {
	if f.OnStale == nil {
		return
	}
	for _, n := range stale {
		f.OnStale(n)
	}
}

// SessionUpdate passes on, holds or drops an update.
func (f *SessionFilter) SessionUpdate(ctx context.Context, n *acpv1.SessionNotification) error {
	f.mu.Lock()
	switch {
	case f.open[n.SessionID]:
		f.mu.Unlock()
		return f.Client.SessionUpdate(ctx, n)
	case f.expected > 0 && len(f.held) < maxHeld:
		f.held = append(f.held, n)
		f.mu.Unlock()
	default:
		f.mu.Unlock()
		f.drop(n)
	}
	return nil
}
