package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/acpwire/acpwire/tools/bench/internal/process"
)

// An UnavailableError says why the official TypeScript SDK cannot be measured here.
type UnavailableError struct{ Reason string }

// Error returns the reason.
func (e *UnavailableError) Error() string { return e.Reason }

// A Node is the official TypeScript SDK, both ends of it.
type Node struct {
	program string
	dir     string
	texts   string // file
}

// NewNode finds Node.js and installs the SDK in dir, the module's folder node, if it is not there. It writes files into tmp. If that cannot be done, the
// error is an [*UnavailableError].
func NewNode(ctx context.Context, dir, tmp string) (*Node, error) {
	program, err := exec.LookPath("node")
	if err != nil {
		return nil, &UnavailableError{"Node.js is not installed"}
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@agentclientprotocol", "sdk")); err != nil {
		cmd := exec.CommandContext(ctx, "npm", "ci")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, &UnavailableError{fmt.Sprintf("npm ci in %s: %v: %s", filepath.Base(dir), err, process.LastLine(out))}
		}
	}
	b, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(tmp, "texts.json")
	return &Node{program: program, dir: dir, texts: file}, os.WriteFile(file, b, 0o600)
}

// Measure measures one turn of so many updates, between two processes.
func (n *Node) Measure(ctx context.Context, updates int) (r Result, err error) {
	out, u, err := process.Run(ctx, nil, n.program, filepath.Join(n.dir, "client.mjs"), strconv.Itoa(updates), strconv.Itoa(warmUp), n.texts)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, err
	}
	if r.Updates != updates || r.Wall <= 0 {
		return r, errors.New("the client printed no measurement")
	}
	r.Bytes = frameBytes(updates)
	r.CPU = float64(u.CPU)
	return r, nil
}
