// Package acptest tests agents: a client in the same process, every frame between the two checked against the schema and against the protocol's rules.
//
//	client := acptest.NewClient(t, server.New(engine, nil).Serve, nil)
//	turn := client.Prompt("hello")
package acptest

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// DefaultTimeout is how long an agent may take to answer, unless [Options] say otherwise.
const DefaultTimeout = 10 * time.Second

// A TB is what this package needs of a testing.TB.
type TB interface {
	conform.TB
	// Fatalf fails the test and ends it.
	Fatalf(format string, args ...any)
}

// Options change how a [Client] works. The zero value is ready to use.
type Options struct {
	// Capabilities are what the client advertises. If nil, none: the agent may ask for permission and no more.
	Capabilities *acpv1.ClientCapabilities
	// Handler answers what the agent asks, and hears of updates, too. If nil, permissions are given, once where that is offered, and everything else is refused.
	Handler acpv1.Client
	// Session opens the session. If nil, one in the current directory without MCP servers.
	Session *acpv1.NewSessionRequest
	// Timeout is how long the agent may take to answer a request. If zero, DefaultTimeout.
	Timeout time.Duration
	// Rules change how the traffic is checked. If nil, as [conform.Test] does.
	Rules *conform.Options
}

// A Client talks to an agent in one session. Its methods end the test when the agent fails; findings in the traffic that are errors fail it when it ends, and so
// does an agent that does not return when its client has gone. It is safe for concurrent use, as far as its [TB] is.
type Client struct {
	t       TB
	conn    *acp.ClientConn
	session acpv1.SessionID
	timeout time.Duration
	serve   <-chan error

	mu    sync.Mutex
	turn  *Turn         // the one that runs, or nil
	moved chan struct{} // closed at the turn's first update; nil if nobody waits for that
}

// A Turn is what an agent did for a prompt.
type Turn struct {
	// StopReason says why it ended.
	StopReason acpv1.StopReason
	// Updates are all updates of the session that came in it, in order.
	Updates []acpv1.SessionUpdate
}

// Text returns what the agent said, without its thoughts.
func (t *Turn) Text() string {
	var b strings.Builder
	for _, u := range t.Updates {
		if m, ok := u.(*acpv1.AgentMessageChunk); ok {
			text, _ := acpv1.TextOf(m.Content)
			b.WriteString(text)
		}
	}
	return b.String()
}

// NewClient connects to an agent, initializes the connection and opens a session. serve is the agent: it serves one client on the transport until that goes
// away or ctx ends, such as the method Serve of a server.Server, or acp.NewAgent and its Wait. If opts is nil, the zero Options.
func NewClient(t TB, serve func(ctx context.Context, transport acp.Transport) error, opts *Options) *Client {
	t.Helper()
	if opts == nil {
		opts = new(Options)
	}
	c := &Client{t: t, timeout: opts.Timeout}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	ours, theirs := acp.Pipe()
	tap := conform.Test(t, wire.ClientSide, opts.Rules) // its cleanup comes after the one below
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	c.serve = served
	go func() { served <- serve(ctx, theirs) }()
	var handler acpv1.Client = allower{}
	if opts.Handler != nil {
		handler = opts.Handler
	}
	c.conn = acp.NewClient(ours, &listener{handler, c}, &acp.Options{Tap: tap})
	t.Cleanup(func() { c.close(stop) })
	c.open(opts)
	return c
}

// open shakes hands and opens the session.
func (c *Client) open(opts *Options) {
	c.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), c.timeout)
	defer stop()
	hello := &acpv1.InitializeRequest{ClientInfo: &acpv1.Implementation{Name: "acptest", Version: "1"}, ClientCapabilities: opts.Capabilities}
	if _, err := c.conn.Initialize(ctx, hello); err != nil {
		c.t.Fatalf("initialize: %v", err)
		return
	}
	request := opts.Session
	if request == nil {
		cwd, err := os.Getwd()
		if err != nil {
			c.t.Fatalf("%v", err)
			return
		}
		request = &acpv1.NewSessionRequest{Cwd: cwd, MCPServers: []acpv1.MCPServer{}}
	}
	session, err := c.conn.NewSession(ctx, request)
	if err != nil {
		c.t.Fatalf("session/new: %v", err)
		return
	}
	c.session = session.SessionID
}

// close ends the connection and waits for the agent.
func (c *Client) close(stop context.CancelFunc) {
	c.t.Helper()
	defer stop()
	_ = c.conn.Close()
	_ = c.conn.Wait() // the agent's end says what went wrong
	select {
	case err := <-c.serve:
		if err != nil {
			c.t.Errorf("the agent ended with: %v", err)
		}
	case <-time.After(c.timeout):
		c.t.Errorf("the agent still runs %v after its client has gone", c.timeout)
	}
}

// Conn returns the connection, for what this type has no method for.
func (c *Client) Conn() *acp.ClientConn { return c.conn }

// SessionID returns the id of the session.
func (c *Client) SessionID() acpv1.SessionID { return c.session }

// Prompt sends a prompt and waits for the end of its turn. One turn runs at a time.
func (c *Client) Prompt(text string) *Turn {
	c.t.Helper()
	return c.run(text, false)
}

// Cancel sends a prompt, cancels it when the agent has sent the first update, and waits for the end of the turn. The test fails unless the turn ends as cancelled,
// and also if there is no update.
func (c *Client) Cancel(text string) *Turn {
	c.t.Helper()
	turn := c.run(text, true)
	if turn.StopReason != acpv1.StopReasonCancelled {
		c.t.Errorf("the turn of %q ended with %q, want %q", text, turn.StopReason, acpv1.StopReasonCancelled)
	}
	return turn
}

func (c *Client) run(text string, cancel bool) *Turn {
	c.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), c.timeout)
	defer stop()
	turn := new(Turn)
	moved := make(chan struct{})
	c.mu.Lock()
	c.turn, c.moved = turn, moved
	c.mu.Unlock()
	if cancel {
		go func() {
			select {
			case <-moved:
				_ = c.conn.CancelPrompt(ctx, c.session) // the turn's end shows whether it worked
			case <-ctx.Done():
			}
		}()
	}
	r, err := c.conn.Prompt(ctx, &acpv1.PromptRequest{SessionID: c.session, Prompt: acpv1.Text(text)})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn = nil
	turn.Updates = slices.Clip(turn.Updates)
	if err != nil {
		c.t.Fatalf("prompt %q: %v", text, err)
		return turn
	}
	turn.StopReason = r.StopReason
	return turn
}

// update notes an update of the running turn.
func (c *Client) update(n *acpv1.SessionNotification) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn == nil || n.SessionID != c.session {
		return
	}
	c.turn.Updates = append(c.turn.Updates, n.Update)
	if c.moved != nil {
		close(c.moved)
		c.moved = nil
	}
}

// A listener hears updates before the handler does.
type listener struct {
	acpv1.Client
	c *Client
}

// SessionUpdate notes the update and passes it on.
func (l *listener) SessionUpdate(ctx context.Context, n *acpv1.SessionNotification) error {
	l.c.update(n)
	return l.Client.SessionUpdate(ctx, n)
}

// An allower gives every permission.
type allower struct{ acpv1.UnimplementedClient }

// SessionUpdate ignores the update.
func (allower) SessionUpdate(context.Context, *acpv1.SessionNotification) error { return nil }

// RequestPermission selects the option to allow once; if there is none, the one to allow always; and if there is neither, it cancels.
func (allower) RequestPermission(_ context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	for _, kind := range []acpv1.PermissionOptionKind{acpv1.PermissionOptionKindAllowOnce, acpv1.PermissionOptionKindAllowAlways} {
		for _, o := range p.Options {
			if o.Kind == kind {
				return &acpv1.RequestPermissionResponse{Outcome: &acpv1.SelectedPermissionOutcome{OptionID: o.OptionID}}, nil
			}
		}
	}
	return &acpv1.RequestPermissionResponse{Outcome: &acpv1.CancelledPermissionOutcome{}}, nil
}
