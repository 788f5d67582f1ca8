package main

import (
	"context"
	"log/slog"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

const (
	// methodEcho is the extension request that answers its params.
	methodEcho = "_acpagent/echo"
	// loginMethod is the one way to log in. It always succeeds.
	loginMethod = "acpagent-login"
	// maxSessions bounds what a client can make the agent keep.
	maxSessions = 10_000
)

// An agent speaks to one client. Its sessions live as long as the connection.
type agent struct {
	acpv1.UnimplementedAgent
	client *acp.AgentConn
	agentOptions

	mu       sync.Mutex
	loggedIn bool
	sessions []*session // in the order in which they were created
	created  int
}

type agentOptions struct {
	logger      *slog.Logger
	requireAuth bool
	crash       func() // ends the program
}

func newAgent(client *acp.AgentConn, options *agentOptions) *agent {
	return &agent{client: client, agentOptions: *options}
}

// extensions are the extension methods that every agent has.
func extensions() []acp.Extension {
	return []acp.Extension{
		acp.HandleExtension(methodEcho, func(_ context.Context, params wire.Raw) (wire.Raw, error) { return params, nil }),
	}
}

// Initialize advertises what the agent has. The version is negotiated by the connection.
func (a *agent) Initialize(_ context.Context, p *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	a.logger.Info("initialize", "client", clientName(p.ClientInfo), "version", p.ProtocolVersion)
	return &acpv1.InitializeResponse{
		AgentInfo: &acpv1.Implementation{Name: "acpagent", Title: new("acpwire reference agent"), Version: version()},
		AgentCapabilities: &acpv1.AgentCapabilities{
			LoadSession:        new(true),
			PromptCapabilities: &acpv1.PromptCapabilities{Image: new(true), Audio: new(true), EmbeddedContext: new(true)},
			SessionCapabilities: &acpv1.SessionCapabilities{
				List:                  &acpv1.SessionListCapabilities{},
				Delete:                &acpv1.SessionDeleteCapabilities{},
				AdditionalDirectories: &acpv1.SessionAdditionalDirectoriesCapabilities{},
				Resume:                &acpv1.SessionResumeCapabilities{},
				Close:                 &acpv1.SessionCloseCapabilities{},
			},
			Auth: &acpv1.AgentAuthCapabilities{Logout: &acpv1.LogoutCapabilities{}},
		},
		AuthMethods: []acpv1.AuthMethod{&acpv1.AuthMethodAgent{ID: loginMethod, Name: "Log in", Description: new("Always succeeds.")}},
	}, nil
}

func clientName(info *acpv1.Implementation) string {
	if info == nil {
		return ""
	}
	return info.Name
}

// version is that of the build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Authenticate logs in.
func (a *agent) Authenticate(_ context.Context, p *acpv1.AuthenticateRequest) (*acpv1.AuthenticateResponse, error) {
	if p.MethodID != loginMethod {
		return nil, acp.Errorf(acp.CodeInvalidParams, "no such authentication method: %s", p.MethodID)
	}
	a.setLoggedIn(true)
	return &acpv1.AuthenticateResponse{}, nil
}

// Logout undoes Authenticate. Sessions stay, but cannot be used until the next login if one is required.
func (a *agent) Logout(context.Context, *acpv1.LogoutRequest) (*acpv1.LogoutResponse, error) {
	a.setLoggedIn(false)
	return &acpv1.LogoutResponse{}, nil
}

func (a *agent) setLoggedIn(in bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.loggedIn = in
	a.logger.Info("login", "in", in)
}

// admit reports what keeps the client from using sessions: it has not initialized the connection, or not logged in.
func (a *agent) admit() error {
	if _, response := a.client.Handshake(); response == nil {
		return acp.Errorf(acp.CodeInvalidRequest, "the connection is not initialized")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.requireAuth && !a.loggedIn {
		return acp.Errorf(acp.CodeAuthRequired, "authentication required")
	}
	return nil
}

// checkPaths refuses directories that are not absolute. https://agentclientprotocol.com/protocol/session-setup#working-directory
func checkPaths(cwd string, additional []string) error {
	if !isAbs(cwd) {
		return acp.Errorf(acp.CodeInvalidParams, "cwd is not an absolute path")
	}
	for i, dir := range additional {
		if !isAbs(dir) {
			return acp.Errorf(acp.CodeInvalidParams, "additionalDirectories[%d] is not an absolute path", i)
		}
	}
	return nil
}

// isAbs is true for absolute paths of this system and of Unix: the client's files need not be on this machine.
func isAbs(name string) bool { return filepath.IsAbs(name) || path.IsAbs(name) }

// checkServers refuses transports of MCP servers that are not advertised. Those on stdio are accepted, as every agent must, and left alone.
func checkServers(servers []acpv1.MCPServer) error {
	for i, s := range servers {
		switch s.(type) {
		case *acpv1.MCPServerStdio:
		case *acpv1.MCPServerHTTP, *acpv1.MCPServerSSE:
			return acp.Errorf(acp.CodeInvalidParams, "mcpServers[%d] has a transport that is not supported", i)
		}
	}
	return nil
}

// notFound is the error for a session that does not exist or is not active.
func notFound(id acpv1.SessionID) error {
	return &acp.Error{Code: acp.CodeResourceNotFound, Message: "session not found", Data: wire.Raw(`{"sessionId":` + quoted(string(id)) + `}`)}
}

// quoted returns s as a JSON string.
func quoted(s string) string {
	b, err := wire.RawOf(s)
	if err != nil {
		return strconv.Quote("")
	}
	return string(b)
}
