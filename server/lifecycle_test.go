package server

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// A rich engine has every ability. What it keeps is by session id.
type rich struct {
	script
	mu       sync.Mutex
	model    map[string]string
	loud     map[string]bool
	restored map[string][]Entry
	closed   []string
	deleted  []string
	loggedIn bool
	kept     []string
}

func newRich() *rich {
	return &rich{
		script: script{prompt: func(_ context.Context, t *Turn) (Finish, error) { return Stop, t.Say("echo " + t.Text()) }},
		model:  make(map[string]string), loud: make(map[string]bool), restored: make(map[string][]Entry), loggedIn: true,
	}
}

func (r *rich) Open(_ context.Context, s *Session) error { return s.SetTitle("Untitled") }

func (r *rich) Restore(_ context.Context, s *Session, history []Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.restored[s.ID()] = history
	return nil
}

func (r *rich) Close(_ context.Context, s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = append(r.closed, s.ID())
}

func (r *rich) Delete(_ context.Context, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deleted = append(r.deleted, id)
	return nil
}

func (r *rich) AuthMethods() []AuthMethod {
	return []AuthMethod{{ID: "key", Name: "Key"}, {ID: "tty", Name: "Terminal", Terminal: true}}
}

func (r *rich) LoggedIn(context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loggedIn
}

func (r *rich) Authenticate(context.Context, string) error { return nil }
func (r *rich) Logout(context.Context) error               { return nil }
func (r *rich) Accepts() Accepts                           { return Accepts{Images: true, Directories: true, MCPHTTP: true} }

func (r *rich) Modes(*Session) []Mode {
	return []Mode{{ID: "code", Name: "Code"}, {ID: "plan", Name: "Plan", ReadOnly: true}, {ID: "locked", Name: "Locked"}}
}

func (r *rich) SetMode(_ context.Context, _ *Session, id string) error {
	if id == "locked" {
		return &Error{Kind: ErrorInvalid, Message: "it is locked"}
	}
	return nil
}

func (r *rich) ConfigOptions(_ context.Context, s *Session) []ConfigOption {
	r.mu.Lock()
	defer r.mu.Unlock()
	model := r.model[s.ID()]
	if model == "" {
		model = "small"
	}
	return []ConfigOption{
		{ID: "model", Name: "Model", Category: CategoryModel, Current: model, Choices: []ConfigChoice{{Value: "small", Name: "Small", Group: "A"}, {Value: "large", Name: "Large", Group: "B"}}},
		{ID: "loud", Name: "Loud", Boolean: true, On: r.loud[s.ID()]},
		{ID: "broken", Name: "Broken", Current: "x", Choices: []ConfigChoice{{Value: "y"}}},
	}
}

func (r *rich) SetConfigOption(_ context.Context, s *Session, id string, v ConfigValue) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch id {
	case "model":
		r.model[s.ID()] = v.ID
	case "loud":
		r.loud[s.ID()] = v.On
	}
	return nil
}

func (r *rich) Commands(*Session) []Command {
	return []Command{{Name: "shout", Description: "Shouts", Hint: "what"}}
}

func (r *rich) RunCommand(_ context.Context, t *Turn, name, args string) (Finish, error) {
	return Stop, t.Say(name + "!" + args)
}

func (r *rich) Steer(_ context.Context, t *Turn, prompt []Part) error {
	return t.Say("steered " + prompt[0].(*TextPart).Text)
}

func (r *rich) Extensions(session func(string) (*Session, bool)) []acp.Extension {
	return []acp.Extension{acp.HandleExtension("_test/cwd", func(_ context.Context, p cwdParams) (string, error) {
		s, ok := session(p.SessionID)
		if !ok {
			return "", &acp.Error{Code: acp.CodeResourceNotFound, Message: "unknown session"}
		}
		return s.Cwd(), nil
	})}
}

type cwdParams struct {
	SessionID string `json:"sessionId"`
}

func (r *rich) KeepPermission(_ context.Context, _ *Session, rule string, _ bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, rule)
}

// TestCapabilities shows that what is advertised is what the engine and the store make possible, and that nothing else works.
func TestCapabilities(t *testing.T) {
	tests := []struct {
		name   string
		engine Engine
		opts   *Options
		want   string
	}{
		{"the least", script{}, nil,
			`{"loadSession":false,"promptCapabilities":{"image":false,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":false,"sse":false},"sessionCapabilities":{"close":{}}}`},
		{"a store alone", script{}, &Options{Store: new(store.Memory)},
			`{"loadSession":false,"promptCapabilities":{"image":false,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":false,"sse":false},"sessionCapabilities":{"list":{},"delete":{},"close":{}}}`},
		{"an engine alone", newRich(), nil,
			`{"loadSession":false,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":true,"sse":false},"sessionCapabilities":{"additionalDirectories":{},"close":{}},"auth":{"logout":{}},"_meta":{"acpwire":{"steer":"_acpwire/steer"}}}`},
		{"everything", newRich(), &Options{Store: new(store.Memory)},
			`{"loadSession":true,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":true,"sse":false},"sessionCapabilities":{"list":{},"delete":{},"additionalDirectories":{},"resume":{},"close":{}},"auth":{"logout":{}},"_meta":{"acpwire":{"steer":"_acpwire/steer"}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := connect(t, New(tt.engine, tt.opts))
			r, err := e.Initialize(t.Context(), &acpv1.InitializeRequest{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(r.AgentCapabilities)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if s := r.AgentCapabilities.SessionCapabilities; s.List == nil {
				_, listErr := e.ListSessions(t.Context(), &acpv1.ListSessionsRequest{})
				_, deleteErr := e.DeleteSession(t.Context(), &acpv1.DeleteSessionRequest{SessionID: "x"})
				_, loadErr := e.LoadSession(t.Context(), &acpv1.LoadSessionRequest{SessionID: "x", Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
				_, resumeErr := e.ResumeSession(t.Context(), &acpv1.ResumeSessionRequest{SessionID: "x", Cwd: "/w"})
				for _, err := range []error{listErr, deleteErr, loadErr, resumeErr} {
					if code, _ := codeOf(err); code != acp.CodeMethodNotFound {
						t.Errorf("an ability that was not advertised: got %v, want -32601", err)
					}
				}
			}
			terminal := slices.ContainsFunc(r.AuthMethods, func(m acpv1.AuthMethod) bool { _, ok := m.(*acpv1.AuthMethodTerminal); return ok })
			if terminal {
				t.Error("offered a terminal login to a client that cannot")
			}
		})
	}
}

// TestRefusals shows which requests are refused, and how.
func TestRefusals(t *testing.T) {
	e := open(t, newRich(), &Options{Store: new(store.Memory)})
	id := e.newSession()
	none := []acpv1.MCPServer{}
	ctx := t.Context()
	second := func(_ any, err error) error { return err }
	tests := []struct {
		name string
		err  error
		code int
		data string
	}{
		{"relative cwd", second(e.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "w", MCPServers: none})), -32602, `{"kind":"invalid","pointer":"/cwd"}`},
		{"empty directory", second(e.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/w", AdditionalDirectories: []string{"/a", ""}, MCPServers: none})), -32602, `{"kind":"invalid","pointer":"/additionalDirectories/1"}`},
		{"sse server", second(e.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{&acpv1.MCPServerSSE{Name: "m", URL: "http://h/", Headers: []acpv1.HTTPHeader{}}}})), -32602, `{"kind":"invalid","pointer":"/mcpServers/0"}`},
		{"load of an unknown session", second(e.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: "gone", Cwd: "/w", MCPServers: none})), -32002, `{"sessionId":"gone"}`},
		{"resume of an unknown session", second(e.ResumeSession(ctx, &acpv1.ResumeSessionRequest{SessionID: "gone", Cwd: "/w"})), -32002, `{"sessionId":"gone"}`},
		{"prompt to an unknown session", second(e.ask("gone", "hi")), -32002, `{"sessionId":"gone"}`},
		{"close of an unknown session", second(e.CloseSession(ctx, &acpv1.CloseSessionRequest{SessionID: "gone"})), -32002, `{"sessionId":"gone"}`},
		{"mode of an unknown session", second(e.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: "gone", ModeID: "code"})), -32002, `{"sessionId":"gone"}`},
		{"load with another cwd", second(e.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: id, Cwd: "/v", MCPServers: none})), -32602, `{"kind":"invalid","pointer":"/cwd"}`},
		{"unknown mode", second(e.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "zzz"})), -32602, `{"kind":"invalid","pointer":"/modeId"}`},
		{"mode that the engine refuses", second(e.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "locked"})), -32602, `{"kind":"invalid","retryable":false}`},
		{"unknown option", second(e.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "broken", Value: &acpv1.SessionConfigSelectValue{Value: "y"}})), -32602, `{"kind":"invalid","pointer":"/configId"}`},
		{"unknown value", second(e.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "model", Value: &acpv1.SessionConfigSelectValue{Value: "huge"}})), -32602, `{"kind":"invalid","pointer":"/value"}`},
		{"switch as a choice", second(e.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "loud", Value: &acpv1.SessionConfigSelectValue{Value: "true"}})), -32602, `{"kind":"invalid","pointer":"/value"}`},
		{"choice as a switch", second(e.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "model", Value: &acpv1.SessionConfigBooleanValue{Value: true}})), -32602, `{"kind":"invalid","pointer":"/value"}`},
		{"relative cwd filter", second(e.ListSessions(ctx, &acpv1.ListSessionsRequest{Cwd: new("w")})), -32602, `{"kind":"invalid","pointer":"/cwd"}`},
		{"invalid cursor", second(e.ListSessions(ctx, &acpv1.ListSessionsRequest{Cursor: new("nonsense")})), -32602, `{"kind":"invalid","pointer":"/cursor"}`},
		{"audio", second(e.Prompt(ctx, &acpv1.PromptRequest{SessionID: id, Prompt: []acpv1.ContentBlock{&acpv1.AudioContent{Data: "AA==", MIMEType: "audio/wav"}}})), -32602, `{"kind":"invalid","pointer":"/prompt/0"}`},
		{"unknown login", second(e.Authenticate(ctx, &acpv1.AuthenticateRequest{MethodID: "nope"})), -32602, `{"kind":"invalid","pointer":"/methodId"}`},
		{"login for a terminal", second(e.Authenticate(ctx, &acpv1.AuthenticateRequest{MethodID: "tty"})), -32602, `{"kind":"invalid","pointer":"/methodId"}`},
		{"steering without a turn", second(acp.CallExtension[struct{}](ctx, e, SteerMethod, acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("x")})), -32602, `{"kind":"invalid","pointer":"/sessionId"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, data := codeOf(tt.err)
			if code != tt.code || data != tt.data {
				t.Errorf("got %d %s (%v), want %d %s", code, data, tt.err, tt.code, tt.data)
			}
		})
	}
	if _, err := e.DeleteSession(ctx, &acpv1.DeleteSessionRequest{SessionID: "gone"}); err != nil {
		t.Errorf("deleting an unknown session: %v", err)
	}
}

// TestInitializeComesFirst shows that session methods wait for initialize.
func TestInitializeComesFirst(t *testing.T) {
	e := connect(t, New(newRich(), nil))
	_, err := e.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
	if code, _ := codeOf(err); code != acp.CodeInvalidRequest {
		t.Errorf("got %v, want -32600", err)
	}
	e.hello()
	e.newSession()
}

// TestLogin shows the gate that a login opens and a logout shuts.
func TestLogin(t *testing.T) {
	engine := newRich()
	engine.loggedIn = false
	e := open(t, engine, nil)
	try := func() int {
		_, err := e.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
		code, _ := codeOf(err)
		return code
	}
	if code := try(); code != acp.CodeAuthRequired {
		t.Errorf("before the login: got %d, want -32000", code)
	}
	if _, err := e.Authenticate(t.Context(), &acpv1.AuthenticateRequest{MethodID: "key"}); err != nil {
		t.Fatal(err)
	}
	if code := try(); code != 0 {
		t.Errorf("after the login: got %d", code)
	}
	if _, err := e.Logout(t.Context(), &acpv1.LogoutRequest{}); err != nil {
		t.Fatal(err)
	}
	if code := try(); code != acp.CodeAuthRequired {
		t.Errorf("after the logout: got %d, want -32000", code)
	}
}

// TestSessionLife follows a session from new to delete, with a second connection that loads and resumes it.
func TestSessionLife(t *testing.T) {
	engine := newRich()
	opts := &Options{Store: new(store.Memory), PageSize: 1}
	srv := New(engine, opts)
	e := connect(t, srv)
	e.hello()
	id := e.newSession()
	other := e.newSession()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := e.ask(id, "one")
	must(err)
	_, err = e.ask(id, "/shout  two ")
	must(err)
	_, err = e.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "plan"})
	must(err)
	_, err = e.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "model", Value: &acpv1.SessionConfigSelectValue{Value: "large"}})
	must(err)

	var ids []acpv1.SessionID
	for cursor := (*string)(nil); ; {
		page, err := e.ListSessions(ctx, &acpv1.ListSessionsRequest{Cwd: new("/w"), Cursor: cursor})
		must(err)
		for _, s := range page.Sessions {
			ids = append(ids, s.SessionID)
		}
		if cursor = page.NextCursor; cursor == nil {
			break
		}
	}
	if diff := cmp.Diff([]acpv1.SessionID{id, other}, ids); diff != "" {
		t.Errorf("list: mismatch (-want +got):\n%s", diff)
	}
	_, err = e.CloseSession(ctx, &acpv1.CloseSessionRequest{SessionID: id})
	must(err)

	f := connect(t, srv)
	f.hello()
	if _, err := f.ask(id, "hi"); err == nil {
		t.Error("a session that this connection has not opened took a prompt")
	}
	loaded, err := f.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: id, Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
	must(err)
	if loaded.Modes.CurrentModeID != "plan" {
		t.Errorf("the mode was not kept: %v", loaded.Modes.CurrentModeID)
	}
	if got := loaded.ConfigOptions[1].Type.(*acpv1.SessionConfigSelect).CurrentValue; got != "large" {
		t.Errorf("the model was not kept: %v", got)
	}
	_, err = f.ask(id, "again")
	must(err)
	_, err = f.ResumeSession(ctx, &acpv1.ResumeSessionRequest{SessionID: id, Cwd: "/w"})
	must(err)
	_, err = f.ask(id, "three")
	must(err)
	_, err = f.DeleteSession(ctx, &acpv1.DeleteSessionRequest{SessionID: id})
	must(err)
	if _, err := f.ask(id, "four"); err == nil {
		t.Error("a deleted session took a prompt")
	}
	want := []string{
		"initialize result", "session/prompt error -32002",
		"user_message_chunk one", "agent_message_chunk echo one", "user_message_chunk /shout  two ", "agent_message_chunk shout!two", "available_commands_update", "session/load result",
		"agent_message_chunk echo again", "session/prompt result end_turn",
		"session/resume result", "available_commands_update", "agent_message_chunk echo three", "session/prompt result end_turn", "session/delete result", "session/prompt error -32002",
	}
	if diff := cmp.Diff(want, f.log.sent()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	engine.mu.Lock()
	defer engine.mu.Unlock()
	if diff := cmp.Diff([]string{string(id), string(id), string(id)}, engine.closed); diff != "" {
		t.Errorf("closed: mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{string(id)}, engine.deleted); diff != "" {
		t.Errorf("deleted: mismatch (-want +got):\n%s", diff)
	}
}

// TestCommandsComeAfterTheResponse shows the order of what follows session/new, also of what the engine says while it opens the session.
func TestCommandsComeAfterTheResponse(t *testing.T) {
	e := open(t, newRich(), nil)
	if _, err := e.ask(e.newSession(), "x"); err != nil {
		t.Fatal(err)
	}
	want := []string{"initialize result", "session/new result", "session_info_update", "available_commands_update", "agent_message_chunk echo x", "session/prompt result end_turn"}
	if diff := cmp.Diff(want, e.log.sent()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestModes shows what changes of the mode send, and that a read-only mode refuses tools that change something.
func TestModes(t *testing.T) {
	engine := newRich()
	var errs []error
	engine.prompt = func(ctx context.Context, t *Turn) (Finish, error) {
		c := t.Tool("write", Edit, "Write")
		ok, err := t.Allow(ctx, c)
		errs = append(errs, t.Tool("write", Edit, "Write").Start(), t.Files().Write(ctx, "x", "y"))
		if ok || err != nil {
			return Stop, errors.New("allowed")
		}
		ok, err = t.ExitPlan(ctx, t.Tool("exit", SwitchMode, "Leave the plan"), "code", "zzz")
		if !ok || err != nil || t.Session().Mode() != "code" {
			return Stop, errors.New("did not leave the mode")
		}
		return Stop, t.Tool("write", Edit, "Write").Start()
	}
	e := open(t, engine, nil)
	var offered []acpv1.PermissionOption
	e.permit = func(_ context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
		offered = p.Options
		return acpv1.Selected("code"), nil
	}
	id := e.newSession()
	for range 2 {
		if _, err := e.SetSessionMode(t.Context(), &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "plan"}); err != nil {
			t.Fatal(err)
		}
	}
	before := len(e.log.sent())
	if stop, err := e.ask(id, "go"); stop != acpv1.StopReasonEndTurn || err != nil {
		t.Errorf("got %q, %v", stop, err)
	}
	for _, err := range errs {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("got %v, want %v", err, ErrReadOnly)
		}
	}
	want := []string{
		"tool_call pending", "tool_call_update failed", "tool_call pending", "tool_call_update failed", "tool_call pending", "session/request_permission", "current_mode_update code",
		"config_option_update", "tool_call pending", "tool_call_update in_progress", "tool_call_update completed", "tool_call_update completed", "session/prompt result end_turn",
	}
	if diff := cmp.Diff(want, e.log.sent()[before:]); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]acpv1.PermissionOption{{OptionID: "code", Name: "Code", Kind: "allow_once"}, {OptionID: "stay", Name: "Stay in this mode", Kind: "reject_once"}}, offered); diff != "" {
		t.Errorf("options: mismatch (-want +got):\n%s", diff)
	}
}

// TestConfig shows that every answer has the full set, that the mode is among it and agrees, and that switches are for clients that know them.
func TestConfig(t *testing.T) {
	ids := func(list []acpv1.SessionConfigOption) (ids []acpv1.SessionConfigID) {
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		return ids
	}
	e := open(t, newRich(), nil)
	id := e.newSession()
	r, err := e.SetSessionConfigOption(t.Context(), &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "loud", Value: &acpv1.SessionConfigBooleanValue{Value: true}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]acpv1.SessionConfigID{"mode", "model", "loud"}, ids(r.ConfigOptions)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if !r.ConfigOptions[2].Type.(*acpv1.SessionConfigBoolean).CurrentValue {
		t.Error("the switch is not on")
	}
	before := len(e.log.sent())
	r, err = e.SetSessionConfigOption(t.Context(), &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "mode", Value: &acpv1.SessionConfigSelectValue{Value: "plan"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.ConfigOptions[0].Type.(*acpv1.SessionConfigSelect).CurrentValue; got != "plan" {
		t.Errorf("the mode option is %q", got)
	}
	if _, err = e.SetSessionMode(t.Context(), &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "code"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"current_mode_update plan", "session/set_config_option result", "config_option_update", "session/set_mode result"}
	if diff := cmp.Diff(want, e.log.sent()[before:]); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}

	plain := connect(t, New(newRich(), nil))
	if _, err := plain.Initialize(t.Context(), &acpv1.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	n, err := plain.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]acpv1.SessionConfigID{"mode", "model"}, ids(n.ConfigOptions)); diff != "" {
		t.Errorf("without switches: mismatch (-want +got):\n%s", diff)
	}
}

// TestDirectoriesFollowLoad shows that a session that is loaded with other directories is listed with them.
func TestDirectoriesFollowLoad(t *testing.T) {
	e := open(t, newRich(), &Options{Store: new(store.Memory)})
	id := e.newSession()
	if _, err := e.ResumeSession(t.Context(), &acpv1.ResumeSessionRequest{SessionID: id, Cwd: "/w", AdditionalDirectories: []string{"/more"}}); err != nil {
		t.Fatal(err)
	}
	page, err := e.ListSessions(t.Context(), &acpv1.ListSessionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/more"}, page.Sessions[0].AdditionalDirectories); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if len(page.Sessions) != 1 || page.Sessions[0].SessionID != id || page.Sessions[0].UpdatedAt == nil {
		t.Errorf("got %+v", page.Sessions)
	}
}
