package main

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/server"
)

const (
	// methodEcho is the extension request that answers its params.
	methodEcho = "_acpagent/echo"
	// loginMethod is the one way to log in. It always succeeds.
	loginMethod = "acpagent-login"
)

// An engine is what the agent does: slash commands. Package server makes an agent of it. What it can besides [server.Engine] it has methods for.
type engine struct {
	server.Base
	logger      *slog.Logger
	requireAuth bool
	crash       func() // ends the program
}

var _ interface {
	server.Engine
	server.Opener
	server.Restorer
	server.Closer
	server.Authenticator
	server.Logouter
	server.Accepter
	server.Moder
	server.Configurer
	server.Commander
	server.Steerer
	server.ClientTooler
	server.Extender
} = (*engine)(nil)

// A state is what the engine keeps of a session.
type state struct {
	settings settings
	servers  *servers
}

func stateOf(s *server.Session) *state { return s.Data().(*state) }

// Open prepares a new session.
func (e *engine) Open(_ context.Context, s *server.Session) error {
	e.start(s)
	e.logger.Info("new session", "session", s.ID())
	return nil
}

// Restore prepares a session that was opened earlier. What was said in it changes nothing: there is no model that would have to know.
func (e *engine) Restore(_ context.Context, s *server.Session, history []server.Entry) error {
	e.start(s)
	e.logger.Info("restored a session", "session", s.ID(), "entries", len(history))
	return nil
}

func (e *engine) start(s *server.Session) {
	s.SetData(&state{settings: settings{model: modelParrot}, servers: connectServers(s)})
}

// Close ends the connections of a session to its MCP servers.
func (e *engine) Close(_ context.Context, s *server.Session) {
	stateOf(s).servers.close()
	e.logger.Info("closed a session", "session", s.ID())
}

// AuthMethods has one method, which always succeeds.
func (e *engine) AuthMethods() []server.AuthMethod {
	return []server.AuthMethod{{ID: loginMethod, Name: "Log in", Description: "Always succeeds."}}
}

// LoggedIn reports whether no login is needed.
func (e *engine) LoggedIn(context.Context) bool { return !e.requireAuth }

// Authenticate logs in.
func (e *engine) Authenticate(context.Context, string) error {
	e.logger.Info("login")
	return nil
}

// Logout undoes Authenticate.
func (e *engine) Logout(context.Context) error {
	e.logger.Info("logout")
	return nil
}

// Accepts says that the agent takes everything.
func (e *engine) Accepts() server.Accepts {
	return server.Accepts{Images: true, Audio: true, Embedded: true, MCPHTTP: true, MCPSSE: true, Directories: true}
}

// Extensions are the agent's own methods.
func (e *engine) Extensions(func(id string) (*server.Session, bool)) []acp.Extension {
	return []acp.Extension{acp.HandleExtension(methodEcho, func(_ context.Context, params wire.Raw) (wire.Raw, error) { return params, nil })}
}

// version is that of the build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// counted returns a function that makes ids which are the same every time, such as session-1.
func counted() func(server.IDKind) string {
	var mu sync.Mutex
	counts := map[server.IDKind]int{}
	return func(kind server.IDKind) string {
		mu.Lock()
		defer mu.Unlock()
		counts[kind]++
		return fmt.Sprintf("%s-%d", kind, counts[kind])
	}
}
