//go:build unix

package workspace_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/acpwire/acpwire/tools/acprun/internal/workspace"
)

// TestPipe checks that a named pipe does not make anybody wait.
func TestPipe(t *testing.T) {
	w, _ := open(t)
	path := filepath.Join(w.Dir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadText(path, nil, nil); !errors.Is(err, workspace.ErrNotFile) {
		t.Errorf("ReadText: error %v, want %v", err, workspace.ErrNotFile)
	}
	if err := w.WriteText(path, "x"); !errors.Is(err, workspace.ErrNotFile) {
		t.Errorf("WriteText: error %v, want %v", err, workspace.ErrNotFile)
	}
}
