package acp_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// funcAgent is an agent made of functions.
type funcAgent struct {
	acpv1.UnimplementedAgent
	initialize func(context.Context, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error)
	newSession func(context.Context, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error)
	prompt     func(context.Context, *acpv1.PromptRequest) (*acpv1.PromptResponse, error)
	cancel     func(context.Context, *acpv1.CancelNotification) error
}

func (a *funcAgent) Initialize(ctx context.Context, p *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	if a.initialize == nil {
		return &acpv1.InitializeResponse{}, nil
	}
	return a.initialize(ctx, p)
}

func (a *funcAgent) NewSession(ctx context.Context, p *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	if a.newSession == nil {
		return &acpv1.NewSessionResponse{SessionID: "s"}, nil
	}
	return a.newSession(ctx, p)
}

func (a *funcAgent) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	if a.prompt == nil {
		return endTurn, nil
	}
	return a.prompt(ctx, p)
}

func (a *funcAgent) Cancel(ctx context.Context, p *acpv1.CancelNotification) error {
	if a.cancel == nil {
		return nil
	}
	return a.cancel(ctx, p)
}

// funcClient is a client made of functions.
type funcClient struct {
	acpv1.UnimplementedClient
	update     func(context.Context, *acpv1.SessionNotification) error
	permission func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error)
	read       func(context.Context, *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error)
}

func (c *funcClient) SessionUpdate(ctx context.Context, p *acpv1.SessionNotification) error {
	if c.update == nil {
		return nil
	}
	return c.update(ctx, p)
}

func (c *funcClient) RequestPermission(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	if c.permission == nil {
		return c.UnimplementedClient.RequestPermission(ctx, p)
	}
	return c.permission(ctx, p)
}

func (c *funcClient) ReadTextFile(ctx context.Context, p *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
	if c.read == nil {
		return c.UnimplementedClient.ReadTextFile(ctx, p)
	}
	return c.read(ctx, p)
}

var endTurn = &acpv1.PromptResponse{StopReason: acpv1.StopReasonEndTurn}

func chunk(session acpv1.SessionID, text string) *acpv1.SessionNotification {
	return &acpv1.SessionNotification{SessionID: session, Update: &acpv1.AgentMessageChunk{Content: &acpv1.TextContent{Text: text}}}
}

func textOf(t *testing.T, p *acpv1.SessionNotification) string {
	t.Helper()
	c, ok := p.Update.(*acpv1.AgentMessageChunk)
	if !ok {
		t.Fatalf("update is a %T", p.Update)
	}
	return c.Content.(*acpv1.TextContent).Text
}

func promptFor(session acpv1.SessionID) *acpv1.PromptRequest {
	return &acpv1.PromptRequest{SessionID: session, Prompt: []acpv1.ContentBlock{}}
}

var permissive = &acp.Options{AllowUnadvertised: true}

// connect connects a client and an agent made of functions. The connection is closed and waited for at the end of the test.
func connect(t *testing.T, client *funcClient, agent func(client *acp.AgentConn) *funcAgent) (*acp.ClientConn, *acp.AgentConn) {
	t.Helper()
	c, a := acp.InProcess(client, func(conn *acp.AgentConn) acpv1.Agent { return agent(conn) }, permissive, permissive)
	t.Cleanup(func() { end(t, c.Conn, a.Conn) })
	return c, a
}

func end(t *testing.T, conns ...*acp.Conn) {
	t.Helper()
	for _, c := range conns {
		_ = c.Close()
	}
	for _, c := range conns {
		if err := c.Wait(); err != nil {
			t.Errorf("Wait: %v", err)
		}
	}
}

// TestUpdatesBeforeResponse checks that all updates of a turn have been handled, in order, when Prompt returns.
func TestUpdatesBeforeResponse(t *testing.T) {
	const n = 10_000
	var got []string
	client := &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
		if len(got)%1000 == 0 {
			time.Sleep(time.Millisecond) // a handler that is slower than the wire
		}
		got = append(got, textOf(t, p))
		return nil
	}}
	conn, _ := connect(t, client, func(client *acp.AgentConn) *funcAgent {
		return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			for i := range n {
				if err := client.SessionUpdate(ctx, chunk(p.SessionID, strconv.Itoa(i))); err != nil {
					return nil, err
				}
			}
			return endTurn, nil
		}}
	})
	if _, err := conn.Prompt(t.Context(), promptFor("s")); err != nil {
		t.Fatal(err)
	}
	if len(got) != n {
		t.Fatalf("%d updates handled when Prompt returned, want %d", len(got), n)
	}
	for i, text := range got {
		if text != strconv.Itoa(i) {
			t.Fatalf("update %d has text %q", i, text)
		}
	}
}

// TestRequestAfterUpdate checks that a request does not overtake the update before it.
func TestRequestAfterUpdate(t *testing.T) {
	var last atomic.Int64
	client := &funcClient{
		update: func(_ context.Context, p *acpv1.SessionNotification) error {
			n, err := strconv.Atoi(textOf(t, p))
			last.Store(int64(n))
			return err
		},
		read: func(_ context.Context, p *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
			return &acpv1.ReadTextFileResponse{Content: strconv.FormatInt(last.Load(), 10)}, nil
		},
	}
	conn, _ := connect(t, client, func(client *acp.AgentConn) *funcAgent {
		return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			for i := range 1000 {
				if err := client.SessionUpdate(ctx, chunk(p.SessionID, strconv.Itoa(i))); err != nil {
					return nil, err
				}
				r, err := client.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: p.SessionID, Path: "/f"})
				if err != nil {
					return nil, err
				}
				if r.Content != strconv.Itoa(i) {
					return nil, acp.Errorf(acp.CodeInternalError, "request after update %d saw update %s", i, r.Content)
				}
			}
			return endTurn, nil
		}}
	})
	if _, err := conn.Prompt(t.Context(), promptFor("s")); err != nil {
		t.Fatal(err)
	}
}

type question struct {
	Text string `json:"text"`
}

// TestHandlerCalls checks that a notification's handler may call the peer and wait, although the answer, a request that the peer needs for it, and thousands of
// updates are behind it in the stream; that handlers of notifications never run at once; and that Prompt waits for them all.
func TestHandlerCalls(t *testing.T) {
	const n = 3000
	var mu sync.Mutex // a handler that has it while another runs would fail the test
	var handled []string
	var agentConn *acp.ClientConn
	client := &funcClient{read: func(ctx context.Context, p *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
		// A request's handler may call as well.
		_, err := agentConn.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{}})
		return &acpv1.ReadTextFileResponse{Content: "text"}, err
	}}
	note := func(s string) {
		if !mu.TryLock() {
			t.Error("two handlers of notifications at once")
			return
		}
		defer mu.Unlock()
		for range 10 {
			runtime.Gosched() // let others run into it
		}
		handled = append(handled, s)
	}
	client.update = func(ctx context.Context, p *acpv1.SessionNotification) error {
		text := textOf(t, p)
		note(text)
		if i, _ := strconv.Atoi(text); i%100 == 0 {
			answer, err := acp.CallExtension[string](ctx, agentConn, "_test/ask", question{text})
			if err != nil || answer != "text "+text {
				t.Errorf("extension call in update %s: %q, %v", text, answer, err)
			}
			note("answer " + text)
		}
		return nil
	}
	pipeA, pipeB := acp.Pipe()
	agent := acp.NewAgent(pipeB, func(client *acp.AgentConn) acpv1.Agent {
		return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			for i := range n {
				if err := client.SessionUpdate(ctx, chunk(p.SessionID, strconv.Itoa(i))); err != nil {
					return nil, err
				}
			}
			return endTurn, nil
		}}
	}, &acp.Options{AllowUnadvertised: true, Extensions: []acp.Extension{
		acp.HandleExtension("_test/ask", func(ctx context.Context, q question) (string, error) {
			h, _ := acp.HandlingOf(ctx)
			r, err := (acpv1.ClientStub{Caller: h.Conn}).ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: "s", Path: "/f"})
			if err != nil {
				return "", err
			}
			return r.Content + " " + q.Text, nil
		}),
	}})
	agentConn = acp.NewClient(pipeA, client, permissive)
	defer end(t, agentConn.Conn, agent.Conn)

	if _, err := agentConn.Prompt(t.Context(), promptFor("s")); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(handled) != n+n/100 {
		t.Errorf("%d steps when Prompt returned, want %d", len(handled), n+n/100)
	}
	next := 0
	for _, h := range handled {
		if i, err := strconv.Atoi(h); err == nil {
			if i != next {
				t.Fatalf("update %d handled where %d was due", i, next)
			}
			next++
		}
	}
}

// TestTooManyWaiting checks that handlers that wait for the peer are limited, with an error and not with a connection that stands still.
func TestTooManyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errs := make(chan error, 10)
		var conn *acp.ClientConn
		client := &funcClient{update: func(ctx context.Context, p *acpv1.SessionNotification) error {
			_, err := conn.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{}})
			errs <- err
			return nil
		}}
		a, b := acp.Pipe()
		never := make(chan struct{})
		agent := acp.NewAgent(b, func(*acp.AgentConn) acpv1.Agent {
			return &funcAgent{newSession: func(ctx context.Context, _ *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
				<-never
				return &acpv1.NewSessionResponse{SessionID: "s"}, nil
			}}
		}, permissive)
		conn = acp.NewClient(a, client, &acp.Options{MaxInFlight: 3})
		for range 5 {
			if err := agent.SessionUpdate(t.Context(), chunk("s", "")); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for range 2 {
			if err := <-errs; !errors.Is(err, acp.ErrTooManyWaiting) {
				t.Errorf("error %v, want %v", err, acp.ErrTooManyWaiting)
			}
		}
		close(never)
		for range 3 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		end(t, conn.Conn, agent.Conn)
	})
}

// TestHandlersCallGivenUp checks that a handler whose call ends with its context goes on at once, and that nothing is stuck afterwards.
func TestHandlersCallGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var conn *acp.ClientConn
		var mu sync.Mutex
		var order []string
		add := func(s string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, s)
		}
		client := &funcClient{update: func(ctx context.Context, p *acpv1.SessionNotification) error {
			text := textOf(t, p)
			add(text)
			if text != "calls" {
				return nil
			}
			ctx, stop := context.WithTimeout(ctx, time.Second)
			defer stop()
			_, err := conn.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{}})
			add(fmt.Sprint(errors.Is(err, context.DeadlineExceeded)))
			return nil
		}}
		conn, agent := connect(t, client, func(client *acp.AgentConn) *funcAgent {
			return &funcAgent{newSession: func(ctx context.Context, _ *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}
		})
		_ = conn
		for _, text := range []string{"calls", "next"} {
			if err := agent.SessionUpdate(t.Context(), chunk("s", text)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Second)
		if err := agent.SessionUpdate(t.Context(), chunk("s", "last")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]string{"calls", "next", "true", "last"}, order); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
}

// TestAfterResponse checks that what is sent after a response comes after it on the wire.
func TestAfterResponse(t *testing.T) {
	var got []string
	var mu sync.Mutex
	updated := make(chan struct{})
	client := &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, textOf(t, p))
		if len(got) == 3 {
			close(updated)
		}
		return nil
	}}
	var outside bool
	conn, agent := connect(t, client, func(client *acp.AgentConn) *funcAgent {
		return &funcAgent{newSession: func(ctx context.Context, _ *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
			for _, text := range []string{"first", "second"} {
				if !acp.AfterResponse(ctx, func(ctx context.Context) {
					if err := client.SessionUpdate(ctx, chunk("s", text)); err != nil {
						t.Error(err)
					}
				}) {
					t.Error("AfterResponse is not possible in a handler")
				}
			}
			acp.AfterResponse(ctx, func(afterCtx context.Context) {
				outside = acp.AfterResponse(ctx, func(context.Context) {})
				panic("is survived")
			})
			if err := client.SessionUpdate(ctx, chunk("s", "during")); err != nil {
				t.Error(err)
			}
			return &acpv1.NewSessionResponse{SessionID: "s"}, nil
		}}
	})
	if _, err := conn.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{}}); err != nil {
		t.Fatal(err)
	}
	<-updated
	end(t, conn.Conn, agent.Conn)
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]string{"during", "first", "second"}, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if outside || acp.AfterResponse(t.Context(), func(context.Context) {}) {
		t.Error("AfterResponse accepted something without a response to come")
	}
}
