package server

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// TestPermissionOutcomes shows what each answer of a client comes to: only a choice that was offered and that allows lets a call run.
func TestPermissionOutcomes(t *testing.T) {
	answer := func(r *acpv1.RequestPermissionResponse, err error) func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
		return func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
			return r, err
		}
	}
	tests := []struct {
		name   string
		permit func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error)
		want   Choice
	}{
		{"allow once", allow("allow_once"), Choice{"allow_once", "Allow", AllowOnce}},
		{"reject once", allow("reject_once"), Choice{"reject_once", "Reject", RejectOnce}},
		{"reject always", allow("reject_always"), Choice{"reject_always", "Always reject", RejectAlways}},
		{"not offered", allow("allow"), Choice{Kind: RejectOnce}},
		{"cancelled without a cancel", answer(acpv1.Cancelled(), nil), Choice{Kind: RejectOnce}},
		{"an error", answer(nil, errors.New("no")), Choice{Kind: RejectOnce}},
		{"an invalid answer", answer(&acpv1.RequestPermissionResponse{}, nil), Choice{Kind: RejectOnce}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got Choice
			var after error
			engine := newRich()
			engine.prompt = func(ctx context.Context, t *Turn) (_ Finish, err error) {
				c := t.Tool("rm", Delete, "Remove")
				if got, err = t.Choose(ctx, c); !got.Kind.Allows() {
					after = c.Start()
				}
				return Stop, err
			}
			e := open(t, engine, nil)
			e.permit = tt.permit
			if stop, err := e.ask(e.newSession(), "go"); stop != acpv1.StopReasonEndTurn || err != nil {
				t.Errorf("the turn: got %q, %v", stop, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if !got.Kind.Allows() && !errors.Is(after, ErrCallOver) {
				t.Errorf("a rejected call started: %v", after)
			}
			if kept := len(engine.kept) > 0; kept != got.Kind.lasts() {
				t.Errorf("offered for keeping: %v", engine.kept)
			}
		})
	}
}

// TestPermissionQuestion shows what the client is asked: with all that is known of the call by then, and with the engine's own options.
func TestPermissionQuestion(t *testing.T) {
	old := "a"
	e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
		c := t.Tool("edit", Edit, "Edit", Input(map[string]any{}))
		err := errors.Join(c.Refine("Edit x", map[string]string{"path": "x"}, At("x", 3)), c.Diff(&DiffItem{Path: "x", Old: &old, New: "b"}))
		_, allowErr := t.Allow(ctx, c, Choice{"yes", "Sure", AllowOnce}, Choice{"yes", "Again", RejectOnce}, Choice{"no", "", RejectOnce})
		return Stop, errors.Join(err, allowErr)
	}}, nil)
	var got *acpv1.RequestPermissionRequest
	e.permit = func(_ context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
		got = p
		return acpv1.Selected("yes"), nil
	}
	id := e.newSession()
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	got.SessionID, got.ToolCall.ToolCallID = "s", "c"
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"edit","status":"pending","title":"Edit x","name":"edit","content":[{"type":"diff","path":"/w/x","oldText":"a","newText":"b"}],` +
		`"locations":[{"path":"/w/x","line":3}],"rawInput":{"path":"x"}},"options":[{"optionId":"yes","name":"Sure","kind":"allow_once"},{"optionId":"no","name":"no","kind":"reject_once"}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestPermissionsOneAtATime shows that many calls of one session are asked for one after another, and that "always" settles those that wait.
func TestPermissionsOneAtATime(t *testing.T) {
	const calls = 20
	e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
		var all sync.WaitGroup
		errs := make([]error, calls)
		for i := range calls {
			c := t.Tool("rm", Delete, "Remove")
			all.Go(func() {
				if ok, err := t.Allow(ctx, c); !ok {
					errs[i] = errors.Join(err, errors.New("not allowed"))
				}
			})
		}
		all.Wait()
		return Stop, errors.Join(errs...)
	}}, nil)
	var mu sync.Mutex
	asked, open := 0, 0
	e.permit = func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		if open++; open > 1 {
			t.Error("two at a time")
		}
		defer func() { open-- }()
		if asked == 5 {
			return acpv1.Selected("allow_always"), nil
		}
		return acpv1.Selected("allow_once"), nil
	}
	if _, err := e.ask(e.newSession(), "go"); err != nil {
		t.Fatal(err)
	}
	if asked != 5 {
		t.Errorf("asked %d times, want 5", asked)
	}
	if problems := checkWire(e.log.all(), false).problems; len(problems) > 0 {
		t.Error(problems)
	}
}

// TestElicitation shows the answers to a form, and the life of a visit.
func TestElicitation(t *testing.T) {
	form := Form{Message: "Which?", Fields: []Field{
		{Name: "name", Required: true}, {Name: "n", Kind: IntegerField}, {Name: "x", Kind: NumberField, Default: 1.5}, {Name: "ok", Kind: BooleanField},
		{Name: "one", Kind: ChoiceField, Choices: []ConfigChoice{{Value: "a", Name: "A"}}}, {Name: "many", Kind: ChoicesField, Choices: []ConfigChoice{{Value: "a"}, {Value: "b"}}},
	}}
	type content = map[string]acpv1.ElicitationContentValue
	tests := []struct {
		name   string
		action acpv1.ElicitationAction
		want   Answer
		err    error
	}{
		{"accepted", &acpv1.ElicitationAcceptAction{Content: content{
			"name": acpv1.ElicitationString("Ann"), "n": acpv1.ElicitationInteger(2), "x": acpv1.ElicitationInteger(3), "ok": acpv1.ElicitationBoolean(true),
			"one": acpv1.ElicitationString("a"), "many": acpv1.ElicitationStrings{"b", "a"},
		}}, Answer{Accepted, map[string]any{"name": "Ann", "n": int64(2), "x": 3.0, "ok": true, "one": "a", "many": []string{"b", "a"}}}, nil},
		{"declined", &acpv1.ElicitationDeclineAction{}, Answer{Action: Declined}, nil},
		{"dismissed", &acpv1.ElicitationCancelAction{}, Answer{Action: Dismissed}, nil},
		{"without what is required", &acpv1.ElicitationAcceptAction{}, Answer{Action: Accepted}, ErrInvalidAnswer},
		{"with another field", &acpv1.ElicitationAcceptAction{Content: content{"name": acpv1.ElicitationString(""), "zzz": acpv1.ElicitationBoolean(true)}}, Answer{Action: Accepted}, ErrInvalidAnswer},
		{"with no choice", &acpv1.ElicitationAcceptAction{Content: content{"name": acpv1.ElicitationString(""), "one": acpv1.ElicitationString("z")}}, Answer{Action: Accepted}, ErrInvalidAnswer},
		{"with another type", &acpv1.ElicitationAcceptAction{Content: content{"name": acpv1.ElicitationBoolean(true)}}, Answer{Action: Accepted}, ErrInvalidAnswer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got Answer
			var gotErr error
			e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
				got, gotErr = t.Ask(ctx, form)
				action, done, err := t.Visit(ctx, "Log in", "https://example.com/login")
				if err != nil || action != got.Action {
					return Stop, errors.Join(err, errors.New("another action"))
				}
				return Stop, errors.Join(done(), done())
			}}, nil)
			var asked []acpv1.ElicitationMode
			e.elicit = func(p *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error) {
				asked = append(asked, p.Mode)
				return &acpv1.CreateElicitationResponse{Action: tt.action}, nil
			}
			if _, err := e.ask(e.newSession(), "go"); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(gotErr, tt.err) {
				t.Errorf("error %v, mismatch (-want +got):\n%s", gotErr, diff)
			}
			completed := 0
			for _, s := range e.log.sent() {
				if s == acpv1.MethodCompleteElicitation {
					completed++
				}
			}
			if want := map[bool]int{true: 1}[got.Action == Accepted]; completed != want || len(asked) != 2 {
				t.Errorf("completed %d times, want %d; asked %d times", completed, want, len(asked))
			}
		})
	}
}

// TestUnsupported shows that what the client cannot do fails without a word to it.
func TestUnsupported(t *testing.T) {
	var errs []error
	e := connect(t, New(script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
		_, err := t.Ask(ctx, Form{Message: "?"})
		_, _, visit := t.Visit(ctx, "?", "https://example.com/")
		_, read := t.Files().Read(ctx, "x", 0, 0)
		_, run := t.Terminals().Run(ctx, CommandLine{Command: "x"})
		errs = []error{err, visit, read, t.Files().Write(ctx, "x", ""), run}
		return Stop, t.Notice(Info, "x", "")
	}}, &Options{Local: LocalNever}))
	if _, err := e.Initialize(t.Context(), &acpv1.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	id := e.newSession()
	before := len(e.log.sent())
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	for i, err := range errs {
		var unsupported *acp.UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("%d: got %v, want an UnsupportedError", i, err)
		}
	}
	if diff := cmp.Diff([]string{"session/prompt result end_turn"}, e.log.sent()[before:]); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
