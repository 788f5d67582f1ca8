package server

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/server/store"
)

// A restorable is a tooled engine that can take up sessions.
type restorable struct {
	tooled
	restored [][]ClientTool // what each Restore found
}

func (e *restorable) Restore(_ context.Context, s *Session, _ []Entry) error {
	e.restored = append(e.restored, s.ClientTools())
	return nil
}

// reopenings are the ways to take up a session with client tools.
var reopenings = map[string]func(e *editor, id acpv1.SessionID, tools string) error{
	"load": func(e *editor, id acpv1.SessionID, tools string) error {
		_, err := e.LoadSession(e.t.Context(), &acpv1.LoadSessionRequest{SessionID: id, Cwd: "/w", MCPServers: []acpv1.MCPServer{}, Meta: toolsMeta(tools)})
		return err
	},
	"resume": func(e *editor, id acpv1.SessionID, tools string) error {
		_, err := e.ResumeSession(e.t.Context(), &acpv1.ResumeSessionRequest{SessionID: id, Cwd: "/w", Meta: toolsMeta(tools)})
		return err
	},
}

func toolsMeta(tools string) wire.Meta {
	if tools == "" {
		return nil
	}
	return wire.Meta(`{"acpwire":{"clientTools":` + tools + `}}`)
}

// TestClientToolsReopened declares tools when a session is taken up again: they take the place of those before, and rules and modes hold for them.
func TestClientToolsReopened(t *testing.T) {
	for name, reopen := range reopenings {
		t.Run(name, func(t *testing.T) {
			engine := &restorable{tooled: tooled{errs: make(chan error, 1)}}
			var called []string
			e := openTooled(t, engine, &Options{Store: new(store.Memory)}, func(_ context.Context, p clientToolParams) (clientToolResult, error) {
				called = append(called, p.Name)
				return clientToolResult{}, nil
			})
			id, err := e.newTooled(`[{"name":"old"}]`)
			if err != nil {
				t.Fatal(err)
			}
			engine.readOnly = true
			if err := reopen(e, id, `[{"name":"push"},{"name":"look","readOnly":true}]`); err != nil {
				t.Fatal(err)
			}
			want := [][]ClientTool{{{Name: "push"}, {Name: "look", ReadOnly: true}}}
			if diff := cmp.Diff(want, engine.restored); diff != "" {
				t.Errorf("Restore: mismatch (-want +got):\n%s", diff)
			}
			for _, tt := range []struct {
				tool string
				want error
			}{{"old", ErrUnknownClientTool}, {"push", ErrReadOnly}, {"look", nil}} {
				if _, err := e.ask(id, tt.tool); err != nil {
					t.Fatal(err)
				}
				if err := <-engine.errs; !errors.Is(err, tt.want) {
					t.Errorf("%s: error %v, want %v", tt.tool, err, tt.want)
				}
			}
			if diff := cmp.Diff([]string{"look"}, called); diff != "" {
				t.Errorf("called: mismatch (-want +got):\n%s", diff)
			}
			if err := reopen(e, id, ""); err != nil {
				t.Fatal(err)
			}
			if tools := engine.restored[1]; len(tools) != 0 {
				t.Errorf("without a declaration there still are %v", tools)
			}
		})
	}
}

// TestClientToolsReopenRefused shows that a declaration that is refused changes nothing: the session is open with the tools it had.
func TestClientToolsReopenRefused(t *testing.T) {
	for name, reopen := range reopenings {
		t.Run(name, func(t *testing.T) {
			engine := &restorable{tooled: tooled{errs: make(chan error, 1)}}
			e := openTooled(t, engine, &Options{Store: new(store.Memory)}, func(context.Context, clientToolParams) (clientToolResult, error) {
				return clientToolResult{}, nil
			})
			id, err := e.newTooled(`[{"name":"push"}]`)
			if err != nil {
				t.Fatal(err)
			}
			for _, tools := range []string{`{}`, `[{"name":"a b"}]`, `[{"name":"bash"}]`, `[{"name":"a"},{"name":"a"}]`, `[{"name":"a","inputSchema":1}]`} {
				if err := reopen(e, id, tools); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
					t.Errorf("%s: got %v, want -32602", tools, err)
				}
			}
			if _, err := e.ask(id, "push"); err != nil {
				t.Fatal(err)
			}
			if err := <-engine.errs; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestClientToolReopenedCancelled cancels the prompt that runs a client's tool, by its request, in a session that was taken up.
func TestClientToolReopenedCancelled(t *testing.T) {
	for name, reopen := range reopenings {
		t.Run(name, func(t *testing.T) {
			engine := &restorable{tooled: tooled{errs: make(chan error, 1)}}
			started, stopped := make(chan struct{}), make(chan struct{})
			e := openTooled(t, engine, &Options{Store: new(store.Memory)}, func(ctx context.Context, _ clientToolParams) (clientToolResult, error) {
				close(started)
				<-ctx.Done()
				close(stopped)
				return clientToolResult{}, ctx.Err()
			})
			id, err := e.newTooled(`[]`)
			if err != nil {
				t.Fatal(err)
			}
			if err := reopen(e, id, `[{"name":"push"}]`); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-started
				cancel()
			}()
			if _, err := e.Prompt(ctx, &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("push")}); err == nil {
				t.Error("no error from a prompt that was given up")
			}
			eventually(t, "the end of the tool", stopped)
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				for !slices.Contains(e.log.sent(), "session/prompt result cancelled") && t.Context().Err() == nil {
					pause()
				}
			}()
			eventually(t, "the answer", answered)
			if sent := e.log.sent(); !slices.Contains(sent, "tool_call_update failed The tool failed.") && !slices.Contains(sent, "tool_call_update failed") {
				t.Errorf("the call has not failed: %q", sent)
			}
		})
	}
}
