package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A tooled is an engine that calls the client's tool that the prompt names.
type tooled struct {
	Base
	readOnly bool
	errs     chan error
}

func (e *tooled) ReservedTools(*Session) []string { return []string{"bash"} }
func (e *tooled) Modes(*Session) []Mode           { return []Mode{{ID: "m", ReadOnly: e.readOnly}} }

func (e *tooled) SetMode(context.Context, *Session, string) error { return nil }

func (e *tooled) Prompt(ctx context.Context, t *Turn) (Finish, error) {
	kind := Other
	for _, c := range t.Session().ClientTools() {
		if c.Name == t.Text() {
			kind = c.Kind()
		}
	}
	_, err := t.CallClientTool(ctx, t.Tool(t.Text(), kind, ""), t.Text(), map[string]int{"n": 1})
	e.errs <- err
	return Stop, nil
}

// openTooled connects a client that handles calls of its tools.
func openTooled(t *testing.T, engine Engine, opts *Options, handle func(context.Context, clientToolParams) (clientToolResult, error)) *editor {
	t.Helper()
	e := &editor{t: t, log: &wireLog{}, served: make(chan error, 1)}
	a, b := acp.Pipe()
	if opts == nil {
		opts = new(Options)
	}
	opts.ACP.Tap = e.log
	s := New(engine, opts)
	go func() { e.served <- s.Serve(context.Background(), b) }()
	e.ClientConn = acp.NewClient(a, e, &acp.Options{Extensions: []acp.Extension{acp.HandleExtension(ClientToolMethod, handle)}})
	t.Cleanup(e.leave)
	e.hello()
	return e
}

func (e *editor) newTooled(tools string) (acpv1.SessionID, error) {
	r, err := e.NewSession(e.t.Context(), &acpv1.NewSessionRequest{
		Cwd: "/w", MCPServers: []acpv1.MCPServer{}, Meta: wire.Meta(`{"other":1,"acpwire":{"clientTools":` + tools + `}}`),
	})
	if err != nil {
		return "", err
	}
	return r.SessionID, nil
}

func TestClientTools(t *testing.T) {
	const tools = `[{"name":"look","readOnly":true,"inputSchema":{"type":"object"}},{"name":"push","description":"Pushes."}]`
	tests := []struct {
		name, tool string
		readOnly   bool
		isError    bool
		want       error
		status     string
		called     bool
	}{
		{"runs", "push", false, false, nil, "completed", true},
		{"fails", "push", false, true, ErrClientTool, "failed", true},
		{"mutates in a read-only mode", "push", true, false, ErrReadOnly, "failed", false},
		{"read-only in a read-only mode", "look", true, false, nil, "completed", true},
		{"unknown", "pull", false, false, ErrUnknownClientTool, "failed", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engine := &tooled{readOnly: tt.readOnly, errs: make(chan error, 1)}
			var got []clientToolParams
			e := openTooled(t, engine, nil, func(_ context.Context, p clientToolParams) (clientToolResult, error) {
				got = append(got, p)
				return clientToolResult{Text: "said", IsError: tt.isError}, nil
			})
			id, err := e.newTooled(tools)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.ask(id, tt.tool); err != nil {
				t.Fatal(err)
			}
			if err := <-engine.errs; !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			updates := e.seen(id)
			call := string(updates[0].(*acpv1.ToolCall).ToolCallID)
			if last := updates[len(updates)-1].(*acpv1.ToolCallUpdate); string(*last.Status) != tt.status {
				t.Errorf("the call is %s, want %s", *last.Status, tt.status)
			}
			var want []clientToolParams
			if tt.called {
				want = []clientToolParams{{string(id), call, tt.tool, []byte(`{"n":1}`)}}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClientToolCancelled shows that a cancelled turn cancels the client's tool.
func TestClientToolCancelled(t *testing.T) {
	engine := &tooled{errs: make(chan error, 1)}
	started, stopped := make(chan struct{}), make(chan struct{})
	e := openTooled(t, engine, nil, func(ctx context.Context, _ clientToolParams) (clientToolResult, error) {
		close(started)
		<-ctx.Done()
		close(stopped)
		return clientToolResult{}, ctx.Err()
	})
	id, err := e.newTooled(`[{"name":"push"}]`)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-started
		_ = e.CancelPrompt(context.Background(), id)
	}()
	if stop, err := e.ask(id, "push"); err != nil || stop != acpv1.StopReasonCancelled {
		t.Errorf("got %q, %v", stop, err)
	}
	eventually(t, "the end of the tool", stopped)
}

func TestClientToolsRefused(t *testing.T) {
	e := openTooled(t, &tooled{}, nil, nil)
	for _, tt := range []struct{ name, tools, pointer string }{
		{"no list", `{}`, "/_meta/acpwire/clientTools"},
		{"no name", `[{}]`, "/_meta/acpwire/clientTools/0/name"},
		{"bad name", `[{"name":"a b"}]`, "/_meta/acpwire/clientTools/0/name"},
		{"long name", `[{"name":"` + strings.Repeat("a", 65) + `"}]`, "/_meta/acpwire/clientTools/0/name"},
		{"key in another case", `[{"Name":"a"}]`, "/_meta/acpwire/clientTools/0/name"},
		{"twice", `[{"name":"a"},{"name":"a"}]`, "/_meta/acpwire/clientTools/1/name"},
		{"the agent's", `[{"name":"bash"}]`, "/_meta/acpwire/clientTools/0/name"},
		{"schema", `[{"name":"a","inputSchema":[]}]`, "/_meta/acpwire/clientTools/0/inputSchema"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.newTooled(tt.tools)
			if code, data := codeOf(err); code != acp.CodeInvalidParams || !strings.Contains(data, `"`+tt.pointer+`"`) {
				t.Errorf("got %v, data %s", err, data)
			}
		})
	}
}
