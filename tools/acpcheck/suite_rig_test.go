package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// rigDir returns a directory with an agent and a client of others that are made with the official SDK. It is not part of the repository; the test is skipped where it,
// or what it takes, is not there. INTEROP_RIG may name its directory.
func rigDir(t *testing.T) (node, dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts Node.js many times")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no Node.js: %v", err)
	}
	source := os.Getenv("INTEROP_RIG")
	if source == "" {
		source = shared(t, "INTEROP_RIG", "interop")
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Skipf("no interop rig: set INTEROP_RIG to its directory to run this test: %v", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the rig's packages cannot be installed: npm install: %v\n%s", err, out)
	}
	return node, dir
}

// An expectation is a scenario that does not pass, and why that is right.
type expectation struct{ scenario, outcome, why string }

// expect compares results with what is expected of them. An expectation for a scenario that was run and has passed is a failure.
func expect(t *testing.T, results []suiteResult, expected []expectation) {
	t.Helper()
	want := map[string]string{}
	for _, e := range expected {
		if slices.ContainsFunc(results, func(r suiteResult) bool { return r.id() == e.scenario }) {
			want[e.scenario] = e.outcome
		}
	}
	if diff := cmp.Diff(want, outcomes(t, results)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// rigSuites returns the flag that chooses some scenarios, or none if ACPCHECK_RIG is "all": everything takes minutes, because the rig takes a second to start.
func rigSuites(t *testing.T, some ...string) []string {
	t.Helper()
	if os.Getenv("ACPCHECK_RIG") == "all" {
		return nil
	}
	t.Log("some scenarios only; set ACPCHECK_RIG=all to run all of them")
	return []string{"--suite", strings.Join(some, ",")}
}

const neverAsks = "the agent asks for permission and does nothing, or does something and does not ask"

// rigAgentExpected is what does not pass with the rig's agent. All scenarios pass with the agent on the official SDK in tools/interop.
var rigAgentExpected = []expectation{
	{"cancel/at-once", "failed", "the agent's wait_for_cancel sends an update before it begins to listen for the end of its turn; a turn that has ended by then waits for ever. " +
		"The SDK hands both frames over in their order"},
	{"sessions/delete-running", "not exercised", "session/delete leaves a turn running, which no text forbids"},
	{"prompts/read-refused", "not exercised", "the agent reads what it has written, and writing is refused first"},
	{"cancel/stream", "not exercised", "a burst is written without a look at what comes in, and ends before it is cancelled"},
	{"cancel/terminal", "not exercised", "the agent has no command that goes on"},
	{"settings/mode-by-agent", "not exercised", "the agent does not change its mode"},
	{"permissions/allowed", "not exercised", neverAsks},
	{"permissions/rejected", "not exercised", neverAsks},
	{"permissions/unknown-option", "not exercised", neverAsks},
	{"permissions/command-rejected", "not exercised", neverAsks},
	{"permissions/failed", "not exercised", neverAsks},
	{"permissions/held", "not exercised", neverAsks},
	{"permissions/cancelled", "not exercised", neverAsks},
}

// TestSuiteRig runs scenarios of every area against an agent of others on the official SDK.
func TestSuiteRig(t *testing.T) {
	t.Parallel()
	node, dir := rigDir(t)
	args := rigSuites(t, "handshake/version-1", "malformed/batch", "methods/ids", "sessions/close-running", "prompts/updates", "prompts/read", "prompts/terminal", "cancel/at-once",
		"cancel/running", "permissions/asked", "permissions/held", "settings/options", "load/load", "volume/slow-reader")
	args = slices.Concat([]string{"--timeout", "8s", "--prompt-map", "testdata/suite/rig.yaml"}, args, []string{"--", node, filepath.Join(dir, "ts-agent.mjs")})
	results, _ := runSuite(t, "test", args...)
	expect(t, results, rigAgentExpected)
	if len(results) < 14 {
		t.Errorf("%d results, want 14 or more", len(results))
	}
}

// rigClientExpected is what does not pass with the rig's client.
var rigClientExpected = []expectation{
	{"files/outside", "warned", "the client reads every file that its user can read, which the specification advises against and does not forbid"},
	{"files/unadvertised", "not exercised", "the client offers everything"},
	{"elicitation/unadvertised", "not exercised", "the client offers everything"},
	{"turns/cancel", "not exercised", "the client does not cancel in this mode"},
	{"permissions/cancelled", "not exercised", "the client does not cancel in this mode"},
}

// TestSuiteRigClient is the same for a client.
func TestSuiteRigClient(t *testing.T) {
	t.Parallel()
	node, dir := rigDir(t)
	args := rigSuites(t, "turns/end", "permissions/ask", "files/write-read", "files/outside", "terminals/kill", "updates/unknown", "methods/malformed")
	// Clients start what they find as os.Executable, which in a test is the test.
	args = slices.Concat([]string{"test-client", "--format", "json", "--timeout", "10s"}, args,
		[]string{"--", node, filepath.Join(dir, "ts-client.mjs"), "--steps", "new,prompt", "--cwd", t.TempDir(), "--prompt", "{prompt}", "--", "{agent...}"})
	out, err := exec.CommandContext(t.Context(), buildTool(t, "acpcheck"), args...).Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("acpcheck: %v\n%s", err, out)
	}
	results := suiteResults(t, string(out))
	expect(t, results, rigClientExpected)
	if len(results) < 7 {
		t.Errorf("%d results, want 7 or more", len(results))
	}
}

// TestExpectationsHaveReasons keeps the tables from growing without thought: each scenario exists, is there once, and has a reason.
func TestExpectationsHaveReasons(t *testing.T) {
	for name, list := range map[string][]expectation{"agent": rigAgentExpected, "client": rigClientExpected} {
		listed, _, err := acpcheck(t, strings.NewReader(""), map[string]string{"agent": "test", "client": "test-client"}[name], "--list")
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for line := range strings.Lines(listed) {
			known[strings.Fields(line)[0]] = true
		}
		seen := map[string]bool{}
		for _, e := range list {
			if !known[e.scenario] || seen[e.scenario] || e.why == "" || e.outcome == "passed" {
				t.Errorf("%s: the expectation %+v is for an unknown scenario, or there twice, or without a reason; known: %v", name, e, slices.Sorted(maps.Keys(known)))
			}
			seen[e.scenario] = true
		}
	}
}
