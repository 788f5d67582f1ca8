package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// rigAgent returns an agent of others that is made with the official SDK. It is not part of the repository; the test is skipped where it, or what it takes, is not
// there. INTEROP_RIG may name its directory.
func rigAgent(t *testing.T) (node, script string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no Node.js: %v", err)
	}
	source := os.Getenv("INTEROP_RIG")
	if source == "" {
		source = shared(t, "INTEROP_RIG", "interop")
	}
	dir := t.TempDir()
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
	return node, filepath.Join(dir, "ts-agent.mjs")
}

// TestSuiteRig runs scenarios of every area against the official SDK. Everything would take minutes.
func TestSuiteRig(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts Node.js many times")
	}
	node, script := rigAgent(t)
	const chosen = "handshake/version-1,handshake/version-65535,handshake/version-wrong-type,malformed/not-json,malformed/batch,malformed/response,methods/unknown-request,methods/ids," +
		"sessions/close-running,sessions/list,prompts/stream,prompts/tool,prompts/updates,prompts/read,prompts/terminal,prompts/elicit,cancel/at-once,cancel/running,cancel/permission," +
		"permissions/asked,capabilities/no-read,settings/options,load/load,load/resume,concurrency/prompts,volume/slow-reader,shutdown/running"
	results, _ := runSuite(t, "test", "--timeout", "15s", "--prompt-map", "testdata/suite/rig.yaml", "--suite", chosen, "--", node, script)
	want := map[string]string{
		// Of what comes in one chunk, the SDK hands a notification over before the request that stands before it has reached its handler: the cancellation is lost.
		"cancel/at-once": "failed",
	}
	if diff := cmp.Diff(want, outcomes(t, results)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
