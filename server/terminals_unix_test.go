//go:build unix

package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func localTerminals(cwd string) *Terminals {
	return newTerminals(toolAccess{roots: newRoots(cwd, nil)})
}

func TestTerminalLocal(t *testing.T) {
	dir := tree(t, map[string]string{"w/sub/": "", "link": "->w"})
	sub := filepath.Join(dir, "w", "sub")
	tests := []struct {
		name string
		line CommandLine
		want TerminalOutput
	}{
		{"both streams in order", CommandLine{Command: "sh", Args: []string{"-c", "echo 1; echo 2 >&2; echo 3; exit 4"}},
			TerminalOutput{Text: "1\n2\n3\n", Exit: &Exit{Code: 4}}},
		{"working directory", CommandLine{Command: "pwd"}, TerminalOutput{Text: filepath.Join(dir, "w") + "\n", Exit: &Exit{}}},
		{"a directory", CommandLine{Command: "sh", Args: []string{"-c", "pwd; echo $PWD"}, Dir: "sub"}, TerminalOutput{Text: sub + "\n" + sub + "\n", Exit: &Exit{}}},
		{"environment", CommandLine{Command: "sh", Args: []string{"-c", "echo $A"}, Env: []string{"A=1 2"}}, TerminalOutput{Text: "1 2\n", Exit: &Exit{}}},
		{"no input", CommandLine{Command: "cat"}, TerminalOutput{Exit: &Exit{}}},
		{"cut on a character", CommandLine{Command: "printf", Args: []string{"€€"}, OutputLimit: 4}, TerminalOutput{Text: "€", Truncated: true, Exit: &Exit{}}},
		{"a signal", CommandLine{Command: "sh", Args: []string{"-c", "kill -TERM $$"}}, TerminalOutput{Exit: &Exit{Code: -1, Signal: "SIGTERM"}}},
		{"something left behind", CommandLine{Command: "sh", Args: []string{"-c", "sleep 600 & echo started"}}, TerminalOutput{Text: "started\n", Exit: &Exit{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := localTerminals(filepath.Join(dir, "link"))
			defer ts.close()
			term, err := ts.Run(t.Context(), tt.line)
			if err != nil {
				t.Fatal(err)
			}
			if term.ID() != "" || ts.has("") {
				t.Errorf("the client is to show %q", term.ID())
			}
			exit, err := term.Wait(t.Context())
			if err != nil || exit != *tt.want.Exit {
				t.Errorf("wait: %v, %v", exit, err)
			}
			got, err := term.Output(t.Context())
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v; mismatch (-want +got):\n%s", err, diff)
			}
			if err := term.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTerminalLocalEnds shows that whatever ends a terminal also ends what its command has started.
func TestTerminalLocalEnds(t *testing.T) {
	tests := []struct {
		name string
		end  func(t *testing.T, cancel context.CancelFunc, ts *Terminals, term *Terminal)
	}{
		{"kill", func(t *testing.T, _ context.CancelFunc, _ *Terminals, term *Terminal) {
			if err := term.Kill(t.Context()); err != nil {
				t.Error(err)
			}
			if exit, err := term.Wait(t.Context()); err != nil || exit.Signal != "SIGKILL" {
				t.Errorf("wait: %v, %v", exit, err)
			}
			if out, err := term.Output(t.Context()); err != nil || !strings.HasSuffix(out.Text, "\n") || out.Exit == nil {
				t.Errorf("output after the kill: %v, %v", out, err)
			}
		}},
		{"release", func(t *testing.T, _ context.CancelFunc, _ *Terminals, term *Terminal) {
			if err := term.Release(t.Context()); err != nil {
				t.Error(err)
			}
		}},
		{"close", func(_ *testing.T, _ context.CancelFunc, ts *Terminals, _ *Terminal) { ts.close() }},
		{"context", func(_ *testing.T, cancel context.CancelFunc, _ *Terminals, _ *Terminal) { cancel() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := localTerminals(t.TempDir())
			defer ts.close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			term, err := ts.Run(ctx, CommandLine{Command: "sh", Args: []string{"-c", "sleep 600 & echo $!; wait"}})
			if err != nil {
				t.Fatal(err)
			}
			child := firstLine(t, term)
			tt.end(t, cancel, ts, term)
			waitGone(t, child)
		})
	}
}

// firstLine waits for a number on the first line of the output.
func firstLine(t *testing.T, term *Terminal) int {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		out, err := term.Output(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if line, _, ok := strings.Cut(out.Text, "\n"); ok {
			n, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("no output")
	return 0
}

// waitGone waits until a process has ended.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || isZombie(pid) {
			return
		}
	}
	t.Errorf("process %d lives on", pid)
}

// isZombie reports whether a process has ended and waits for a parent that does not care.
func isZombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(rest, "Z")
}

func TestTerminalLocalErrors(t *testing.T) {
	dir := tree(t, map[string]string{"w/f": "", "out/": "", "w/link-out": "->../out", "w/link-in": "->."})
	ts := localTerminals(filepath.Join(dir, "w"))
	defer ts.close()
	tests := []struct {
		name string
		line CommandLine
		want error
	}{
		{"no such command", CommandLine{Command: "no-such-command-here"}, exec.ErrNotFound},
		{"directory outside", CommandLine{Command: "true", Dir: "../out"}, ErrOutsideRoots},
		{"directory outside through a link", CommandLine{Command: "true", Dir: "link-out"}, ErrOutsideRoots},
		{"no such directory", CommandLine{Command: "true", Dir: "none"}, fs.ErrNotExist},
		{"no directory", CommandLine{Command: "true", Dir: "f"}, errNotDir},
		{"link inside", CommandLine{Command: "true", Dir: "link-in"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ts.Run(t.Context(), tt.line); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	term, err := ts.Run(t.Context(), CommandLine{Command: "sleep", Args: []string{"600"}})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := term.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	if out, err := term.Output(t.Context()); err != nil || out.Exit != nil {
		t.Errorf("the command has ended: %v, %v", out, err)
	}
}
