package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

// A meeting is the rig's client with the rig's agent, which both are on the official SDK.
type meeting struct {
	name   string
	client []string
	agent  []string
	exit   int // what the client thinks of it: see the rig's description
}

// goodMeetings are the rig's scenarios in which nobody means to break a rule. They include what its own self-test runs over standard input and output.
var goodMeetings = []meeting{
	{"all steps, all scenarios", []string{"--steps", "all", "--prompt", "full"}, nil, 0},
	{"all steps, minimal agent", []string{"--steps", "all"}, []string{"--caps", "minimal"}, 0},
	{"minimal client", []string{"--steps", "new,prompt", "--prompt", "full", "--caps", noClient}, nil, 0},
	{"minimal client and agent", []string{"--steps", "all", "--prompt", "full", "--caps", noClient}, []string{"--caps", "minimal"}, 0},
	{"login required", []string{"--steps", "new"}, []string{"--require-auth"}, 1},
	{"login expected", []string{"--steps", "new", "--expect-error", "new:-32000"}, []string{"--require-auth"}, 0},
	{"login", []string{"--steps", rigSteps, "--prompt", "full"}, []string{"--require-auth"}, 0},
	{"load answered with null", []string{"--steps", "load", "--session", "sess_stored_1"}, []string{"--load-result", "null"}, 2},
	// A prompt comes first, so that it is an update of the turn that brings the cancellation on, not one of the new session: the SDK handles a cancellation that
	// comes with its prompt before that.
	{"held permission, cancel", []string{"--steps", "new,prompt,cancel", "--permission", "hold", "--cancel-prompt", "cancel_pending_permission"}, nil, 0},
	{"held permission, withdrawn", []string{"--steps", "new,prompt", "--permission", "hold", "--prompt", "rpc_cancel_permission"}, nil, 0},
	{"cancel", []string{"--steps", "new,prompt,cancel,prompt"}, nil, 0},
	{"rpc cancel, a result", []string{"--steps", "new,prompt,rpc_cancel"}, []string{"--rpc-cancel-reply", "result"}, 0},
	{"rpc cancel, an error", []string{"--steps", "new,prompt,rpc_cancel"}, []string{"--rpc-cancel-reply", "error"}, 0},
	{"burst", []string{"--steps", "new,prompt", "--prompt", "burst 2000"}, nil, 0},
	{"big", []string{"--steps", "new,prompt", "--prompt", "big 4000000"}, nil, 0},
	{"updates", []string{"--steps", "new,prompt", "--prompt", "session_updates", "--prompt", "content", "--prompt", "tool_calls"}, nil, 0},
	{"permission reject", []string{"--steps", "new,prompt", "--prompt", "permission", "--permission", "reject"}, nil, 0},
	{"permission cancel", []string{"--steps", "new,prompt", "--prompt", "permission", "--permission", "cancel"}, nil, 0},
	{"permission always", []string{"--steps", "new,prompt", "--prompt", "permission", "--permission", "always"}, nil, 0},
	{"elicitation accept", []string{"--steps", "new,prompt", "--prompt", "elicitations", "--elicitation", "accept"}, nil, 0},
	{"elicitation decline", []string{"--steps", "new,prompt", "--prompt", "elicitations", "--elicitation", "decline"}, nil, 0},
	{"elicitation cancel", []string{"--steps", "new,prompt", "--prompt", "elicitations", "--elicitation", "cancel"}, nil, 0},
	{"files and terminals", []string{"--steps", "new,prompt", "--prompt", "fs", "--prompt", "terminal"}, nil, 0},
	{"extensions", []string{"--steps", "new,ext,ext_notify,prompt", "--prompt", "ext"}, nil, 0},
	{"stop reasons", []string{"--steps", "new,prompt", "--prompt", "stop max_tokens", "--prompt", "stop refusal"}, nil, 0},
	{"refused prompt", []string{"--steps", "new,prompt", "--prompt", "error -32042", "--expect-error", "prompt:-32042"}, nil, 0},
	{"stored sessions", []string{"--steps", "resume,load,delete,list", "--session", "sess_stored_2", "--cwd", "/tmp"}, nil, 0},
	{"later version", []string{"--steps", "new,prompt", "--protocol-version", "2"}, nil, 0},
	{"more directories and servers", []string{"--steps", "new,prompt", "--additional-dir", "/a", "--mcp",
		`[{"name":"m","command":"/bin/m","args":[],"env":[]},{"type":"http","name":"h","url":"https://example.com","headers":[]}]`}, nil, 0},
	{"slow agent", []string{"--steps", "new,prompt", "--prompt", "full"}, []string{"--delay", "5"}, 0},
}

// TestGoodMeetings has the official client and the official agent go through all the rig's good scenarios. No rule says that one of them is in error.
func TestGoodMeetings(t *testing.T) {
	r := requireRig(t)
	acpcheck := build(t, t.TempDir(), "acpcheck", false)
	for _, m := range goodMeetings {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			requireNoErrors(t, r.meet(t, acpcheck, m))
		})
	}
}

// badCases are the faults that the rig's agent makes on demand, and the rule of each.
var badCases = map[string]string{
	"unknown_update":      "schema error",
	"unknown_kind":        "schema error",
	"missing_field":       "schema error",
	"bad_item":            "schema error",
	"extra_field":         "EXT-1 warning",
	"orphan_update":       "TOOL-1 warning",
	"unknown_session":     "SESS-3 warning",
	"relative_location":   "TOOL-4 error",
	"partial_config":      "CFG-3 warning",
	"unknown_mode":        "MODE-2 warning",
	"unknown_terminal":    "TOOL-5 error",
	"unknown_elicitation": "ELI-5 error",
	"unknown_method":      "EXT-2 error",
	"relative_path":       "FS-2 error",
	"released_terminal":   "TERM-7 error",
	"bad_params":          "schema error",
	"batch":               "TR-5 error",
	"garbage":             "TR-3 error",
	"scalar":              "TR-3 error",
	"blank":               "TR-3 warning",
	"bad_version":         "TR-3 error",
	"unknown_response":    "RPC-3 error",
	// A carriage return at the end of a line is white space of JSON: no rule forbids it.
	"crlf": "",
}

// leftOpen is for cases that announce a call and end the turn without ending it, which is another rule's business.
var leftOpen = []string{"relative_location", "unknown_kind", "unknown_terminal"}

// TestBadMeetings has the official agent break one rule at a time. That rule is found, and nothing else.
func TestBadMeetings(t *testing.T) {
	r := requireRig(t)
	acpcheck := build(t, t.TempDir(), "acpcheck", false)
	if diff := cmp.Diff(r.knownCases(t), slices.Sorted(maps.Keys(badCases))); diff != "" {
		t.Errorf("mismatch (-the rig's +the table's):\n%s", diff)
	}
	for name, want := range badCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := r.meet(t, acpcheck, meeting{client: []string{"--steps", "new,prompt", "--prompt", "bad " + name}, exit: -1})
			wants := []string{}
			if want != "" {
				wants = append(wants, want)
			}
			if slices.Contains(leftOpen, name) {
				wants = append(wants, "TURN-3 warning")
			}
			slices.Sort(wants)
			if diff := cmp.Diff(wants, brief(found, wire.AgentSide)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s\n%v", diff, found)
			}
			if ours := brief(found, wire.ClientSide); len(ours) > 0 {
				t.Errorf("false alarm about the client: %v", ours)
			}
		})
	}
}

// knownCases are the cases that the rig's agent names when it is asked for one that it does not have.
func (r rig) knownCases(t *testing.T) []string {
	t.Helper()
	args := []string{"ts-client.mjs", "--cwd", t.TempDir(), "--steps", "new,prompt", "--prompt", "bad none", "--no-strict", "--", "node", "ts-agent.mjs"}
	out, _ := r.client(t, args)
	var s struct {
		Steps []struct {
			Error struct{ Data struct{ Known []string } }
		}
	}
	if err := json.Unmarshal(out, &s); err != nil || len(s.Steps) == 0 {
		t.Fatalf("the rig's client: %v\n%s", err, out)
	}
	known := s.Steps[len(s.Steps)-1].Error.Data.Known
	slices.Sort(known)
	return known
}

// brief are the rules that one side has broken, each once, in the order of their names.
func brief(found []conform.Finding, by wire.Side) []string {
	seen := map[string]bool{}
	for _, f := range found {
		if f.By == by {
			seen[f.Rule+" "+f.Severity.String()] = true
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(seen))...)
}

// TestMeetingsOverTheNetwork has the official client and agent talk over HTTP and over a WebSocket.
func TestMeetingsOverTheNetwork(t *testing.T) {
	r := requireRig(t)
	urls := r.serve(t)
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "frames.jsonl")
			out, err := r.client(t, []string{"ts-client.mjs", "--cwd", t.TempDir(), "--frames", file, "--steps", "all", "--prompt", "full", "--url", url})
			if err != nil {
				t.Fatalf("the rig's client: %v\n%s", err, out)
			}
			requireNoErrors(t, judgeRecord(t, file, &conform.Options{Closed: true}))
		})
	}
}

// serve runs the rig's agent as a server until the test ends, and returns its addresses by their names.
func (r rig) serve(t *testing.T) map[string]string {
	t.Helper()
	cmd := exec.Command(requireNode(t), "ts-agent.mjs", "--http", "0")
	cmd.Dir = string(r)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var urls map[string]string
	if err := json.Unmarshal(line, &urls); err != nil || len(urls) != 2 {
		t.Fatalf("%s: %v", line, err)
	}
	return urls
}

// meet runs the rig's client in front of acpcheck tap in front of the rig's agent, and returns what the rules say of the bytes that went by.
func (r rig) meet(t *testing.T, acpcheck string, m meeting) []conform.Finding {
	t.Helper()
	dir := t.TempDir()
	record, said := filepath.Join(dir, "t.jsonl"), filepath.Join(dir, "report")
	args := []string{"ts-client.mjs", "--cwd", dir, "--agent-stderr", "ignore"}
	args = append(args, m.client...)
	args = append(args, "--", acpcheck, "tap", "--record", record, "--report", said, "--", requireNode(t), "ts-agent.mjs")
	out, err := r.client(t, append(args, m.agent...))
	if exit := exitOf(err); m.exit >= 0 && exit != m.exit {
		t.Errorf("the rig's client ends with status %d, want %d: %v\n%s", exit, m.exit, err, out)
	}
	report, err := os.ReadFile(said)
	if err != nil || !strings.Contains(string(report), "the agent ended with exit status 0") {
		t.Errorf("the tap: %v\n%s", err, report)
	}
	return judgeRecord(t, record, &conform.Options{Closed: true})
}

// client runs the rig's client and returns what it prints.
func (r rig) client(t *testing.T, args []string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, requireNode(t), args...)
	cmd.Dir = string(r)
	cmd.WaitDelay = time.Second
	return cmd.Output()
}

// exitOf is the exit status that the error of a command stands for.
func exitOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// requireNoErrors fails the test for findings of severity error, and logs the others.
func requireNoErrors(t *testing.T, found []conform.Finding) {
	t.Helper()
	for _, f := range found {
		if f.Severity == conform.Error {
			t.Errorf("conform: %v", f)
		} else {
			t.Logf("conform: %v", f)
		}
	}
}

// judgeRecord holds a transcript to the rules.
func judgeRecord(t *testing.T, name string, opts *conform.Options) []conform.Finding {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := conform.New(opts)
	var found []conform.Finding
	frames := map[wire.Side]int{}
	for line := range bytes.Lines(text) {
		var entry struct {
			Dir     string
			T       float64
			Raw     *string
			Message json.RawMessage
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
		from := wire.ClientSide
		if entry.Dir == toClient {
			from = wire.AgentSide
		}
		frame := []byte(entry.Message)
		if entry.Raw != nil {
			frame = []byte(*entry.Raw)
		}
		frames[from]++
		c.At(time.Duration(entry.T * float64(time.Millisecond)))
		found = append(found, c.Frame(from, frame)...)
	}
	if frames[wire.ClientSide] == 0 || frames[wire.AgentSide] == 0 {
		t.Errorf("%s has %v frames: there must be some in both directions", name, fmt.Sprint(frames))
	}
	return append(found, c.End()...)
}
