package interop

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A plan is what client.mjs is to do.
type plan struct {
	Transcript   string `json:"transcript"`
	Capabilities any    `json:"capabilities,omitempty"`
	Permission   string `json:"permission"`
	Elicitation  string `json:"elicitation,omitempty"`
	Content      any    `json:"content,omitempty"`
	Steps        []step `json:"steps"`

	skip []string // rules that the client is made to break
}

// A step is a request or notification of the client, and what must come of it.
type step struct {
	Method string `json:"method"`
	Params any    `json:"params"`
	Notify bool   `json:"notify,omitempty"`
	Cancel string `json:"cancel,omitempty"`
	After  int    `json:"after,omitempty"`

	// want is the result, if it is a string of JSON; the code of the error, if it is an int; and not looked at if it is nil.
	want any
	// says is what the agent's answer to a prompt has in it.
	says string
}

// A report is what client.mjs prints.
type report struct {
	Steps []struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
			Data    json.RawMessage
		}
	}
	Complaints []string
	Calls      map[string]int
	Unreleased int
	Exit       json.RawMessage
}

// allCapabilities are those that the SDK knows.
var allCapabilities = &acpv1.ClientCapabilities{
	FS:       &acpv1.FileSystemCapabilities{ReadTextFile: new(true), WriteTextFile: new(true)},
	Terminal: new(true),
	Auth:     &acpv1.AuthCapabilities{Terminal: new(true)},
	Session: &acpv1.ClientSessionCapabilities{
		ConfigOptions: &acpv1.SessionConfigOptionsCapabilities{Boolean: &acpv1.BooleanConfigOptionCapabilities{}},
		Notices:       &acpv1.NoticeCapabilities{}, Compaction: &acpv1.CompactionCapabilities{},
	},
	Elicitation: &acpv1.ElicitationCapabilities{Form: &acpv1.ElicitationFormCapabilities{}, URL: &acpv1.ElicitationURLCapabilities{}},
}

type object = map[string]any

const (
	// ours is the id of the first session of acpagent.
	ours = "session-1"
	// endTurn and cancelledTurn are results of prompts.
	endTurn       = `{"stopReason":"end_turn"}`
	cancelledTurn = `{"stopReason":"cancelled"}`
)

func initialize(caps any) step {
	return step{Method: "initialize", Params: object{"protocolVersion": 1, "clientCapabilities": caps, "clientInfo": object{"name": "sdk", "version": "1"}}}
}

func newSession(cwd string) step {
	return step{Method: "session/new", Params: object{"cwd": cwd, "mcpServers": []any{}}}
}

func about(method string, more ...any) step {
	params := object{"sessionId": ours}
	for i := 0; i < len(more); i += 2 {
		params[more[i].(string)] = more[i+1]
	}
	return step{Method: method, Params: params, want: `{}`}
}

func prompt(text, says string) step {
	s := about("session/prompt", "prompt", acpv1.Text(text))
	s.want, s.says = endTurn, says
	return s
}

func (s step) wants(want any) step { s.want = want; return s }

// cancelledBy makes the client cancel the step with the method once the agent has sent some updates.
func (s step) cancelledBy(method string, after int) step {
	s.Cancel, s.After = method, after
	return s
}

// A sdkClient runs the official client against acpagent.
type sdkClient struct {
	agent   string
	checker checker
}

// run carries out the plan and fails the test for whatever is not as it must be, on the wire or otherwise.
func (c *sdkClient) run(t *testing.T, p plan, flags ...string) (*report, conversation) {
	t.Helper()
	r, talk := c.runUnchecked(t, p, flags...)
	c.checker.requireFrames(t, p.Transcript)
	c.checker.requireConduct(t, p.Transcript, toClient, p.skip...)
	talk.requireAnswers(t)
	talk.requireOrder(t)
	if diff := cmp.Diff(`{"code":0,"signal":null}`, string(r.Exit)); diff != "" {
		t.Errorf("the agent's end: mismatch (-want +got)\n%s", diff)
	}
	return r, talk
}

// runUnchecked does not check the wire and the agent's exit status.
func (c *sdkClient) runUnchecked(t *testing.T, p plan, flags ...string) (*report, conversation) {
	t.Helper()
	stdin, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	r := &report{}
	runNode(t, r, stdin, "client.mjs", append([]string{c.agent}, flags...)...)
	if len(r.Complaints) > 0 {
		t.Errorf("the SDK complains: %q", r.Complaints)
	}
	if r.Unreleased > 0 {
		t.Errorf("%d terminals were not released", r.Unreleased)
	}
	talk := readConversation(t, p.Transcript)
	prompts := 0
	for i, s := range p.Steps {
		name := fmt.Sprintf("step %d, %s", i, s.Method)
		got := r.Steps[i]
		switch want := s.want.(type) {
		case nil:
		case string:
			if diff := diffJSON(want, got.Result); diff != "" {
				t.Errorf("%s: mismatch (-want +got)\n%s(error %v)", name, diff, got.Error)
			}
		case int:
			if got.Error == nil || got.Error.Code != want {
				t.Errorf("%s: result %s, error %v; want code %d", name, got.Result, got.Error, want)
			}
		}
		if s.Method == "session/prompt" {
			if said := talk.saidIn(t, prompts); !strings.Contains(said, s.says) {
				t.Errorf("%s: the agent says %.300q, want %q in it", name, said, s.says)
			}
			prompts++
		}
	}
	return r, talk
}

// diffJSON compares two JSON texts by what they mean. When a session was changed, which differs each time, is left out.
func diffJSON(want string, got []byte) string {
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		return err.Error() + ": " + want
	}
	if err := json.Unmarshal(got, &g); err != nil {
		return fmt.Sprintf("%v: %s\n", err, got)
	}
	if r, ok := g.(map[string]any); ok {
		sessions, _ := r["sessions"].([]any)
		for _, s := range sessions {
			delete(s.(map[string]any), "updatedAt")
		}
	}
	return cmp.Diff(w, g)
}

// TestSDKClient runs acpagent under the official client.
func TestSDKClient(t *testing.T) {
	requireNode(t)
	dir := t.TempDir()
	c := &sdkClient{agent: build(t, dir, "acpagent", true), checker: buildChecker(t, dir)}
	t.Run("every step", c.everyStep)
	t.Run("permission", c.permissions)
	t.Run("hold", c.heldPermissions)
	t.Run("cancel while a command runs", c.cancelledCommand)
	t.Run("no capabilities", c.noCapabilities)
	t.Run("elicitation", c.elicitations)
	t.Run("refusals", c.refusals)
	t.Run("login required", c.loginRequired)
	t.Run("much", c.much)
	t.Run("crash", c.crash)
}
