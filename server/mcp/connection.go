package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/server"
)

// A connection is one to a server.
type connection struct {
	server  string
	redact  *redactor
	session *sdk.ClientSession
	link    link
	grace   time.Duration
	end     context.CancelFunc // ends what belongs to the connection
	changed chan struct{}      // has a token when the server has said that its tools have changed

	tools []*sdk.Tool // as listed last; of the session's mu
}

// A link is what carries a connection. Each has one of its own.
type link interface {
	// transport returns the client's end. It is called once.
	transport() sdk.Transport
	// gone returns how the link came to its end if that is known, and nil otherwise.
	gone() error
	// cut ends all that the link holds. It may be called more than once, and returns when nothing is left.
	cut()
}

// An attempt to connect to one server. Either err or connection is set.
type attempt struct {
	server     server.MCPServer
	redact     *redactor
	connection *connection
	err        error
}

func (a *attempt) name() string {
	if a.server == nil {
		return ""
	}
	return a.server.ServerName()
}

func (c *connection) failed(op string, err error) *Error {
	return newError(c.server, op, c.redact, err)
}

func (a *attempt) run(ctx context.Context, o Options) {
	// What the connection is made of has to live as long as the session, but for now it ends with the attempt.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	ctx, cancel := context.WithTimeout(ctx, o.ConnectTimeout)
	defer cancel()
	c := &connection{server: a.name(), redact: a.redact, grace: o.Grace, end: end, changed: make(chan struct{}, 1)}
	l, err := newLink(life, a.server, o, c.noteChange)
	if err != nil {
		end()
		a.err = err
		return
	}
	c.link = l
	// The SDK does not end all that it waits for with its context.
	unbind := context.AfterFunc(ctx, func() { end(); l.cut() })
	c.session, err = c.client(o).Connect(life, l.transport(), nil)
	if err == nil {
		c.tools, err = listTools(life, c.session)
	}
	if !unbind() && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		a.connection = c
		return
	}
	a.err = c.explain(ctx, err)
	c.close()
}

func (c *connection) client(o Options) *sdk.Client {
	return sdk.NewClient(&sdk.Implementation{Name: o.Name, Version: o.Version}, &sdk.ClientOptions{
		Logger:                 slog.New(slog.DiscardHandler),
		Capabilities:           new(sdk.ClientCapabilities),
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { c.noteChange() },
	})
}

func (c *connection) noteChange() {
	select {
	case c.changed <- struct{}{}:
	default: // it is noted already
	}
}

// maxTools keeps a server that lists without end from filling the memory.
const maxTools = 10_000

func listTools(ctx context.Context, session *sdk.ClientSession) ([]*sdk.Tool, error) {
	var tools []*sdk.Tool
	for tool, err := range session.Tools(ctx, nil) {
		if capabilities := session.InitializeResult().Capabilities; err != nil && capabilities != nil && capabilities.Tools == nil {
			return nil, nil // it has said that it has none
		}
		if err != nil {
			return nil, fmt.Errorf("list tools: %w", err)
		}
		if tools = append(tools, tool); len(tools) > maxTools {
			return nil, fmt.Errorf("the server lists more than %d tools", maxTools)
		}
	}
	return tools, nil
}

// explain says what an error comes from, if that is known better.
func (c *connection) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if reason := c.link.gone(); reason != nil {
		return fmt.Errorf("%w: %w: %w", ErrGone, reason, err)
	}
	return err
}

// close ends the connection: in good order if the server lets it.
func (c *connection) close() {
	if c.session != nil {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = c.session.Close()
		}()
		timer := time.NewTimer(c.grace)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			c.end()
			c.link.cut()
			<-done
		}
	}
	c.end()
	c.link.cut()
}

var errNoServer = errors.New("there is no server")

func newLink(ctx context.Context, srv server.MCPServer, o Options, missed func()) (link, error) {
	switch srv := srv.(type) {
	case *server.MCPStdio:
		return startProcess(ctx, srv, o)
	case *server.MCPHTTP:
		return newHTTPLink(srv.URL, srv.Headers, false, missed)
	case *server.MCPSSE:
		return newHTTPLink(srv.URL, srv.Headers, true, missed)
	case nil:
	}
	return nil, fmt.Errorf("%w: %w", ErrConfig, errNoServer)
}
