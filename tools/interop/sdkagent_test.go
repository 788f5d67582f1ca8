package interop

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// agentOptions are those of agent.mjs.
type agentOptions struct {
	Transcript   string                   `json:"transcript"`
	Capabilities *acpv1.AgentCapabilities `json:"capabilities"`
	Cancelled    string                   `json:"cancelled,omitempty"`
}

// fullAgent are all capabilities that agent.mjs has.
var fullAgent = &acpv1.AgentCapabilities{
	LoadSession:        new(true),
	PromptCapabilities: &acpv1.PromptCapabilities{Image: new(true), Audio: new(true), EmbeddedContext: new(true)},
	MCPCapabilities:    &acpv1.MCPCapabilities{HTTP: new(true), SSE: new(true)},
	SessionCapabilities: &acpv1.SessionCapabilities{
		List: &acpv1.SessionListCapabilities{}, Delete: &acpv1.SessionDeleteCapabilities{}, Resume: &acpv1.SessionResumeCapabilities{},
		Close: &acpv1.SessionCloseCapabilities{}, AdditionalDirectories: &acpv1.SessionAdditionalDirectoriesCapabilities{},
	},
	Auth: &acpv1.AgentAuthCapabilities{Logout: &acpv1.LogoutCapabilities{}},
}

// A sdkAgent is our client's end of a connection to agent.mjs.
type sdkAgent struct {
	*acp.ClientConn
	*editor
	process    *acp.Process
	checker    checker
	transcript string
	session    acpv1.SessionID
	cwd        string // of the session
}

// connect starts agent.mjs, initializes the connection and creates a session. The client is an editor.
func (c checker) connect(t *testing.T, options agentOptions, caps *acpv1.ClientCapabilities) *sdkAgent {
	t.Helper()
	return c.connectAs(t, func(e *editor) acpv1.Client { return e }, options, caps)
}

// connectAs is connect with another client.
func (c checker) connectAs(t *testing.T, handler func(*editor) acpv1.Client, options agentOptions, caps *acpv1.ClientCapabilities) *sdkAgent {
	t.Helper()
	a := &sdkAgent{editor: &editor{}, checker: c, transcript: filepath.Join(t.TempDir(), "transcript"), cwd: t.TempDir()}
	options.Transcript = a.transcript
	if options.Capabilities == nil {
		options.Capabilities = fullAgent
	}
	arg, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(requireNode(t), "agent.mjs", string(arg))
	cmd.Dir = nodeDir
	if a.process, err = acp.Spawn(t.Context(), cmd, nil); err != nil {
		t.Fatal(err)
	}
	a.ClientConn = acp.NewClient(a.process, handler(a.editor), nil)
	t.Cleanup(func() { _ = a.Close() })
	ctx := a.context(t)
	if _, err := a.Initialize(ctx, &acpv1.InitializeRequest{ClientCapabilities: caps, ClientInfo: &acpv1.Implementation{Name: "ours", Version: "1"}}); err != nil {
		t.Fatal(err)
	}
	r, err := a.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: a.cwd, MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	a.session = r.SessionID
	return a
}

func (a *sdkAgent) context(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	t.Cleanup(cancel)
	return ctx
}

// finish ends the connection and fails the test if it did not end well, the SDK had something against our frames, or anybody else has.
func (a *sdkAgent) finish(t *testing.T) conversation {
	t.Helper()
	var r struct{ Complaints []string }
	a.extension(t, "_interop/complaints", &r)
	if len(r.Complaints) > 0 {
		t.Errorf("the SDK complains: %q", r.Complaints)
	}
	a.end(t)
	a.checker.requireFrames(t, a.transcript)
	a.checker.requireConduct(t, a.transcript, toAgent)
	talk := readConversation(t, a.transcript)
	talk.requireAnswers(t)
	return talk
}

// end ends the connection and waits for the agent.
func (a *sdkAgent) end(t *testing.T) {
	t.Helper()
	if err := errors.Join(a.Close(), a.Wait()); err != nil {
		t.Error(err)
	}
	<-a.process.Exited()
	if state := a.process.State(); !state.Success() {
		t.Errorf("the agent ended with %v: %s", state, a.process.Stderr())
	}
}

func (a *sdkAgent) extension(t *testing.T, method string, into any) {
	t.Helper()
	var raw wire.Raw
	if err := a.Call(a.context(t), method, wire.Raw(`{}`), &raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// An action is what agent.mjs does in a turn.
type action map[string]any

func (a *sdkAgent) prompt(ctx context.Context, actions ...action) (acpv1.StopReason, error) {
	text, err := json.Marshal(append([]action{}, actions...))
	if err != nil {
		return "", err
	}
	r, err := a.Prompt(ctx, &acpv1.PromptRequest{SessionID: a.session, Prompt: acpv1.Text(string(text))})
	if err != nil {
		return "", err
	}
	return r.StopReason, nil
}

// mustPrompt has the agent do something and returns the answers to the calls it made.
func (a *sdkAgent) mustPrompt(t *testing.T, want acpv1.StopReason, actions ...action) []answer {
	t.Helper()
	before := a.answers(t)
	got, err := a.prompt(a.context(t), actions...)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("stop reason %q, want %q", got, want)
	}
	return a.answers(t)[len(before):]
}

// An answer is what the agent got from the client.
type answer struct {
	Result json.RawMessage
	Error  *struct{ Code int }
}

func (a *sdkAgent) answers(t *testing.T) []answer {
	t.Helper()
	var r struct{ Answers []answer }
	a.extension(t, "_interop/answers", &r)
	return r.Answers
}

// requireAnswer compares an answer with JSON text, or with the code of an error.
func requireAnswer(t *testing.T, what string, want any, got answer) {
	t.Helper()
	if code, ok := want.(int); ok {
		if got.Error == nil || got.Error.Code != code {
			t.Errorf("%s: result %s, error %v; want code %d", what, got.Result, got.Error, code)
		}
		return
	}
	if diff := diffJSON(want.(string), got.Result); diff != "" {
		t.Errorf("%s: mismatch (-want +got)\n%s(error %v)", what, diff, got.Error)
	}
}

// TestSDKAgent runs our client against an agent that is made with the official SDK.
func TestSDKAgent(t *testing.T) {
	requireNode(t)
	c := buildChecker(t, t.TempDir())
	t.Run("every method", c.everyMethod)
	t.Run("errors", c.agentErrors)
	t.Run("every update", c.everyUpdate)
	t.Run("every call", c.everyCall)
	t.Run("nothing offered", c.nothingOffered)
	t.Run("failing handler", c.failingHandler)
	t.Run("cancel", c.cancellations)
	t.Run("agent cancels its call", c.agentCancels)
	t.Run("minimal agent", c.minimalAgent)
	t.Run("much", c.muchFromSDK)
	t.Run("wrong traffic", c.wrongTraffic)
}
