package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

func TestStopReasons(t *testing.T) {
	tests := []struct {
		reason acpv1.StopReason
		status int
		says   string
	}{
		{acpv1.StopReasonEndTurn, 0, ""},
		{acpv1.StopReasonRefusal, 4, "refuses"},
		{acpv1.StopReasonMaxTokens, 5, "limit of tokens"},
		{acpv1.StopReasonMaxTurnRequests, 5, "limit of requests"},
		{acpv1.StopReasonCancelled, 130, "cancelled"},
	}
	for _, tt := range tests {
		t.Run(string(tt.reason), func(t *testing.T) {
			agent := &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
				return tt.reason, a.say(ctx, "That is all.")
			}}
			r := (&trial{agent: agent}).run(t.Context(), t, "go", "--", "agent")
			r.check(t, tt.status, tt.says)
			if r.stdout != "That is all.\n" {
				t.Errorf("standard output %q", r.stdout)
			}
			r = (&trial{agent: agent}).run(t.Context(), t, "--json", "go", "--", "agent")
			r.check(t, tt.status)
			if want := `"stopReason":"` + string(tt.reason) + `"`; !strings.Contains(lastLine(r.stdout), want) {
				t.Errorf("the last event has no %s", want)
			}
		})
	}
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func TestPrompt(t *testing.T) {
	tests := []struct {
		name, stdin string
		args        []string
		want        string // nothing: a usage error
	}{
		{"words", "", []string{"one", "two words", "--", "agent"}, "one two words"},
		{"flags between words", "", []string{"one", "--permission", "reject", "two", "--", "agent"}, "one two"},
		{"words stand before standard input", "ignored", []string{"one", "--", "agent"}, "one"},
		{"standard input", "line 1\nline 2\r\n\n", []string{"--", "agent"}, "line 1\nline 2"},
		{"only the first dashes count", "", []string{"one", "--", "agent", "--", "two"}, "one"},
		{"empty word", "", []string{"", "--", "agent"}, ""},
		{"empty standard input", " \n", []string{"--", "agent"}, ""},
		{"not UTF-8", "", []string{"a\xff", "--", "agent"}, ""},
		{"standard input that is not UTF-8", "a\xff", []string{"--", "agent"}, ""},
		{"too long", strings.Repeat("x", maxPrompt+1), []string{"--", "agent"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := (&trial{stdin: strings.NewReader(tt.stdin)}).run(t.Context(), t, tt.args...)
			if tt.want == "" {
				r.check(t, 2, "prompt")
				return
			}
			r.check(t, 0)
			if want := "You said: " + tt.want + "\n"; r.stdout != want {
				t.Errorf("standard output %q, want %q", r.stdout, want)
			}
		})
	}
}

// TestUsage checks that a wrong command line is explained, and nothing is started.
func TestUsage(t *testing.T) {
	file := put(t, t.TempDir(), "file", "")
	tests := []struct {
		name string
		args []string
		says []string
	}{
		{"no agent", []string{"hello"}, []string{"behind --", "--help"}},
		{"nothing behind the dashes", []string{"hello", "--"}, []string{"behind --"}},
		{"empty agent", []string{"hello", "--", ""}, []string{"behind --"}},
		{"unknown flag", []string{"--colour", "hello", "--", "agent"}, []string{"-colour", "--help"}},
		{"permission", []string{"--permission", "maybe", "hello", "--", "agent"}, []string{`"maybe"`, "ask, allow or reject"}},
		{"timeout that is none", []string{"--timeout", "soon", "hello", "--", "agent"}, []string{"soon"}},
		{"negative timeout", []string{"--timeout", "-1s", "hello", "--", "agent"}, []string{"-1s", "negative"}},
		{"config without value", []string{"--config", "a", "hello", "--", "agent"}, []string{`"a"`, "ID=VALUE"}},
		{"config without id", []string{"--config", "=a", "hello", "--", "agent"}, []string{"ID=VALUE"}},
		{"directory that is missing", []string{"--cwd", file + "-no", "hello", "--", "agent"}, []string{"--cwd"}},
		{"directory that is a file", []string{"--cwd", file, "hello", "--", "agent"}, []string{"--cwd"}},
		{"record that cannot be", []string{"--record", filepath.Join(file, "x"), "hello", "--", "agent"}, []string{"--record"}},
		{"MCP server without a name", []string{"--mcp", "command", "hello", "--", "agent"}, []string{"--mcp", "NAME="}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			started := false
			tr := &trial{start: func(context.Context, []string) (agentProcess, error) {
				started = true
				return nil, errors.New("started")
			}}
			r := tr.run(t.Context(), t, tt.args...)
			r.check(t, 2, append(tt.says, "acprun: ")...)
			if started || r.stdout != "" {
				t.Errorf("started %v, standard output %q", started, r.stdout)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"-h", "--help"} {
		r := (&trial{}).run(t.Context(), t, arg)
		r.check(t, 0)
		for _, want := range []string{
			"usage: acprun", "--cwd DIR", "--permission ask|allow|reject", "--mcp SERVER", "--mode ID", "--config ID=VALUE", "--load ID", "--record FILE", "--json", "--timeout D",
			"exit status", "  0  ", "130  ", "'NAME=COMMAND ARGS...'",
		} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("%s: no %q in\n%s", arg, want, r.stdout)
			}
		}
		for line := range strings.Lines(r.stdout) {
			if n := len([]rune(line)); n > 121 {
				t.Errorf("%s: a line of %d characters: %s", arg, n, line)
			}
		}
	}
}

// TestAgentFails checks each thing that an agent can do wrong in this process.
func TestAgentFails(t *testing.T) {
	failed := func() error {
		return &acp.Error{Code: -32050, Message: "out of\norder", Data: wire.Raw(`{"why":"tired"}`)}
	}
	tests := []struct {
		name   string
		agent  fakeAgent
		args   []string
		status int
		says   []string
	}{
		{"initialize", fakeAgent{initialize: func(context.Context, *fakeAgent, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
			return nil, failed()
		}}, nil,
			3, []string{"initialize: out of\norder (code -32050)", `{"why":"tired"}`}},
		{"version", fakeAgent{initialize: func(context.Context, *fakeAgent, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
			return &acpv1.InitializeResponse{ProtocolVersion: 9}, nil
		}}, nil, 3, []string{"version 9"}},
		{"session", fakeAgent{newSession: func(context.Context, *fakeAgent, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
			return nil, failed()
		}}, nil,
			3, []string{"the session: out of"}},
		{"login", fakeAgent{
			initialize: func(context.Context, *fakeAgent, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
				return &acpv1.InitializeResponse{ProtocolVersion: 1, AuthMethods: []acpv1.AuthMethod{&acpv1.AuthMethodAgent{ID: "browser", Name: "With a browser"}}}, nil
			},
			newSession: func(context.Context, *fakeAgent, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
				return nil, acp.Errorf(acp.CodeAuthRequired, "not you")
			},
		}, nil, 3, []string{"not you", "log in", "browser: With a browser"}},
		{"prompt", fakeAgent{prompt: func(context.Context, *fakeAgent, *acpv1.PromptRequest) (acpv1.StopReason, error) { return "", failed() }}, nil,
			3, []string{"the prompt: out of"}},
		{"load that is not supported", fakeAgent{}, []string{"--load", "old"}, 2, []string{"--load old", "loadSession"}},
		{"MCP server that is not supported", fakeAgent{}, []string{"--mcp", "a=https://host/"}, 2, []string{"mcpCapabilities.http"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := (&trial{agent: &tt.agent}).run(t.Context(), t, append(tt.args, "--json", "hello", "--", "agent")...)
			r.check(t, tt.status, tt.says...)
			if last := lastLine(r.stdout); !strings.HasPrefix(last, `{"type":"end","status":`) {
				t.Errorf("last event %s", last)
			}
		})
	}
}

// TestBrokenAgent checks agents that do not speak the protocol well.
func TestBrokenAgent(t *testing.T) {
	const (
		initialized = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n"
		session     = `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}` + "\n"
		text        = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"fine"}}}}` + "\n"
		ended       = `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}` + "\n"
	)
	tests := []struct {
		name    string
		answers []string // to each request
		status  int
		stdout  string
		says    []string
	}{
		{"noise", []string{"Starting...\n" + initialized, "\n" + session, "[debug] x\n" + text + ended}, 0, "fine\n", []string{"warning", "rule json"}},
		{"invalid answer", []string{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"one"}}` + "\n"}, 3, "", []string{"initialize", "/result/protocolVersion"}},
		{"session without an id", []string{initialized, `{"jsonrpc":"2.0","id":2,"result":{}}` + "\n"}, 3, "", []string{"the session", "sessionId"}},
		{"stop reason that is not known", []string{initialized, session, `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"bored"}}` + "\n"}, 3, "", []string{"stopReason"}},
		{"invalid update", []string{initialized, session, strings.Replace(text, `"sessionId":"s1"`, `"sessionID":"s1"`, 1) + text + ended}, 0, "fine\n", []string{"warning", "rule schema"}},
		{"update of another session", []string{initialized, session, strings.Replace(text, `"s1"`, `"s2"`, 1) + text + ended}, 0, "fine\n", []string{"warning", "another session: s2"}},
		{"something to repair", []string{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"authMethods":7}}` + "\n", session, text + ended}, 0, "fine\n", []string{"repaired", "/authMethods"}},
		{"end instead of an answer", []string{initialized, session, ""}, 3, "", []string{"closed by the peer", "on standard error", "  goodbye"}},
		{"end within an answer", []string{initialized, session, text + ended[:20]}, 3, "fine\n", []string{"closed by the peer"}},
		{"silence", []string{initialized, session, ended}, 0, "", []string{"warning", "has shown nothing"}},
		{"update before the session's answer", []string{initialized, text + session, ended}, 0, "fine\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			process := newFakeProcess()
			process.stderr = "hello\ngood\x1b[1mbye\n"
			served := make(chan struct{})
			go func() {
				defer close(served)
				script(process, tt.answers)
			}()
			r := (&trial{start: func(context.Context, []string) (agentProcess, error) { return process, nil }}).run(t.Context(), t, "hello", "--", "agent")
			<-served
			r.check(t, tt.status, tt.says...)
			if r.stdout != tt.stdout {
				t.Errorf("standard output %q, want %q", r.stdout, tt.stdout)
			}
		})
	}
}

// script writes an answer for each request that is read, and ends behind one without a line end or when there is nothing more to read.
func script(p *fakeProcess, answers []string) {
	defer func() { _ = p.far.Close() }()
	for lines := bufio.NewScanner(p.far); lines.Scan(); {
		if !strings.Contains(lines.Text(), `"params":`) || len(answers) == 0 {
			continue
		}
		_, _ = io.WriteString(p.far, answers[0])
		if !strings.HasSuffix(answers[0], "\n") {
			return
		}
		answers = answers[1:]
	}
}

func TestMode(t *testing.T) {
	modes := &acpv1.SessionModeState{CurrentModeID: "ask", AvailableModes: []acpv1.SessionMode{{ID: "ask", Name: "Ask"}, {ID: "code", Name: "Code"}}}
	tests := []struct {
		name   string
		modes  *acpv1.SessionModeState
		mode   string
		status int
		want   []acpv1.SessionModeID
		says   []string
	}{
		{"known", modes, "code", 0, []acpv1.SessionModeID{"code"}, nil},
		{"unknown", modes, "dance", 2, nil, []string{`"dance"`, "ask, code"}},
		{"no modes", nil, "code", 2, nil, []string{"no modes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []acpv1.SessionModeID
			agent := &fakeAgent{
				newSession: func(context.Context, *fakeAgent, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
					return &acpv1.NewSessionResponse{SessionID: "s1", Modes: tt.modes}, nil
				},
				setMode: func(p *acpv1.SetSessionModeRequest) error {
					got = append(got, p.ModeID)
					return nil
				},
			}
			(&trial{agent: agent}).run(t.Context(), t, "--mode", tt.mode, "hello", "--", "agent").check(t, tt.status, tt.says...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("modes: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	option := func(id string, kind acpv1.SessionConfigOptionType) acpv1.SessionConfigOption {
		return acpv1.SessionConfigOption{ID: acpv1.SessionConfigID(id), Name: id, Type: kind}
	}
	first := []acpv1.SessionConfigOption{
		option("model", &acpv1.SessionConfigSelect{CurrentValue: "a", Options: acpv1.SessionConfigUngroupedOptions{{Value: "a", Name: "A"}, {Value: "b", Name: "B"}}}),
		option("loud", &acpv1.SessionConfigBoolean{}),
		option("effort", &acpv1.SessionConfigSelect{CurrentValue: "x", Options: acpv1.SessionConfigGroupedOptions{
			{Group: "g", Name: "G", Options: []acpv1.SessionConfigSelectOption{{Value: "x", Name: "X"}, {Value: "y=z", Name: "Y"}}},
		}}),
	}
	// The second option is there only when the first was set.
	second := append(first, option("later", &acpv1.SessionConfigBoolean{}))
	tests := []struct {
		name   string
		args   []string
		status int
		want   []string
		says   []string
	}{
		{"select", []string{"model=b"}, 0, []string{`model {"value":"b"}`}, nil},
		{"boolean", []string{"loud=true"}, 0, []string{`loud {"value":true}`}, nil},
		{"grouped, with = in the value", []string{"effort=y=z"}, 0, []string{`effort {"value":"y=z"}`}, nil},
		{"one after the other", []string{"model=b", "later=false"}, 0, []string{`model {"value":"b"}`, `later {"value":false}`}, nil},
		{"too early", []string{"later=false", "model=b"}, 2, nil, []string{"--config later", "model, loud, effort"}},
		{"unknown value", []string{"model=c"}, 2, nil, []string{"model=c", "a, b"}},
		{"no boolean", []string{"loud=yes"}, 2, nil, []string{"loud=yes", "true, false"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			agent := &fakeAgent{
				newSession: func(context.Context, *fakeAgent, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
					return &acpv1.NewSessionResponse{SessionID: "s1", ConfigOptions: first}, nil
				},
				setConfig: func(p *acpv1.SetSessionConfigOptionRequest) ([]acpv1.SessionConfigOption, error) {
					value, err := p.Value.MarshalJSON()
					got = append(got, string(p.ConfigID)+" "+string(value))
					return second, err
				},
			}
			var args []string
			for _, a := range tt.args {
				args = append(args, "--config", a)
			}
			(&trial{agent: agent}).run(t.Context(), t, append(args, "hello", "--", "agent")...).check(t, tt.status, tt.says...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("options: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLoad checks that the past is shown before the answer, and told apart in JSON. It is longer than what a filter would hold back.
func TestLoad(t *testing.T) {
	agent := func() *fakeAgent {
		return &fakeAgent{
			capabilities: &acpv1.AgentCapabilities{LoadSession: new(true)},
			load: func(ctx context.Context, a *fakeAgent, p *acpv1.LoadSessionRequest) (*acpv1.LoadSessionResponse, error) {
				if p.SessionID != "s1" {
					return nil, acp.Errorf(acp.CodeResourceNotFound, "no such session")
				}
				for range 2000 {
					if err := a.update(ctx, &acpv1.UserMessageChunk{Content: &acpv1.TextContent{Text: "x"}}); err != nil {
						return nil, err
					}
				}
				return &acpv1.LoadSessionResponse{}, a.say(ctx, "Then.")
			},
		}
	}
	r := (&trial{agent: agent()}).run(t.Context(), t, "--load", "s1", "now", "--", "agent")
	r.check(t, 0, "session s1 of fake 7")
	if want := "> " + strings.Repeat("x", 2000) + "\n\nThen.You said: now\n"; r.stdout != want {
		t.Errorf("mismatch (-want +got):\n%s", cmp.Diff(want, r.stdout))
	}
	r = (&trial{agent: agent()}).run(t.Context(), t, "--json", "--load", "s1", "now", "--", "agent")
	r.check(t, 0)
	if got := strings.Count(r.stdout, `"replayed":true`); got != 2001 {
		t.Errorf("%d updates are replayed, want 2001", got)
	}
	if want := `{"type":"update","sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"You said: now"}}}`; !strings.Contains(r.stdout, want) {
		t.Errorf("no event %s", want)
	}
	(&trial{agent: agent()}).run(t.Context(), t, "--load", "other", "now", "--", "agent").check(t, 3, "--load other: no such session")
}

// TestSetup checks what the agent is told about this side.
func TestSetup(t *testing.T) {
	var initialize *acpv1.InitializeRequest
	var session *acpv1.NewSessionRequest
	agent := &fakeAgent{
		initialize: func(_ context.Context, _ *fakeAgent, p *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
			initialize = p
			return &acpv1.InitializeResponse{ProtocolVersion: 1}, nil
		},
		newSession: func(_ context.Context, _ *fakeAgent, p *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
			session = p
			return &acpv1.NewSessionResponse{SessionID: "s1"}, nil
		},
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	tr := &trial{agent: agent, dir: "sub"}
	tr.run(t.Context(), t, "hello", "--", "agent").check(t, 0)
	caps := initialize.ClientCapabilities
	if initialize.ClientInfo.Name != "acprun" || !caps.GetFS().GetReadTextFile() || !caps.GetFS().GetWriteTextFile() || !caps.GetTerminal() || caps.Elicitation != nil {
		t.Errorf("initialize: %+v", initialize)
	}
	if want := filepath.Join(dir, "sub"); session.Cwd != want || session.MCPServers == nil {
		t.Errorf("session: %+v, want the directory %s", session, want)
	}
}

func TestColor(t *testing.T) {
	think := func() *fakeAgent {
		return &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
			return acpv1.StopReasonEndTurn, a.update(ctx, acpv1.ThoughtText("hm"))
		}}
	}
	tests := []struct {
		name      string
		terminals []any
		env       map[string]string
		want      bool
	}{
		{"terminal", []any{true}, nil, true},
		{"no terminal", nil, nil, false},
		{"NO_COLOR", []any{true}, map[string]string{"NO_COLOR": "1"}, false},
		{"dumb terminal", []any{true}, map[string]string{"TERM": "dumb"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := (&trial{agent: think(), terminals: tt.terminals, env: tt.env}).run(t.Context(), t, "hello", "--", "agent")
			r.check(t, 0)
			if got := strings.Contains(r.stdout, "\x1b["); got != tt.want {
				t.Errorf("standard output %q: coloured %v, want %v", r.stdout, got, tt.want)
			}
		})
	}
}
