package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// A Server makes an ACP agent of an engine, for any number of connections at once. Sessions belong to the connection that opened them. If two have restored the same one,
// it is two sessions with one history: the turns of both are kept, and of title, mode and settings the last.
type Server struct {
	engine  Engine
	opts    Options
	accepts Accepts
	secrets *vault
}

// New returns a server for the engine. If opts is nil, the zero Options.
func New(engine Engine, opts *Options) *Server {
	s := &Server{engine: engine, opts: opts.withDefaults(), secrets: new(vault)}
	s.opts.Logger = slog.New(&redactingHandler{s.opts.Logger.Handler(), s.secrets})
	s.opts.ACP.Logger = slog.New(&redactingHandler{s.opts.ACP.Logger.Handler(), s.secrets})
	if a, ok := engine.(Accepter); ok {
		s.accepts = a.Accepts()
	}
	return s
}

// Serve serves one connection until the client goes away or ctx ends, and then closes its sessions. The error is nil if the client has gone or ctx has ended,
// and otherwise says why the connection broke. It may be called for many connections at once.
func (s *Server) Serve(ctx context.Context, t acp.Transport) error {
	var c *connection
	opts := s.opts.ACP
	err := s.guarded("Extensions", func() error {
		opts.Extensions = slices.Concat(opts.Extensions, s.extensions(func() *connection { return c }))
		return nil
	})
	if err != nil {
		return errors.Join(err, t.Close())
	}
	client := acp.NewAgent(t, func(client *acp.AgentConn) acpv1.Agent {
		c = &connection{server: s, client: client, sessions: make(map[string]*Session), setup: make(map[string]chan struct{})}
		return c
	}, &opts)
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	defer stop()
	err = client.Wait()
	c.closeAll()
	s.secrets.forget(c)
	return err
}

// A connection is the agent's side of one connection. It implements acpv1.Agent.
type connection struct {
	acpv1.UnimplementedAgent
	server *Server
	client *acp.AgentConn

	mu       sync.Mutex
	sessions map[string]*Session
	setup    map[string]chan struct{} // sessions that are being loaded, resumed, closed or deleted
	loggedIn bool
}

// session returns a session of this connection.
func (c *connection) session(id acpv1.SessionID) (*Session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[string(id)]; s != nil {
		return s, nil
	}
	return nil, &NotFoundError{string(id)}
}

// hold waits until nobody else changes whether the session is open, and returns what ends that.
func (c *connection) hold(ctx context.Context, id string) (release func(), err error) {
	for {
		c.mu.Lock()
		busy := c.setup[id]
		if busy == nil {
			done := make(chan struct{})
			c.setup[id] = done
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				delete(c.setup, id)
				close(done)
			}, nil
		}
		c.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// closeAll closes all sessions once the connection has ended.
func (c *connection) closeAll() {
	ctx, cancel := context.WithTimeout(context.Background(), c.server.opts.CancelGrace)
	defer cancel()
	c.mu.Lock()
	sessions := make([]*Session, 0, len(c.sessions))
	for _, s := range c.sessions {
		sessions = append(sessions, s)
	}
	c.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range sessions {
		all.Go(func() { c.shut(ctx, s) })
	}
	all.Wait()
}

// shut ends a session on this connection: its turns end cancelled, and nothing more is said in it.
func (c *connection) shut(ctx context.Context, s *Session) {
	s.end(ctx)
	c.mu.Lock()
	if c.sessions[s.id] == s {
		delete(c.sessions, s.id)
	}
	c.mu.Unlock()
	if closer, ok := c.server.engine.(Closer); ok {
		_ = c.guarded("Close", func() error { closer.Close(ctx, s); return nil })
	}
}

// guarded calls the engine. A panic is an error.
func (c *connection) guarded(what string, f func() error) error { return c.server.guarded(what, f) }

func (s *Server) guarded(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.panicked(what, p)
		}
	}()
	return f()
}

// panicked logs a panic of the engine and returns an error that stands for it.
func (s *Server) panicked(what string, p any) error {
	s.opts.Logger.Error("server: the engine panicked", "in", what, "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
	return &Error{Kind: ErrorInternal, Message: "the agent failed"}
}
