package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// programTimeout is for one run of a program, which takes seconds.
const programTimeout = 3 * time.Minute

// build compiles a program of this module into a directory and returns its path. With race it has the race detector if the test has it: a race makes it exit with 66.
func build(t *testing.T, dir, name string, race bool) string {
	t.Helper()
	out := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	args := []string{"build", "-o", out}
	if race && raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, "../"+name)...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", name, err, said)
	}
	return out
}

// runNode runs a script of the JavaScript side and decodes what it prints. What it writes to standard error goes to the test's log if the test fails.
func runNode(t *testing.T, into any, stdin []byte, script string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, requireNode(t), append([]string{script}, args...)...)
	cmd.Dir = nodeDir
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	t.Cleanup(func() {
		if t.Failed() && stderr.Len() > 0 {
			t.Logf("%s: %s", script, stderr.Bytes())
		}
	})
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", script, err, stdout.Bytes(), stderr.Bytes())
	}
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		t.Fatalf("%s printed %s: %v", script, stdout.Bytes(), err)
	}
}

// A checker runs acpcheck, which has judges of its own.
type checker string

func buildChecker(t *testing.T, dir string) checker { return checker(build(t, dir, "acpcheck", false)) }

// requireFrames fails the test for everything that is wrong with a frame of a transcript, of either side, members that the schema does not know included.
func (c checker) requireFrames(t *testing.T, transcript string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), string(c), "validate", "--rules=false", transcript).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "0 errors, 0 warnings; 0 unknown fields ignored") {
		t.Errorf("acpcheck: %v\n%s", err, out)
	}
}

// requireConduct fails the test for everything that is wrong with the frames of one direction, by themselves or after those before them, warnings included. Rules that
// the other side broke first are left out.
func (c checker) requireConduct(t *testing.T, transcript, dir string, skip ...string) {
	t.Helper()
	args := []string{"validate", "--complete", "--format", "json", "--skip", strings.Join(skip, ","), transcript}
	if len(skip) == 0 {
		args = slices.Delete(args, 4, 6)
	}
	// Its exit status says whether there are findings, of either direction.
	out, err := exec.CommandContext(t.Context(), string(c), args...).Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("acpcheck: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		var r struct{ Type, Dir string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("acpcheck: %s: %v", line, err)
		}
		if r.Type == "finding" && (r.Dir == dir || r.Dir == "") {
			t.Errorf("acpcheck: %s", line)
		}
	}
}
