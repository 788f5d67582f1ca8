package server

import (
	"context"
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// Mode returns the id of the session's mode, or "" if the engine has no modes.
func (s *Session) Mode() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// ReadOnly reports whether the session's mode refuses tools that change something.
func (s *Session) ReadOnly() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readOnlyLocked()
}

func (s *Session) readOnlyLocked() bool {
	i := s.modeIndexLocked(s.mode)
	return i >= 0 && s.modes[i].ReadOnly
}

func (s *Session) modeIndexLocked(id string) int {
	return slices.IndexFunc(s.modes, func(m Mode) bool { return m.ID == id })
}

// mayMutate returns ErrReadOnly if tools of the kind are refused.
func (s *Session) mayMutate(kind ToolKind) error {
	if kind.Mutates() && s.ReadOnly() {
		return ErrReadOnly
	}
	return nil
}

// SetMode changes the session's mode, also out of a turn, and tells the client. The engine is not asked, because it is the engine that wants it. The error
// is [ErrUnknownMode] if the session has no such mode.
func (s *Session) SetMode(id string) error {
	s.mu.Lock()
	changed, err := s.setModeLocked(id)
	s.mu.Unlock()
	if changed {
		s.conn.server.keepMeta(s)
	}
	return err
}

// setModeLocked changes the mode and sends what the client has to know.
func (s *Session) setModeLocked(id string) (changed bool, err error) {
	switch {
	case s.closed:
		return false, ErrSessionClosed
	case s.modeIndexLocked(id) < 0:
		return false, ErrUnknownMode
	case s.mode == id:
		return false, nil
	}
	s.mode = id
	if err := s.sendLocked(&acpv1.CurrentModeUpdate{CurrentModeID: acpv1.SessionModeID(id)}); err != nil {
		return true, err
	}
	return true, s.mirrorModeLocked()
}

// mirrorModeLocked tells the client of the mode as a config option, if it is one.
func (s *Session) mirrorModeLocked() error {
	if !s.modeIsOptionLocked() {
		return nil
	}
	return s.sendLocked(&acpv1.ConfigOptionUpdate{ConfigOptions: s.configLocked()})
}

// readModes asks the engine for the modes. A mode that was restored stays if there still is one.
func (s *Session) readModes() {
	m, ok := s.conn.server.engine.(Moder)
	if !ok {
		return
	}
	modes := slices.Clone(m.Modes(s))
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := make(map[string]bool)
	s.modes = slices.DeleteFunc(modes, func(m Mode) bool {
		bad := m.ID == "" || seen[m.ID]
		seen[m.ID] = true
		return bad
	})
	switch {
	case len(s.modes) == 0:
		s.mode = ""
	case s.modeIndexLocked(s.mode) < 0:
		s.mode = s.modes[0].ID
	}
}

// offer returns the modes and options for the response that opens the session.
func (s *Session) offer() (*acpv1.SessionModeState, []acpv1.SessionConfigOption) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var modes *acpv1.SessionModeState
	if len(s.modes) > 0 {
		modes = &acpv1.SessionModeState{CurrentModeID: acpv1.SessionModeID(s.mode)}
		for _, m := range s.modes {
			modes.AvailableModes = append(modes.AvailableModes, acpv1.SessionMode{
				ID: acpv1.SessionModeID(m.ID), Name: nameOr(m.Name, m.ID), Description: optional(m.Description),
			})
		}
	}
	if _, ok := s.conn.server.engine.(Configurer); !ok {
		return modes, nil
	}
	return modes, s.configLocked()
}

// SetSessionMode changes the mode as the client wants. https://agentclientprotocol.com/protocol/session-modes
func (c *connection) SetSessionMode(ctx context.Context, p *acpv1.SetSessionModeRequest) (*acpv1.SetSessionModeResponse, error) {
	s, err := c.admittedTo(ctx, p.SessionID)
	if err != nil {
		return nil, wireError(err)
	}
	if err := s.chooseMode(ctx, string(p.ModeID), "/modeId", s.conn.server.opts.EchoModes); err != nil {
		return nil, err
	}
	return &acpv1.SetSessionModeResponse{}, nil
}

// chooseMode changes the mode as the client wants, which the engine may refuse. If echo, the client is told.
func (s *Session) chooseMode(ctx context.Context, id, pointer string, echo bool) error {
	s.mu.Lock()
	known, same := s.modeIndexLocked(id) >= 0, s.mode == id
	s.mu.Unlock()
	switch {
	case !known:
		return invalid(pointer, "it is none of the session's modes")
	case same:
		return nil
	}
	moder := s.conn.server.engine.(Moder)
	if err := s.conn.guarded("SetMode", func() error { return moder.SetMode(ctx, s, id) }); err != nil {
		return s.failed("SetMode", err)
	}
	if err := s.applyMode(id, pointer, echo); err != nil {
		return err
	}
	s.conn.server.keepMeta(s)
	return nil
}

func (s *Session) applyMode(id, pointer string, echo bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return wireError(&NotFoundError{s.id})
	}
	if s.modeIndexLocked(id) < 0 {
		return invalid(pointer, "it is none of the session's modes")
	}
	changed := s.mode != id
	s.mode = id
	if changed && echo {
		s.logFailed("mode", s.sendLocked(&acpv1.CurrentModeUpdate{CurrentModeID: acpv1.SessionModeID(id)}))
	}
	if changed && pointer == "/modeId" {
		s.logFailed("mode", s.mirrorModeLocked())
	}
	return nil
}

// admittedTo returns a session that the client may use, once the client has been told all that it is told at first.
func (c *connection) admittedTo(ctx context.Context, id acpv1.SessionID) (*Session, error) {
	if err := c.admitted(ctx); err != nil {
		return nil, err
	}
	s, err := c.session(id)
	if err != nil {
		return nil, err
	}
	select {
	case <-s.ready:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func nameOr(name, id string) string {
	if name == "" {
		return id
	}
	return name
}
