package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

const (
	// pageSize is how many sessions a page of session/list has.
	pageSize = 10
	// maxTitle is how much of the first prompt becomes a session's title, in runes.
	maxTitle = 40
)

// errClosed is the cause of a turn's context when its session is closed or deleted.
var errClosed = errors.New("the session was closed")

// A session is one conversation. It is active from when it is created, loaded or resumed until it is closed.
type session struct {
	id         acpv1.SessionID
	cwd        string
	additional []string
	slot       chan struct{} // holds one token while a turn runs; turns wait their turn in it

	mu       sync.Mutex
	active   bool
	title    string
	settings sessionSettings
	history  []acpv1.SessionUpdate
	turns    map[*turn]bool                                // running and waiting
	messages int                                           // how many message ids were given out
	calls    int                                           // how many tool calls there were
	prompts  int                                           // how many prompts there were
	answers  map[acpv1.ToolKind]acpv1.PermissionOptionKind // what the user said for good

	elicitations int // how many pages the user was to visit
}

// find returns the session of that id, or an error for the client.
func (a *agent) find(id acpv1.SessionID) (*session, error) {
	if err := a.admit(); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.sessions, func(s *session) bool { return s.id == id })
	if i < 0 {
		return nil, notFound(id)
	}
	return a.sessions[i], nil
}

// findActive is find for what needs an active session.
func (a *agent) findActive(id acpv1.SessionID) (*session, error) {
	s, err := a.find(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.active {
		return nil, notFound(id)
	}
	return s, nil
}

// NewSession creates a session. The commands are advertised once the client knows its id, and before the first turn.
func (a *agent) NewSession(ctx context.Context, p *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	if err := errors.Join(a.admit(), checkPaths(p.Cwd, p.AdditionalDirectories), checkServers(p.MCPServers)); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.sessions) >= maxSessions {
		return nil, acp.Errorf(acp.CodeInternalError, "too many sessions: delete some")
	}
	a.created++
	s := &session{
		id: acpv1.SessionID("session-" + strconv.Itoa(a.created)), cwd: p.Cwd, additional: p.AdditionalDirectories,
		slot: make(chan struct{}, 1), active: true, settings: newSettings(), turns: map[*turn]bool{},
		answers: map[acpv1.ToolKind]acpv1.PermissionOptionKind{},
	}
	a.sessions = append(a.sessions, s)
	a.logger.Info("new session", "session", s.id)
	s.slot <- struct{}{}
	acp.AfterResponse(ctx, func(ctx context.Context) { a.advertise(ctx, s); s.free() })
	modes, options := s.setup(a.client.ClientCapabilities())
	return &acpv1.NewSessionResponse{SessionID: s.id, Modes: modes, ConfigOptions: options}, nil
}

// advertise tells the client the commands that prompts of a session may be.
func (a *agent) advertise(ctx context.Context, s *session) {
	if err := a.notify(ctx, s, &acpv1.AvailableCommandsUpdate{AvailableCommands: available()}); err != nil {
		a.logger.Warn("commands not advertised", "session", s.id, "error", err)
	}
}

func (a *agent) notify(ctx context.Context, s *session, u acpv1.SessionUpdate) error {
	return a.client.SessionUpdate(ctx, &acpv1.SessionNotification{SessionID: s.id, Update: u})
}

// LoadSession replays a session's history and makes it active. All that belongs to the session's state comes before the response, the commands included.
func (a *agent) LoadSession(ctx context.Context, p *acpv1.LoadSessionRequest) (*acpv1.LoadSessionResponse, error) {
	s, err := a.reopen(p.SessionID, p.Cwd, p.AdditionalDirectories, p.MCPServers)
	if err != nil {
		return nil, err
	}
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.free()
	s.mu.Lock()
	history := slices.Clone(s.history)
	s.mu.Unlock()
	for _, u := range history {
		if err := a.notify(ctx, s, u); err != nil {
			return nil, err
		}
	}
	a.advertise(ctx, s)
	modes, options := s.activate(a.client.ClientCapabilities())
	a.logger.Info("loaded a session", "session", s.id, "updates", len(history))
	return &acpv1.LoadSessionResponse{Modes: modes, ConfigOptions: options}, nil
}

// ResumeSession makes a session active without a replay.
func (a *agent) ResumeSession(ctx context.Context, p *acpv1.ResumeSessionRequest) (*acpv1.ResumeSessionResponse, error) {
	s, err := a.reopen(p.SessionID, p.Cwd, p.AdditionalDirectories, p.MCPServers)
	if err != nil {
		return nil, err
	}
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	acp.AfterResponse(ctx, func(ctx context.Context) { a.advertise(ctx, s); s.free() })
	modes, options := s.activate(a.client.ClientCapabilities())
	a.logger.Info("resumed a session", "session", s.id)
	return &acpv1.ResumeSessionResponse{Modes: modes, ConfigOptions: options}, nil
}

// reopen finds a session for load or resume.
func (a *agent) reopen(id acpv1.SessionID, cwd string, additional []string, servers []acpv1.MCPServer) (*session, error) {
	s, err := a.find(id)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkPaths(cwd, additional), checkServers(servers)); err != nil {
		return nil, err
	}
	if cwd != s.cwd {
		return nil, acp.Errorf(acp.CodeInvalidParams, "cwd is not that of the session")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.additional = additional
	return s, nil
}

func (s *session) activate(caps *acpv1.ClientCapabilities) (*acpv1.SessionModeState, []acpv1.SessionConfigOption) {
	s.mu.Lock()
	s.active = true
	s.mu.Unlock()
	return s.setup(caps)
}

// ListSessions returns a page of the sessions. The cursor is the id of the last session of the page before.
func (a *agent) ListSessions(_ context.Context, p *acpv1.ListSessionsRequest) (*acpv1.ListSessionsResponse, error) {
	if err := a.admit(); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	first := 0
	if p.Cursor != nil {
		first = slices.IndexFunc(a.sessions, func(s *session) bool { return string(s.id) == *p.Cursor }) + 1
		if first == 0 {
			return nil, acp.Errorf(acp.CodeInvalidParams, "no such cursor")
		}
	}
	page := &acpv1.ListSessionsResponse{Sessions: []acpv1.SessionInfo{}}
	for _, s := range a.sessions[first:] {
		if p.Cwd != nil && *p.Cwd != s.cwd {
			continue
		}
		if n := len(page.Sessions); n == pageSize {
			page.NextCursor = new(string(page.Sessions[n-1].SessionID))
			break
		}
		page.Sessions = append(page.Sessions, s.info())
	}
	return page, nil
}

func (s *session) info() acpv1.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	info := acpv1.SessionInfo{SessionID: s.id, Cwd: s.cwd, AdditionalDirectories: s.additional}
	if s.title != "" {
		info.Title = new(s.title)
	}
	return info
}

// CloseSession cancels what is running and waits until it is answered. The session can be loaded and resumed.
func (a *agent) CloseSession(ctx context.Context, p *acpv1.CloseSessionRequest) (*acpv1.CloseSessionResponse, error) {
	s, err := a.findActive(p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := s.stop(ctx); err != nil {
		return nil, err
	}
	a.logger.Info("closed a session", "session", s.id)
	return &acpv1.CloseSessionResponse{}, nil
}

// DeleteSession closes a session and forgets it. One that does not exist is deleted already.
func (a *agent) DeleteSession(ctx context.Context, p *acpv1.DeleteSessionRequest) (*acpv1.DeleteSessionResponse, error) {
	if err := a.admit(); err != nil {
		return nil, err
	}
	s, err := a.find(p.SessionID)
	if err != nil {
		return &acpv1.DeleteSessionResponse{}, nil
	}
	a.mu.Lock()
	a.sessions = slices.DeleteFunc(a.sessions, func(other *session) bool { return other == s })
	a.mu.Unlock()
	if err := s.stop(ctx); err != nil {
		return nil, err
	}
	a.logger.Info("deleted a session", "session", s.id)
	return &acpv1.DeleteSessionResponse{}, nil
}

// stop ends the session's turns as if they were cancelled, and waits until they are answered.
func (s *session) stop(ctx context.Context) error {
	s.mu.Lock()
	s.active = false
	var turns []*turn
	for t := range s.turns {
		t.cancel(errClosed)
		turns = append(turns, t)
	}
	s.mu.Unlock()
	for _, t := range turns {
		select {
		case <-t.answered:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// take waits until no turn runs in the session, and keeps others from running until free.
func (s *session) take(ctx context.Context) error {
	select {
	case s.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) free() { <-s.slot }

// nameAfter makes the beginning of a prompt the title of a session that has none. It reports whether it did.
func (s *session) nameAfter(text string) (title string, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.title != "" || text == "" {
		return s.title, false
	}
	s.title = text
	if utf8.RuneCountInString(text) > maxTitle {
		s.title = string([]rune(text)[:maxTitle-1]) + "…"
	}
	return s.title, true
}

// record adds to what is replayed.
func (s *session) record(updates ...acpv1.SessionUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history = append(s.history, updates...)
}
