package interop

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A rig is a directory with ts-client.mjs, which drives an agent, and ts-agent.mjs, an agent that judges its client.
type rig string

// TestRig has the rig judge both of our sides.
func TestRig(t *testing.T) {
	r := requireRig(t)
	t.Run("client", r.drivesOurAgent)
	t.Run("agent", r.judgesOurClient)
}

// requireRig returns a copy of a rig of others that drives either side with the official SDK, with its packages installed. The rig is not part of the repository;
// the test is skipped where it, or what it takes, is not there. INTEROP_RIG may name its directory.
func requireRig(t *testing.T) rig {
	t.Helper()
	requireNode(t)
	source := os.Getenv("INTEROP_RIG")
	if source == "" {
		source = filepath.Join("..", "..", "..", "shared", "interop") // beside the module
	}
	if _, err := os.Stat(filepath.Join(source, "ts-client.mjs")); err != nil {
		t.Skipf("no interop rig: set INTEROP_RIG to its directory to run this test: %v", err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefer-offline", "--ignore-scripts")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the rig's packages cannot be installed: npm install: %v\n%s", err, out)
	}
	return rig(dir)
}

// rigWire is what the rig says of the frames.
type rigWire struct {
	Frames     map[string]int
	Violations []json.RawMessage
	Unanswered map[string][]string
}

// require fails the test for violations that concern it, and for requests without an answer.
func (w *rigWire) require(t *testing.T, concerns func(json.RawMessage) bool) {
	t.Helper()
	for _, v := range w.Violations {
		if concerns(v) {
			t.Errorf("violation: %s", v)
		}
	}
	for dir, requests := range w.Unanswered {
		if len(requests) > 0 {
			t.Errorf("not answered, %s: %q", dir, requests)
		}
	}
	if w.Frames[toAgent] == 0 || w.Frames[toClient] == 0 {
		t.Errorf("%v frames: there must be some in both directions", w.Frames)
	}
}
