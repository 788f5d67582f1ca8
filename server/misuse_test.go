package server

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// TestOddResults completes calls with what cannot be shown: the call is resolved all the same, and the turn is kept.
func TestOddResults(t *testing.T) {
	same := "text"
	output := func(text string) func(*Call) error {
		return func(c *Call) error { return c.Done(Result{Output: json.RawMessage(text)}) }
	}
	item := func(items ...Item) func(*Call) error {
		return func(c *Call) error { return c.Done(Result{Items: items}) }
	}
	tests := []struct {
		name string
		done func(c *Call) error
	}{
		{"output with a name twice", output(`{"a":1,"a":2}`)},
		{"output that is not UTF-8", output("\"\xff\"")},
		{"output with half a surrogate pair", output(`"\ud800"`)},
		{"output that is no JSON", output(`{`)},
		{"a diff of nothing", item(AppliedDiff("x", &same, same))},
		{"nil items", item(nil, (*TextItem)(nil), (*MediaItem)(nil), (*TerminalItem)(nil))},
		{"media without any", item(&MediaItem{}, &MediaItem{(*ImagePart)(nil)}, &MediaItem{(*TextPart)(nil)}, &MediaItem{(*AudioPart)(nil)}, &MediaItem{(*DocumentPart)(nil)}, &MediaItem{(*ResourcePart)(nil)})},
		{"a diff of nothing, shown", func(c *Call) error { return errors.Join(c.Diff(AppliedDiff("x", &same, same)), c.Done(Result{})) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
				return Stop, tt.done(t.Tool("look", Read, "Look"))
			}}, &Options{Store: new(store.Memory)})
			id := e.newSession()
			before := len(e.log.sent())
			if stop, err := e.ask(id, "go"); stop != acpv1.StopReasonEndTurn || err != nil {
				t.Errorf("got %q, %v", stop, err)
			}
			want := []string{"tool_call pending", "tool_call_update completed", "session/prompt result end_turn"}
			if diff := cmp.Diff(want, e.log.sent()[before:]); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPanicInside shows that a panic in the middle of a method of Turn ends the turn, and does not hold up the session.
func TestPanicInside(t *testing.T) {
	var bad atomic.Bool
	e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		return Stop, t.Tool("look", Read, "Look").Done(Result{})
	}}, &Options{NewID: func(kind IDKind) string {
		if kind == CallIDs && bad.Load() {
			panic("no more ids")
		}
		return string(kind) + "-1"
	}})
	id := e.newSession()
	bad.Store(true)
	if _, err := e.ask(id, "go"); !errors.Is(err, &acp.Error{Code: acp.CodeInternalError}) {
		t.Errorf("got %v, want -32603", err)
	}
	bad.Store(false)
	if stop, err := e.ask(id, "again"); stop != acpv1.StopReasonEndTurn || err != nil {
		t.Errorf("the next turn: got %q, %v", stop, err)
	}
}

// A fuse is an engine that panics when a connection begins.
type fuse struct {
	script
	at string
}

func (f fuse) Extensions(func(id string) (*Session, bool)) []acp.Extension {
	if f.at == "Extensions" {
		panic("secret")
	}
	return nil
}

func (f fuse) AuthMethods() []AuthMethod {
	if f.at == "AuthMethods" {
		panic("secret")
	}
	return nil
}

func (fuse) LoggedIn(context.Context) bool              { return true }
func (fuse) Authenticate(context.Context, string) error { return nil }

// TestPanicAtFirst shows that an engine that panics before there is a session ends its connection at most, not the program.
func TestPanicAtFirst(t *testing.T) {
	for _, at := range []string{"Extensions", "AuthMethods"} {
		t.Run(at, func(t *testing.T) {
			near, far := acp.Pipe()
			served := make(chan error, 1)
			go func() { served <- New(fuse{at: at}, nil).Serve(context.Background(), far) }()
			conn := acp.NewClient(near, acpv1.UnimplementedClient{}, nil)
			if _, err := conn.Initialize(t.Context(), nil); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want an error without the panic's text", err)
			}
			_ = conn.Close()
			if err := <-served; (err != nil) != (at == "Extensions") {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// TestTitleNotUTF8 shows that a title that was cut within a character does not make the session unlistable.
func TestTitleNotUTF8(t *testing.T) {
	e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) { return Stop, t.SetTitle("caf\xc3") }}, &Options{Store: new(store.Memory)})
	if _, err := e.ask(e.newSession(), "go"); err != nil {
		t.Fatal(err)
	}
	r, err := e.ListSessions(t.Context(), &acpv1.ListSessionsRequest{})
	if err != nil || len(r.Sessions) != 1 || *r.Sessions[0].Title != "caf\uFFFD" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestTurnsAreForgotten shows that a session keeps what its turns have used, and not the turns.
func TestTurnsAreForgotten(t *testing.T) {
	const turns = 4
	freed := make(chan struct{}, turns)
	e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		runtime.AddCleanup(t, func(int) { freed <- struct{}{} }, 0)
		return Stop, t.Usage(Usage{InputTokens: 1})
	}}, nil)
	id := e.newSession()
	for range turns {
		if _, err := e.ask(id, "go"); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.After(10 * time.Second)
	for n := 0; n < turns-1; { // the last one may still be on a stack
		runtime.GC()
		select {
		case <-freed:
			n++
		case <-time.After(time.Millisecond):
		case <-deadline:
			t.Fatalf("%d of %d turns were freed", n, turns)
		}
	}
}

// TestDeletedElsewhere shows that a session that another connection has deleted is unknown.
func TestDeletedElsewhere(t *testing.T) {
	s := New(newRich(), &Options{Store: new(store.Memory)})
	a, b := connect(t, s), connect(t, s)
	a.hello()
	b.hello()
	id := a.newSession()
	if _, err := b.DeleteSession(t.Context(), &acpv1.DeleteSessionRequest{SessionID: id}); err != nil {
		t.Fatal(err)
	}
	_, err := a.ask(id, "go")
	if code, data := codeOf(err); code != acp.CodeResourceNotFound || !strings.Contains(data, string(id)) {
		t.Errorf("got %v, want -32002 with the id", err)
	}
}

// TestForeignCall shows that a turn does nothing with a call that is not its own.
func TestForeignCall(t *testing.T) {
	var earlier *Call
	e := open(t, script{prompt: func(ctx context.Context, turn *Turn) (Finish, error) {
		if earlier == nil {
			earlier = turn.Tool("look", Read, "Look")
			return Stop, nil
		}
		for _, call := range []*Call{nil, earlier} {
			_, errAllow := turn.Allow(ctx, call)
			_, errChoose := turn.Choose(ctx, call)
			_, errTool := turn.CallClientTool(ctx, call, "x", nil)
			for what, err := range map[string]error{"Allow": errAllow, "Choose": errChoose, "CallClientTool": errTool} {
				if said := (*Error)(nil); !errors.As(err, &said) || said.Kind != ErrorInvalid {
					t.Errorf("%s: got %v, want an error of kind %s", what, err, ErrorInvalid)
				}
			}
		}
		return Stop, nil
	}}, nil)
	id := e.newSession()
	for range 2 {
		if _, err := e.ask(id, "go"); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range e.log.sent() {
		if s == "session/request_permission" {
			t.Error("the user was asked")
		}
	}
}

// TestTerminalOfCancelledTurn shows that the creation of a terminal is given up when the turn is cancelled, even if the engine does not pass its context.
func TestTerminalOfCancelledTurn(t *testing.T) {
	asked := make(chan struct{})
	ended := make(chan error, 1)
	client := &mute{asked: asked}
	e := connectAs(t, New(script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		_, err := t.Terminals().Run(context.Background(), CommandLine{Command: "x"})
		ended <- err
		return Stop, err
	}}, &Options{CancelGrace: time.Hour}), client)
	if _, err := e.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: &acpv1.ClientCapabilities{Terminal: new(true)}}); err != nil {
		t.Fatal(err)
	}
	id := e.newSession()
	go func() {
		<-asked
		_ = e.CancelPrompt(context.Background(), id)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v, want it cancelled", err)
		}
		_ = e.Close()
	}()
	_, _ = e.ask(id, "go")
}

// A mute is a client that does not answer when asked for a terminal.
type mute struct {
	acpv1.UnimplementedClient
	asked chan struct{}
}

func (m *mute) CreateTerminal(ctx context.Context, _ *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error) {
	close(m.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}
