package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// TestTurnOnTheWire runs small engines and compares all that the agent sends in the turn.
func TestTurnOnTheWire(t *testing.T) {
	tests := []struct {
		name   string
		prompt func(ctx context.Context, t *Turn) (Finish, error)
		permit acpv1.PermissionOptionID
		want   []string
	}{
		{"says and thinks", func(_ context.Context, t *Turn) (Finish, error) {
			return Stop, errors.Join(t.Think("hm"), t.Say("a"), t.Say(""), t.Say("b"))
		}, "", []string{"agent_thought_chunk hm", "agent_message_chunk a", "agent_message_chunk b", "session/prompt result end_turn"}},
		{"cuts through a character", func(_ context.Context, t *Turn) (Finish, error) {
			return Stop, errors.Join(t.Say("x\xe2\x82"), t.Say("\xacy\xf0"))
		}, "", []string{"agent_message_chunk x", "agent_message_chunk €y", "agent_message_chunk \uFFFD", "session/prompt result end_turn"}},
		{"forgets a call", func(_ context.Context, t *Turn) (Finish, error) {
			t.Tool("look", Read, "Look")
			return Stop, nil
		}, "", []string{"tool_call pending", "tool_call_update completed", "session/prompt result end_turn"}},
		{"forgets a call that runs, and fails", func(_ context.Context, t *Turn) (Finish, error) {
			return Stop, errors.Join(t.Tool("look", Read, "Look").Start(), errors.New("boom"))
		}, "", []string{"tool_call pending", "tool_call_update in_progress", "tool_call_update failed", "session/prompt error -32603"}},
		{"panics", func(_ context.Context, t *Turn) (Finish, error) {
			t.Tool("look", Read, "Look")
			panic("secret")
		}, "", []string{"tool_call pending", "tool_call_update failed", "session/prompt error -32603"}},
		{"asks first", func(ctx context.Context, t *Turn) (Finish, error) {
			c := t.Tool("rm", Delete, "Remove")
			ok, err := t.Allow(ctx, c)
			if !ok {
				return Stop, err
			}
			return Stop, errors.Join(c.Start(), c.Done(Text("gone")), c.Done(Text("twice")).(interface{ Unwrap() error }).Unwrap())
		}, "reject_once", []string{"tool_call pending", "session/request_permission", "tool_call_update failed", "session/prompt result end_turn"}},
		{"runs once allowed", func(ctx context.Context, t *Turn) (Finish, error) {
			c := t.Tool("rm", Delete, "Remove")
			if ok, err := t.Allow(ctx, c); !ok {
				return Stop, err
			}
			return Stop, errors.Join(c.Start(), c.Output(Text("…")), c.Done(Text("gone")))
		}, "allow_once", []string{"tool_call pending", "session/request_permission", "tool_call_update in_progress", "tool_call_update", "tool_call_update completed", "session/prompt result end_turn"}},
		{"takes an unknown option as a no", func(ctx context.Context, t *Turn) (Finish, error) {
			ok, err := t.Allow(ctx, t.Tool("rm", Delete, "Remove"))
			if ok {
				return Stop, errors.New("allowed")
			}
			return Stop, err
		}, "zzz", []string{"tool_call pending", "session/request_permission", "tool_call_update failed", "session/prompt result end_turn"}},
		{"remembers always", func(ctx context.Context, t *Turn) (Finish, error) {
			a, errA := t.Allow(ctx, t.Tool("rm", Delete, "Remove"))
			b, errB := t.Allow(ctx, t.Tool("rm", Delete, "Remove"))
			if !a || !b {
				return Stop, errors.New("not allowed")
			}
			return Stop, errors.Join(errA, errB)
		}, "allow_always", []string{
			"tool_call pending", "session/request_permission", "tool_call pending", "tool_call_update completed", "tool_call_update completed", "session/prompt result end_turn",
		}},
		{"has no stop reason for an abort of its own", func(context.Context, *Turn) (Finish, error) { return Aborted, nil },
			"", []string{"session/prompt error -32603"}},
		{"is cut off by the limit", func(context.Context, *Turn) (Finish, error) { return Length, nil }, "", []string{"session/prompt result max_tokens"}},
		{"knows how full the window is", func(_ context.Context, t *Turn) (Finish, error) {
			return Stop, errors.Join(t.Usage(Usage{InputTokens: 3}), t.Usage(Usage{Context: 5, Window: 10}))
		}, "", []string{"usage_update", "session/prompt result end_turn"}},
		{"gives two calls one id", func(_ context.Context, t *Turn) (Finish, error) {
			a, b := t.Tool("look", Read, "Look", CallID("x")), t.Tool("look", Read, "Look", CallID("x"))
			if a.ID() != "x" || b.ID() == "x" {
				return Stop, errors.New("the id was used twice")
			}
			return Stop, errors.Join(b.Done(Result{}), a.Done(Result{}))
		}, "", []string{"tool_call pending", "tool_call pending", "tool_call_update completed", "tool_call_update completed", "session/prompt result end_turn"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := open(t, script{prompt: tt.prompt}, nil)
			if tt.permit != "" {
				e.permit = allow(tt.permit)
			}
			id := e.newSession()
			before := len(e.log.sent())
			_, _ = e.ask(id, "go")
			if diff := cmp.Diff(tt.want, e.log.sent()[before:]); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTurnOver shows that a turn that has been answered is silent, and says so.
func TestTurnOver(t *testing.T) {
	var turn *Turn
	var call *Call
	e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		turn, call = t, t.Tool("look", Read, "Look")
		return Stop, nil
	}}, nil)
	id := e.newSession()
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	before := len(e.log.sent())
	ctx := t.Context()
	_, errAllow := turn.Allow(ctx, call)
	_, errAsk := turn.Ask(ctx, Form{Message: "?"})
	_, errCompact := turn.Compact()
	_, errRead := turn.Files().Read(ctx, "x", 0, 0)
	_, errRun := turn.Terminals().Run(ctx, CommandLine{Command: "x"})
	for what, err := range map[string]error{
		"Say": turn.Say("late"), "Think": turn.Think("late"), "Show": turn.Show(&ImagePart{MIMEType: "image/png", Data: []byte{1}}), "NewMessage": turn.NewMessage(), "Plan": turn.Plan(nil), "SetMode": turn.SetMode("x"),
		"SetTitle": turn.SetTitle("x"), "RefreshConfig": turn.RefreshConfig(ctx), "SetOption": turn.SetOption(ctx, "x", ConfigValue{}), "RefreshCommands": turn.RefreshCommands(), "Notice": turn.Notice(Info, "x", ""),
		"Usage": turn.Usage(Usage{Window: 1}), "Read": errRead, "Write": turn.Files().Write(ctx, "x", ""), "Run": errRun, "Allow": errAllow, "Ask": errAsk, "Start": call.Start(), "Output": call.Output(Text("x")), "Done": call.Done(Result{}),
		"Fail": call.Fail(nil), "FailWith": call.FailWith(Result{}), "Compact": errCompact, "Diff": call.Diff(&DiffItem{Path: "/w/x"}), "Terminal": call.Terminal("x"), "Refine": call.Refine("x", nil),
		"a new call": turn.Tool("look", Read, "Look").Done(Result{}),
	} {
		if !errors.Is(err, ErrTurnOver) {
			t.Errorf("%s: got %v, want %v", what, err, ErrTurnOver)
		}
	}
	if late := e.log.sent()[before:]; len(late) > 0 {
		t.Errorf("sent after the answer: %q", late)
	}
}

// TestPendingPermission shows that a call does not run while the user is asked, and that a cancelled turn ends the question.
func TestPendingPermission(t *testing.T) {
	asked := make(chan struct{})
	var start, done, again error
	e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
		c := t.Tool("rm", Delete, "Remove")
		result := make(chan error, 1)
		go func() {
			ok, err := t.Allow(ctx, c)
			if ok {
				err = errors.New("allowed")
			}
			result <- err
		}()
		<-asked
		_, again = t.Allow(ctx, c)
		start, done = c.Start(), c.Done(Result{})
		_ = t.Say("asked")
		return Stop, <-result
	}}, nil)
	e.permit = func(ctx context.Context, _ *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
		close(asked)
		<-ctx.Done()
		return acpv1.Cancelled(), nil
	}
	id := e.newSession()
	before := len(e.log.sent())
	go func() {
		<-asked
		for len(e.seen(id)) < 2 {
			time.Sleep(time.Millisecond)
		}
		_ = e.CancelPrompt(context.Background(), id)
	}()
	stop, err := e.ask(id, "go")
	if stop != acpv1.StopReasonCancelled || err != nil {
		t.Errorf("got %q, %v, want cancelled", stop, err)
	}
	for _, err := range []error{start, done, again} {
		if !errors.Is(err, ErrPermissionPending) {
			t.Errorf("got %v, want %v", err, ErrPermissionPending)
		}
	}
	want := []string{"tool_call pending", "session/request_permission", "agent_message_chunk asked", "tool_call_update failed", "session/prompt result cancelled"}
	got := e.log.sent()[before:]
	for i, s := range got {
		if s == "$/cancel_request" {
			got = append(got[:i:i], got[i+1:]...)
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestWedgedEngine shows that an engine that ignores the cancellation costs the client no more than the grace, that what it says later is dropped, and that the
// session goes on.
func TestWedgedEngine(t *testing.T) {
	for _, byRequest := range []bool{false, true} {
		name := "session/cancel"
		if byRequest {
			name = "$/cancel_request"
		}
		t.Run(name, func(t *testing.T) {
			stuck, started := make(chan struct{}), make(chan struct{})
			var late error
			gone := make(chan struct{})
			e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
				if t.Text() != "wedge" {
					return Stop, t.Say("fine")
				}
				close(started)
				<-stuck
				late = t.Say("late")
				close(gone)
				return Stop, nil
			}}, &Options{CancelGrace: 20 * time.Millisecond})
			id := e.newSession()
			before := len(e.log.sent())
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-started
				if byRequest {
					cancel()
				} else {
					_ = e.CancelPrompt(context.Background(), id)
				}
			}()
			r, err := e.Prompt(ctx, &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("wedge")})
			cancel()
			if !byRequest && (err != nil || r.StopReason != acpv1.StopReasonCancelled) {
				t.Fatalf("got %v, %v, want cancelled", r, err)
			}
			if stop, err := e.ask(id, "next"); stop != acpv1.StopReasonEndTurn || err != nil {
				t.Errorf("the next turn: got %q, %v", stop, err)
			}
			close(stuck)
			<-gone
			if !errors.Is(late, ErrTurnOver) {
				t.Errorf("the late text: got %v, want %v", late, ErrTurnOver)
			}
			want := []string{"session/prompt result cancelled", "agent_message_chunk fine", "session/prompt result end_turn"}
			if diff := cmp.Diff(want, e.log.sent()[before:]); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEngineErrors shows what the client is told of an engine's errors: stable codes and data, and nothing that is not meant for it.
func TestEngineErrors(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code int
		data string
	}{
		{"any error", errors.New("token abc"), acp.CodeInternalError, `{"kind":"internal","retryable":false}`},
		{"an Error", &Error{Kind: ErrorOverloaded, Message: "try later", Retryable: true, Err: errors.New("token abc")}, acp.CodeInternalError, `{"kind":"overloaded","retryable":true}`},
		{"an invalid request", &Error{Kind: ErrorInvalid, Message: "no"}, acp.CodeInvalidParams, `{"kind":"invalid","retryable":false}`},
		{"login", errors.Join(errors.New("x"), ErrAuthRequired), acp.CodeAuthRequired, ``},
		{"its own JSON-RPC error", &acp.Error{Code: -32099, Message: "mine"}, -32099, ``},
		{"its own timeout", context.DeadlineExceeded, acp.CodeInternalError, `{"kind":"internal","retryable":false}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := open(t, script{prompt: func(context.Context, *Turn) (Finish, error) { return Stop, tt.err }}, nil)
			_, err := e.ask(e.newSession(), "go")
			code, data := codeOf(err)
			if code != tt.code || data != tt.data {
				t.Errorf("got %d %s, want %d %s", code, data, tt.code, tt.data)
			}
			for _, f := range e.log.all() {
				if f.out && containsAny(f.line, "abc") {
					t.Errorf("the cause was sent: %s", f.line)
				}
			}
		})
	}
}

// TestUsage shows that the client is told of the cost of the session, not of the request, and of none if there are several currencies.
func TestUsage(t *testing.T) {
	use := []Usage{{Context: 1, Window: 9, Cost: Cost{1, "USD"}}, {Cost: Cost{2, "USD"}}, {Context: 2, Window: 9, Cost: Cost{4, "USD"}}, {Context: 3, Window: 9, Cost: Cost{1, "EUR"}}}
	var report UsageReport
	e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		for _, u := range use {
			if err := t.Usage(u); err != nil {
				return Failed, err
			}
		}
		report = t.Session().Usage()
		return Stop, nil
	}}, nil)
	id := e.newSession()
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	want := []acpv1.SessionUpdate{
		&acpv1.UsageUpdate{Used: 1, Size: 9, Cost: &acpv1.Cost{Amount: 1, Currency: "USD"}}, &acpv1.UsageUpdate{Used: 2, Size: 9, Cost: &acpv1.Cost{Amount: 7, Currency: "USD"}},
		&acpv1.UsageUpdate{Used: 3, Size: 9},
	}
	if diff := cmp.Diff(want, e.seen(id)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if report.Session.Requests != len(use) || len(report.Session.Costs) != 2 {
		t.Errorf("got %+v", report.Session)
	}
}
