package server

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

const beAgent = "ACPWIRE_TEST_BE_AGENT"

// TestMain makes the test binary an agent if it was started as one.
func TestMain(m *testing.M) {
	if path, ok := os.LookupEnv(beKeeper); ok {
		os.Exit(serveKeeper(path))
	}
	if os.Getenv(beAgent) != "" {
		Main(script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
			fmt.Println("this is not a frame")
			return Stop, t.Say("hi")
		}}, nil)
		return
	}
	os.Exit(m.Run())
}

// TestProcess shows an agent as a process: what it prints does not reach the client, and it exits cleanly when the client goes away or a signal asks it to.
func TestProcess(t *testing.T) {
	for _, bySignal := range []bool{false, true} {
		t.Run(fmt.Sprintf("signal %v", bySignal), func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), beAgent+"=1")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			e := &editor{t: t}
			e.ClientConn = acp.NewClient(acp.Duplex(out, in), e, nil)
			e.hello()
			id := e.newSession()
			if stop, err := e.ask(id, "go"); stop != acpv1.StopReasonEndTurn || err != nil {
				t.Errorf("got %q, %v", stop, err)
			}
			if n := len(e.seen(id)); n != 1 {
				t.Errorf("got %d updates, want 1", n)
			}
			if bySignal {
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			} else {
				_ = in.Close()
			}
			<-e.Done()
			if err := cmd.Wait(); err != nil {
				t.Errorf("the agent's exit: %v", err)
			}
		})
	}
}
