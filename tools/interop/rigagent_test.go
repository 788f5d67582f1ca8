package interop

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A rigAgent is our client's end of a connection to the rig's agent.
type rigAgent struct {
	*acp.ClientConn
	*editor
	session acpv1.SessionID
}

// runAgent has our client talk with the rig's agent, and fails the test for whatever the agent finds. The tap is on our end.
func (r rig) runAgent(t *testing.T, flags []string, caps *acpv1.ClientCapabilities, talk func(t *testing.T, ctx context.Context, a *rigAgent), concerns func(json.RawMessage) bool, tap acp.Tap) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report")
	cmd := exec.Command(requireNode(t), slices.Concat([]string{"ts-agent.mjs", "--report", report}, flags)...)
	cmd.Dir = string(r)
	process, err := acp.Spawn(t.Context(), cmd, &acp.SpawnOptions{Grace: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	a := &rigAgent{editor: &editor{}}
	a.ClientConn = acp.NewClient(process, a.editor, &acp.Options{Tap: tap})
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	defer cancel()
	if _, err := a.Initialize(ctx, &acpv1.InitializeRequest{ClientCapabilities: caps}); err != nil {
		t.Fatal(err)
	}
	talk(t, ctx, a)
	if err := errors.Join(a.Close(), a.Wait()); err != nil {
		t.Error(err)
	}
	if state := process.State(); !state.Success() {
		t.Errorf("the rig's agent ended with %v: %s", state, process.Stderr())
	}
	b, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Failed []json.RawMessage
		Checks []json.RawMessage
		Wire   rigWire
	}
	if err := json.Unmarshal(b, &found); err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Failed {
		t.Errorf("failed check: %s", f)
	}
	if len(found.Checks) == 0 {
		t.Error("the rig's agent has checked nothing")
	}
	found.Wire.require(t, concerns)
}

// every is for all violations, of either side.
func every(json.RawMessage) bool { return true }

// oursOnly is for violations of frames that we sent.
func oursOnly(v json.RawMessage) bool { return strings.Contains(string(v), `"dir":"`+toAgent+`"`) }

func (a *rigAgent) start(t *testing.T, ctx context.Context) {
	t.Helper()
	r, err := a.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: t.TempDir(), MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	a.session = r.SessionID
}

func (a *rigAgent) say(ctx context.Context, text string) (acpv1.StopReason, error) {
	r, err := a.Prompt(ctx, &acpv1.PromptRequest{SessionID: a.session, Prompt: acpv1.Text(text)})
	if err != nil {
		return "", err
	}
	return r.StopReason, nil
}

func (a *rigAgent) mustSay(t *testing.T, ctx context.Context, text string, want acpv1.StopReason) {
	t.Helper()
	if got, err := a.say(ctx, text); err != nil || got != want {
		t.Errorf("%s: stop reason %q (error %v), want %q", text, got, err, want)
	}
}

// judgesOurClient runs our client against the rig's agent.
func (r rig) judgesOurClient(t *testing.T) {
	tests := []struct {
		name     string
		flags    []string
		caps     *acpv1.ClientCapabilities
		talk     func(*testing.T, context.Context, *rigAgent)
		concerns func(json.RawMessage) bool
	}{
		{"full", nil, allCapabilities, rigFull, every},
		{"full without capabilities", nil, nil, rigFull, every},
		{"lifecycle", nil, allCapabilities, rigLifecycle, every},
		{"lifecycle, login required", []string{"--require-auth"}, allCapabilities, rigLifecycle, every},
		{"minimal agent", []string{"--caps", "minimal"}, allCapabilities, rigMinimal, every},
		{"cancel", nil, allCapabilities, rigCancel, every},
		{"cancel, answered with an error", []string{"--rpc-cancel-reply", "error"}, allCapabilities, rigCancel, every},
		{"load answered with null", []string{"--load-result", "null"}, allCapabilities, rigNullLoad, oursOnly},
		{"much", nil, allCapabilities, rigMuch, every},
		{"bad traffic", nil, allCapabilities, rigBad, oursOnly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tap := conform.NewTap(wire.ClientSide, &conform.Options{Closed: true}, func(f conform.Finding, _ []byte) {
				// The rig checks that bad traffic is found; here it is only ours that counts.
				if f.Severity == conform.Error && (f.By == wire.ClientSide || tt.name != "bad traffic") {
					t.Errorf("conform: %v", f)
				}
			})
			defer tap.End()
			r.runAgent(t, tt.flags, tt.caps, tt.talk, tt.concerns, tap)
		})
	}
}

func rigFull(t *testing.T, ctx context.Context, a *rigAgent) {
	a.start(t, ctx)
	a.mustSay(t, ctx, "full", acpv1.StopReasonEndTurn)
}

func rigLifecycle(t *testing.T, ctx context.Context, a *rigAgent) {
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := a.Authenticate(ctx, &acpv1.AuthenticateRequest{MethodID: "agent-login"})
	must("authenticate", err)
	a.start(t, ctx)
	_, err = a.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: a.session, ModeID: "code"})
	must("session/set_mode", err)
	_, err = a.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: a.session, ConfigID: "model", Value: &acpv1.SessionConfigSelectValue{Value: "model-2"}})
	must("session/set_config_option", err)
	_, err = a.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: a.session, ConfigID: "brave_mode", Value: &acpv1.SessionConfigBooleanValue{Value: true}})
	must("session/set_config_option", err)
	sessions, cwd := 0, ""
	for list := (&acpv1.ListSessionsRequest{}); ; {
		page, err := a.ListSessions(ctx, list)
		if must("session/list", err); err != nil {
			return
		}
		sessions += len(page.Sessions)
		for _, s := range page.Sessions {
			if s.SessionID == "sess_stored_1" {
				cwd = s.Cwd // the others' too
			}
		}
		if list.Cursor = page.NextCursor; list.Cursor == nil {
			break
		}
	}
	if sessions != 4 {
		t.Errorf("%d sessions, want 4", sessions)
	}
	a.mustSay(t, ctx, "echo hello", acpv1.StopReasonEndTurn)
	a.mustSay(t, ctx, "stop refusal", acpv1.StopReasonRefusal)
	if _, err = a.say(ctx, "error -32042"); !errors.Is(err, &acp.Error{Code: -32042}) {
		t.Errorf("error: %v, want code -32042", err)
	}
	var echo wire.Raw
	must("_rig/echo", a.Call(ctx, "_rig/echo", wire.Raw(`{"a":1}`), &echo))
	_, err = a.CloseSession(ctx, &acpv1.CloseSessionRequest{SessionID: a.session})
	must("session/close", err)
	a.take()
	_, err = a.ResumeSession(ctx, &acpv1.ResumeSessionRequest{SessionID: "sess_stored_1", Cwd: cwd})
	must("session/resume", err)
	if n := len(a.take()); n != 0 {
		t.Errorf("session/resume has %d updates, want none", n)
	}
	_, err = a.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: "sess_stored_2", Cwd: cwd, MCPServers: []acpv1.MCPServer{}})
	must("session/load", err)
	if n := len(a.take()); n != 2 {
		t.Errorf("session/load has %d updates when it returns, want 2", n)
	}
	_, err = a.DeleteSession(ctx, &acpv1.DeleteSessionRequest{SessionID: "sess_stored_3"})
	must("session/delete", err)
	_, err = a.Logout(ctx, &acpv1.LogoutRequest{})
	must("logout", err)
}

func rigMinimal(t *testing.T, ctx context.Context, a *rigAgent) {
	a.start(t, ctx)
	a.mustSay(t, ctx, "full", acpv1.StopReasonEndTurn)
	_, err := a.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: "sess_stored_1", Cwd: "/", MCPServers: []acpv1.MCPServer{}})
	if unsupported := new(acp.UnsupportedError); !errors.As(err, &unsupported) {
		t.Errorf("session/load: %v, want an UnsupportedError", err)
	}
}

func rigCancel(t *testing.T, ctx context.Context, a *rigAgent) {
	a.start(t, ctx)
	a.on(func(e *editor) {
		e.updated = func(u acpv1.SessionUpdate) {
			// Not before the agent has begun: the SDK starts the handlers of prompt and cancel at once if they come together, and cancel is the faster one.
			if _, begun := u.(*acpv1.ToolCall); !begun {
				return
			}
			if err := a.CancelPrompt(ctx, a.session); err != nil {
				t.Error(err)
			}
		}
	})
	a.mustSay(t, ctx, "wait_for_cancel", acpv1.StopReasonCancelled)

	a.on(func(e *editor) {
		e.updated = nil
		e.permission = func(own context.Context, _ *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
			if err := a.CancelPrompt(ctx, a.session); err != nil {
				t.Error(err)
			}
			<-own.Done()
			return nil, own.Err()
		}
	})
	a.mustSay(t, ctx, "cancel_pending_permission", acpv1.StopReasonCancelled)

	a.on(func(e *editor) {
		e.permission = func(own context.Context, _ *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
			<-own.Done()
			return nil, own.Err()
		}
	})
	a.mustSay(t, ctx, "rpc_cancel_permission", acpv1.StopReasonEndTurn)

	abandoned, cancel := context.WithCancel(ctx)
	defer cancel()
	a.on(func(e *editor) { e.updated = func(acpv1.SessionUpdate) { cancel() } })
	if _, err := a.say(abandoned, "wait_for_cancel"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	a.on(func(e *editor) { e.updated = nil })
	a.start(t, ctx) // one turn at a time, and the one that was given up may not have ended yet
	a.mustSay(t, ctx, "echo still here", acpv1.StopReasonEndTurn)
}

func rigNullLoad(t *testing.T, ctx context.Context, a *rigAgent) {
	_, err := a.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: "sess_stored_1", Cwd: "/tmp", MCPServers: []acpv1.MCPServer{}})
	if invalid := new(acp.ResponseError); !errors.As(err, &invalid) {
		t.Errorf("session/load answered with null: %v, want a ResponseError", err)
	}
	a.start(t, ctx)
	a.mustSay(t, ctx, "echo still here", acpv1.StopReasonEndTurn)
}

func rigMuch(t *testing.T, ctx context.Context, a *rigAgent) {
	a.start(t, ctx)
	a.mustSay(t, ctx, "echo settle", acpv1.StopReasonEndTurn) // the commands of the new session have come
	a.take()
	a.mustSay(t, ctx, "burst 2000", acpv1.StopReasonEndTurn)
	if n := len(a.take()); n != 2000 {
		t.Errorf("%d updates, want 2000", n)
	}
	a.mustSay(t, ctx, "big 4000000", acpv1.StopReasonEndTurn)
	if n := len(a.take()); n != 1 {
		t.Errorf("%d updates, want 1", n)
	}
}

func rigBad(t *testing.T, ctx context.Context, a *rigAgent) {
	a.start(t, ctx)
	a.mustSay(t, ctx, "bad", acpv1.StopReasonEndTurn)
	a.mustSay(t, ctx, "echo still here", acpv1.StopReasonEndTurn)
}
