package server

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// A brokenStore fails where it is told to.
type brokenStore struct {
	store.Memory
	create, begin, commit error
}

func (b *brokenStore) Create(ctx context.Context, s store.Session) (store.Session, error) {
	if b.create != nil {
		return store.Session{}, b.create
	}
	return b.Memory.Create(ctx, s)
}

func (b *brokenStore) Begin(ctx context.Context, session, turnID string, records ...json.RawMessage) (store.Turn, error) {
	if b.begin != nil {
		return nil, b.begin
	}
	turn, err := b.Memory.Begin(ctx, session, turnID, records...)
	return &brokenTurn{turn, b.commit}, err
}

type brokenTurn struct {
	store.Turn
	commit error
}

func (b *brokenTurn) Commit(ctx context.Context, records ...json.RawMessage) error {
	if b.commit != nil {
		return b.commit
	}
	return b.Turn.Commit(ctx, records...)
}

// TestStoreFailures shows that nothing is acknowledged that the store did not take, and that the client does not read why.
func TestStoreFailures(t *testing.T) {
	boom := errors.New("disk abc")
	tests := []struct {
		name  string
		store *brokenStore
		runs  bool
	}{{"create", &brokenStore{create: boom}, false}, {"begin", &brokenStore{begin: boom}, false}, {"commit", &brokenStore{commit: boom}, true}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ran := false
			e := open(t, script{prompt: func(context.Context, *Turn) (Finish, error) {
				ran = true
				return Stop, nil
			}}, &Options{Store: tt.store})
			r, err := e.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
			if err == nil {
				_, err = e.ask(r.SessionID, "go")
			}
			if code, data := codeOf(err); code != acp.CodeInternalError || data != `{"kind":"store","retryable":true}` || containsAny(err.Error(), "abc") {
				t.Errorf("got %v %s", err, data)
			}
			if ran != tt.runs {
				t.Errorf("the engine ran: %v", ran)
			}
		})
	}
}

// TestEngineExits shows that an engine that ends its goroutine fails its turn and no more.
func TestEngineExits(t *testing.T) {
	e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		if t.Text() == "exit" {
			runtime.Goexit()
		}
		return Stop, nil
	}}, nil)
	id := e.newSession()
	if _, err := e.ask(id, "exit"); !errors.Is(err, &acp.Error{Code: acp.CodeInternalError}) {
		t.Errorf("got %v, want -32603", err)
	}
	if stop, err := e.ask(id, "go"); stop != acpv1.StopReasonEndTurn || err != nil {
		t.Errorf("the next turn: got %q, %v", stop, err)
	}
}

// TestRefuseWedged shows the option to refuse prompts while the engine is still in a turn that was given up.
func TestRefuseWedged(t *testing.T) {
	started, stuck := make(chan struct{}), make(chan struct{})
	e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		if t.Text() == "wedge" {
			close(started)
			<-stuck
		}
		return Stop, nil
	}}, &Options{RefuseWedged: true, CancelGrace: 10 * time.Millisecond})
	id := e.newSession()
	go func() {
		<-started
		_ = e.CancelPrompt(context.Background(), id)
	}()
	if stop, err := e.ask(id, "wedge"); stop != acpv1.StopReasonCancelled || err != nil {
		t.Fatalf("got %q, %v", stop, err)
	}
	for range 2 {
		if _, err := e.ask(id, "next"); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidRequest}) {
			t.Errorf("got %v, want -32600", err)
		}
	}
	close(stuck)
	if stop, err := e.ask(id, "next"); stop != acpv1.StopReasonEndTurn || err != nil {
		t.Errorf("once it has ended: got %q, %v", stop, err)
	}
}

// TestClientGoesAway shows that the sessions of a connection are closed with it, and their turns end.
func TestClientGoesAway(t *testing.T) {
	engine := newRich()
	started, ended := make(chan struct{}), make(chan struct{})
	engine.prompt = func(ctx context.Context, _ *Turn) (Finish, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return Stop, nil
	}
	e := open(t, engine, &Options{ACP: acp.Options{DrainTimeout: -1}})
	id, other := e.newSession(), e.newSession()
	go func() { _, _ = e.ask(id, "go") }()
	eventually(t, "the turn", started)
	e.leave()
	eventually(t, "its end", ended)
	engine.mu.Lock()
	defer engine.mu.Unlock()
	want := map[string]bool{string(id): true, string(other): true}
	got := make(map[string]bool)
	for _, s := range engine.closed {
		got[s] = true
	}
	if diff := cmp.Diff(want, got); diff != "" || len(engine.closed) != 2 {
		t.Errorf("closed %q: mismatch (-want +got):\n%s", engine.closed, diff)
	}
}
