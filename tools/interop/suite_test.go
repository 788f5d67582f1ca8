package interop

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// suiteOutcomes runs acpcheck test or test-client, and returns the scenarios that have not passed, with their outcomes, and how many there were.
func suiteOutcomes(t *testing.T, args ...string) (other map[string]string, total int) {
	t.Helper()
	c := buildChecker(t, t.TempDir())
	cmd := exec.CommandContext(t.Context(), string(c), slices.Insert(args, 1, "--format", "json", "--timeout", "30s")...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("acpcheck: %v\n%s", err, out)
	}
	other = map[string]string{}
	for line := range strings.Lines(string(out)) {
		var r struct{ Type, Area, Name, Outcome string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("acpcheck: %s: %v", line, err)
		}
		if r.Type != "result" {
			continue
		}
		total++
		if r.Outcome != "passed" {
			other[r.Area+"/"+r.Name] = r.Outcome
			t.Logf("acpcheck: %s", line)
		}
	}
	return other, total
}

// TestSuiteOnSDKAgent has acpcheck go through all its scenarios with an agent on the official SDK.
func TestSuiteOnSDKAgent(t *testing.T) {
	node := requireNode(t)
	other, total := suiteOutcomes(t, "test", "--", node, filepath.Join(nodeDir, "suite-agent.mjs"))
	if diff := cmp.Diff(map[string]string{}, other); diff != "" || total < 120 {
		t.Errorf("%d scenarios, mismatch (-want +got):\n%s", total, diff)
	}
}

// TestSuiteOnSDKClient is the same for a client on the official SDK.
func TestSuiteOnSDKClient(t *testing.T) {
	node := requireNode(t)
	other, total := suiteOutcomes(t, "test-client", "--", node, filepath.Join(nodeDir, "suite-client.mjs"), "{prompt}", "{agent...}")
	want := map[string]string{
		// What it does not offer, a client of this kind cannot be asked for.
		"files/unadvertised": "not exercised", "elicitation/unadvertised": "not exercised",
	}
	if diff := cmp.Diff(want, other); diff != "" || total < 30 {
		t.Errorf("%d scenarios, mismatch (-want +got):\n%s", total, diff)
	}
}
