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

// An attempt to connect to one server. Either err is set, or connection and tools are.
type attempt struct {
	server     server.MCPServer
	redact     *redactor
	connection *connection
	tools      []*sdk.Tool
	err        error
}

func (a *attempt) name() string {
	if a.server == nil {
		return ""
	}
	return a.server.ServerName()
}

func (a *attempt) failed(op string, err error) *Error { return newError(a.name(), op, a.redact, err) }

func (a *attempt) run(ctx context.Context, o Options) {
	// What the connection is made of has to live as long as the session, but for now it ends with the attempt.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	ctx, cancel := context.WithTimeout(ctx, o.ConnectTimeout)
	defer cancel()
	unbind := context.AfterFunc(ctx, end)
	l, err := newLink(life, a.server, o)
	if err != nil {
		end()
		a.err = err
		return
	}
	c := &connection{server: a.name(), redact: a.redact, link: l, grace: o.Grace, end: end}
	client := sdk.NewClient(&sdk.Implementation{Name: o.Name, Version: o.Version}, &sdk.ClientOptions{
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: new(sdk.ClientCapabilities),
	})
	c.session, err = client.Connect(life, l.transport(), nil)
	if err == nil {
		a.tools, err = listTools(life, c.session)
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

func newLink(ctx context.Context, srv server.MCPServer, o Options) (link, error) {
	switch srv := srv.(type) {
	case *server.MCPStdio:
		return startProcess(ctx, srv, o)
	case *server.MCPHTTP:
		return newHTTPLink(srv.URL, srv.Headers, false)
	case *server.MCPSSE:
		return newHTTPLink(srv.URL, srv.Headers, true)
	case nil:
	}
	return nil, fmt.Errorf("%w: %w", ErrConfig, errNoServer)
}
