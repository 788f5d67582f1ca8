package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

const valid = `{"jsonrpc":"2.0","id":1,"method":"logout"}` + "\n"

// acpcheck runs the command as main does and returns what it prints and its exit status.
func acpcheck(t *testing.T, stdin io.Reader, args ...string) (stdout string, status int, err error) {
	t.Helper()
	var out, stderr bytes.Buffer
	err = run(t.Context(), args, stdin, &out, &stderr)
	if stderr.Len() > 0 {
		t.Errorf("acpcheck %s writes to standard error: %s", strings.Join(args, " "), stderr.String())
	}
	return out.String(), exitStatus(err), err
}

func TestExitStatus(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	invalid := "noise\n"
	repaired := `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":null}}` + "\n"
	foreign := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":9}}` + "\n" + `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":9}}`
	tests := []struct {
		name  string
		stdin string
		args  []string
		want  int
		says  string // on standard output, or in the error if the status is 2
	}{
		{"valid", valid, []string{"validate"}, 0, "1 valid"},
		{"nothing", "", []string{"validate", "-"}, 0, "<stdin>:1: warning: no frame in the transcript"},
		{"nothing is not enough for everybody", "\n", []string{"validate", "--fail-on", "warning"}, 1, "0 frames in 1 file"},
		{"invalid", invalid, []string{"validate"}, 1, "<stdin>:1: not JSON"},
		{"repaired is an error", repaired, []string{"validate"}, 1, "1 error, 0 warnings"},
		{"unless lenient", repaired, []string{"validate", "--mode", "lenient"}, 0, "0 errors, 1 warning"},
		{"a warning", foreign, []string{"validate"}, 0, "protocol version 9"},
		{"flags in one dash, behind files", valid, []string{"validate", "-", "-format=json"}, 0, `{"type":"summary"`},
		{"quiet", invalid, []string{"validate", "--quiet"}, 1, "not JSON"},
		{"help", "", []string{"--help"}, 0, "usage: acpcheck"},
		{"help of a command", "", []string{"validate", "-h"}, 0, "--max-frame BYTES"},
		{"version", "", []string{"--version"}, 0, "surface v1: @agentclientprotocol/sdk"},
		{"version of a command", "", []string{"validate", "--version"}, 0, "acpcheck "},
		{"no command", "", nil, 2, "a command is missing"},
		{"unknown command", "", []string{"vlidate"}, 2, `unknown command "vlidate"`},
		{"unknown flag", "", []string{"validate", "--no-such"}, 2, "no-such"},
		{"bad surface", "", []string{"validate", "--surface", "v9"}, 2, `--surface "v9": expected v1`},
		{"bad mode", "", []string{"validate", "--mode", "x"}, 2, "expected lenient or strict"},
		{"bad direction", "", []string{"validate", "--dir", "x"}, 2, "expected a2c, auto or c2a"},
		{"bad format", "", []string{"validate", "--format", "xml"}, 2, "expected github, json, junit, sarif or text"},
		{"bad judge", "", []string{"validate", "--judge", "x"}, 2, "expected both, generated or reference"},
		{"bad color", "", []string{"validate", "--color", "x"}, 2, "expected always, auto or never"},
		{"bad limit", "", []string{"validate", "--max-frame", "0"}, 2, "--max-frame 0"},
		{"unreadable file", invalid, []string{"validate", "-", missing}, 2, "missing"},
		{"file names behind --", "", []string{"validate", "--", "--help"}, 2, "--help"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stdout, status, err := acpcheck(t, strings.NewReader(test.stdin), test.args...)
			if status != test.want {
				t.Errorf("status %d (error %v), want %d", status, err, test.want)
			}
			said := stdout
			if test.want == 2 {
				said = err.Error()
			}
			if !strings.Contains(said, test.says) {
				t.Errorf("%q does not say %q", said, test.says)
			}
		})
	}
}

func TestQuietHasNoSummary(t *testing.T) {
	stdout, _, _ := acpcheck(t, strings.NewReader(valid), "validate", "--quiet")
	if stdout != "" {
		t.Errorf("got %q, want nothing", stdout)
	}
}

func TestEveryFlagIsDescribed(t *testing.T) {
	stdout, _, _ := acpcheck(t, nil, "validate", "--help")
	for _, name := range []string{"surface", "mode", "dir", "format", "verdicts", "max-frame", "quiet", "color", "version", "judge",
		"rules", "opinions", "only", "skip", "complete", "fail-on", "baseline"} {
		if !strings.Contains(stdout, "  --"+name+" ") {
			t.Errorf("--%s is not in the help", name)
		}
	}
	if strings.Contains(stdout, "\t") {
		t.Error("the help has tabs")
	}
}

func TestColor(t *testing.T) {
	for flags, want := range map[string]bool{"--color=always": true, "--color=never": false, "--color=auto": false} {
		stdout, _, _ := acpcheck(t, strings.NewReader("noise"), "validate", flags)
		if got := strings.Contains(stdout, "\x1b["); got != want {
			t.Errorf("%s: escape sequences: %v, want %v", flags, got, want)
		}
	}
}

func TestTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if isTerminal(f) || isTerminal(new(bytes.Buffer)) {
		t.Error("a file and a buffer count as terminals")
	}
}

func TestInputError(t *testing.T) {
	broken := errors.New("disk on fire")
	_, status, err := acpcheck(t, iotest.ErrReader(broken), "validate")
	if status != 2 || !errors.Is(err, broken) {
		t.Errorf("status %d, error %v; want 2 and the error of the input", status, err)
	}
}

func TestOutputError(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"--version"}, {"validate", "--help"}, {"validate"}} {
		err := run(t.Context(), args, strings.NewReader("noise"), brokenWriter{}, io.Discard)
		if !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, flag.ErrHelp) || exitStatus(err) != 2 {
			t.Errorf("%v: error %v, status %d; want io.ErrClosedPipe, 2", args, err, exitStatus(err))
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
