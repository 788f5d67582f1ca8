package server

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A setup is what session/new, session/load and session/resume have in common.
type setup struct {
	cwd  string
	dirs []string
	mcp  []MCPServer
	// dropped are servers, or parts of them, that nobody could use.
	dropped []Dropped
}

// setupOf checks the parts of a session's setup. https://agentclientprotocol.com/protocol/session-setup
func (c *connection) setupOf(cwd string, dirs []string, servers []acpv1.MCPServer) (setup, error) {
	accepts := c.server.accepts
	if !filepath.IsAbs(cwd) {
		return setup{}, invalid("/cwd", "the path is not absolute")
	}
	if len(dirs) > 0 && !accepts.Directories {
		return setup{}, invalid("/additionalDirectories", "sessionCapabilities.additionalDirectories was not advertised")
	}
	for i, d := range dirs {
		if !filepath.IsAbs(d) {
			return setup{}, invalid("/additionalDirectories/"+strconv.Itoa(i), "the path is not absolute")
		}
	}
	for i, s := range servers {
		at := "/mcpServers/" + strconv.Itoa(i)
		switch s.(type) {
		case *acpv1.MCPServerHTTP:
			if !accepts.MCPHTTP {
				return setup{}, invalid(at, "mcpCapabilities.http was not advertised")
			}
		case *acpv1.MCPServerSSE:
			if !accepts.MCPSSE {
				return setup{}, invalid(at, "mcpCapabilities.sse was not advertised")
			}
		case *acpv1.MCPServerStdio:
		}
	}
	mcp, dropped := mcpServersOf(servers)
	c.server.logDropped("mcpServers", dropped)
	return setup{cwd: cwd, dirs: dirs, mcp: mcp, dropped: dropped}, nil
}

// NewSession opens a session. https://agentclientprotocol.com/protocol/session-setup
func (c *connection) NewSession(ctx context.Context, p *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	if err := c.admitted(ctx); err != nil {
		return nil, wireError(err)
	}
	set, err := c.setupOf(p.Cwd, p.AdditionalDirectories, p.MCPServers)
	if err != nil {
		return nil, err
	}
	s := newSession(c, c.server.newID(SessionIDs), set)
	if err := s.declare(p.Meta); err != nil {
		return nil, err
	}
	if opener, ok := c.server.engine.(Opener); ok {
		if err := c.guarded("Open", func() error { return opener.Open(ctx, s) }); err != nil {
			return nil, s.failed("Open", err)
		}
	}
	if err := c.install(ctx, s); err != nil {
		return nil, err
	}
	if err := c.server.createRecord(ctx, s); err != nil {
		c.shut(ctx, s)
		return nil, s.failed("Store", err)
	}
	acp.AfterResponse(ctx, func(context.Context) { s.announce() })
	modes, config := s.offer()
	return &acpv1.NewSessionResponse{SessionID: acpv1.SessionID(s.id), Modes: modes, ConfigOptions: config}, nil
}

// LoadSession opens an earlier session and says all of it again before it returns.
func (c *connection) LoadSession(ctx context.Context, p *acpv1.LoadSessionRequest) (*acpv1.LoadSessionResponse, error) {
	s, err := c.reopen(ctx, acpv1.MethodLoadSession, string(p.SessionID), p.Cwd, p.AdditionalDirectories, p.MCPServers, p.Meta, (*Session).replay)
	if err != nil {
		return nil, err
	}
	modes, config := s.offer()
	return &acpv1.LoadSessionResponse{Modes: modes, ConfigOptions: config}, nil
}

// ResumeSession opens an earlier session without saying it again.
func (c *connection) ResumeSession(ctx context.Context, p *acpv1.ResumeSessionRequest) (*acpv1.ResumeSessionResponse, error) {
	silent := func(*Session, context.Context, []Entry) error { return nil }
	s, err := c.reopen(ctx, acpv1.MethodResumeSession, string(p.SessionID), p.Cwd, p.AdditionalDirectories, p.MCPServers, p.Meta, silent)
	if err != nil {
		return nil, err
	}
	modes, config := s.offer()
	return &acpv1.ResumeSessionResponse{Modes: modes, ConfigOptions: config}, nil
}

// reopen opens an earlier session and hands its history to replay.
func (c *connection) reopen(ctx context.Context, method, id, cwd string, dirs []string, servers []acpv1.MCPServer, meta wire.Meta,
	replay func(*Session, context.Context, []Entry) error) (*Session, error) {
	restorer, ok := c.server.engine.(Restorer)
	if !ok || c.server.opts.Store == nil {
		return nil, unimplemented(method)
	}
	if err := c.admitted(ctx); err != nil {
		return nil, wireError(err)
	}
	set, err := c.setupOf(cwd, dirs, servers)
	if err != nil {
		return nil, err
	}
	release, err := c.hold(ctx, id)
	if err != nil {
		return nil, wireError(err)
	}
	defer release()
	s := newSession(c, id, set)
	if err := s.declare(meta); err != nil {
		return nil, err
	}
	// What the client asked of the session before it asked for this is not for the session that there will be.
	if err := acp.InOrder(ctx, func() error { return nil }); err != nil {
		return nil, wireError(err)
	}
	if open, err := c.session(acpv1.SessionID(id)); err == nil {
		if err := sameCwd(open.cwd, set.cwd); err != nil {
			return nil, err
		}
		c.shut(ctx, open)
	}
	history, err := c.server.readRecord(ctx, s)
	if err != nil {
		return nil, s.failed("Store", err)
	}
	if err := c.guarded("Restore", func() error { return restorer.Restore(ctx, s, history) }); err != nil {
		return nil, s.failed("Restore", err)
	}
	s.reconfigure(ctx)
	if err := c.install(ctx, s); err != nil {
		return nil, err
	}
	if s.changed {
		c.server.keepMeta(s)
	}
	if err := replay(s, ctx, history); err != nil {
		c.shut(ctx, s)
		return nil, wireError(err)
	}
	acp.AfterResponse(ctx, func(context.Context) { s.announce() })
	return s, nil
}

func sameCwd(known, asked string) error {
	if filepath.Clean(known) != filepath.Clean(asked) {
		return invalid("/cwd", "the session has another working directory")
	}
	return nil
}

// install makes a session known on the connection once the engine has prepared it.
func (c *connection) install(ctx context.Context, s *Session) error {
	err := c.guarded("the setup of a session", func() error {
		s.readModes()
		s.readConfig(ctx)
		s.readCommands()
		return nil
	})
	if err == nil {
		err = ctx.Err()
	}
	c.mu.Lock()
	c.sessions[s.id] = s
	c.mu.Unlock()
	if err != nil {
		c.shut(context.WithoutCancel(ctx), s)
		return s.failed("the setup of a session", err)
	}
	return nil
}

// CloseSession ends a session on this connection.
func (c *connection) CloseSession(ctx context.Context, p *acpv1.CloseSessionRequest) (*acpv1.CloseSessionResponse, error) {
	release, err := c.hold(ctx, string(p.SessionID))
	if err != nil {
		return nil, wireError(err)
	}
	defer release()
	s, err := c.session(p.SessionID)
	if err != nil {
		return nil, wireError(err)
	}
	if err := c.shutInOrder(ctx, s); err != nil {
		return nil, wireError(err)
	}
	return &acpv1.CloseSessionResponse{}, nil
}

// shutInOrder ends a session for a request: not before the prompts that came earlier have their places, so that they are answered as cancelled.
func (c *connection) shutInOrder(ctx context.Context, s *Session) error {
	if err := acp.InOrder(ctx, func() error { return nil }); err != nil {
		return err
	}
	c.shut(ctx, s)
	return nil
}

// DeleteSession forgets a session. An unknown one is forgotten already.
func (c *connection) DeleteSession(ctx context.Context, p *acpv1.DeleteSessionRequest) (*acpv1.DeleteSessionResponse, error) {
	if c.server.opts.Store == nil {
		return nil, unimplemented(acpv1.MethodDeleteSession)
	}
	if err := c.admitted(ctx); err != nil {
		return nil, wireError(err)
	}
	id := string(p.SessionID)
	release, err := c.hold(ctx, id)
	if err != nil {
		return nil, wireError(err)
	}
	defer release()
	failed := c.failed
	if s, err := c.session(p.SessionID); err == nil {
		failed = s.failed
		if err := c.shutInOrder(ctx, s); err != nil {
			return nil, wireError(err)
		}
	}
	if deleter, ok := c.server.engine.(Deleter); ok {
		if err := c.guarded("Delete", func() error { return deleter.Delete(ctx, id) }); err != nil {
			return nil, failed("Delete", err)
		}
	}
	if err := c.server.deleteRecord(ctx, id); err != nil {
		return nil, failed("Store", err)
	}
	return &acpv1.DeleteSessionResponse{}, nil
}

// ListSessions returns a page of the sessions that are kept. https://agentclientprotocol.com/protocol/session-list
func (c *connection) ListSessions(ctx context.Context, p *acpv1.ListSessionsRequest) (*acpv1.ListSessionsResponse, error) {
	if c.server.opts.Store == nil {
		return nil, unimplemented(acpv1.MethodListSessions)
	}
	if err := c.admitted(ctx); err != nil {
		return nil, wireError(err)
	}
	cwd, cursor := "", ""
	if p.Cwd != nil {
		if cwd = *p.Cwd; !filepath.IsAbs(cwd) {
			return nil, invalid("/cwd", "the path is not absolute")
		}
	}
	if p.Cursor != nil {
		if cursor = *p.Cursor; cursor == "" {
			return nil, invalid("/cursor", "the cursor is not one of this agent's")
		}
	}
	result, err := c.server.listRecords(ctx, cwd, cursor)
	if err != nil {
		return nil, c.failed("Store", err)
	}
	return result, nil
}

// failed logs an error of the engine and returns what the client is told of it.
func (c *connection) failed(what string, err error) error {
	c.server.logFailure(what, err)
	return wireError(err)
}
