package server

import "github.com/acpwire/acpwire/gen/acpv1"

// Files returns the session's text files; see [Files]. Writing is refused with [ErrReadOnly] in a read-only mode, and everything with [ErrTurnOver] once the turn is
// over.
func (t *Turn) Files() *Files {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.files == nil {
		t.files = newFiles(t.access())
	}
	return t.files
}

// Terminals returns the turn's terminals; see [Terminals]. Running is refused with [ErrReadOnly] in a read-only mode.
func (t *Turn) Terminals() *Terminals {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.terminals == nil {
		t.terminals = newTerminals(t.access())
		if t.over || t.closing {
			t.terminals.close()
		}
	}
	return t.terminals
}

// access returns what the turn's tools have to work with.
func (t *Turn) access() toolAccess {
	s := t.s
	return toolAccess{
		sessionID: acpv1.SessionID(s.id), roots: s.roots(), caps: s.Capabilities(), client: s.client, local: s.conn.server.opts.Local,
		permit: t.permit, calling: t.calling, within: t.within, order: &s.mu, closed: s.isClosed,
	}
}

// close ends what the engine still waits for, and releases the turn's terminals. Calls can still be updated then.
func (t *Turn) close() {
	t.cancel(ErrTurnOver)
	t.s.mu.Lock()
	t.closing = true
	terminals := t.terminals
	t.s.mu.Unlock()
	t.requests.Wait()
	if terminals != nil {
		terminals.close()
	}
}

// permit returns why tools of the kind are refused at the moment.
func (t *Turn) permit(kind ToolKind) error {
	if err := t.alive(); err != nil {
		return err
	}
	return t.s.mayMutate(kind)
}
