//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// tapEnv makes the test binary acpcheck itself, or the agent that it names.
const tapEnv = "ACPCHECK_TEST_TAP"

func init() {
	switch os.Getenv(tapEnv) {
	case "acpcheck":
		os.Args = append([]string{"acpcheck"}, os.Args[1:]...)
		if err := os.Setenv(tapEnv, "agent"); err != nil {
			panic(err)
		}
		main()
	case "agent":
		os.Exit(tapped(os.Args[1]))
	}
}

// tapped is the agent behind the tap: it says where it is, answers one line, and ends with status 2.
func tapped(name string) int {
	signal.Ignore(syscall.SIGPIPE)
	fmt.Fprintln(os.Stderr, "agent", name, "speaking")
	s := bufio.NewScanner(os.Stdin)
	for s.Scan() {
		fmt.Println("echo " + s.Text())
	}
	return 2
}

// startTap starts acpcheck tap as a process of its own, in front of the agent.
func startTap(t *testing.T, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader, stderr *bytes.Buffer) {
	t.Helper()
	stderr = new(bytes.Buffer)
	cmd, in, out = tapCommandLine(t, stderr, args...)
	return cmd, in, out, stderr
}

func tapCommandLine(t *testing.T, stderr io.Writer, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(exe, append(append([]string{"tap"}, args...), "--", exe, "--smith")...)
	cmd.Env = append(os.Environ(), tapEnv+"=acpcheck")
	cmd.Stderr = stderr
	if in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, in, bufio.NewReader(stdout)
}

func exchange(t *testing.T, in io.Writer, out *bufio.Reader) {
	t.Helper()
	if _, err := io.WriteString(in, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); line != "echo hello\n" {
		t.Fatalf("got %q, error %v", line, err)
	}
}

func TestTap(t *testing.T) {
	dir := t.TempDir()
	record, reported := filepath.Join(dir, "t.jsonl"), filepath.Join(dir, "report")
	cmd, in, out, stderr := startTap(t, "--record", record, "--report", reported)
	exchange(t, in, out)
	_ = in.Close()
	if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil {
		t.Errorf("%q is left, error %v", rest, err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 2 {
		t.Errorf("status %d, want the agent's 2", got)
	}
	if got := stderr.String(); got != "agent --smith speaking\n" {
		t.Errorf("standard error is %q, want the agent's and nothing else", got)
	}
	said, err := os.ReadFile(reported)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{record + ":1: c2a: not JSON", record + ":2: a2c: not JSON", "the agent wrote a line to its standard output that is no message: line 2", "the agent ended with exit status 2", "2 frames in 1 file"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("the report does not say %q: %s", want, said)
		}
	}
	stdout, status, _ := acpcheck(t, nil, "validate", record)
	if status != 1 || !strings.Contains(stdout, record+":2: a2c: not JSON") {
		t.Errorf("the transcript is judged otherwise: status %d, %s", status, stdout)
	}
	info, err := os.Stat(record)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v; want a file for its owner only", info.Mode(), err)
	}
}

func TestTapReportsToStandardError(t *testing.T) {
	cmd, in, out, stderr := startTap(t, "--format", "json")
	exchange(t, in, out)
	_ = in.Close()
	_ = cmd.Wait()
	if got := stderr.String(); !strings.Contains(got, "agent --smith speaking\n") || !strings.Contains(got, `{"type":"note","message":"the agent ended with exit status 2"}`) {
		t.Errorf("standard error is %q", got)
	}
}

// TestTapWithoutStandardError has nobody read the report, and no room for the transcript: the traffic passes all the same.
func TestTapWithoutStandardError(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	args := []string{}
	if _, err := os.Stat("/dev/full"); err == nil {
		args = append(args, "--record", "/dev/full")
	}
	cmd, in, out := tapCommandLine(t, w, args...)
	exchange(t, in, out)
	exchange(t, in, out)
	_ = in.Close()
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 2 {
		t.Errorf("status %d, want the agent's 2", got)
	}
}

// TestTapSaysThatTheDiskIsFull has no room for the transcript.
func TestTapSaysThatTheDiskIsFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skipf("nothing here is always full: %v", err)
	}
	cmd, in, out, stderr := startTap(t, "--record", "/dev/full")
	exchange(t, in, out)
	_ = in.Close()
	_ = cmd.Wait()
	if got := stderr.String(); !strings.Contains(got, "the transcript ends before line 1: ") || !strings.Contains(got, "2 frames in 1 file") {
		t.Errorf("standard error is %q", got)
	}
}

func TestTapPassesSignalsOn(t *testing.T) {
	cmd, in, out, stderr := startTap(t)
	exchange(t, in, out) // so that the agent is up
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 128+15 {
		t.Errorf("status %d, want 143", got)
	}
	if !strings.Contains(stderr.String(), "exit status 143") {
		t.Errorf("no report: %s", stderr)
	}
}

func TestTapEndsWithTheClient(t *testing.T) {
	cmd, in, out, _ := startTap(t, "--report", os.DevNull)
	exchange(t, in, out)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	// The agent holds the other end of this pipe until it has ended, too.
	if rest, err := io.ReadAll(out); len(rest) > 0 {
		t.Errorf("%q is left, error %v", rest, err)
	}
}

func TestTapArguments(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no command", []string{"tap"}, "the agent's command is missing"},
		{"no such command", []string{"tap", "--", "/no/such/agent"}, "tap: cannot start /no/such/agent"},
		{"a bad format", []string{"tap", "--format", "junit", "--", "true"}, "expected json or text"},
		{"a bad limit", []string{"tap", "--max-frame", "0", "--", "true"}, "--max-frame 0"},
		{"no such rule", []string{"tap", "--skip", "X", "--", "true"}, `there is no rule "X"`},
		{"no such directory", []string{"tap", "--record", "/no/such/dir/file", "--", "true"}, "/no/such/dir/file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, status, err := acpcheck(t, strings.NewReader(""), test.args...)
			if status != 2 || !strings.Contains(fmt.Sprint(err), test.want) {
				t.Errorf("status %d, error %v; want 2 and %q", status, err, test.want)
			}
		})
	}
}

// The same command may start the agent many times: no recording writes over another.
func TestTapRecordsIntoDirectory(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		cmd, in, out, stderr := startTap(t, "--record", dir)
		exchange(t, in, out)
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // with the agent's status
		if !strings.Contains(stderr.String(), dir) {
			t.Errorf("the report does not name the transcript: %s", stderr)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(names) != 2 {
		t.Fatalf("%d transcripts, error %v; want 2", len(names), err)
	}
	for _, name := range names {
		if text, err := os.ReadFile(name); err != nil || strings.Count(string(text), "\n") != 2 {
			t.Errorf("error %v, %s holds %q, want two frames", err, name, text)
		}
	}
}
