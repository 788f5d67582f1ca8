package conform_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A fakeTB collects what a test would have said.
type fakeTB struct {
	logs, errors []string
	cleanup      []func()
}

func (f *fakeTB) Helper()          {}
func (f *fakeTB) Cleanup(c func()) { f.cleanup = append(f.cleanup, c) }
func (f *fakeTB) Logf(format string, args ...any) {
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}
func (f *fakeTB) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *fakeTB) end() {
	for _, c := range slices.Backward(f.cleanup) {
		c()
	}
}

// tapAgent streams a reply; if faulty, it announces a call twice and does not release its terminal.
type tapAgent struct {
	acpv1.UnimplementedAgent
	client *acp.AgentConn
	faulty bool
}

func (a *tapAgent) Initialize(context.Context, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	return &acpv1.InitializeResponse{AgentInfo: &acpv1.Implementation{Name: "a", Version: "1"}}, nil
}

func (a *tapAgent) NewSession(context.Context, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	return &acpv1.NewSessionResponse{SessionID: "s"}, nil
}

func (a *tapAgent) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	done := acpv1.ToolCallStatusCompleted
	for range map[bool]int{false: 1, true: 2}[a.faulty] {
		call := &acpv1.ToolCall{ToolCallID: "t", Title: "Look", Status: &done}
		if err := a.client.SessionUpdate(ctx, &acpv1.SessionNotification{SessionID: p.SessionID, Update: call}); err != nil {
			return nil, err
		}
	}
	term, err := a.client.CreateTerminal(ctx, &acpv1.CreateTerminalRequest{SessionID: p.SessionID, Command: "make"})
	if err != nil {
		return nil, err
	}
	if !a.faulty {
		if _, err := a.client.ReleaseTerminal(ctx, &acpv1.ReleaseTerminalRequest{SessionID: p.SessionID, TerminalID: term.TerminalID}); err != nil {
			return nil, err
		}
	}
	return &acpv1.PromptResponse{StopReason: acpv1.StopReasonEndTurn}, nil
}

type tapClient struct{ acpv1.UnimplementedClient }

func (tapClient) SessionUpdate(context.Context, *acpv1.SessionNotification) error { return nil }

func (tapClient) CreateTerminal(context.Context, *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error) {
	return &acpv1.CreateTerminalResponse{TerminalID: "x"}, nil
}

func (tapClient) ReleaseTerminal(context.Context, *acpv1.ReleaseTerminalRequest) (*acpv1.ReleaseTerminalResponse, error) {
	return &acpv1.ReleaseTerminalResponse{}, nil
}

// converse runs one turn over a connection whose client end and agent end have the taps.
func converse(t *testing.T, faulty bool, client, agent acp.Tap) {
	t.Helper()
	agentOf := func(c *acp.AgentConn) acpv1.Agent { return &tapAgent{client: c, faulty: faulty} }
	conn, other := acp.InProcess(tapClient{}, agentOf, &acp.Options{Tap: client}, &acp.Options{Tap: agent})
	if _, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: open(t, conn), Prompt: acpv1.Text("go")}); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	_ = other.Wait()
}

// open returns a session of a connection that it initializes.
func open(t *testing.T, conn *acp.ClientConn) acpv1.SessionID {
	t.Helper()
	if _, err := conn.Initialize(t.Context(), &acpv1.InitializeRequest{
		ClientInfo: &acpv1.Implementation{Name: "c", Version: "1"}, ClientCapabilities: &acpv1.ClientCapabilities{Terminal: new(true)},
	}); err != nil {
		t.Fatal(err)
	}
	s, err := conn.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	return s.SessionID
}

// TestTap checks a good connection from both ends, and finds nothing.
func TestTap(t *testing.T) {
	opts := &conform.Options{Closed: true}
	converse(t, false, conform.Test(t, wire.ClientSide, opts), conform.Test(t, wire.AgentSide, opts))
}

// TestTapFails shows that a faulty agent fails the test of either end.
func TestTapFails(t *testing.T) {
	for _, side := range []wire.Side{wire.ClientSide, wire.AgentSide} {
		t.Run(side.String(), func(t *testing.T) {
			var fake fakeTB
			tap := conform.Test(&fake, side, &conform.Options{Closed: true})
			if side == wire.ClientSide {
				converse(t, true, tap, nil)
			} else {
				converse(t, true, nil, tap)
			}
			if len(fake.errors) > 0 {
				t.Errorf("reported before the end of the test: %q", fake.errors)
			}
			fake.end()
			for i, rule := range []string{"TOOL-2", "TERM-5"} {
				if len(fake.errors) != 2 || !strings.Contains(fake.errors[i], rule) {
					t.Fatalf("errors %q, want TOOL-2 and TERM-5", fake.errors)
				}
			}
			tap.Sent([]byte("nonsense"))
			if len(fake.errors) > 2 {
				t.Error("reported after the end of the test")
			}
		})
	}
}

// slowAgent takes its time to end a turn that was cancelled.
type slowAgent struct {
	tapAgent
	pause time.Duration
}

func (a *slowAgent) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	<-ctx.Done()
	time.Sleep(a.pause)
	return &acpv1.PromptResponse{StopReason: acpv1.StopReasonCancelled}, nil
}

// slowClient takes its time to start a command.
type slowClient struct {
	tapClient
	pause time.Duration
}

func (c slowClient) CreateTerminal(ctx context.Context, p *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error) {
	time.Sleep(c.pause)
	return c.tapClient.CreateTerminal(ctx, p)
}

// TestTapKnowsTheTime shows that the rules about time work on a live connection, by the time at which frames come.
func TestTapKnowsTheTime(t *testing.T) {
	const limit = 2 * time.Second
	for _, tt := range []struct {
		name   string
		rule   string
		pause  time.Duration
		agent  bool // the agent is the slow one
		prompt time.Duration
		want   bool
	}{
		{"turn ends soon", "CAN-4", limit, true, limit, false},
		{"turn ends late", "CAN-4", limit + time.Millisecond, true, limit, true},
		{"turn ends late, default limit", "CAN-4", conform.DefaultPrompt + time.Millisecond, true, 0, true},
		{"terminal comes soon", "TERM-4", limit, false, limit, false},
		{"terminal comes late", "TERM-4", limit + time.Millisecond, false, limit, true},
	} {
		for _, side := range []wire.Side{wire.ClientSide, wire.AgentSide} {
			t.Run(tt.name+", "+side.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var got []string
					tap := conform.NewTap(side, &conform.Options{Prompt: tt.prompt}, func(f conform.Finding, _ []byte) { got = append(got, f.Rule) })
					if tt.agent {
						cancelSlowly(t, tt.pause, side, tap)
					} else {
						createSlowly(t, tt.pause, side, tap)
					}
					tap.End()
					if found := slices.Equal(got, []string{tt.rule}); found != tt.want || !tt.want && len(got) > 0 {
						t.Errorf("findings %v, want %s: %v", got, tt.rule, tt.want)
					}
				})
			})
		}
	}
}

// tapOn returns the options of the client's end and of the agent's, one with the tap.
func tapOn(side wire.Side, tap acp.Tap) (client, agent *acp.Options) {
	if side == wire.ClientSide {
		return &acp.Options{Tap: tap}, &acp.Options{}
	}
	return &acp.Options{}, &acp.Options{Tap: tap}
}

func cancelSlowly(t *testing.T, pause time.Duration, side wire.Side, tap acp.Tap) {
	t.Helper()
	ofClient, ofAgent := tapOn(side, tap)
	conn, other := acp.InProcess(tapClient{}, func(c *acp.AgentConn) acpv1.Agent { return &slowAgent{tapAgent{client: c}, pause} }, ofClient, ofAgent)
	s := open(t, conn)
	go func() {
		time.Sleep(time.Second)
		if err := conn.CancelPrompt(context.Background(), s); err != nil {
			t.Error(err)
		}
	}()
	if _, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: s, Prompt: acpv1.Text("go")}); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	_ = other.Wait()
}

func createSlowly(t *testing.T, pause time.Duration, side wire.Side, tap acp.Tap) {
	t.Helper()
	ofClient, ofAgent := tapOn(side, tap)
	conn, other := acp.InProcess(slowClient{pause: pause}, func(c *acp.AgentConn) acpv1.Agent { return &tapAgent{client: c} }, ofClient, ofAgent)
	s := open(t, conn)
	if _, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: s, Prompt: acpv1.Text("go")}); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	_ = other.Wait()
}
