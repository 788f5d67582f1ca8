package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// These make the test program something else.
const (
	agentEnv = "ACPRUN_TEST_AGENT" // an agent of that kind
	mainEnv  = "ACPRUN_TEST_MAIN"  // acprun itself
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(commandEnv) != "":
		os.Exit(testCommand(os.Getenv(commandEnv)))
	case os.Getenv(mainEnv) != "":
		if err := os.Unsetenv(mainEnv); err != nil { // the agent is no acprun
			os.Exit(1)
		}
		main()
	case os.Getenv(agentEnv) != "":
		testAgent(os.Getenv(agentEnv))
		os.Exit(0)
	}
	// With the race detector, other processes would wait a second before they end.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	status := m.Run()
	if program, err := acpcheck(); err == nil {
		_ = os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(status)
}

// testAgent is an agent in a process of its own.
func testAgent(kind string) {
	agent := new(fakeAgent)
	switch kind {
	case "noise":
		fmt.Println("Welcome to the agent!") // before its standard output is guarded
		agent.prompt = func(ctx context.Context, a *fakeAgent, p *acpv1.PromptRequest) (acpv1.StopReason, error) {
			return acpv1.StopReasonEndTurn, a.say(ctx, textOf(p))
		}
	case "die":
		agent.prompt = func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
			if err := a.say(ctx, "I feel\nunwell"); err != nil {
				return "", err
			}
			if _, err := a.client.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: "s1", Path: "/"}); err == nil {
				return "", errors.New("unexpected")
			}
			fmt.Fprint(os.Stderr, "panic: no memory\nkey "+os.Getenv("MCP_KEY")+"\n")
			os.Exit(7)
			return "", nil
		}
	case "wait":
		agent = obedient()
	case "deaf":
		agent.prompt = func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
			if err := a.say(ctx, "Working."); err != nil {
				return "", err
			}
			select {}
		}
	case "early":
		fmt.Fprintln(os.Stderr, "no configuration")
		os.Exit(5)
	}
	conn := acp.NewAgent(acp.Stdio(), func(c *acp.AgentConn) acpv1.Agent {
		agent.client = c
		return agent
	}, nil)
	if err := conn.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runProcess runs acprun in this process with an agent in another.
func runProcess(t *testing.T, kind string, args ...string) result {
	t.Helper()
	t.Setenv(agentEnv, kind)
	return (&trial{start: spawn}).run(t.Context(), t, append(args, "hello", "--", os.Args[0])...)
}

func TestProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record")
	r := runProcess(t, "echo", "--record", file)
	r.check(t, 0, "session s1 of fake 7")
	if r.stdout != "You said: hello\n" {
		t.Errorf("standard output %q", r.stdout)
	}
	checkRecord(t, file)
}

// TestProcessDies checks an agent that crashes within its turn: what it said is shown and recorded, and what it said last on standard error is, too, but no secret.
func TestProcessDies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record")
	t.Setenv("MCP_KEY", "s3cret-1")
	r := runProcess(t, "die", "--record", file, "--mcp", "m=KEY=$MCP_KEY /server")
	// The trial's environment is empty, so the variable is not set there.
	r.check(t, 2, "MCP_KEY is not set")
	r = runProcess(t, "die", "--record", file, "--mcp", "m=KEY=s3cret-1 /server")
	r.check(t, 3, "exit status 7", "  panic: no memory\n  key [redacted]\n")
	if !strings.HasPrefix(r.stdout, "I feel\nunwell\n") || strings.Contains(r.stderr, "s3cret-1") {
		t.Errorf("standard output %q, standard error %q", r.stdout, r.stderr)
	}
	checkRecord(t, file)
	list := records(t, file)
	if last := list[len(list)-1]; last.Dir != "c2a" || !strings.Contains(last.Raw, `"error"`) {
		t.Errorf("the last record is %+v, want the refusal of the file", last)
	}
}

func TestProcessNoise(t *testing.T) {
	r := runProcess(t, "noise")
	r.check(t, 0, "warning: received an invalid frame", "rule json")
	if r.stdout != "hello\n" {
		t.Errorf("standard output %q", r.stdout)
	}
}

func TestProcessEarly(t *testing.T) {
	runProcess(t, "early").check(t, 3, "initialize", "exit status 5", "no configuration")
	(&trial{start: spawn}).run(t.Context(), t, "hello", "--", "acprun-no-such-agent").check(t, 3, "acprun-no-such-agent")
	(&trial{start: spawn}).run(t.Context(), t, "--json", "hello", "--", t.TempDir()).check(t, 3)
}

// TestSignals sends real signals to acprun as a program of its own.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send here")
	}
	tests := []struct {
		agent   string
		signals int
		want    string
	}{
		{"wait", 1, "Working. Stopped.\n"},
		{"deaf", 2, "Working.\n"},
	}
	for _, tt := range tests {
		t.Run(tt.agent, func(t *testing.T) {
			if got := interrupt(t, tt.agent, tt.signals); got != tt.want {
				t.Errorf("standard output %q, want %q", got, tt.want)
			}
		})
	}
}

// interrupt runs acprun with an agent that works, sends it signals and returns what it has shown when it has ended.
func interrupt(t *testing.T, agent string, signals int) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "--cwd", t.TempDir(), "hello", "--", os.Args[0])
	cmd.Env = append(os.Environ(), mainEnv+"=1", agentEnv+"="+agent)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shown := make([]byte, len("Working."))
	if _, err := io.ReadFull(stdout, shown); err != nil {
		t.Fatal(err)
	}
	notes := bufio.NewReader(stderr)
	for n := range signals {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		for n == 0 { // the second must not come before the first was taken
			line, err := notes.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(line, "cancelling") {
				break
			}
		}
	}
	rest, err := io.ReadAll(stdout)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, notes); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, want status 130", err)
	}
	return string(shown) + string(rest)
}

// TestBrokenPipe checks that acprun ends its agent when nobody reads what it says.
func TestBrokenPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a pipe breaks in another way here")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "--cwd", t.TempDir(), "hello", "--", os.Args[0])
	cmd.Env = append(os.Environ(), mainEnv+"=1", agentEnv+"=wait")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err = cmd.Run()
	_ = w.Close()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(stderr.String(), "standard output") {
		t.Errorf("ended with %v, want status 1:\n%s", err, &stderr)
	}
}
