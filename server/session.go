package server

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/server/internal/secret"
)

// A Session is a conversation that is open on a connection. Its methods are safe for concurrent use; those that tell the client something return [ErrSessionClosed] once
// the session is closed, and an error of package acp if the connection has ended.
type Session struct {
	id          string
	cwd         string
	dirs        []string
	mcp         []MCPServer
	dropped     []Dropped // of the MCP servers
	conn        *connection
	client      *acp.AgentConn
	roots       func() *roots
	clientTools []ClientTool // as declared
	secrets     secret.Redactor
	asking      chan struct{} // holds a token while a permission is asked for
	ready       chan struct{} // closed when the client knows the session

	mu       sync.Mutex
	told     bool // the client knows the session, so that nothing is held
	open     bool // ready is closed
	ending   bool // no more turns
	closed   bool // no more updates
	held     []acpv1.SessionUpdate
	turns    []*Turn // in the order in which they run; the first is running
	refused  []*Turn // got no place, and are not answered yet
	wedged   []*Turn // answered, but the engine is still in them
	title    string
	mode     string
	modes    []Mode
	config   []ConfigOption // as the client knows them
	settings map[string]ConfigValue
	commands []Command
	rules    map[string]bool
	callIDs  map[string]bool    // of all tool calls there were
	usage    []*UsageTurn       // turns that used anything
	costs    map[string]float64 // by currency
	data     any
	stored   bool // the store has it
	changed  bool // since it was stored; only while it is being opened
}

func newSession(c *connection, id string, set setup) *Session {
	return &Session{
		id: id, cwd: set.cwd, dirs: set.dirs, mcp: set.mcp, dropped: set.dropped, conn: c, client: c.client,
		secrets: c.keepSecrets(set.mcp),
		roots:   sync.OnceValue(func() *roots { return newRoots(set.cwd, set.dirs) }),
		asking:  make(chan struct{}, 1), ready: make(chan struct{}),
		settings: make(map[string]ConfigValue), rules: make(map[string]bool), callIDs: make(map[string]bool), costs: make(map[string]float64),
	}
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Cwd returns the working directory, an absolute path.
func (s *Session) Cwd() string { return s.cwd }

// Directories returns the roots beside the working directory, absolute paths.
func (s *Session) Directories() []string { return slices.Clone(s.dirs) }

// Roots returns the working directory and the further roots.
func (s *Session) Roots() []string { return append([]string{s.cwd}, s.dirs...) }

// MCPServers returns the MCP servers that the client wants the session to use. They may hold secrets.
func (s *Session) MCPServers() []MCPServer { return slices.Clone(s.mcp) }

// Dropped returns what the client sent of MCP servers and [Session.MCPServers] has not, because nobody could use it: servers without a name, or with that of another one, or
// with a URL that is none; environment variables and headers that no process and no request can have. The paths are in the client's list.
func (s *Session) Dropped() []Dropped { return slices.Clone(s.dropped) }

// Client returns the connection to the client, for calls that this package has no method for.
func (s *Session) Client() *acp.AgentConn { return s.client }

// Capabilities returns what the client can do. It must not be changed.
func (s *Session) Capabilities() *acpv1.ClientCapabilities { return s.client.ClientCapabilities() }

// Title returns the session's title, or "".
func (s *Session) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.title
}

// Usage returns what the session has used since it was opened here.
func (s *Session) Usage() UsageReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return RollUpUsage(s.usage)
}

// SetData keeps a value of the engine's with the session.
func (s *Session) SetData(data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = data
}

// Data returns what SetData has kept, or nil.
func (s *Session) Data() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data
}

// SetTitle changes the title, also out of a turn.
func (s *Session) SetTitle(title string) error {
	s.mu.Lock()
	err := s.setTitleLocked(title)
	s.mu.Unlock()
	if err == nil {
		s.conn.server.keepMeta(s)
	}
	return err
}

func titleOrNull(title string) wire.Nullable[string] {
	if title == "" {
		return wire.Null[string]()
	}
	return wire.Value(title)
}

func (s *Session) setTitleLocked(title string) error {
	title = clean(title) // also for the store: session/list has to send it
	u := &acpv1.SessionInfoUpdate{Title: titleOrNull(title)}
	if err := s.sendLocked(u); err != nil {
		return err
	}
	s.title = title
	return nil
}

// A Severity says how important a notice is.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Problem Severity = "error"
)

// Notice tells the user something that is not part of the conversation, also out of a turn. It does nothing if the client cannot show it.
func (s *Session) Notice(severity Severity, title, description string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.noticeLocked(severity, title, description)
}

func (s *Session) noticeLocked(severity Severity, title, description string) error {
	caps := s.Capabilities()
	if title == "" || caps == nil || caps.Session == nil || caps.Session.Notices == nil {
		return nil
	}
	n := &acpv1.Notice{Severity: acpv1.NoticeSeverity(severity), Title: clean(title), Description: optional(clean(description))}
	return s.sendLocked(n)
}

// sendLocked sends an update. Until the client knows the session it is held. It needs mu, so that the order of updates is that of the changes.
func (s *Session) sendLocked(u acpv1.SessionUpdate) error {
	switch {
	case s.closed:
		return ErrSessionClosed
	case !s.told:
		s.held = append(s.held, u)
		return nil
	}
	return s.send(u)
}

// send sends an update at once.
func (s *Session) send(u acpv1.SessionUpdate) error {
	// Not the context of a turn: what a cancelled turn says last must go out too. The end of the connection ends the wait.
	return s.client.SessionUpdate(context.Background(), &acpv1.SessionNotification{SessionID: acpv1.SessionID(s.id), Update: u})
}

// announce runs after the response that tells the client of the session. Turns may begin then.
func (s *Session) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellLocked()
	if !s.open {
		s.open = true
		close(s.ready)
	}
}

// tell runs when the client knows the session: what was held goes out, and the commands.
func (s *Session) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellLocked()
}

func (s *Session) tellLocked() {
	if s.told {
		return
	}
	s.told = true
	held := s.held
	s.held = nil
	for _, u := range held {
		s.logFailed("update", s.sendLocked(u))
	}
	if len(s.commands) > 0 && !s.closed {
		s.logFailed("commands", s.sendLocked(commandsUpdate(s.commands)))
	}
}

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Session) logFailed(what string, err error) {
	if err != nil && !errors.Is(err, acp.ErrClosed) && !errors.Is(err, ErrSessionClosed) {
		s.conn.server.opts.Logger.Warn("server: could not send", "what", what, "session", s.id, "error", err)
	}
}

// end cancels the session's turns, waits for their answers, and lets nothing more be said.
func (s *Session) end(ctx context.Context) {
	s.mu.Lock()
	s.ending = true
	turns := slices.Concat(s.turns, s.refused)
	s.mu.Unlock()
	for _, t := range turns {
		t.cancel(ErrSessionClosed)
	}
	for _, t := range turns {
		select {
		case <-t.answered:
		case <-s.client.Done():
			// There will be no answer; the turn itself is waited for.
			select {
			case <-t.settled:
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if !s.open {
		s.open = true
		close(s.ready)
	}
	for _, t := range s.turns {
		t.over = true
	}
}
