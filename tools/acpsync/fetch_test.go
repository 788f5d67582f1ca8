package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const upstreamV1 = `{
	"title": "v1", "description": "prose",
	"$defs": {"Name": {"description": "prose", "type": "string"}}
}`

const derivedV1 = `{
  "title": "v1",
  "$defs": {
    "Name": {
      "type": "string"
    }
  }
}
`

func TestFetch(t *testing.T) {
	withoutNPM(t)
	dir := filepath.Join(t.TempDir(), "schema")
	tarball := packageFile(t, "1.2.3", upstreamV1)
	stdout, stderr := mustRun(t, 0, "fetch", "--dir", dir, "--tarball", tarball)
	if !strings.Contains(stdout, "@agentclientprotocol/sdk 1.2.3\nintegrity sha512-") || !strings.Contains(stdout, "(newly pinned)") {
		t.Errorf("the new pin is not announced:\n%s", stdout)
	}
	if stderr != "" {
		t.Errorf("standard error: %q", stderr)
	}
	first := tree(t, dir)
	var names []string
	for _, name := range []string{"v1/schema.json", "v1/source.json", "v1/unstable.json", "v2/schema.json", "v2/source.json", "v2/unstable.json"} {
		if first[name] != "" {
			names = append(names, name)
		}
	}
	if len(first) != 6 || len(names) != 6 {
		t.Errorf("files: %v", first)
	}
	if diff := cmp.Diff(derivedV1, first["v1/schema.json"]); diff != "" {
		t.Errorf("v1/schema.json mismatch (-want +got):\n%s", diff)
	}

	stdout, _ = mustRun(t, 0, "fetch", "--dir", dir, "--tarball", tarball)
	if strings.Count(stdout, ": unchanged\n") != 6 || !strings.Contains(stdout, "(verified)") {
		t.Errorf("the second fetch changes something:\n%s", stdout)
	}
	if diff := cmp.Diff(first, tree(t, dir)); diff != "" {
		t.Errorf("second fetch mismatch (-want +got):\n%s", diff)
	}
	mustRun(t, 0, "check", "--dir", dir, "--tarball", tarball)
}

func TestFetchMovesThePinOnlyWhenAsked(t *testing.T) {
	withoutNPM(t)
	dir := t.TempDir()
	mustRun(t, 0, "fetch", "--dir", dir, "--tarball", packageFile(t, "1.2.3", upstreamV1))
	before := tree(t, dir)
	newer := packageFile(t, "1.3.0", `{"title": "newer"}`)

	for _, tt := range []struct {
		name, want string
		args       []string
	}{
		{"no version named", "integrity mismatch", []string{"--tarball", newer}},
		{"the pinned version named", "integrity mismatch", []string{"--version", "1.2.3", "--tarball", newer}},
		{"a version the tarball is not", "the tarball holds version 1.3.0, not 1.4.0", []string{"--version", "1.4.0", "--tarball", newer}},
		{"a range", "not an exact version", []string{"--version", "^1.3.0", "--tarball", newer}},
		{"a tampered tarball of the pinned version", "integrity mismatch", []string{"--tarball", packageFile(t, "1.2.3", `{}`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, stderr := mustRun(t, 2, append([]string{"fetch", "--dir", dir}, tt.args...)...)
			if !strings.Contains(stderr, tt.want) {
				t.Errorf("error %q does not contain %q", stderr, tt.want)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("files mismatch (-want +got):\n%s", diff)
			}
		})
	}

	stdout, _ := mustRun(t, 0, "fetch", "--dir", dir, "--version", "1.3.0", "--tarball", newer)
	after := tree(t, dir)
	if !strings.Contains(stdout, "(newly pinned)") || !strings.Contains(after["v2/source.json"], `"version": "1.3.0"`) {
		t.Errorf("the pin has not moved:\n%s\n%s", stdout, after["v2/source.json"])
	}
	mustRun(t, 0, "check", "--dir", dir, "--tarball", newer)
}

func TestFetchWritesAllOrNothing(t *testing.T) {
	withoutNPM(t)
	dir := t.TempDir()
	mustRun(t, 0, "fetch", "--dir", dir, "--tarball", packageFile(t, "1.2.3", upstreamV1))
	before := tree(t, dir)
	_, stderr := mustRun(t, 2, "fetch", "--dir", dir, "--version", "1.3.0",
		"--tarball", packageFile(t, "1.3.0", `{"$defs": {"A": {"propertyNames": {}}}}`))
	want := "@agentclientprotocol/sdk 1.3.0: schema/v1/schema.json: line 1: #/$defs/A/propertyNames: unknown keyword \"propertyNames\"\n"
	if diff := cmp.Diff(want, stderr); diff != "" {
		t.Errorf("error mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("files mismatch (-want +got):\n%s", diff)
	}
}

func TestFetchLeavesNoTemporaryFiles(t *testing.T) {
	withoutNPM(t)
	dir := t.TempDir()
	// A directory where the last file belongs makes the last rename fail.
	if err := os.MkdirAll(filepath.Join(dir, "v2", "unstable.json", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	mustRun(t, 2, "fetch", "--dir", dir, "--tarball", packageFile(t, "1.2.3", upstreamV1))
	for name := range tree(t, dir) {
		if strings.HasSuffix(name, ".tmp") {
			t.Errorf("left behind: %s", name)
		}
	}
}

func TestFetchDownloads(t *testing.T) {
	dir := t.TempDir()
	withNPM(t, packageFile(t, "1.2.3", upstreamV1))
	_, stderr := mustRun(t, 0, "fetch", "--dir", dir, "--version", "1.2.3")
	if diff := cmp.Diff("downloading @agentclientprotocol/sdk 1.2.3\n", stderr); diff != "" {
		t.Errorf("standard error mismatch (-want +got):\n%s", diff)
	}
	mustRun(t, 0, "fetch", "--dir", dir)
	mustRun(t, 0, "check", "--dir", dir)

	withNPM(t, packageFile(t, "1.2.3", `{"title": "tampered"}`))
	before := tree(t, dir)
	_, stderr = mustRun(t, 2, "fetch", "--dir", dir)
	if !strings.Contains(stderr, "integrity mismatch") {
		t.Errorf("error %q is about something else", stderr)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("files mismatch (-want +got):\n%s", diff)
	}
}

func TestFetchWithoutAPin(t *testing.T) {
	withoutNPM(t)
	_, stderr := mustRun(t, 2, "fetch", "--dir", t.TempDir())
	if diff := cmp.Diff("no version is pinned; name one with --version\n", stderr); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestFetchBadTarballs(t *testing.T) {
	withoutNPM(t)
	dir := t.TempDir()
	for _, tt := range []struct{ name, file, want string }{
		{"no such file", filepath.Join(t.TempDir(), "none.tgz"), "no such file"},
		{"a directory", t.TempDir(), "not a regular file"},
		{"not a tarball", writeFile(t, filepath.Join(t.TempDir(), "x.tgz"), []byte("x")), "bad tarball"},
		{"a surface is missing", partialPackage(t, "1.2.3", "v1", "v1-unstable", "v2"), "has no file schema/v2/schema.unstable.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, stderr := mustRun(t, 2, "fetch", "--dir", dir, "--tarball", tt.file)
			if !strings.Contains(stderr, tt.want) {
				t.Errorf("error %q does not contain %q", stderr, tt.want)
			}
			if files := tree(t, dir); len(files) > 0 {
				t.Errorf("written: %v", files)
			}
		})
	}
}
