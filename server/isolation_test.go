package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// TestForeignSession shows that a session id is worth nothing on another connection, for any method, though its owner goes on using it.
func TestForeignSession(t *testing.T) {
	engine := newRich()
	srv := New(engine, nil)
	a, b := connect(t, srv), connect(t, srv)
	a.hello()
	b.hello()
	id := a.newSession()
	ctx := t.Context()
	second := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"prompt":     second(b.ask(id, "hi")),
		"close":      second(b.CloseSession(ctx, &acpv1.CloseSessionRequest{SessionID: id})),
		"set_mode":   second(b.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "plan"})),
		"set_config": second(b.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "loud", Value: &acpv1.SessionConfigBooleanValue{Value: true}})),
		"steer":      second(acp.CallExtension[struct{}](ctx, b, SteerMethod, acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("x")})),
		"extension":  second(acp.CallExtension[string](ctx, b, "_test/cwd", cwdParams{string(id)})),
	} {
		if _, data := codeOf(wireError(err)); !errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) {
			t.Errorf("%s: got %v %s, want -32002", name, err, data)
		}
	}
	if err := b.Notify(ctx, acpv1.MethodCancel, &acpv1.CancelNotification{SessionID: id}); err != nil {
		t.Fatal(err)
	}
	if stop, err := a.ask(id, "hi"); stop != acpv1.StopReasonEndTurn || err != nil {
		t.Errorf("its owner: got %q, %v", stop, err)
	}
	if cwd, err := acp.CallExtension[string](ctx, a, "_test/cwd", cwdParams{string(id)}); cwd != "/w" || err != nil {
		t.Errorf("its owner: got %q, %v", cwd, err)
	}
	if n := len(b.seen(id)); n > 0 {
		t.Errorf("the other connection got %d updates", n)
	}
}

// TestSecrets shows that what MCP servers are configured with is in no error and no log, whatever fails, and that each session has its own.
func TestSecrets(t *testing.T) {
	var log bytes.Buffer
	engine := newRich()
	mcp := make(map[string][]MCPServer)
	engine.prompt = func(_ context.Context, t *Turn) (Finish, error) {
		engine.mu.Lock()
		mcp[t.Session().ID()] = t.Session().MCPServers()
		engine.mu.Unlock()
		if t.Text() == "panic" {
			panic(fmt.Sprint(t.Session().MCPServers()[0].(*MCPStdio).Env))
		}
		return Stop, fmt.Errorf("could not start %v", t.Session().MCPServers()[0].(*MCPStdio).Env)
	}
	e := open(t, engine, &Options{Logger: slog.New(slog.NewTextHandler(&lockedWriter{w: &log}, &slog.HandlerOptions{Level: slog.LevelDebug})), Store: new(store.Memory)})
	var ids []acpv1.SessionID
	for _, secret := range []string{"hunter2-one", "hunter2-two"} {
		r, err := e.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{
			&acpv1.MCPServerStdio{Name: "m", Command: "/bin/m", Args: []string{}, Env: []acpv1.EnvVariable{{Name: "KEY", Value: secret}}},
			&acpv1.MCPServerHTTP{Name: "h", URL: "https://example.com/", Headers: []acpv1.HTTPHeader{{Name: "Authorization", Value: secret}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.SessionID)
	}
	for _, id := range ids {
		for _, text := range []string{"fail", "panic"} {
			if _, err := e.ask(id, text); err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want an error without secrets", err)
			}
		}
	}
	for _, f := range e.log.all() {
		if f.out && strings.Contains(f.line, "hunter2") {
			t.Errorf("sent: %s", f.line)
		}
	}
	e.leave()
	if s := log.String(); strings.Contains(s, "hunter2") || !strings.Contains(s, "could not start") {
		t.Errorf("logged: %s", s)
	}
	want := []MCPServer{&MCPStdio{Name: "m", Command: "/bin/m", Env: []string{"KEY=hunter2-two"}}, &MCPHTTP{Name: "h", URL: "https://example.com/", Headers: map[string][]string{"Authorization": {"hunter2-two"}}}}
	got := mcp[string(ids[1])]
	got[0].(*MCPStdio).Args = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

type lockedWriter struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// TestCloseWhileRunning shows that closing a session ends its turns as cancelled, those that wait included, and then nothing more is said in it.
func TestCloseWhileRunning(t *testing.T) {
	started := make(chan struct{})
	var turn *Turn
	e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
		turn = t
		t.Tool("look", Read, "Look")
		close(started)
		<-ctx.Done()
		_ = t.Say("bye")
		return Stop, ctx.Err()
	}}, nil)
	id := e.newSession()
	before := len(e.log.sent())
	var prompts sync.WaitGroup
	prompt := func() {
		if stop, err := e.ask(id, "go"); stop != acpv1.StopReasonCancelled || err != nil {
			t.Errorf("got %q, %v, want cancelled", stop, err)
		}
	}
	prompts.Go(prompt)
	eventually(t, "the turn", started)
	prompts.Go(prompt)
	for turns := 1; turns < 2; time.Sleep(time.Millisecond) {
		turn.s.mu.Lock()
		turns = len(turn.s.turns)
		turn.s.mu.Unlock()
	}
	if _, err := e.CloseSession(t.Context(), &acpv1.CloseSessionRequest{SessionID: id}); err != nil {
		t.Fatal(err)
	}
	prompts.Wait()
	for what, err := range map[string]error{"SetTitle": turn.s.SetTitle("x"), "Notice": turn.s.SetMode("x"), "RefreshCommands": turn.Say("x")} {
		if err == nil {
			t.Errorf("%s: no error in a closed session", what)
		}
	}
	if _, err := e.ask(id, "again"); !errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) {
		t.Errorf("got %v, want -32002", err)
	}
	got := e.log.sent()[before:]
	if n := len(got); n != 7 || got[n-1] != "session/prompt error -32002" || got[n-2] != "session/close result" {
		t.Errorf("got %q", got)
	}
}

// TestPolicies shows what happens to a prompt that comes while a turn is running.
func TestPolicies(t *testing.T) {
	tests := []struct {
		policy        PromptPolicy
		first, second acpv1.StopReason
		code          int
	}{
		{Queue, "end_turn", "end_turn", 0},
		{Preempt, "cancelled", "end_turn", 0},
		{Reject, "end_turn", "", acp.CodeInvalidRequest},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.policy), func(t *testing.T) {
			started, release := make(chan struct{}), make(chan struct{})
			var running, most int
			var mu sync.Mutex
			e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				if t.Text() == "first" {
					close(started)
					select {
					case <-release:
					case <-ctx.Done():
					}
				}
				mu.Lock()
				running--
				mu.Unlock()
				return Stop, nil
			}}, &Options{Policy: tt.policy})
			id := e.newSession()
			first := make(chan acpv1.StopReason, 1)
			go func() {
				stop, _ := e.ask(id, "first")
				first <- stop
			}()
			eventually(t, "the first turn", started)
			time.AfterFunc(30*time.Millisecond, func() { close(release) })
			second, err := e.ask(id, "second")
			code, _ := codeOf(err)
			if got := <-first; got != tt.first || second != tt.second || code != tt.code {
				t.Errorf("got %q, %q, %d, want %q, %q, %d", got, second, code, tt.first, tt.second, tt.code)
			}
			if most != 1 {
				t.Errorf("%d turns ran at once", most)
			}
		})
	}
}

// TestSteer shows that what the user adds reaches the running turn.
func TestSteer(t *testing.T) {
	engine := newRich()
	started, steered := make(chan struct{}), make(chan struct{})
	engine.prompt = func(context.Context, *Turn) (Finish, error) {
		close(started)
		<-steered
		return Stop, nil
	}
	keep := new(store.Memory)
	e := open(t, engine, &Options{Store: keep})
	id := e.newSession()
	go func() {
		<-started
		if _, err := acp.CallExtension[struct{}](t.Context(), e, SteerMethod, acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("left")}); err != nil {
			t.Error(err)
		}
		close(steered)
	}()
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, err := range keep.History(t.Context(), string(id)) {
		if err != nil {
			t.Fatal(err)
		}
		entry, err := decodeEntry(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(entry.Role, " ", entry.Blocks[0].(*TextBlock).Text))
	}
	if diff := cmp.Diff([]string{"user go", "user left", "agent steered left"}, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
