package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/suite"
)

// A suiteResult is a result as test and test-client print it.
type suiteResult struct {
	Type, Area, Name, Outcome, Why, Again string
	Findings                              []suiteFinding
}

// A suiteFinding is a finding of a suiteResult.
type suiteFinding struct {
	Rule, Severity, Message string
	Frames                  []string
}

func (r *suiteResult) id() string { return r.Area + "/" + r.Name }

// runSuite runs test or test-client and returns the results.
func runSuite(t *testing.T, command string, args ...string) (results []suiteResult, status int) {
	t.Helper()
	stdout, status, err := acpcheck(t, strings.NewReader(""), append([]string{command, "--format", "json"}, args...)...)
	if status == 2 {
		t.Fatal(err)
	}
	return suiteResults(t, stdout), status
}

func suiteResults(t *testing.T, stdout string) (results []suiteResult) {
	t.Helper()
	for line := range strings.Lines(stdout) {
		var r suiteResult
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if r.Type == "result" {
			results = append(results, r)
		}
	}
	return results
}

var builds struct {
	sync.Mutex
	dir  string
	done map[string]string
}

// TestMain removes what buildTool has made.
func TestMain(m *testing.M) {
	status := m.Run()
	if builds.dir != "" {
		if err := os.RemoveAll(builds.dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(status)
}

// buildTool compiles a program of this module, once, and returns its path.
func buildTool(t *testing.T, name string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if out, ok := builds.done[name]; ok {
		return out
	}
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "acpcheck-test-")
		if err != nil {
			t.Fatal(err)
		}
		builds.dir, builds.done = dir, map[string]string{}
	}
	out := filepath.Join(builds.dir, name)
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-o", out, "../"+name).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", name, err, said)
	}
	builds.done[name] = out
	return out
}

// outcomes returns the scenarios that have not passed, with their outcomes.
func outcomes(t *testing.T, results []suiteResult) map[string]string {
	t.Helper()
	other := map[string]string{}
	for i := range results {
		if r := &results[i]; r.Outcome != "passed" {
			other[r.id()] = r.Outcome
			t.Logf("%s %s %s %+v", r.Outcome, r.id(), r.Why, r.Findings)
		}
	}
	return other
}

// TestSuiteAgent runs everything against an agent that has everything. The order of the results does not depend on the order in which they came.
func TestSuiteAgent(t *testing.T) {
	results, status := runSuite(t, "test", "--jobs", "4", "--", buildTool(t, "acpagent"))
	var order []string
	for i := range results {
		order = append(order, results[i].id())
	}
	listed, _, _ := acpcheck(t, strings.NewReader(""), "test", "--list")
	var want []string
	for line := range strings.Lines(listed) {
		want = append(want, strings.Fields(line)[0])
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("the order is not that of --list, mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{}, outcomes(t, results)); diff != "" || status != 0 || len(results) < 100 {
		t.Errorf("exit status %d, %d results, mismatch (-want +got):\n%s", status, len(results), diff)
	}
}

// TestSuiteNotExercised shows that what did not happen has not passed: an agent that only repeats what it is told makes no requests.
func TestSuiteNotExercised(t *testing.T) {
	prompts := filepath.Join(t.TempDir(), "prompts.yaml")
	text := "text: hello\nread: please read {file}\nwrite: please write\nask: may I?\n"
	if err := os.WriteFile(prompts, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	results, status := runSuite(t, "test", "--prompt-map", prompts, "--suite", "permissions,prompts/read,prompts/text,prompts/plan", "--", buildTool(t, "acpagent"))
	want := map[string]string{"prompts/read": "not exercised", "prompts/plan": "not exercised"}
	for _, name := range []string{"allowed", "rejected", "unknown-option", "command-rejected", "failed", "held", "cancelled", "asked"} {
		want["permissions/"+name] = "not exercised"
	}
	if diff := cmp.Diff(want, outcomes(t, results)); diff != "" || status != 0 {
		t.Errorf("exit status %d, mismatch (-want +got):\n%s", status, diff)
	}
}

// TestSuiteOutput looks at what is printed of a failure, in each format, and at the transcript.
func TestSuiteOutput(t *testing.T) {
	agent, dir := buildTool(t, "acpagent"), t.TempDir()
	args := []string{"--suite", "prompts/tool,prompts/text", "--record", dir, "--", agent, "--fault", "tool-twice"}
	text, status, _ := acpcheck(t, strings.NewReader(""), append([]string{"test"}, args...)...)
	for _, want := range []string{
		"FAILED prompts/tool", "error TOOL-2", " test --suite prompts/tool -- " + agent + " --fault tool-twice", `"toolCallId":"call-1"`,
		"prompts               1        1        0               0", "(frame ", "rules:\n  TOOL-2: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	results, _ := runSuite(t, "test", args...)
	if len(results) != 2 || len(results[1].Findings) == 0 || len(results[1].Findings[0].Frames) == 0 {
		t.Errorf("no finding with frames: %+v", results)
	}
	junit, _, _ := acpcheck(t, strings.NewReader(""), append([]string{"test", "--format", "junit"}, args...)...)
	var doc struct {
		Suites []struct {
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Failure *struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(junit), &doc); err != nil || len(doc.Suites) != 1 || doc.Suites[0].Failures != 1 || doc.Suites[0].Cases[1].Failure.Type != "TOOL-2" {
		t.Errorf("junit: %v\n%s", err, junit)
	}
	if out, status, err := acpcheck(t, strings.NewReader(""), "validate", "--rules=false", filepath.Join(dir, "prompts-text-1.jsonl")); status != 0 {
		t.Errorf("the transcript is not valid: %v\n%s", err, out)
	}
}

// TestSuiteBadAgents shows that an agent that does not work is reported, and nothing hangs.
func TestSuiteBadAgents(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("no shell: %v", err)
	}
	tests := []struct {
		name string
		args []string
		rule string
	}{
		{"ends at once", []string{sh, "-c", "echo no key >&2; exit 3"}, "ACT-3"},
		{"silent", []string{sh, "-c", "sleep 600"}, "RPC-5"},
		{"reads nothing and floods", []string{sh, "-c", "while :; do echo noise; done"}, "TR-3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			results, status := runSuite(t, "test", append([]string{"--timeout", "100ms", "--suite", "handshake/version-1", "--"}, test.args...)...)
			if status != 1 || len(results) != 1 || len(results[0].Findings) == 0 {
				t.Fatalf("exit status %d: %+v", status, results)
			}
			if got := results[0].Findings; got[0].Rule != test.rule && got[len(got)-1].Rule != test.rule {
				t.Errorf("%s, want %s", got[0].Rule, test.rule)
			}
		})
	}
}

// TestSuiteUsage shows what is said of a command line that makes no sense.
func TestSuiteUsage(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	if err := os.WriteFile(bad, []byte("text: hello\nsing: la\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no command", []string{"test"}, "the command to test is missing"},
		{"unknown suite", []string{"test", "--suite", "singing", "--", "x"}, `unknown suite "singing"; the areas are handshake, malformed`},
		{"unknown suite left out", []string{"test", "--suite", "-singing", "--", "x"}, `unknown suite "singing"`},
		{"unknown format", []string{"test", "--format", "xml", "--", "x"}, "expected json, junit or text"},
		{"no time", []string{"test", "--timeout", "0s", "--", "x"}, "--timeout 0s"},
		{"missing map", []string{"test", "--prompt-map", filepath.Join(dir, "none"), "--", "x"}, "none"},
		{"unknown prompt", []string{"test", "--prompt-map", bad, "--", "x"}, `bad.yaml:2: unknown prompt "sing"`},
		{"no client", []string{"test-client"}, "the command to test is missing"},
		{"bridge", []string{"agent-side"}, "expected --socket"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, status, err := acpcheck(t, strings.NewReader(""), test.args...)
			if status != 2 || !strings.Contains(err.Error(), test.want) {
				t.Errorf("exit status %d, %v; want 2 and %q", status, err, test.want)
			}
		})
	}
}

// TestSuiteChoice shows what names stand for.
func TestSuiteChoice(t *testing.T) {
	all := suite.AgentScenarios()
	inArea := func(area string) (n int) {
		for i := range all {
			if all[i].Area == area {
				n++
			}
		}
		return n
	}
	load, cancel := inArea("load"), inArea("cancel")
	for list, want := range map[string]int{
		"": len(all), "load": load, "-load": len(all) - load, "load,cancel": load + cancel, "-load,-cancel/running": len(all) - load - 1, "cancel,-cancel/running": cancel - 1, "load,-load": 0,
	} {
		stdout, status, err := acpcheck(t, nil, "test", "--list", "--suite", list)
		if got := strings.Count(stdout, "\n"); got != want || status != 0 {
			t.Errorf("--suite %q lists %d scenarios, want %d; error %v", list, got, want, err)
		}
	}
}
