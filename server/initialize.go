package server

import (
	"context"
	"errors"
	"slices"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// Initialize tells the client what the engine and the store make possible. https://agentclientprotocol.com/protocol/initialization
func (c *connection) Initialize(_ context.Context, p *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	s := c.server
	info := &acpv1.Implementation{Name: s.opts.Name, Version: s.opts.Version}
	if s.opts.Title != "" {
		info.Title = &s.opts.Title
	}
	var methods []acpv1.AuthMethod
	err := c.guarded("AuthMethods", func() error {
		methods = s.authMethods(p.GetClientCapabilities())
		return nil
	})
	if err != nil {
		return nil, wireError(err)
	}
	return &acpv1.InitializeResponse{
		ProtocolVersion:   acp.Negotiate(p.ProtocolVersion),
		AgentCapabilities: s.capabilities(),
		AuthMethods:       methods,
		AgentInfo:         info,
	}, nil
}

func (s *Server) capabilities() *acpv1.AgentCapabilities {
	a := s.accepts
	session := &acpv1.SessionCapabilities{Close: &acpv1.SessionCloseCapabilities{}}
	caps := &acpv1.AgentCapabilities{
		LoadSession:         new(false),
		PromptCapabilities:  &acpv1.PromptCapabilities{Image: &a.Images, Audio: &a.Audio, EmbeddedContext: &a.Embedded},
		MCPCapabilities:     &acpv1.MCPCapabilities{HTTP: &a.MCPHTTP, SSE: &a.MCPSSE},
		SessionCapabilities: session,
	}
	if a.Directories {
		session.AdditionalDirectories = &acpv1.SessionAdditionalDirectoriesCapabilities{}
	}
	if s.opts.Store != nil {
		session.List = &acpv1.SessionListCapabilities{}
		session.Delete = &acpv1.SessionDeleteCapabilities{}
		if _, ok := s.engine.(Restorer); ok {
			*caps.LoadSession = true
			session.Resume = &acpv1.SessionResumeCapabilities{}
		}
	}
	if _, ok := s.engine.(Logouter); ok && s.needsLogin() {
		caps.Auth = &acpv1.AgentAuthCapabilities{Logout: &acpv1.LogoutCapabilities{}}
	}
	ours := make(map[string]string)
	if _, ok := s.engine.(Steerer); ok {
		ours["steer"] = SteerMethod
	}
	if _, ok := s.engine.(ClientTooler); ok {
		ours["clientTools"] = ClientToolMethod
	}
	if len(ours) > 0 {
		caps.Meta = raw(map[string]any{"acpwire": ours})
	}
	return caps
}

func (s *Server) needsLogin() bool {
	_, ok := s.engine.(Authenticator)
	return ok
}

func (s *Server) authMethods(client *acpv1.ClientCapabilities) []acpv1.AuthMethod {
	a, ok := s.engine.(Authenticator)
	if !ok {
		return nil
	}
	var methods []acpv1.AuthMethod
	for _, m := range a.AuthMethods() {
		var description *string
		if m.Description != "" {
			description = &m.Description
		}
		id := acpv1.AuthMethodID(m.ID)
		switch {
		case !m.Terminal:
			methods = append(methods, &acpv1.AuthMethodAgent{ID: id, Name: m.Name, Description: description})
		case client.GetAuth().GetTerminal():
			methods = append(methods, &acpv1.AuthMethodTerminal{ID: id, Name: m.Name, Description: description, Args: m.Args, Env: m.Env})
		}
	}
	return methods
}

// Authenticate logs in. https://agentclientprotocol.com/protocol/authentication
func (c *connection) Authenticate(ctx context.Context, p *acpv1.AuthenticateRequest) (*acpv1.AuthenticateResponse, error) {
	a, ok := c.server.engine.(Authenticator)
	if !ok {
		return nil, unimplemented(acpv1.MethodAuthenticate)
	}
	if err := c.initialized(); err != nil {
		return nil, err
	}
	err := c.guarded("Authenticate", func() error {
		ours := func(m AuthMethod) bool { return m.ID == string(p.MethodID) && !m.Terminal }
		if !slices.ContainsFunc(a.AuthMethods(), ours) {
			return invalid("/methodId", "it is not a method that the agent itself carries out")
		}
		return a.Authenticate(ctx, string(p.MethodID))
	})
	if err != nil {
		return nil, c.failed("Authenticate", err)
	}
	c.mu.Lock()
	c.loggedIn = true
	c.mu.Unlock()
	return &acpv1.AuthenticateResponse{}, nil
}

// Logout ends the login.
func (c *connection) Logout(ctx context.Context, _ *acpv1.LogoutRequest) (*acpv1.LogoutResponse, error) {
	l, ok := c.server.engine.(Logouter)
	if !ok || !c.server.needsLogin() {
		return nil, unimplemented(acpv1.MethodLogout)
	}
	if err := c.initialized(); err != nil {
		return nil, err
	}
	if err := c.guarded("Logout", func() error { return l.Logout(ctx) }); err != nil {
		return nil, c.failed("Logout", err)
	}
	c.mu.Lock()
	c.loggedIn = false
	c.mu.Unlock()
	return &acpv1.LogoutResponse{}, nil
}

// initialized returns an error unless the client has called initialize.
func (c *connection) initialized() error {
	if _, response := c.client.Handshake(); response == nil {
		return &acp.Error{Code: acp.CodeInvalidRequest, Message: "initialize comes first"}
	}
	return nil
}

// admitted returns an error unless the client may use sessions: it has called initialize, and is logged in where that is needed.
func (c *connection) admitted(ctx context.Context) error {
	if err := c.initialized(); err != nil {
		return err
	}
	a, ok := c.server.engine.(Authenticator)
	if !ok {
		return nil
	}
	c.mu.Lock()
	in := c.loggedIn
	c.mu.Unlock()
	if in {
		return nil
	}
	return c.guarded("LoggedIn", func() error {
		if !a.LoggedIn(ctx) {
			return ErrAuthRequired
		}
		return nil
	})
}

func unimplemented(method string) error { return &wire.UnimplementedError{Method: method} }

// logFailure logs an error whose text the client does not get.
func (s *Server) logFailure(what string, err error) {
	var said *acp.Error
	var unknown *NotFoundError
	switch {
	case errors.As(err, &said), errors.As(err, &unknown), errors.Is(err, ErrAuthRequired), errors.Is(err, context.Canceled):
		s.opts.Logger.Debug("server: a request failed", "in", what, "error", err)
	default:
		s.opts.Logger.Error("server: a request failed", "in", what, "error", err)
	}
}
