package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

func (c checker) everyMethod(t *testing.T) {
	a := c.connect(t, agentOptions{}, allCapabilities)
	ctx := a.context(t)
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	_, err := a.Authenticate(ctx, &acpv1.AuthenticateRequest{MethodID: "login"})
	must("authenticate", err)
	for range 2 {
		_, err = a.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: a.cwd, AdditionalDirectories: []string{"/a"}, MCPServers: []acpv1.MCPServer{
			&acpv1.MCPServerStdio{Name: "s", Command: "/bin/s", Args: []string{"-x"}, Env: []acpv1.EnvVariable{{Name: "K", Value: "v"}}},
			&acpv1.MCPServerHTTP{Name: "h", URL: "http://localhost/h", Headers: []acpv1.HTTPHeader{{Name: "K", Value: "v"}}},
			&acpv1.MCPServerSSE{Name: "e", URL: "http://localhost/e", Headers: []acpv1.HTTPHeader{}},
		}})
		must("session/new", err)
	}
	ids := []acpv1.SessionID{}
	list := &acpv1.ListSessionsRequest{}
	for pages := 1; ; pages++ {
		page, err := a.ListSessions(ctx, list)
		must("session/list", err)
		for _, s := range page.Sessions {
			ids = append(ids, s.SessionID)
		}
		if list.Cursor = page.NextCursor; list.Cursor == nil {
			if pages != 2 {
				t.Errorf("%d pages, want 2", pages)
			}
			break
		}
	}
	if diff := cmp.Diff([]acpv1.SessionID{"sdk-session-1", "sdk-session-2", "sdk-session-3"}, ids); diff != "" {
		t.Errorf("sessions: mismatch (-want +got)\n%s", diff)
	}
	_, err = a.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: a.session, ModeID: "fast"})
	must("session/set_mode", err)
	options, err := a.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: a.session, ConfigID: "speed", Value: &acpv1.SessionConfigSelectValue{Value: "slow"}})
	must("session/set_config_option", err)
	if len(options.ConfigOptions) != 2 {
		t.Errorf("config options %v, want 2", options.ConfigOptions)
	}
	options, err = a.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: a.session, ConfigID: "brave", Value: &acpv1.SessionConfigBooleanValue{Value: true}})
	must("session/set_config_option", err)
	if b, ok := options.ConfigOptions[1].Type.(*acpv1.SessionConfigBoolean); !ok || !b.CurrentValue {
		t.Errorf("the boolean option is %v, want it on", options.ConfigOptions[1].Type)
	}
	said := action{"update": json.RawMessage(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"said"},"messageId":"m"}`), "history": true}
	a.mustPrompt(t, acpv1.StopReasonEndTurn, said)
	a.mustPrompt(t, acpv1.StopReasonRefusal, action{"stop": "refusal"})
	echo, err := acp.CallExtension[map[string]map[string][]int](ctx, a.ClientConn, "_interop/echo", map[string][]int{"hello": {1, 2}})
	must("_interop/echo", err)
	if diff := cmp.Diff(map[string]map[string][]int{"params": {"hello": {1, 2}}}, echo); diff != "" {
		t.Errorf("_interop/echo: mismatch (-want +got)\n%s", diff)
	}
	must("a notification", acp.NotifyExtension(ctx, a.ClientConn, "_interop/none", object{}))
	_, err = a.CloseSession(ctx, &acpv1.CloseSessionRequest{SessionID: a.session})
	must("session/close", err)
	a.take()
	_, err = a.ResumeSession(ctx, &acpv1.ResumeSessionRequest{SessionID: a.session, Cwd: a.cwd})
	must("session/resume", err)
	if updates := a.take(); len(updates) > 0 {
		t.Errorf("session/resume has %d updates, want none", len(updates))
	}
	_, err = a.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: a.session, Cwd: a.cwd, MCPServers: []acpv1.MCPServer{}})
	must("session/load", err)
	if updates := a.take(); len(updates) != 1 {
		t.Errorf("session/load has %d updates when it returns, want 1", len(updates))
	}
	_, err = a.DeleteSession(ctx, &acpv1.DeleteSessionRequest{SessionID: a.session})
	must("session/delete", err)
	_, err = a.Logout(ctx, &acpv1.LogoutRequest{})
	must("logout", err)
	a.finish(t)
}

// agentErrors: what the agent has against a request is the caller's error.
func (c checker) agentErrors(t *testing.T) {
	a := c.connect(t, agentOptions{}, allCapabilities)
	ctx := a.context(t)
	_, authenticate := a.Authenticate(ctx, &acpv1.AuthenticateRequest{MethodID: "none"})
	_, mode := a.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: a.session, ModeID: "none"})
	_, extension := acp.CallExtension[any](ctx, a.ClientConn, "_interop/none", object{})
	_, thrown := a.prompt(ctx, action{"throw": object{"code": -32042, "message": "no", "data": object{"a": 1}}})
	_, unknown := a.Prompt(ctx, &acpv1.PromptRequest{SessionID: "none", Prompt: acpv1.Text("[]")})
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"authenticate", authenticate, acp.CodeInvalidParams}, {"session/set_mode", mode, acp.CodeInvalidParams}, {"extension", extension, acp.CodeMethodNotFound},
		{"thrown", thrown, -32042}, {"unknown session", unknown, acp.CodeResourceNotFound},
	} {
		said := new(acp.Error)
		if !errors.As(tt.err, &said) || said.Code != tt.want || !said.Remote() {
			t.Errorf("%s: error %v, want code %d from the agent", tt.name, tt.err, tt.want)
		}
		if tt.name == "thrown" && (said.Message != "no" || string(said.Data) != `{"a":1}`) {
			t.Errorf("%s: message %q, data %s", tt.name, said.Message, said.Data)
		}
	}
	a.end(t)
	c.requireFrames(t, a.transcript)
	readConversation(t, a.transcript).requireAnswers(t)
}

// sdkUpdates has every kind of update, with every kind of content, tool and status.
var sdkUpdates = func() (list []json.RawMessage) {
	add := func(format string, args ...any) { list = append(list, json.RawMessage(fmt.Sprintf(format, args...))) }
	for _, kind := range []string{"user_message_chunk", "agent_message_chunk", "agent_thought_chunk"} {
		add(`{"sessionUpdate":%q,"content":{"type":"text","text":"héllo \u0000 🚀"},"messageId":%q}`, kind, kind)
	}
	for _, content := range []string{
		`{"type":"text","text":"","annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"a":[1,2.50,1e3]}}`,
		`{"type":"image","mimeType":"image/png","data":"AAEC","uri":"file:///a.png"}`,
		`{"type":"audio","mimeType":"audio/wav","data":"AAEC"}`,
		`{"type":"resource_link","uri":"file:///a","name":"a","title":"A","description":"a file","mimeType":"text/plain","size":9007199254740991}`,
		`{"type":"resource","resource":{"uri":"file:///a","text":"a","mimeType":"text/plain"}}`,
		`{"type":"resource","resource":{"uri":"file:///b","blob":"AAEC"}}`,
	} {
		add(`{"sessionUpdate":"agent_message_chunk","content":%s}`, content)
	}
	for i, kind := range []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"} {
		add(`{"sessionUpdate":"tool_call","toolCallId":"call-%d","title":"t","kind":%q,"status":"pending","rawInput":{"n":1.0},"locations":[{"path":"/a","line":1}]}`, i, kind)
	}
	for _, status := range []string{"pending", "in_progress", "completed", "failed"} {
		add(`{"sessionUpdate":"tool_call_update","toolCallId":"call-1","status":%q,"rawOutput":[],"content":[
			{"type":"content","content":{"type":"text","text":"x"}},{"type":"diff","path":"/a","oldText":"a","newText":"b"},{"type":"terminal","terminalId":"t"}]}`, status)
	}
	for _, rest := range []string{
		`"plan","entries":[{"content":"a","priority":"high","status":"completed"},{"content":"b","priority":"medium","status":"in_progress"},{"content":"c","priority":"low","status":"pending"}]`,
		`"plan","entries":[]`,
		`"available_commands_update","availableCommands":[{"name":"a","description":"b","input":{"hint":"c"}},{"name":"d","description":""}]`,
		`"current_mode_update","currentModeId":"fast"`,
		`"config_option_update","configOptions":[{"id":"a","name":"A","category":"model","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]},{"id":"b","name":"B","type":"boolean","currentValue":true}]`,
		`"session_info_update","title":"a title","updatedAt":"2026-01-02T03:04:05Z"`,
		`"session_info_update","title":null`,
		`"usage_update","used":53000,"size":200000,"cost":{"amount":0.045,"currency":"USD"}`,
		`"notice","severity":"warning","title":"a","description":"b"`,
		`"compaction_update","compactionId":"c","status":"in_progress"`,
		`"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"s"}`,
		`"compaction_update","compactionId":"c","status":"failed","error":"e"`,
	} {
		add(`{"sessionUpdate":%s}`, rest)
	}
	return list
}()

func (c checker) everyUpdate(t *testing.T) {
	a := c.connect(t, agentOptions{}, allCapabilities)
	var actions []action
	for _, u := range sdkUpdates {
		actions = append(actions, action{"update": u})
	}
	if _, err := a.prompt(a.context(t), actions...); err != nil {
		t.Fatal(err)
	}
	got, err := updateJSON(a.take(), a.session)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(sdkUpdates) {
		t.Fatalf("%d updates when the prompt returns, want %d", len(got), len(sdkUpdates))
	}
	for i, want := range sdkUpdates {
		if diff := diffJSON(string(want), []byte(got[i])); diff != "" {
			t.Errorf("update %d: mismatch (-want +got)\n%s", i, diff)
		}
	}
	a.finish(t)
}

func (c checker) everyCall(t *testing.T) {
	a := c.connect(t, agentOptions{}, allCapabilities)
	file := filepath.Join(a.cwd, "sub", "file.txt")
	form := object{"message": "m", "mode": "form", "requestedSchema": object{"type": "object", "properties": object{
		"text": object{"type": "string"}, "choice": object{"type": "string", "enum": []string{"a", "b"}}, "whole": object{"type": "integer"},
		"part": object{"type": "number"}, "flag": object{"type": "boolean"}, "list": object{"type": "array", "items": object{"type": "string", "enum": []string{"x", "y"}}},
	}}}
	shell := func(command string, more object) object {
		p := object{"command": "sh", "args": []string{"-c", command}}
		for k, v := range more {
			p[k] = v
		}
		return p
	}
	terminal := func(n int) object { return object{"terminalId": fmt.Sprintf("terminal-%d", n)} }
	tests := []struct {
		method string
		params object
		want   any
	}{
		{"session/request_permission", object{"toolCall": object{"toolCallId": "c"}, "options": []object{
			{"optionId": "no", "name": "No", "kind": "reject_once"}, {"optionId": "yes", "name": "Yes", "kind": "allow_once"}}}, `{"outcome":{"outcome":"selected","optionId":"yes"}}`},
		{"fs/write_text_file", object{"path": file, "content": "línea 1\nline 2\nline 3"}, `{}`},
		{"fs/read_text_file", object{"path": file}, `{"content":"línea 1\nline 2\nline 3"}`},
		{"fs/read_text_file", object{"path": file, "line": 2, "limit": 1}, `{"content":"line 2\n"}`},
		{"fs/read_text_file", object{"path": file, "line": 9}, `{"content":""}`},
		{"fs/read_text_file", object{"path": file + ".missing"}, acp.CodeResourceNotFound},
		{"fs/read_text_file", object{"path": "relative"}, acp.CodeInvalidParams},
		{"fs/read_text_file", object{"path": 1}, acp.CodeInvalidParams},
		{"fs/read_text_file", object{}, acp.CodeInvalidParams},
		{"terminal/create", shell(`printf "$GREETING"; exit 3`, object{"env": []object{{"name": "GREETING", "value": "hällo"}}, "cwd": a.cwd}), `{"terminalId":"terminal-1"}`},
		{"terminal/wait_for_exit", terminal(1), `{"exitCode":3}`},
		{"terminal/output", terminal(1), `{"output":"hällo","truncated":false,"exitStatus":{"exitCode":3}}`},
		{"terminal/release", terminal(1), `{}`},
		{"terminal/output", terminal(1), acp.CodeResourceNotFound},
		{"terminal/create", shell("exec sleep 600", nil), `{"terminalId":"terminal-2"}`},
		{"terminal/output", terminal(2), `{"output":"","truncated":false}`},
		{"terminal/kill", terminal(2), `{}`},
		{"terminal/wait_for_exit", terminal(2), `{"signal":"signal: killed"}`},
		{"terminal/release", terminal(2), `{}`},
		{"terminal/create", shell("printf aaaaéééé", object{"outputByteLimit": 5}), `{"terminalId":"terminal-3"}`},
		{"terminal/wait_for_exit", terminal(3), `{"exitCode":0}`},
		{"terminal/output", terminal(3), `{"output":"éé","truncated":true,"exitStatus":{"exitCode":0}}`},
		{"terminal/release", terminal(3), `{}`},
		{"elicitation/create", form, `{"action":"accept","content":{"text":"text","choice":"a","whole":1,"part":1.5,"flag":true,"list":["x","y"]}}`},
		{"elicitation/create", object{"message": "m", "mode": "url", "elicitationId": "e", "url": "https://example.com/e"}, `{"action":"accept"}`},
		{"_interop/unknown", object{}, acp.CodeMethodNotFound},
	}
	var actions []action
	for _, tt := range tests {
		actions = append(actions, action{"call": tt.method, "params": tt.params})
	}
	actions = append(actions, action{"notify": "elicitation/complete", "params": object{"elicitationId": "e"}}, action{"notify": "_interop/unknown", "params": object{}})
	answers := a.mustPrompt(t, acpv1.StopReasonEndTurn, actions...)
	for i, tt := range tests {
		requireAnswer(t, fmt.Sprintf("%d %s", i, tt.method), tt.want, answers[i])
	}
	if diff := cmp.Diff([]acpv1.ElicitationID{"e"}, a.completed); diff != "" {
		t.Errorf("completed elicitations: mismatch (-want +got)\n%s", diff)
	}
	// Some params are no params: the agent is made to send them.
	a.end(t)
	c.requireConduct(t, a.transcript, toAgent)
	readConversation(t, a.transcript).requireAnswers(t)
}

// nothingOffered: what the agent asks is answered, also if it must not ask.
func (c checker) nothingOffered(t *testing.T) {
	a := c.connectAs(t, func(*editor) acpv1.Client { return acpv1.UnimplementedClient{} }, agentOptions{}, nil)
	calls := []action{
		{"call": "session/request_permission", "params": object{"toolCall": object{"toolCallId": "c"}, "options": []object{}}},
		{"call": "fs/read_text_file", "params": object{"path": "/a"}},
		{"call": "fs/write_text_file", "params": object{"path": "/a", "content": ""}},
		{"call": "terminal/create", "params": object{"command": "true"}},
		{"call": "elicitation/create", "params": object{"message": "m", "mode": "url", "elicitationId": "e", "url": "https://example.com/e"}},
	}
	for i, got := range a.mustPrompt(t, acpv1.StopReasonEndTurn, calls...) {
		requireAnswer(t, calls[i]["call"].(string), acp.CodeMethodNotFound, got)
	}
	a.finish(t)
}

// failingHandler: a client that fails answers all the same, and keeps to itself why.
func (c checker) failingHandler(t *testing.T) {
	a := c.connect(t, agentOptions{}, allCapabilities)
	ask := action{"call": "session/request_permission", "params": object{"toolCall": object{"toolCallId": "c"}, "options": []object{}}}
	a.on(func(e *editor) {
		e.permission = func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
			return nil, errors.New("s3cret")
		}
	})
	requireAnswer(t, "an error", acp.CodeInternalError, a.mustPrompt(t, acpv1.StopReasonEndTurn, ask)[0])
	a.on(func(e *editor) {
		e.permission = func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
			panic("s3cret")
		}
	})
	requireAnswer(t, "a panic", acp.CodeInternalError, a.mustPrompt(t, acpv1.StopReasonEndTurn, ask)[0])
	for _, m := range a.finish(t) {
		if strings.Contains(string(m.Error), "s3cret") {
			t.Errorf("the agent is told %s", m.Error)
		}
	}
}

func (c checker) cancellations(t *testing.T) {
	ask := action{"call": "session/request_permission", "params": object{"toolCall": object{"toolCallId": "c"}, "options": []object{{"optionId": "y", "name": "Y", "kind": "allow_once"}}}}
	call := action{"update": json.RawMessage(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"pending"}`)}
	last := action{"update": json.RawMessage(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}`)}
	for _, reply := range []string{"result", "error"} {
		t.Run(reply, func(t *testing.T) {
			a := c.connect(t, agentOptions{Cancelled: reply}, allCapabilities)
			asked := make(chan struct{}, 1)
			a.on(func(e *editor) {
				e.permission = func(ctx context.Context, _ *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
					asked <- struct{}{}
					<-ctx.Done()
					return nil, ctx.Err()
				}
			})
			// session/cancel, with a permission request that waits.
			go func() {
				<-asked
				if err := a.CancelPrompt(a.context(t), a.session); err != nil {
					t.Error(err)
				}
			}()
			answers := a.mustPrompt(t, acpv1.StopReasonCancelled, call, ask, action{"wait": "cancel"}, last)
			requireAnswer(t, "permission", `{"outcome":{"outcome":"cancelled"}}`, answers[0])
			if n := len(a.take()); n != 2 {
				t.Errorf("%d updates, want 2: also the one after the cancellation", n)
			}
			// $/cancel_request.
			ctx, cancel := context.WithCancel(a.context(t))
			a.on(func(e *editor) { e.updated = func(acpv1.SessionUpdate) { cancel() } })
			if _, err := a.prompt(ctx, call, action{"wait": "cancel"}); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want %v", err, context.Canceled)
			}
			a.mustPrompt(t, acpv1.StopReasonEndTurn)
			a.finish(t)
		})
	}
}

func (c checker) agentCancels(t *testing.T) {
	a := c.connect(t, agentOptions{}, allCapabilities)
	a.on(func(e *editor) {
		e.permission = func(ctx context.Context, _ *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), acp.ErrCancelledByPeer) {
				t.Errorf("cancelled because of %v, want %v", context.Cause(ctx), acp.ErrCancelledByPeer)
			}
			return nil, ctx.Err()
		}
	})
	ask := action{"call": "session/request_permission", "abandon": true, "params": object{"toolCall": object{"toolCallId": "c"}, "options": []object{{"optionId": "y", "name": "Y", "kind": "allow_once"}}}}
	answers := a.mustPrompt(t, acpv1.StopReasonEndTurn, ask)
	requireAnswer(t, "permission", acp.CodeRequestCancelled, answers[0])
	a.finish(t)
}

// minimalAgent: what the agent does not offer is not even asked for.
func (c checker) minimalAgent(t *testing.T) {
	a := c.connect(t, agentOptions{Capabilities: &acpv1.AgentCapabilities{}}, allCapabilities)
	ctx := a.context(t)
	_, listErr := a.ListSessions(ctx, &acpv1.ListSessionsRequest{})
	_, loadErr := a.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: a.session, Cwd: "/", MCPServers: []acpv1.MCPServer{}})
	_, resumeErr := a.ResumeSession(ctx, &acpv1.ResumeSessionRequest{SessionID: a.session, Cwd: "/"})
	_, closeErr := a.CloseSession(ctx, &acpv1.CloseSessionRequest{SessionID: a.session})
	_, deleteErr := a.DeleteSession(ctx, &acpv1.DeleteSessionRequest{SessionID: a.session})
	_, logoutErr := a.Logout(ctx, &acpv1.LogoutRequest{})
	_, imageErr := a.Prompt(ctx, &acpv1.PromptRequest{SessionID: a.session, Prompt: []acpv1.ContentBlock{&acpv1.ImageContent{MIMEType: "image/png", Data: "AA=="}}})
	_, serverErr := a.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{&acpv1.MCPServerHTTP{Name: "h", URL: "http://localhost", Headers: []acpv1.HTTPHeader{}}}})
	for what, err := range map[string]error{
		"list": listErr, "load": loadErr, "resume": resumeErr, "close": closeErr, "delete": deleteErr, "logout": logoutErr, "an image": imageErr, "an HTTP server": serverErr,
	} {
		if unsupported := new(acp.UnsupportedError); !errors.As(err, &unsupported) {
			t.Errorf("%s: error %v, want an UnsupportedError", what, err)
		}
	}
	a.mustPrompt(t, acpv1.StopReasonEndTurn)
	for _, m := range a.finish(t) {
		if m.Dir == toAgent && strings.HasPrefix(m.Method, "session/") && m.Method != acpv1.MethodNewSession && m.Method != acpv1.MethodPrompt {
			t.Errorf("%s was sent", m.Method)
		}
	}
}

func (c checker) muchFromSDK(t *testing.T) {
	const chunks, size = 5000, 4 << 20
	a := c.connect(t, agentOptions{}, allCapabilities)
	a.mustPrompt(t, acpv1.StopReasonEndTurn,
		action{"repeat": chunks, "update": json.RawMessage(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"chunk %d"}}`)})
	updates := a.take()
	if len(updates) != chunks {
		t.Fatalf("%d updates when the prompt returns, want %d", len(updates), chunks)
	}
	for i, n := range updates {
		chunk, ok := n.Update.(*acpv1.AgentMessageChunk)
		if !ok {
			t.Fatalf("update %d is a %T", i, n.Update)
		}
		if text, _ := acpv1.TextOf(chunk.Content); text != fmt.Sprintf("chunk %d", i) {
			t.Fatalf("update %d says %q", i, text)
		}
	}
	long := strings.Repeat("wörd ", size/6)
	update, err := json.Marshal(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": long}})
	if err != nil {
		t.Fatal(err)
	}
	a.mustPrompt(t, acpv1.StopReasonEndTurn, action{"update": json.RawMessage(update)})
	got, err := updateJSON(a.take(), a.session)
	if err != nil || len(got) != 1 {
		t.Fatalf("%d updates (error %v), want 1", len(got), err)
	}
	if diff := diffJSON(string(update), []byte(got[0])); diff != "" {
		t.Error("the long message is not what was sent")
	}
	a.finish(t)
}

// wrongTraffic: a peer that breaks the rules does not break the connection, and gets answers by the rules.
func (c checker) wrongTraffic(t *testing.T) {
	a := c.connect(t, agentOptions{}, allCapabilities)
	lines := []string{
		"noise", "[]", "42", "null", "", `{}`, `{"jsonrpc":"1.0","method":"_interop/x"}`, `{"jsonrpc":"2.0","method":"session/update"}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"from_the_future"}}}`,
		`{"jsonrpc":"2.0","id":987654,"result":{}}`, `{"jsonrpc":"2.0","id":{},"method":"fs/read_text_file"}`, "{\"jsonrpc\":\"2.0\",\"method\":\"_interop/crlf\"}\r",
	}
	var actions []action
	for _, line := range lines {
		actions = append(actions, action{"line": line})
	}
	actions = append(actions, action{"call": "no_such/method", "params": object{}}, action{"call": "session/list", "params": object{}})
	answers := a.mustPrompt(t, acpv1.StopReasonEndTurn, actions...)
	requireAnswer(t, "unknown method", acp.CodeMethodNotFound, answers[0])
	requireAnswer(t, "method of the other side", acp.CodeMethodNotFound, answers[1])
	a.mustPrompt(t, acpv1.StopReasonEndTurn)
	a.end(t)
	c.requireConduct(t, a.transcript, toAgent)
}
