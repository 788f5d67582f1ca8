package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// openHost connects a client with terminals to an engine.
func openHost(t *testing.T, h *terminalHost, engine Engine) (*acp.ClientConn, *wireLog) {
	t.Helper()
	log := &wireLog{}
	a, b := acp.Pipe()
	served := make(chan error, 1)
	go func() { served <- New(engine, &Options{ACP: acp.Options{Tap: log}}).Serve(context.Background(), b) }()
	client := acp.NewClient(a, h, nil)
	t.Cleanup(func() {
		_ = client.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	if _, err := client.Initialize(context.Background(), &acpv1.InitializeRequest{ClientCapabilities: &acpv1.ClientCapabilities{Terminal: new(true)}}); err != nil {
		t.Fatal(err)
	}
	return client, log
}

func openIn(t *testing.T, client *acp.ClientConn) acpv1.SessionID {
	t.Helper()
	r, err := client.NewSession(context.Background(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	return r.SessionID
}

// SessionUpdate ignores what is said.
func (h *terminalHost) SessionUpdate(context.Context, *acpv1.SessionNotification) error { return nil }

// TestTerminalShown shows which terminals a call may show: those of its turn, before they are released, and then as long as the call lasts.
func TestTerminalShown(t *testing.T) {
	h := &terminalHost{}
	client, log := openHost(t, h, script{prompt: func(ctx context.Context, turn *Turn) (Finish, error) {
		call, other := turn.Tool("bash", Execute, "Run"), turn.Tool("bash", Execute, "Run again")
		if err := call.Terminal("t"); !errors.Is(err, ErrUnknownTerminal) {
			t.Errorf("before there is one: %v, want %v", err, ErrUnknownTerminal)
		}
		term, err := turn.Terminals().Run(ctx, CommandLine{Command: "make"})
		if err != nil {
			return Failed, err
		}
		err = errors.Join(call.Terminal(term.ID()), call.Terminal(""), call.Output(Text("one")))
		for _, id := range []string{"u", "T"} {
			if err := call.Terminal(id); !errors.Is(err, ErrUnknownTerminal) {
				t.Errorf("unknown: %v, want %v", err, ErrUnknownTerminal)
			}
		}
		err = errors.Join(err, term.Release(ctx), call.Terminal(term.ID()))
		if err := other.Terminal(term.ID()); !errors.Is(err, ErrUnknownTerminal) {
			t.Errorf("released: %v, want %v", err, ErrUnknownTerminal)
		}
		return Stop, errors.Join(err,
			other.Output(Result{Items: []Item{&TerminalItem{TerminalID: term.ID()}, &TextItem{"kept"}}}), other.Done(Result{Items: []Item{&TerminalItem{"u", "out"}}}), call.Done(Text("two")))
	}})
	if _, err := client.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: openIn(t, client), Prompt: acpv1.Text("go")}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range log.all() {
		if f.out && strings.Contains(f.line, `"content":[`) {
			_, content, _ := strings.Cut(f.line, `"content":[`)
			got = append(got, strings.NewReplacer(`{"type":"terminal","terminalId":"t"}`, "T", `{"type":"content","content":{"type":"text","text":`, "", `}}`, "", `"`, "").Replace(content))
		}
	}
	for i, s := range got {
		got[i], _, _ = strings.Cut(s, "]")
	}
	if diff := cmp.Diff([]string{"T", "T,one", "T,one", "kept", "out", "T,two"}, got); diff != "" {
		t.Errorf("shown: mismatch (-want +got):\n%s", diff)
	}
}

// TestTerminalCreatedAfterTurn cancels a turn whose client is slow to create a terminal and knows no cancellation: the turn is answered, and the terminal is released when
// there is one, unless the session is closed by then.
func TestTerminalCreatedAfterTurn(t *testing.T) {
	for name, closed := range map[string]bool{"session open": false, "session closed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &terminalHost{creating: make(chan struct{})}
				client, log := openHost(t, h, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
					_, err := t.Terminals().Run(ctx, CommandLine{Command: "make"})
					return Stop, err
				}})
				id := openIn(t, client)
				time.AfterFunc(time.Second, func() { _ = client.CancelPrompt(context.Background(), id) })
				begun := time.Now()
				r, err := client.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("go")})
				if took := time.Since(begun); err != nil || r.StopReason != acpv1.StopReasonCancelled || took > time.Second+releaseTimeout {
					t.Errorf("got %+v, %v after %v, want cancelled", r, err, took)
				}
				if closed {
					if _, err := client.CloseSession(t.Context(), &acpv1.CloseSessionRequest{SessionID: id}); err != nil {
						t.Error(err)
					}
				}
				time.Sleep(time.Minute)
				close(h.creating)
				synctest.Wait()
				want := []string{"create", "release t"}
				if closed {
					want = want[:1]
				}
				if diff := cmp.Diff(want, h.all()); diff != "" {
					t.Errorf("mismatch (-want +got):\n%s", diff)
				}
				if slices.ContainsFunc(log.all(), func(f frame) bool { return f.out && f.msg.Method == "$/cancel_request" }) {
					t.Error("the request was given up")
				}
			})
		})
	}
}

// TestTerminalReleasedWhileUsed releases a terminal while others use it: they fail, and the client is asked nothing more of it.
func TestTerminalReleasedWhileUsed(t *testing.T) {
	h := &terminalHost{waiting: make(chan struct{})}
	client, log := openHost(t, h, script{prompt: func(ctx context.Context, turn *Turn) (Finish, error) {
		term, err := turn.Terminals().Run(ctx, CommandLine{Command: "make"})
		if err != nil {
			return Failed, err
		}
		waited, used := make(chan error), make(chan error)
		go func() {
			_, err := term.Wait(ctx)
			waited <- err
		}()
		<-h.waiting
		go func() {
			for {
				if _, err := term.Output(ctx); err != nil {
					used <- err
					return
				}
			}
		}()
		if err := term.Release(ctx); err != nil {
			t.Error(err)
		}
		for what, err := range map[string]error{"Wait": <-waited, "Output": <-used} {
			if !errors.Is(err, ErrReleased) {
				t.Errorf("%s: %v, want %v", what, err, ErrReleased)
			}
		}
		return Stop, nil
	}})
	if _, err := client.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: openIn(t, client), Prompt: acpv1.Text("go")}); err != nil {
		t.Fatal(err)
	}
	var last string
	for _, f := range log.all() {
		if f.out && strings.HasPrefix(f.msg.Method, "terminal/") {
			last = f.msg.Method
		}
	}
	if last != acpv1.MethodReleaseTerminal {
		t.Errorf("the last request is %s, want the release", last)
	}
}
