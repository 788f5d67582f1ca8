// Package mcp connects a session of an agent to the MCP servers that its client sent. https://agentclientprotocol.com/protocol/session-setup#mcp-servers
//
// Each session has connections and processes of its own: nothing of one session's servers, their environments and headers among it, can be reached from another. What fails
// is returned as a value that can be shown; the session goes on with the servers that work. No error holds a value of an environment or a header.
package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/acpwire/acpwire/server"
)

const (
	// DefaultConnectTimeout is how long a server may take until it has listed its tools.
	DefaultConnectTimeout = 30 * time.Second
	// DefaultGrace is how long a server may take to end.
	DefaultGrace = 2 * time.Second
)

// Options change how [Connect] connects. The zero value is ready to use.
type Options struct {
	// Name and Version say to the servers who calls. If empty, "acpwire" and "0".
	Name, Version string
	// Dir is the working directory of servers that are processes: that of the session. If empty, that of this process.
	Dir string
	// ConnectTimeout is how long each server may take until it has listed its tools. If zero, DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// Grace is how long a server may take to end once it was asked to, before it is killed with all its process group. If zero, DefaultGrace.
	Grace time.Duration
	// ToolsChanged is called when a server's tools have changed while the session was open: [Session.Tools] returns what there is now, so an engine that asks for them in
	// each turn needs nothing else. failures are those of this listing: of tools that cannot be used, or one of the server if it could not list them, in which case
	// they are what they were. It is called for one change at a time, and not after Close has returned; it must return soon and must not call Close. If nil, nobody is told.
	ToolsChanged func(server string, failures []Failure)
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Name == "" {
		out.Name = "acpwire"
	}
	if out.Version == "" {
		out.Version = "0"
	}
	if out.ConnectTimeout <= 0 {
		out.ConnectTimeout = DefaultConnectTimeout
	}
	if out.Grace <= 0 {
		out.Grace = DefaultGrace
	}
	return out
}

// A Failure says what of the servers cannot be used.
type Failure struct {
	// Server is the server's name.
	Server string
	// Tool is the tool, without prefix, if it is only one; empty means the whole server.
	Tool string
	// Err says why. It holds no secrets.
	Err error
}

// Session is the MCP side of an agent's session. Its methods may be called at once.
type Session struct {
	connections []*connection // in the order of the servers
	closing     chan struct{} // closed by Close
	closeOnce   sync.Once
	followers   sync.WaitGroup
	telling     sync.Mutex // held while ToolsChanged runs

	mu     sync.Mutex
	tools  []Tool
	byName map[string]*route
}

// A route is where calls of a tool go.
type route struct {
	connection *connection
	name       string // as the server knows it
}

// Connect connects to servers, all at once, and lists their tools. The session that it returns has those that worked, and lives until it is closed, not only as long as
// ctx: that ends attempts to connect. If opts is nil, the zero Options.
//
// Failures are in the order of the servers. Their errors are [*Error] and wrap [ErrName] if a server's or a tool's name is unfit or taken.
func Connect(ctx context.Context, servers []server.MCPServer, opts *Options) (*Session, []Failure) {
	o := opts.withDefaults()
	results := make([]*attempt, len(servers))
	names := make(map[string]bool)
	var wg sync.WaitGroup
	for i, srv := range servers {
		a := &attempt{server: srv, redact: newRedactor(srv)}
		results[i] = a
		if a.err = checkServer(srv, names); a.err == nil {
			names[srv.ServerName()] = true
			wg.Go(func() { a.run(ctx, o) })
		}
	}
	wg.Wait()
	s := &Session{closing: make(chan struct{})}
	for _, a := range results {
		if a.err == nil {
			s.connections = append(s.connections, a.connection)
		}
	}
	unfit := s.offer()
	var failures []Failure
	for _, a := range results {
		if a.err != nil {
			failures = append(failures, Failure{Server: a.name(), Err: newError(a.name(), "connect", a.redact, a.err)})
			continue
		}
		failures = append(failures, unfit[a.connection]...)
	}
	s.follow(ctx, o)
	return s, failures
}

// Close ends all connections and processes of the session. Calls that are running fail with [ErrClosed]. It returns when nothing is left, which takes not much longer than the
// grace period, and may be called more than once.
func (s *Session) Close() error {
	s.closeOnce.Do(func() {
		close(s.closing)
		var wg sync.WaitGroup
		for _, c := range s.connections {
			wg.Go(c.close)
		}
		wg.Wait()
		s.followers.Wait()
	})
	return nil
}
