package interop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

func (c *sdkClient) everyStep(t *testing.T) {
	cwd := t.TempDir()
	if err := os.WriteFile(filepath.Join(cwd, "notes.txt"), []byte("one\ntwö\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	listed := func(title string) string {
		return fmt.Sprintf(`{"sessions":[{"sessionId":%q,"cwd":%q,"title":%q}]}`, ours, cwd, title)
	}
	cwdJSON, _ := json.Marshal(cwd)
	p := plan{
		Transcript: filepath.Join(t.TempDir(), "transcript"), Capabilities: allCapabilities, Permission: "allow_once",
		Elicitation: "accept", Content: form,
		Steps: []step{
			initialize(allCapabilities),
			{Method: "authenticate", Params: object{"methodId": "acpagent-login"}, want: `{}`},
			newSession(cwd),
			{Method: "session/list", Params: object{}, want: `{"sessions":[{"sessionId":"session-1","cwd":` + string(cwdJSON) + `}]}`},
			about("session/set_mode", "modeId", "auto"),
			about("session/set_mode", "modeId", "ask"),
			about("session/set_config_option", "configId", "loud", "type", "boolean", "value", true).wants(nil),
			prompt("hello", "YOU SAID: HELLO"),
			about("session/set_config_option", "configId", "loud", "type", "boolean", "value", false).wants(nil),
			about("session/set_config_option", "configId", "model", "value", "mirror").wants(nil),
			prompt("hello", "You said: olleh"),
			prompt("/help", "/stream N"),
			prompt("/echo two  words", "two  words"),
			prompt("/think hard", "That was a thought."),
			prompt("/stream 10", "1 2 3 4 5 6 7 8 9 10 "),
			prompt("/image", ""),
			prompt("/read notes.txt", "Read 2 lines of notes.txt."),
			prompt("/read missing.txt", "The client refused: "),
			prompt("/read ../notes.txt", "Not done: it is outside the session's directories."),
			prompt("/write new.txt some text", "Wrote 9 bytes to new.txt."),
			prompt("/edit new.txt some any", "Edited new.txt."),
			prompt("/read new.txt", "Read 1 lines of new.txt."),
			prompt("/run echo out; exit 3", "The command ended with exit status 3 after 1 lines of output."),
			prompt("/ask", "Your answer: allow_once."),
			prompt("/elicit form", "You accepted cone=true extras=nuts flavour=mint name=Ada scoops=1."),
			prompt("/elicit url", "You accepted."),
			prompt("/plan", "Done."),
			prompt("/mode plan", "The mode is plan now."),
			prompt("/write new.txt other text", "Not done: the mode is read-only."),
			prompt("/plan", "Done."), // the first option, after the user has left the mode
			prompt("/mode auto", "The mode is auto now."),
			prompt("/model mirror", "The model is mirror now."),
			prompt("/usage", ""),
			prompt("/updates", "Those were all."),
			prompt("/stop refusal", "").wants(`{"stopReason":"refusal"}`),
			prompt("/fail -32010 not now", "").wants(-32010),
			{Method: "_acpagent/echo", Params: object{"hello": []int{1, 2}}, want: `{"hello":[1,2]}`},
			{Method: "_acpagent/none", Params: object{}, want: acp.CodeMethodNotFound},
			{Method: "_acpagent/none", Params: object{}, Notify: true},
			prompt("/slow", "1 ").wants(cancelledTurn).cancelledBy("session/cancel", 3),
			prompt("/slow", "1 ").wants(cancelledTurn).cancelledBy("$/cancel_request", 3),
			about("session/close"),
			about("session/resume", "cwd", cwd).wants(nil),
			about("session/load", "cwd", cwd, "mcpServers", []any{}).wants(nil),
			prompt("hello", "You said: olleh"),
			{Method: "session/list", Params: object{"cwd": cwd}, want: listed("hello")},
			about("session/delete"),
			{Method: "session/list", Params: object{}, want: `{"sessions":[]}`},
			{Method: "logout", Params: object{}, want: `{}`},
		},
	}
	r, talk := c.run(t, p)
	want := map[string]int{
		"session/request_permission": 5, "fs/read_text_file": 7, "fs/write_text_file": 2, "elicitation/create": 2,
		"terminal/create": 1, "terminal/wait_for_exit": 1, "terminal/output": 1, "terminal/release": 1,
	}
	if diff := cmp.Diff(want, r.Calls); diff != "" {
		t.Errorf("calls of the client: mismatch (-want +got)\n%s", diff)
	}
	if got, err := os.ReadFile(filepath.Join(cwd, "new.txt")); string(got) != "any text" {
		t.Errorf("new.txt holds %q (error %v), want %q", got, err, "any text")
	}
	kinds := talk.kinds(t)
	for _, kind := range []string{
		"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan", "available_commands_update", "current_mode_update",
		"config_option_update", "session_info_update", "usage_update", "notice", "compaction_update", "compaction_summary_chunk",
	} {
		if kinds[kind] == 0 {
			t.Errorf("no update is a %s", kind)
		}
	}
	requireReplay(t, talk)
}

// requireReplay fails the test if load does not replay the conversation, resume does, or the commands come before the id is known.
func requireReplay(t *testing.T, talk conversation) {
	t.Helper()
	replayed := map[string]map[string]int{acpv1.MethodLoadSession: {}, acpv1.MethodResumeSession: {}, acpv1.MethodNewSession: {}}
	var during []string
	for i := range talk {
		m := &talk[i]
		switch {
		case m.isRequest() && replayed[m.Method] != nil:
			during = append(during, m.Method)
		case m.isResponse() && m.request >= 0 && replayed[talk[m.request].Method] != nil:
			during = nil
		}
		if _, kind, _ := m.update(t); kind != "" && len(during) > 0 {
			replayed[during[0]][kind]++
		}
	}
	for _, kind := range []string{"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "plan"} {
		if replayed[acpv1.MethodLoadSession][kind] == 0 {
			t.Errorf("session/load replays no %s", kind)
		}
	}
	for _, method := range []string{acpv1.MethodResumeSession, acpv1.MethodNewSession} {
		if len(replayed[method]) > 0 {
			t.Errorf("%s has updates before its response: %v", method, replayed[method])
		}
	}
}

func (c *sdkClient) permissions(t *testing.T) {
	for permission, written := range map[string]bool{"allow_once": true, "allow_always": true, "reject_once": false, "reject_always": false, "cancelled": false} {
		t.Run(permission, func(t *testing.T) {
			t.Parallel()
			cwd := t.TempDir()
			answer := permission
			if permission == "cancelled" {
				answer = "reject_once" // what is no answer is a rejection
			}
			says := map[bool]string{true: "Wrote 4 bytes to new.txt.", false: "Not written: you did not allow it."}[written]
			c.run(t, plan{
				Transcript: filepath.Join(t.TempDir(), "transcript"), Capabilities: allCapabilities, Permission: permission,
				skip:  map[bool][]string{true: {"PERM-3"}}[permission == "cancelled"], // it does not cancel the turn
				Steps: []step{initialize(allCapabilities), newSession(cwd), prompt("/ask", "Your answer: "+answer+"."), prompt("/write new.txt text", says)},
			})
			_, err := os.Stat(filepath.Join(cwd, "new.txt"))
			if written && err != nil || !written && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("new.txt: %v, want it to exist: %v", err, written)
			}
		})
	}
}

func (c *sdkClient) heldPermissions(t *testing.T) {
	const never = 1000 // updates; the permission comes first
	for _, method := range []string{"session/cancel", "$/cancel_request"} {
		t.Run(filepath.Base(method), func(t *testing.T) {
			t.Parallel()
			r, _ := c.run(t, plan{
				Transcript: filepath.Join(t.TempDir(), "transcript"), Capabilities: allCapabilities, Permission: "hold",
				Steps: []step{
					initialize(allCapabilities), newSession(t.TempDir()),
					prompt("/ask", "").wants(cancelledTurn).cancelledBy(method, never), prompt("/run true", "").wants(cancelledTurn).cancelledBy(method, never), prompt("hello", "You said: hello"),
				},
			})
			if diff := cmp.Diff(map[string]int{"session/request_permission": 2}, r.Calls); diff != "" {
				t.Errorf("calls of the client: mismatch (-want +got)\n%s", diff)
			}
		})
	}
}

func (c *sdkClient) cancelledCommand(t *testing.T) {
	const announced, running = 1, 2 // after so many updates
	for _, method := range []string{"session/cancel", "$/cancel_request"} {
		t.Run(filepath.Base(method), func(t *testing.T) {
			t.Parallel()
			run := prompt("/run sleep 600", "").wants(cancelledTurn)
			c.run(t, plan{
				Transcript: filepath.Join(t.TempDir(), "transcript"), Capabilities: allCapabilities, Permission: "allow_always",
				Steps: []step{initialize(allCapabilities), newSession(t.TempDir()), prompt("/run true", ""), run.cancelledBy(method, announced), run.cancelledBy(method, running), prompt("hello", "You said: hello")},
			})
		})
	}
}

func (c *sdkClient) noCapabilities(t *testing.T) {
	r, talk := c.run(t, plan{
		Transcript: filepath.Join(t.TempDir(), "transcript"), Permission: "allow_once",
		Steps: []step{
			initialize(object{}), newSession(t.TempDir()),
			prompt("/read a", "Not done: it does not exist."),
			prompt("/write a b", "Wrote 1 bytes to a."),
			prompt("/run cat a", "The command ended with exit status 0 after 1 lines of output."),
			prompt("/elicit form", "The client does not offer elicitation.form."),
			prompt("/elicit url", "The client does not offer elicitation.url."),
			prompt("/ask", "Your answer: allow_once."),
			prompt("/updates", "Those were all."),
		},
	})
	if diff := cmp.Diff(map[string]int{"session/request_permission": 3}, r.Calls); diff != "" {
		t.Errorf("calls of the client: mismatch (-want +got)\n%s", diff)
	}
	for _, kind := range []string{"notice", "compaction_update", "compaction_summary_chunk"} {
		if n := talk.kinds(t)[kind]; n > 0 {
			t.Errorf("%d updates are a %s, which was not asked for", n, kind)
		}
	}
	for i := range talk {
		if strings.Contains(string(talk[i].Result), `"boolean"`) {
			t.Errorf("a boolean option, which was not asked for: %s", talk[i].Result)
		}
	}
}

// form is what the client fills in.
var form = object{"flavour": "mint", "name": "Ada", "scoops": 1, "cone": true, "extras": []string{"nuts"}}

func (c *sdkClient) elicitations(t *testing.T) {
	for action, says := range map[string]string{"accept": "You accepted", "decline": "You declined.", "cancel": "You cancelled."} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			r, talk := c.run(t, plan{
				Transcript: filepath.Join(t.TempDir(), "transcript"), Capabilities: allCapabilities, Elicitation: action, Content: form,
				Steps: []step{initialize(allCapabilities), newSession(t.TempDir()), prompt("/elicit form", says), prompt("/elicit url", says)},
			})
			if diff := cmp.Diff(map[string]int{"elicitation/create": 2}, r.Calls); diff != "" {
				t.Errorf("calls of the client: mismatch (-want +got)\n%s", diff)
			}
			completed := 0
			for i := range talk {
				if talk[i].Method == acpv1.MethodCompleteElicitation {
					completed++
				}
			}
			if want := map[string]int{"accept": 1}[action]; completed != want {
				t.Errorf("%d elicitations were completed, want %d", completed, want)
			}
		})
	}
}

// refusals: what the client must not ask for is refused, and the agent goes on.
func (c *sdkClient) refusals(t *testing.T) {
	cwd := t.TempDir()
	p := plan{
		Transcript: filepath.Join(t.TempDir(), "transcript"),
		Steps: []step{
			about("session/prompt", "prompt", acpv1.Text("hello")).wants(acp.CodeInvalidRequest),
			initialize(object{}),
			{Method: "authenticate", Params: object{"methodId": "none"}, want: acp.CodeInvalidParams},
			newSession("relative").wants(acp.CodeInvalidParams),
			newSession(cwd),
			{Method: "session/new", Params: object{"cwd": cwd}, want: acp.CodeInvalidParams},
			about("session/set_mode", "modeId", "none").wants(acp.CodeInvalidParams),
			about("session/set_config_option", "configId", "model", "value", "none").wants(acp.CodeInvalidParams),
			about("session/set_config_option", "configId", "none", "value", "none").wants(acp.CodeInvalidParams),
			about("session/set_config_option", "configId", "loud", "type", "boolean", "value", true).wants(acp.CodeInvalidParams),
			about("session/load", "cwd", "/elsewhere", "mcpServers", []any{}).wants(acp.CodeInvalidParams),
			{Method: "session/list", Params: object{"cursor": "none"}, want: acp.CodeInvalidParams},
			{Method: "no_such/method", Params: object{}, want: acp.CodeMethodNotFound},
			{Method: "session/request_permission", Params: object{}, want: acp.CodeMethodNotFound},
			about("session/prompt").wants(acp.CodeInvalidParams),
			about("session/prompt", "prompt", []object{{"type": "video"}}).wants(acp.CodeInvalidParams),
			about("session/close"),
			about("session/prompt", "prompt", acpv1.Text("hello")).wants(acp.CodeResourceNotFound),
			about("session/set_mode", "modeId", "auto").wants(acp.CodeResourceNotFound),
			about("session/delete"),
			about("session/load", "cwd", cwd, "mcpServers", []any{}).wants(acp.CodeResourceNotFound),
			newSession(cwd),
		},
	}
	_, talk := c.runUnchecked(t, p)
	c.checker.requireConduct(t, p.Transcript, toClient)
	talk.requireAnswers(t)
}

func (c *sdkClient) loginRequired(t *testing.T) {
	cwd := t.TempDir()
	c.run(t, plan{
		Transcript: filepath.Join(t.TempDir(), "transcript"),
		Steps: []step{
			initialize(object{}),
			newSession(cwd).wants(acp.CodeAuthRequired),
			{Method: "session/list", Params: object{}, want: acp.CodeAuthRequired},
			{Method: "authenticate", Params: object{"methodId": "acpagent-login"}, want: `{}`},
			newSession(cwd),
			prompt("hello", "You said: hello"),
			{Method: "logout", Params: object{}, want: `{}`},
			prompt("hello", "").wants(acp.CodeAuthRequired),
		},
	}, "--require-auth")
}

func (c *sdkClient) much(t *testing.T) {
	const chunks, size = 2000, 4 << 20
	var counted strings.Builder
	for i := range chunks {
		fmt.Fprintf(&counted, "%d ", i+1)
	}
	long := strings.Repeat("wörd ", size/6)
	c.run(t, plan{
		Transcript: filepath.Join(t.TempDir(), "transcript"),
		Steps:      []step{initialize(object{}), newSession(t.TempDir()), prompt(fmt.Sprintf("/stream %d", chunks), counted.String()), prompt("/echo "+long, strings.TrimSpace(long))},
	})
}

func (c *sdkClient) crash(t *testing.T) {
	p := plan{Transcript: filepath.Join(t.TempDir(), "transcript"), Steps: []step{initialize(object{}), newSession(t.TempDir()), prompt("/crash", "").wants(nil)}}
	r, _ := c.runUnchecked(t, p)
	c.checker.requireConduct(t, p.Transcript, toClient)
	if r.Steps[2].Error == nil {
		t.Errorf("the prompt has the result %s", r.Steps[2].Result)
	}
	if diff := cmp.Diff(`{"code":3,"signal":null}`, string(r.Exit)); diff != "" {
		t.Errorf("the agent's end: mismatch (-want +got)\n%s", diff)
	}
}
