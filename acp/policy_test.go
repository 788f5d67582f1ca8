package acp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/reference"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// recorder is a tap that keeps what it sees.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *recorder) Received(line []byte) { r.add("received " + string(line)) }
func (r *recorder) Sent(line []byte)     { r.add("sent " + string(line)) }

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.lines...)
}

// TestOutbound checks that nothing invalid is sent, and that the caller learns where the fault is.
func TestOutbound(t *testing.T) {
	type call = func(ctx context.Context, c *acp.ClientConn) error
	prompt := func(blocks ...acpv1.ContentBlock) call {
		return func(ctx context.Context, c *acp.ClientConn) error {
			_, err := c.Prompt(ctx, &acpv1.PromptRequest{SessionID: "s", Prompt: blocks})
			return err
		}
	}
	raw := func(method, params string) call {
		return func(ctx context.Context, c *acp.ClientConn) error { return c.Call(ctx, method, wire.Raw(params), nil) }
	}
	tests := []struct {
		name string
		call call
		want string // the pointer, or a part of the error
	}{
		{"nil union", prompt(&acpv1.TextContent{Text: "a"}, nil), "/prompt/1"},
		{"invalid UTF-8", prompt(&acpv1.TextContent{Text: "\xff"}), "/prompt/0/text"},
		{"unknown variant", prompt(&acpv1.UnknownContentBlock{Tag: "video", Raw: wire.Raw(`{"type":"video"}`)}), "/prompt/0"},
		{"nil params", func(ctx context.Context, c *acp.ClientConn) error { _, err := c.Prompt(ctx, nil); return err }, "PromptRequest"},
		{"raw params that the schema forbids", raw("session/prompt", `{"sessionId":"s","prompt":[{"type":"text"}]}`), "/prompt/0"},
		{"raw params that are no JSON", raw("_x", `{`), "strict JSON"},
		{"params that are no object", raw("_x", `5`), "object"},
		{"unknown method", raw("session/lost", `{}`), "no such method"},
		{"method of our own side", raw("session/update", `{}`), "to handle"},
		{"notification as a request", raw("session/cancel", `{"sessionId":"s"}`), "is a notification"},
		{"request as a notification", func(ctx context.Context, c *acp.ClientConn) error { return c.Notify(ctx, "session/list", nil) }, "is a request"},
		{"params that panic", func(ctx context.Context, c *acp.ClientConn) error { return c.Notify(ctx, "_x", panicking{}) }, "panicked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tap := new(recorder)
				ours, _ := acp.Pipe()
				client := acp.NewClient(ours, &funcClient{}, &acp.Options{Tap: tap, AllowUnadvertised: true})
				err := tt.call(t.Context(), client)
				var out *acp.OutboundError
				if !errors.As(err, &out) {
					t.Fatalf("error %v, want an *OutboundError", err)
				}
				var invalid *wire.InvalidError
				if errors.As(err, &invalid) && strings.HasPrefix(tt.want, "/") {
					if got := invalid.Violations[0].Pointer; got != tt.want {
						t.Errorf("pointer %q, want %q", got, tt.want)
					}
				} else if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want something about %q", err, tt.want)
				}
				end(t, client.Conn)
				if lines := tap.all(); len(lines) > 0 {
					t.Errorf("sent %q", lines)
				}
			})
		})
	}
}

type panicking struct{}

func (panicking) MarshalWire(*wire.Encoder) { panic("oh") }

// TestInvalidResult checks that a handler's invalid result is not sent, and that its request is answered.
func TestInvalidResult(t *testing.T) {
	conn, _ := connect(t, &funcClient{}, func(*acp.AgentConn) *funcAgent {
		return &funcAgent{prompt: func(context.Context, *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			return &acpv1.PromptResponse{StopReason: "tired"}, nil
		}}
	})
	_, err := conn.Prompt(t.Context(), promptFor("s"))
	if !errors.Is(err, &acp.Error{Code: acp.CodeInternalError}) {
		t.Errorf("error %v, want code %d", err, acp.CodeInternalError)
	}
}

// TestHandlerErrors checks what the peer is told of a handler's error.
func TestHandlerErrors(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want *acp.Error
	}{
		{"plain", errors.New("password hunter2 is wrong"), &acp.Error{Code: acp.CodeInternalError, Message: "internal error"}},
		{"with a code", acp.Errorf(acp.CodeAuthRequired, "log in"), &acp.Error{Code: acp.CodeAuthRequired, Message: "log in"}},
		{"wrapped, with data", errors.Join(&acp.Error{Code: 7, Message: "m", Data: wire.Raw(`{"retry": 1}`)}), &acp.Error{Code: 7, Message: "m", Data: wire.Raw(`{"retry": 1}`)}},
		{"with invalid data", &acp.Error{Code: 7, Message: "m", Data: wire.Raw(`{`)}, &acp.Error{Code: acp.CodeInternalError, Message: "internal error"}},
		{"unimplemented", &wire.UnimplementedError{Method: "session/prompt"}, &acp.Error{Code: acp.CodeMethodNotFound, Message: "method not found"}},
		{"cancelled", context.Canceled, &acp.Error{Code: acp.CodeRequestCancelled, Message: "request cancelled"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, _ := connect(t, &funcClient{}, func(*acp.AgentConn) *funcAgent {
				return &funcAgent{prompt: func(context.Context, *acpv1.PromptRequest) (*acpv1.PromptResponse, error) { return nil, tt.err }}
			})
			_, err := conn.Prompt(t.Context(), promptFor("s"))
			var got *acp.Error
			if !errors.As(err, &got) || !got.Remote() {
				t.Fatalf("error %v, want one of the peer", err)
			}
			if got.Code != tt.want.Code || got.Message != tt.want.Message || !bytes.Equal(got.Data, tt.want.Data) {
				t.Errorf("error %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestLenient checks that a lenient connection repairs what the schema says may be repaired, and says so, and that a strict one refuses it.
func TestLenient(t *testing.T) {
	const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"},{"content":"b"}]}}}`
	for _, lenient := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var got []int
			client := &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
				got = append(got, len(p.Update.(*acpv1.Plan).Entries))
				return nil
			}}
			var repaired []string
			ours, theirs := acp.Pipe()
			conn := acp.NewClient(ours, client, &acp.Options{Lenient: lenient, OnRepair: func(r acp.RepairedFrame) {
				for _, p := range r.Repairs {
					repaired = append(repaired, r.Method+" "+r.Kind.String()+" "+p.Pointer+" "+string(p.Action))
				}
			}})
			_, _ = io.WriteString(theirs, update+"\n")
			synctest.Wait()
			end(t, conn.Conn)
			var want []int
			var wantRepaired []string
			if lenient {
				want, wantRepaired = []int{1}, []string{"session/update notification /params/update/entries/1 skipped"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lenient %v: mismatch (-want +got):\n%s", lenient, diff)
			}
			if diff := cmp.Diff(wantRepaired, repaired); diff != "" {
				t.Errorf("lenient %v: mismatch (-want +got):\n%s", lenient, diff)
			}
		})
	}
}

// TestReference checks that the reference is asked about every body, both ways, and that its word counts.
func TestReference(t *testing.T) {
	ref, err := reference.New("v1")
	if err != nil {
		t.Fatal(err)
	}
	if list := ref.Check(acpv1.Surface.Request("session/close"), false, []byte(`{"sessionId":5}`)); len(list) != 1 || list[0].Pointer != "/sessionId" {
		t.Errorf("violations %v", list)
	}
	spy := &spyReference{inner: ref}
	opts := &acp.Options{Reference: spy}
	client, agent := acp.InProcess(&funcClient{}, func(*acp.AgentConn) acpv1.Agent { return &funcAgent{} }, opts, opts)
	defer end(t, client.Conn, agent.Conn)
	if _, err := client.Initialize(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"initialize params", "initialize params", "initialize result", "initialize result"}, spy.asked); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	spy.refuse = "session/new"
	var out *acp.OutboundError
	if _, err := client.NewSession(t.Context(), newSession); !errors.As(err, &out) {
		t.Errorf("error %v, want an *OutboundError", err)
	}
}

type spyReference struct {
	inner  acp.Reference
	refuse string
	mu     sync.Mutex
	asked  []string
}

func (s *spyReference) Check(m *wire.Method, result bool, body []byte) []wire.Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := "params"
	if result {
		part = "result"
	}
	s.asked = append(s.asked, m.Name+" "+part)
	if m.Name == s.refuse {
		return []wire.Violation{{Rule: wire.RuleSchema, Message: "no"}}
	}
	return s.inner.Check(m, result, body)
}

// TestTap checks that a tap sees every line, both ways, in order, malformed ones included.
func TestTap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := new(recorder)
		ours, theirs := acp.Pipe()
		agent := acp.NewAgent(ours, func(*acp.AgentConn) acpv1.Agent { return &funcAgent{} }, &acp.Options{Tap: tap})
		for _, line := range []string{"no JSON", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`} {
			_, _ = io.WriteString(theirs, line+"\n")
			synctest.Wait()
		}
		end(t, agent.Conn)
		want := []string{
			"received no JSON",
			`sent {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"invalid JSON","data":{"violations":[{"pointer":"","message":"invalid literal, expected null"}]}}}`,
			`received {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
			`sent {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`,
		}
		if diff := cmp.Diff(want, tap.all()); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
}

// TestSessionOf checks, for every method whose params name a session, that the connection knows it.
func TestSessionOf(t *testing.T) {
	for _, m := range acpv1.Surface.Methods {
		params := m.NewParams()
		field := reflect.ValueOf(params).Elem().FieldByName("SessionID")
		_, isElicitation := params.(*acpv1.CreateElicitationRequest)
		if !field.IsValid() && !isElicitation {
			continue
		}
		if isElicitation {
			params = &acpv1.CreateElicitationRequest{Mode: &acpv1.ElicitationFormMode{Scope: &acpv1.ElicitationSessionScope{SessionID: "s7"}}}
		} else {
			field.SetString("s7")
		}
		if got, ok := acp.SessionOf(params); !ok || got != "s7" {
			t.Errorf("%s: session %q, %v", m.Name, got, ok)
		}
	}
}

// TestExtensions checks typed and raw extension methods, both ways.
func TestExtensions(t *testing.T) {
	type add struct {
		A, B int
	}
	type sum struct {
		Sum int `json:"sum"`
	}
	notified := make(chan add, 1)
	agentOpts := &acp.Options{
		Extensions: []acp.Extension{
			acp.HandleExtension("_test/add", func(_ context.Context, p add) (*sum, error) { return &sum{p.A + p.B}, nil }),
			acp.HandleExtensionNotification("_test/noted", func(_ context.Context, p add) error {
				notified <- p
				return nil
			}),
		},
		Fallback: func(_ context.Context, method string, params wire.Raw) (wire.Raw, error) {
			return json.Marshal(map[string]any{"method": method, "params": json.RawMessage(params)})
		},
	}
	client, agent := acp.InProcess(&funcClient{}, func(*acp.AgentConn) acpv1.Agent { return &funcAgent{} }, nil, agentOpts)
	defer end(t, client.Conn, agent.Conn)
	ctx := t.Context()

	if got, err := acp.CallExtension[sum](ctx, client, "_test/add", add{2, 3}); err != nil || got.Sum != 5 {
		t.Errorf("typed call: %v, %v", got, err)
	}
	if err := acp.NotifyExtension(ctx, client, "_test/noted", add{A: 1}); err != nil {
		t.Error(err)
	}
	if got := <-notified; got != (add{A: 1}) {
		t.Errorf("notified of %v", got)
	}
	var raw wire.Raw
	if err := client.Call(ctx, "_other/method", wire.Raw(`{"a": [1]}`), &raw); err != nil || string(raw) != `{"method":"_other/method","params":{"a":[1]}}` {
		t.Errorf("raw call: %s, %v", raw, err)
	}
	_, err := acp.CallExtension[sum](ctx, client, "_test/add", map[string]any{"a": 1, "A": "one"})
	if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
		t.Errorf("wrong params: %v, want code %d", err, acp.CodeInvalidParams)
	}
	if _, err := acp.CallExtension[sum](ctx, agent, "_test/add", add{}); !errors.Is(err, &acp.Error{Code: acp.CodeMethodNotFound}) {
		t.Errorf("no handler: %v, want code %d", err, acp.CodeMethodNotFound)
	}
}

// TestExtensionMisuse checks that extensions that cannot be are found out at once.
func TestExtensionMisuse(t *testing.T) {
	handler := func(context.Context, struct{}) error { return nil }
	tests := []struct {
		name string
		list []acp.Extension
		want string
	}{
		{"no underscore", []acp.Extension{acp.HandleExtensionNotification("test/x", handler)}, "underscore"},
		{"twice", []acp.Extension{acp.HandleExtensionNotification("_x", handler), acp.HandleExtensionNotification("_x", handler)}, "two handlers"},
		{"empty", []acp.Extension{{}}, "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ours, _ := acp.Pipe()
			client := acp.NewClient(ours, &funcClient{}, &acp.Options{Extensions: tt.list})
			_, err := client.NewSession(t.Context(), newSession)
			var ce *acp.ClosedError
			if !errors.As(err, &ce) || ce.Reason != acp.ReasonMisuse || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one about %q", err, tt.want)
			}
			if err := client.Wait(); err == nil {
				t.Error("Wait returned no error")
			}
		})
	}
}

// TestCapabilityGate checks that what the peer did not advertise is not called, unless that is wanted.
func TestCapabilityGate(t *testing.T) {
	var notice = &acpv1.SessionNotification{SessionID: "s", Update: &acpv1.Notice{}}
	tests := []struct {
		name   string
		client func(context.Context, *acp.ClientConn) error
		agent  func(context.Context, *acp.AgentConn) error
		want   string
	}{
		{"load", func(ctx context.Context, c *acp.ClientConn) error {
			_, err := c.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: "s", Cwd: "/", MCPServers: []acpv1.MCPServer{}})
			return err
		}, nil, "loadSession"},
		{"list", func(ctx context.Context, c *acp.ClientConn) error {
			_, err := c.ListSessions(ctx, &acpv1.ListSessionsRequest{})
			return err
		}, nil, "sessionCapabilities.list"},
		{"image in a prompt", func(ctx context.Context, c *acp.ClientConn) error {
			_, err := c.Prompt(ctx, &acpv1.PromptRequest{SessionID: "s", Prompt: []acpv1.ContentBlock{&acpv1.TextContent{}, &acpv1.ImageContent{Data: "", MIMEType: "image/png"}}})
			return err
		}, nil, "promptCapabilities.image"},
		{"MCP over HTTP", func(ctx context.Context, c *acp.ClientConn) error {
			_, err := c.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{&acpv1.MCPServerHTTP{Name: "m", URL: "http://localhost"}}})
			return err
		}, nil, "mcpCapabilities.http"},
		{"read a file", nil, func(ctx context.Context, c *acp.AgentConn) error {
			_, err := c.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: "s", Path: "/f"})
			return err
		}, "fs.readTextFile"},
		{"terminal", nil, func(ctx context.Context, c *acp.AgentConn) error {
			_, err := c.CreateTerminal(ctx, &acpv1.CreateTerminalRequest{SessionID: "s", Command: "ls"})
			return err
		}, "terminal"},
		{"notice", nil, func(ctx context.Context, c *acp.AgentConn) error { return c.SessionUpdate(ctx, notice) }, "session.notices"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, allow := range []bool{false, true} {
				opts := &acp.Options{AllowUnadvertised: allow}
				client, agent := acp.InProcess(&funcClient{}, func(*acp.AgentConn) acpv1.Agent { return &funcAgent{} }, opts, opts)
				if _, err := client.Initialize(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				var err error
				if tt.client != nil {
					err = tt.client(t.Context(), client)
				} else {
					err = tt.agent(t.Context(), agent)
				}
				var un *acp.UnsupportedError
				switch {
				case allow && errors.As(err, &un):
					t.Errorf("allowed, but %v", err)
				case !allow && (!errors.As(err, &un) || un.Capability != tt.want):
					t.Errorf("error %v, want capability %s", err, tt.want)
				}
				end(t, client.Conn, agent.Conn)
			}
		})
	}
}

// TestCapabilities checks that both sides know what the other has advertised, and may then use it.
func TestCapabilities(t *testing.T) {
	client, agent := acp.InProcess(&funcClient{read: func(context.Context, *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
		return &acpv1.ReadTextFileResponse{}, nil
	}}, func(*acp.AgentConn) acpv1.Agent {
		return &funcAgent{initialize: func(context.Context, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
			return &acpv1.InitializeResponse{AgentCapabilities: &acpv1.AgentCapabilities{LoadSession: new(true)}}, nil
		}}
	}, nil, nil)
	defer end(t, client.Conn, agent.Conn)
	if client.AgentCapabilities() != nil || agent.ClientCapabilities() != nil {
		t.Error("capabilities before initialize")
	}
	_, err := client.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: &acpv1.ClientCapabilities{FS: &acpv1.FileSystemCapabilities{ReadTextFile: new(true)}}})
	if err != nil {
		t.Fatal(err)
	}
	if !client.AgentCapabilities().GetLoadSession() || !agent.ClientCapabilities().GetFS().GetReadTextFile() {
		t.Errorf("agent's %+v, client's %+v", client.AgentCapabilities(), agent.ClientCapabilities())
	}
	if _, err := agent.ReadTextFile(t.Context(), &acpv1.ReadTextFileRequest{SessionID: "s", Path: "/f"}); err != nil {
		t.Error(err)
	}
}

// TestVersions checks what happens when the peers speak different versions.
func TestVersions(t *testing.T) {
	for _, tt := range []struct{ asked, want acpv1.ProtocolVersion }{{0, 1}, {1, 1}, {2, 1}, {65535, 1}} {
		if got := acp.Negotiate(tt.asked); got != tt.want {
			t.Errorf("Negotiate(%d) = %d, want %d", tt.asked, got, tt.want)
		}
	}
	client, agent := acp.InProcess(&funcClient{}, func(*acp.AgentConn) acpv1.Agent {
		return &funcAgent{initialize: func(context.Context, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
			return &acpv1.InitializeResponse{ProtocolVersion: 9}, nil
		}}
	}, nil, nil)
	_, err := client.Initialize(t.Context(), nil)
	var version *acp.VersionError
	if !errors.As(err, &version) || version.Agent != 9 || acp.Classify(err) != acp.ClassStartup {
		t.Errorf("error %v, want a *VersionError", err)
	}
	<-client.Done()
	end(t, agent.Conn)
}
