package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream/upstreamtest"
)

// repoSchema is the committed schema directory.
var repoSchema = filepath.Join("..", "..", "schema")

// systemPath is the search path before any test has changed it.
var systemPath = os.Getenv("PATH")

// acpsync runs the command and returns what it printed and its exit status.
func acpsync(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	err := run(t.Context(), args, strings.NewReader(""), &out, &errs)
	status = exitStatus(err)
	if status == 2 {
		fmt.Fprintln(&errs, err)
	}
	return out.String(), errs.String(), status
}

// mustRun is acpsync for a run whose exit status is known.
func mustRun(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, got := acpsync(t, args...)
	if got != status {
		t.Fatalf("acpsync %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), got, status, stdout, stderr)
	}
	return stdout, stderr
}

// packageFile writes a tarball of the schema package whose v1 schema is the given one, and returns its name.
func packageFile(t *testing.T, version, v1 string) string {
	t.Helper()
	entries := []upstreamtest.Entry{upstreamtest.Manifest(version)}
	for _, s := range surfaces {
		text := `{"description": "prose", "title": "` + s.name + `"}`
		if s.name == "v1" {
			text = v1
		}
		entries = append(entries, upstreamtest.Entry{Name: "package/" + s.upstream, Data: text})
	}
	return writeFile(t, filepath.Join(t.TempDir(), version+".tgz"), upstreamtest.Tarball(t, entries...))
}

// partialPackage writes a tarball that has the named surfaces only.
func partialPackage(t *testing.T, version string, names ...string) string {
	t.Helper()
	entries := []upstreamtest.Entry{upstreamtest.Manifest(version)}
	for _, name := range names {
		s, err := surfaceNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, upstreamtest.Entry{Name: "package/" + s.upstream, Data: `{"title": "` + name + `"}`})
	}
	return writeFile(t, filepath.Join(t.TempDir(), version+".tgz"), upstreamtest.Tarball(t, entries...))
}

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// tree returns the files below dir and what they hold.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// withNPM puts a stand-in for npm on the path that packs the given tarball.
func withNPM(t *testing.T, tarball string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for npm is a shell script")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\ncp \"$TARBALL\" \"$5/x.tgz\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TARBALL", tarball)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+systemPath)
}

// withoutNPM makes sure that nothing can be downloaded.
func withoutNPM(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
}
