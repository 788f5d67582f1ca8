package acp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// agentMode is the environment variable that makes the test binary an agent.
const agentMode = "ACPWIRE_TEST_AGENT"

func TestMain(m *testing.M) {
	if mode := os.Getenv(agentMode); mode != "" {
		os.Exit(runAgent(mode))
	}
	os.Exit(m.Run())
}

// runAgent is an agent process.
func runAgent(mode string) int {
	early := os.Stdout // what a logger made at program start would hold
	switch mode {
	case "die":
		fmt.Fprintln(os.Stderr, "reading settings\nno such model")
		return 3
	case "flood":
		conn := acp.NewAgent(acp.Stdio(), func(client *acp.AgentConn) acpv1.Agent { return &flooder{client: client, n: 20_000} }, nil)
		_ = conn.Wait()
		return 0
	case "deaf":
		time.Sleep(time.Hour)
		return 0
	case "helper": // leaves a child behind that holds its output
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), agentMode+"=deaf")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return 4
		}
		fmt.Println(newSessionResult)
		return 0
	}
	conn := acp.NewAgent(acp.Stdio(), func(*acp.AgentConn) acpv1.Agent {
		return &funcAgent{newSession: func(context.Context, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
			fmt.Println("noise by fmt")
			fmt.Fprintln(early, "noise by an early writer")
			child := exec.Command(os.Args[0], "-test.run=NONE")
			child.Stdout = os.Stdout
			_ = child.Run()
			return &acpv1.NewSessionResponse{SessionID: "s"}, nil
		}}
	}, nil)
	if mode == "close" { // ends by itself although its input stays open
		time.AfterFunc(100*time.Millisecond, func() { _ = conn.Close() })
	}
	if err := conn.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func spawnAgent(t *testing.T, ctx context.Context, mode string, opts *acp.SpawnOptions) *acp.Process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), agentMode+"="+mode)
	p, err := acp.Spawn(ctx, cmd, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSpawn runs an agent in a process of its own, whose other output does not get between the frames.
func TestSpawn(t *testing.T) {
	var stderr bytes.Buffer
	p := spawnAgent(t, t.Context(), "agent", &acp.SpawnOptions{Stderr: &stderr})
	client := acp.NewClient(p, &funcClient{}, nil)
	if _, err := client.Initialize(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := client.NewSession(t.Context(), newSession); err != nil {
		t.Fatal(err)
	}
	end(t, client.Conn)
	if s := p.State(); s == nil || !s.Success() {
		t.Errorf("the agent ended with %v", s)
	}
	for _, noise := range []string{"noise by fmt", "noise by an early writer"} {
		if runtime.GOOS == "windows" && strings.Contains(noise, "early") {
			continue
		}
		if !strings.Contains(p.Stderr(), noise) || !strings.Contains(stderr.String(), noise) {
			t.Errorf("standard error does not have %q: %q", noise, p.Stderr())
		}
	}
}

// TestSpawnExits checks what is said of an agent that ends before it has answered.
func TestSpawnExits(t *testing.T) {
	client := acp.NewClient(spawnAgent(t, t.Context(), "die", nil), &funcClient{}, nil)
	_, err := client.Initialize(t.Context(), nil)
	var exit *acp.ExitError
	if !errors.As(err, &exit) || exit.State.ExitCode() != 3 || !strings.Contains(exit.Stderr, "reading settings") || !strings.Contains(err.Error(), "no such model") {
		t.Errorf("error %v", err)
	}
	if got := acp.Classify(err); got != acp.ClassStartup {
		t.Errorf("class %v, want %v", got, acp.ClassStartup)
	}
	var closed *acp.ClosedError
	if err := client.Wait(); !errors.As(err, &closed) || closed.Reason != acp.ReasonExit {
		t.Errorf("Wait: %v", err)
	}
}

// TestSpawnGrace checks that an agent that does not end is killed, by Close and by the context.
func TestSpawnGrace(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := spawnAgent(t, ctx, "deaf", &acp.SpawnOptions{Grace: -1})
	client := acp.NewClient(p, &funcClient{}, nil)
	cancel()
	<-p.Exited()
	if err := client.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}

	p = spawnAgent(t, t.Context(), "deaf", &acp.SpawnOptions{Grace: 50 * time.Millisecond})
	client = acp.NewClient(p, &funcClient{}, nil)
	end(t, client.Conn)
	if s := p.State(); s == nil || s.Success() {
		t.Errorf("the agent ended with %v", s)
	}
}

// TestSpawnLeavesChild checks that the last response is read, and the connection ends, when the agent ends but a child of it holds its output.
func TestSpawnLeavesChild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no killing of process groups here")
	}
	client := acp.NewClient(spawnAgent(t, t.Context(), "helper", nil), &funcClient{}, nil)
	if _, err := client.NewSession(t.Context(), newSession); err != nil {
		t.Error(err)
	}
	if err := client.Wait(); err != nil {
		t.Error(err)
	}
}

// TestStdioClose checks that an agent ends when it closes its connection, although its input is open.
func TestStdioClose(t *testing.T) {
	p := spawnAgent(t, t.Context(), "close", nil)
	client := acp.NewClient(p, &funcClient{}, nil)
	if err := client.Wait(); err != nil {
		t.Error(err)
	}
	<-p.Exited()
	if s := p.State(); !s.Success() {
		t.Errorf("the agent ended with %v: %s", s, p.Stderr())
	}
}

// TestSpawnFails checks the error of a command that cannot be started.
func TestSpawnFails(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		cmd  *exec.Cmd
		want error
	}{
		{"no program", t.Context(), exec.Command("acpwire-no-such-agent"), exec.ErrNotFound},
		{"context that has ended", ended, exec.Command(os.Args[0]), context.Canceled},
		{"streams that are set", t.Context(), &exec.Cmd{Path: os.Args[0], Stdout: os.Stderr}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := acp.Spawn(tt.ctx, tt.cmd, nil)
			var start *acp.StartError
			if !errors.As(err, &start) || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v, want a *StartError with %v", err, tt.want)
			}
		})
	}
}

// TestSpawnFlood takes many updates from a process.
func TestSpawnFlood(t *testing.T) {
	count := new(counter)
	client := acp.NewClient(spawnAgent(t, t.Context(), "flood", nil), count, nil)
	start := time.Now()
	if _, err := client.Prompt(t.Context(), promptFor("s")); err != nil {
		t.Fatal(err)
	}
	if count.n != 20_000 {
		t.Errorf("%d updates, want 20,000", count.n)
	}
	t.Logf("%.0f updates a second", 20_000/time.Since(start).Seconds())
	end(t, client.Conn)
}
