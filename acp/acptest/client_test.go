package acptest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/acptest"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// A fake is an agent that does what it is told.
type fake struct {
	acpv1.UnimplementedAgent
	client *acp.AgentConn
	prompt func(ctx context.Context, client *acp.AgentConn, text string) (acpv1.StopReason, error)
}

func (f *fake) Initialize(context.Context, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	return &acpv1.InitializeResponse{AgentInfo: &acpv1.Implementation{Name: "fake", Version: "1"}}, nil
}

func (f *fake) NewSession(context.Context, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	return &acpv1.NewSessionResponse{SessionID: "s"}, nil
}

func (f *fake) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	text, _ := acpv1.TextOf(p.Prompt[0])
	reason, err := f.prompt(ctx, f.client, text)
	return &acpv1.PromptResponse{StopReason: reason}, err
}

// Cancel has nothing to do: the prompt's context ends.
func (f *fake) Cancel(context.Context, *acpv1.CancelNotification) error { return nil }

func serve(prompt func(ctx context.Context, client *acp.AgentConn, text string) (acpv1.StopReason, error)) func(context.Context, acp.Transport) error {
	return func(_ context.Context, t acp.Transport) error {
		return acp.NewAgent(t, func(client *acp.AgentConn) acpv1.Agent { return &fake{client: client, prompt: prompt} }, nil).Wait()
	}
}

func say(ctx context.Context, client *acp.AgentConn, u acpv1.SessionUpdate) error {
	return client.SessionUpdate(ctx, &acpv1.SessionNotification{SessionID: "s", Update: u})
}

func TestPrompt(t *testing.T) {
	client := acptest.NewClient(t, serve(func(ctx context.Context, client *acp.AgentConn, text string) (acpv1.StopReason, error) {
		if err := say(ctx, client, &acpv1.ToolCall{ToolCallID: acpv1.ToolCallID(text), Title: "Look", Status: new(acpv1.ToolCallStatusPending)}); err != nil {
			return "", err
		}
		r, err := client.RequestPermission(ctx, &acpv1.RequestPermissionRequest{
			SessionID: "s", ToolCall: acpv1.ToolCallUpdate{ToolCallID: acpv1.ToolCallID(text)},
			Options: []acpv1.PermissionOption{
				{OptionID: "no", Name: "No", Kind: acpv1.PermissionOptionKindRejectOnce}, {OptionID: "yes", Name: "Yes", Kind: acpv1.PermissionOptionKindAllowOnce},
			},
		})
		if err != nil {
			return "", err
		}
		option := r.Outcome.(*acpv1.SelectedPermissionOutcome).OptionID
		return acpv1.StopReasonEndTurn, errors.Join(
			say(ctx, client, &acpv1.ToolCallUpdate{ToolCallID: acpv1.ToolCallID(text), Status: new(acpv1.ToolCallStatusCompleted)}),
			say(ctx, client, acpv1.MessageText(text+" ")), say(ctx, client, acpv1.MessageText(string(option))))
	}), nil)
	for _, text := range []string{"one", "two"} {
		turn := client.Prompt(text)
		if diff := cmp.Diff(text+" yes", turn.Text()); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		if turn.StopReason != acpv1.StopReasonEndTurn || len(turn.Updates) != 4 {
			t.Errorf("got %s and %d updates, want end_turn and 4", turn.StopReason, len(turn.Updates))
		}
	}
}

func TestCancel(t *testing.T) {
	client := acptest.NewClient(t, serve(func(ctx context.Context, client *acp.AgentConn, _ string) (acpv1.StopReason, error) {
		if err := say(ctx, client, acpv1.MessageText("…")); err != nil {
			return "", err
		}
		<-ctx.Done()
		return "", ctx.Err()
	}), nil)
	if turn := client.Cancel("wait"); turn.Text() != "…" {
		t.Errorf("got %q", turn.Text())
	}
}

// A tb records how a test fails.
type tb struct {
	failures []string
	cleanups []func()
}

type fatal struct{}

func (*tb) Helper()             {}
func (*tb) Logf(string, ...any) {}
func (t *tb) Errorf(format string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, args...))
}
func (t *tb) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }
func (t *tb) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	panic(fatal{})
}

// run runs a test and its cleanups as package testing does.
func (t *tb) run(test func()) {
	defer func() {
		for len(t.cleanups) > 0 {
			last := len(t.cleanups) - 1
			f := t.cleanups[last]
			t.cleanups = t.cleanups[:last]
			f()
		}
	}()
	defer func() {
		if p := recover(); p != nil && p != any(fatal{}) {
			panic(p)
		}
	}()
	test()
}

func TestFailures(t *testing.T) {
	type promptFunc = func(ctx context.Context, client *acp.AgentConn, text string) (acpv1.StopReason, error)
	quick := &acptest.Options{Timeout: 100 * time.Millisecond}
	prompt := func(c *acptest.Client) { c.Prompt("x") }
	tests := []struct {
		name  string
		agent promptFunc
		serve func(context.Context, acp.Transport) error // in the agent's stead
		opts  *acptest.Options
		test  func(*acptest.Client)
		want  []string
	}{
		{
			name: "an error",
			agent: func(context.Context, *acp.AgentConn, string) (acpv1.StopReason, error) {
				return "", acp.Errorf(acp.CodeInvalidParams, "not this")
			},
			test: prompt, want: []string{`prompt "x": `},
		},
		{
			name: "a broken rule",
			agent: func(ctx context.Context, client *acp.AgentConn, _ string) (acpv1.StopReason, error) {
				call := &acpv1.ToolCall{ToolCallID: "c", Title: "Look", Status: new(acpv1.ToolCallStatusCompleted)}
				return acpv1.StopReasonEndTurn, errors.Join(say(ctx, client, call), say(ctx, client, call))
			},
			test: prompt, want: []string{"TOOL-2"},
		},
		{
			name: "a turn that is not cancelled",
			agent: func(ctx context.Context, client *acp.AgentConn, _ string) (acpv1.StopReason, error) {
				return acpv1.StopReasonEndTurn, say(ctx, client, acpv1.MessageText("done"))
			},
			opts: quick, test: func(c *acptest.Client) { c.Cancel("x") }, want: []string{`ended with "end_turn", want "cancelled"`},
		},
		{
			name: "an agent that does not answer",
			agent: func(ctx context.Context, _ *acp.AgentConn, _ string) (acpv1.StopReason, error) {
				<-ctx.Done()
				return "", ctx.Err()
			},
			opts: quick, test: prompt, want: []string{"deadline exceeded"},
		},
		{
			name: "an agent that ends",
			serve: func(_ context.Context, t acp.Transport) error {
				return errors.Join(t.Close(), errors.New("out of luck"))
			},
			opts: quick, test: prompt, want: []string{"initialize: ", "the agent ended with: out of luck"},
		},
		{
			name: "an agent that stays",
			serve: func(ctx context.Context, t acp.Transport) error {
				_ = serve(func(context.Context, *acp.AgentConn, string) (acpv1.StopReason, error) {
					return acpv1.StopReasonEndTurn, nil
				})(ctx, t)
				<-ctx.Done()
				return nil
			},
			opts: quick, test: prompt, want: []string{"the agent still runs"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.serve == nil {
				tt.serve = serve(tt.agent)
			}
			rec := new(tb)
			rec.run(func() { tt.test(acptest.NewClient(rec, tt.serve, tt.opts)) })
			if len(rec.failures) != len(tt.want) {
				t.Fatalf("failures %q, want %q", rec.failures, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(rec.failures[i], want) {
					t.Errorf("failure %q lacks %q", rec.failures[i], want)
				}
			}
		})
	}
}
