package conform_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

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
	ctx := t.Context()
	if _, err := conn.Initialize(ctx, &acpv1.InitializeRequest{
		ClientInfo: &acpv1.Implementation{Name: "c", Version: "1"}, ClientCapabilities: &acpv1.ClientCapabilities{Terminal: new(true)},
	}); err != nil {
		t.Fatal(err)
	}
	s, err := conn.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Prompt(ctx, &acpv1.PromptRequest{SessionID: s.SessionID, Prompt: []acpv1.ContentBlock{&acpv1.TextContent{Text: "go"}}}); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	_ = other.Wait()
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
