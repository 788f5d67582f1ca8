//go:build unix

package server

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFilesPipe shows that a pipe that nobody uses holds nobody up.
func TestFilesPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := localFiles(dir).Read(t.Context(), "pipe", 0, 0); !errors.Is(err, ErrNotRegular) {
		t.Errorf("reading: %v", err)
	}
	if err := localFiles(dir).Write(t.Context(), "pipe", "x"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("writing: %v", err)
	}
}
