package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
)

const (
	// nodeDir is the JavaScript side, relative to this package.
	nodeDir        = "node"
	installTimeout = 5 * time.Minute
)

// requireNode returns the path of node, with the packages of node/package-lock.json installed. It skips the test where that cannot be: without node or
// npm, in short mode, and without a way to get the packages; in CI the last is a failure.
func requireNode(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short mode: the SDK is not run")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("needs Node.js: %v", err)
	}
	if err := install(); err != nil {
		if os.Getenv("CI") == "true" && !errors.Is(err, exec.ErrNotFound) {
			t.Fatal(err)
		}
		t.Skipf("the SDK is not installed: %v", err)
	}
	return node
}

// install runs npm ci, once, unless node_modules holds what the lock file says already.
var install = sync.OnceValue(func() error {
	lock, err := os.ReadFile(filepath.Join(nodeDir, "package-lock.json"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(lock)
	want := hex.EncodeToString(sum[:])
	stamp := filepath.Join(nodeDir, "node_modules", ".installed")
	if got, err := os.ReadFile(stamp); err == nil && string(got) == want {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci")
	cmd.Dir = nodeDir
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, bytes.TrimSpace(out))
	}
	return os.WriteFile(stamp, []byte(want), 0o644)
})

// TestSDKIsTheSchemasSource holds the SDK that judges to the package that our schema was derived from.
func TestSDKIsTheSchemasSource(t *testing.T) {
	source, err := schema.Source("v1")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(nodeDir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	type locked struct{ Version, Integrity string }
	var lock struct{ Packages map[string]locked }
	if err := json.Unmarshal(raw, &lock); err != nil {
		t.Fatal(err)
	}
	want := locked{source.Version, source.Integrity}
	if diff := cmp.Diff(want, lock.Packages["node_modules/"+source.Package]); diff != "" {
		t.Errorf("%s in package-lock.json: mismatch (-want +got)\n%s", source.Package, diff)
	}
}
