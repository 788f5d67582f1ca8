package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain makes the test binary the command itself, so that exit statuses are those of a process.
func TestMain(m *testing.M) {
	if os.Getenv("ACPGEN_RUN_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command runs acpgen as a process in dir and returns its exit status and output.
func command(t *testing.T, dir string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ACPGEN_RUN_MAIN=1")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errOut.String()
}

const noteSchema = `{"Note": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}`

// smallTree makes a directory with what surface v7 is generated from.
func smallTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "schema/v7/schema.json"), wholeSchema([]byte(noteSchema)))
	writeFile(t, filepath.Join(dir, "schema/v7/source.json"), []byte(`{"package": "example", "version": "1.2.3"}`))
	writeFile(t, filepath.Join(dir, "tools/acpgen/docs/v7/all.yaml"), []byte("types:\n  Note:\n    doc: is a note.\n"))
	writeFile(t, filepath.Join(dir, "tools/acpgen/names/v7.yaml"), []byte("mapped: []\n"))
	return dir
}

// tree returns the files below dir/gen.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "gen/*/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		files[filepath.Base(path)] = string(readFile(t, path))
	}
	return files
}

func TestUsage(t *testing.T) {
	tests := []struct {
		name                string
		args                []string
		status              int
		stdout, stderr      string // what has to be part of the output
		noStdout, noWriting bool
	}{
		{name: "help", args: []string{"--help"}, stdout: "usage: acpgen [flags]"},
		{name: "short help", args: []string{"-h"}, stdout: "-surface"},
		{name: "unknown flag", args: []string{"-frobnicate"}, status: 2, stderr: "acpgen: flag provided but not defined: -frobnicate; see acpgen --help\n", noStdout: true},
		{name: "flag without its value", args: []string{"-surface"}, status: 2, stderr: "flag needs an argument: -surface", noStdout: true},
		{name: "bad number", args: []string{"-version", "one"}, status: 2, stderr: `invalid value "one" for flag -version`, noStdout: true},
		{name: "extra argument", args: []string{"-surface", "v7", "v1"}, status: 2, stderr: `acpgen: unexpected argument "v1"; see acpgen --help`, noStdout: true},
		{name: "no surface name", args: []string{"-surface", "latest"}, status: 2, stderr: `acpgen: surface "latest": want a name such as v1 or v1-unstable`, noStdout: true},
		{name: "path as a surface", args: []string{"-surface", "../v1"}, status: 2, stderr: "want a name such as", noStdout: true},
		{name: "missing schema", args: []string{"-surface", "v8"}, status: 2, stderr: filepath.FromSlash("schema/v8/schema.json"), noStdout: true},
		{name: "missing texts", args: []string{"-surface", "v7", "-docs", "nowhere"}, status: 2, stderr: "no doc texts in nowhere", noStdout: true},
		{name: "missing overlay", args: []string{"-surface", "v7", "-names", "nowhere.yaml"}, status: 2, stderr: "nowhere.yaml", noStdout: true},
		{name: "missing provenance", args: []string{"-surface", "v7", "-schema", "copy.json"}, status: 2, stderr: "source.json", noStdout: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := smallTree(t)
			writeFile(t, filepath.Join(dir, "copy.json"), wholeSchema([]byte(noteSchema)))
			status, stdout, stderr := command(t, dir, tt.args...)
			if status != tt.status || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || tt.noStdout && stdout != "" {
				t.Errorf("exit status %d, want %d\nstdout: %s\nstderr: %s", status, tt.status, stdout, stderr)
			}
			if lines := strings.Count(stderr, "\n"); lines > 1 {
				t.Errorf("%d lines of errors:\n%s", lines, stderr)
			}
			if files := tree(t, dir); len(files) > 0 {
				t.Errorf("files were written: %v", files)
			}
		})
	}
}

// TestRunErrors checks what run returns, from which main makes the exit status.
func TestRunErrors(t *testing.T) {
	dir := smallTree(t)
	t.Chdir(dir)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, nil, &out, &out); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v, want flag.ErrHelp", err)
	}
	if err := run(t.Context(), []string{"-surface", "v7", "-check"}, nil, &out, &out); !errors.Is(err, errStale) {
		t.Errorf("-check of nothing: %v, want errStale", err)
	}
	for err, want := range map[error]int{nil: 0, flag.ErrHelp: 0, errStale: 1, context.Canceled: 2} {
		if got := exitStatus(err); got != want {
			t.Errorf("exit status of %v is %d, want %d", err, got, want)
		}
	}
}

// TestWriteAndCheck follows a package through its life: written, up to date, edited by hand, left behind by a newer schema.
func TestWriteAndCheck(t *testing.T) {
	dir := smallTree(t)
	out := filepath.Join(dir, "gen/acpv7")
	handWritten := filepath.Join(out, "helpers.go")
	writeFile(t, handWritten, []byte("package acpv7\n"))
	want := func(wantStatus int, wantOut string, args ...string) {
		t.Helper()
		status, stdout, stderr := command(t, dir, append([]string{"-surface", "v7"}, args...)...)
		if status != wantStatus {
			t.Fatalf("%v: exit status %d, want %d: %s", args, status, wantStatus, stderr)
		}
		if diff := cmp.Diff(wantOut, filepath.ToSlash(stdout)); diff != "" {
			t.Fatalf("%v: output mismatch (-want +got):\n%s", args, diff)
		}
	}
	want(0, "")
	want(0, "", "-check")
	written := tree(t, dir)
	if written["types_gen.go"] == "" || !strings.Contains(written["types_gen.go"], "type Note struct {") {
		t.Fatalf("types_gen.go is %q", written["types_gen.go"])
	}

	types := filepath.Join(out, "types_gen.go")
	writeFile(t, types, []byte(strings.Replace(written["types_gen.go"], "// Note is a note.", "// Note is mine.", 1)))
	want(1, "gen/acpv7/types_gen.go:6: differs\n-// Note is mine.\n+// Note is a note.\n", "-check")
	edited := tree(t, dir)

	stale := filepath.Join(out, "enums_gen.go")
	writeFile(t, stale, []byte("package acpv7\n"))
	want(1, "gen/acpv7/types_gen.go:6: differs\n-// Note is mine.\n+// Note is a note.\ngen/acpv7/enums_gen.go: no longer generated\n", "-check")
	edited["enums_gen.go"] = "package acpv7\n"
	if diff := cmp.Diff(edited, tree(t, dir)); diff != "" {
		t.Fatalf("-check changed files (-before +after):\n%s", diff)
	}

	want(0, "")
	if diff := cmp.Diff(written, tree(t, dir)); diff != "" {
		t.Errorf("mismatch (-first +second run):\n%s", diff)
	}

	if err := os.Remove(types); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "json_gen.go"), []byte(written["json_gen.go"]+"// more\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	status, stdout, _ := command(t, dir, "-surface", "v7", "-check")
	for _, line := range []string{"types_gen.go:1: differs", "json_gen.go:", "+(end of file)"} {
		if status != 1 || !strings.Contains(stdout, line) {
			t.Errorf("exit status %d, and no %q in\n%s", status, line, stdout)
		}
	}
}

// TestFilesAreLeftAlone checks that a file that would not change is not written, so that builds need not run again.
func TestFilesAreLeftAlone(t *testing.T) {
	dir := smallTree(t)
	command(t, dir, "-surface", "v7")
	path := filepath.Join(dir, "gen/acpv7/types_gen.go")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := command(t, dir, "-surface", "v7"); status != 0 {
		t.Fatal(stderr)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !after.ModTime().Equal(before.ModTime()) {
		t.Error("the file was written again")
	}
}

// TestNothingIsWrittenOnError checks that a fault leaves the package as it was, leftovers included.
func TestNothingIsWrittenOnError(t *testing.T) {
	faults := map[string]struct{ file, content, want string }{
		"schema":       {"schema/v7/schema.json", `{`, "not JSON"},
		"shape":        {"schema/v7/schema.json", string(wholeSchema([]byte(`{"Note": {"type": "object", "patternProperties": {}}}`))), "#/$defs/Note"},
		"name":         {"schema/v7/schema.json", string(wholeSchema([]byte(`{"Note": {"type": "string"}, "note": {"type": "string"}}`))), "is taken by #/$defs/Note"},
		"missing text": {"tools/acpgen/docs/v7/all.yaml", "types: {}\n", "no text for type Note"},
		"unused text":  {"tools/acpgen/docs/v7/more.yaml", "types:\n  Other:\n    doc: is gone.\n", "the text of type Other is unused"},
		"overlay":      {"tools/acpgen/names/v7.yaml", "threeState:\n  - {field: Note.text, reason: r}\n", "no optional nullable field Note.text"},
		"provenance":   {"schema/v7/source.json", `{`, "source.json"},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			dir := smallTree(t)
			command(t, dir, "-surface", "v7")
			writeFile(t, filepath.Join(dir, "gen/acpv7/old_gen.go"), []byte("package acpv7\n"))
			before := tree(t, dir)
			writeFile(t, filepath.Join(dir, fault.file), []byte(fault.content))
			status, stdout, stderr := command(t, dir, "-surface", "v7")
			if status != 2 || stdout != "" || !strings.Contains(stderr, fault.want) {
				t.Errorf("exit status %d, want 2 and %q\nstdout: %s\nstderr: %s", status, fault.want, stdout, stderr)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("files changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestDump(t *testing.T) {
	dir := smallTree(t)
	status, stdout, stderr := command(t, dir, "-surface", "v7", "-dump")
	if diff := cmp.Diff("Note: struct\n  text: string\n", stdout); status != 0 || diff != "" {
		t.Errorf("exit status %d: %s\nmismatch (-want +got):\n%s", status, stderr, diff)
	}
	if files := tree(t, dir); len(files) > 0 {
		t.Errorf("files were written: %v", files)
	}
}
