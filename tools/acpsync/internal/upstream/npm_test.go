package upstream_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream"
)

// fakeNPM puts a shell script called npm in front of the path, and temporary files into a directory of the test's own.
func fakeNPM(t *testing.T, script string) (tmp string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for npm is a shell script")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	tmp = t.TempDir()
	t.Setenv("TMPDIR", tmp)
	return tmp
}

func TestPack(t *testing.T) {
	record := filepath.Join(t.TempDir(), "args")
	t.Setenv("RECORD", record)
	tmp := fakeNPM(t, `printf '%s\n' "$@" > "$RECORD"; printf tarball > "$5/x.tgz"`)
	got, err := upstream.Pack(t.Context(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, []byte("tarball")) {
		t.Errorf("got %q", got)
	}
	args, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(args))
	want := []string{"pack", "--silent", "--ignore-scripts", "--pack-destination", lines[4], "@agentclientprotocol/sdk@1.2.3"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("arguments: mismatch (-want +got):\n%s", diff)
	}
	if filepath.Dir(lines[4]) != tmp {
		t.Errorf("npm works in %s, not below %s", lines[4], tmp)
	}
	wantEmpty(t, tmp)
}

func TestPackFails(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"npm fails", `echo one >&2; echo two >&2; echo three >&2; echo four >&2; exit 7`, "exit status 7: two; three; four"},
		{"npm fails silently", `exit 1`, "exit status 1"},
		{"no tarball", `exit 0`, "one tarball expected, 0 found"},
		{"two tarballs", `: > "$5/a.tgz"; : > "$5/b.tgz"`, "one tarball expected, 2 found"},
		{"a directory", `mkdir "$5/a.tgz"`, "not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tmp := fakeNPM(t, tt.script)
			got, err := upstream.Pack(t.Context(), "1.2.3")
			if got != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, error %v; want an error with %q", got, err, tt.want)
			}
			wantEmpty(t, tmp)
		})
	}
}

func TestPackRunsNothingForARange(t *testing.T) {
	record := filepath.Join(t.TempDir(), "ran")
	t.Setenv("RECORD", record)
	fakeNPM(t, `: > "$RECORD"`)
	if _, err := upstream.Pack(t.Context(), "latest"); !errors.Is(err, upstream.ErrVersion) {
		t.Errorf("error %v; want an ErrVersion", err)
	}
	if _, err := os.Stat(record); err == nil {
		t.Error("npm was started")
	}
}

func TestPackEndsWithContext(t *testing.T) {
	tmp := fakeNPM(t, `exec sleep 60`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := upstream.Pack(ctx, "1.2.3"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v; want the context's", err)
	}
	wantEmpty(t, tmp)
}

func TestPackWithoutNPM(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := upstream.Pack(t.Context(), "1.2.3"); err == nil || !strings.Contains(err.Error(), "executable file not found") {
		t.Errorf("error %v; want one that says that npm is not there", err)
	}
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
