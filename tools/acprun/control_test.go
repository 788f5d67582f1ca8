package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// obedient works until it is cancelled, and then says so.
func obedient() *fakeAgent {
	return &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
		if err := a.say(ctx, "Working."); err != nil {
			return "", err
		}
		<-ctx.Done()
		return acpv1.StopReasonCancelled, a.say(context.WithoutCancel(ctx), " Stopped.")
	}}
}

// startDeaf returns what starts an agent that answers no prompt, whatever happens.
func startDeaf() (start func(context.Context, []string) (agentProcess, error), process *fakeProcess) {
	process = newFakeProcess()
	return func(context.Context, []string) (agentProcess, error) {
		go script(process, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n",
			`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}` + "\n",
		})
		return process, nil
	}, process
}

func isKilled(p *fakeProcess) bool { return isClosed(p.killed) }

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interrupts := make(chan os.Signal, 1)
		agent := obedient()
		start := time.Now()
		go func() {
			time.Sleep(time.Minute)
			interrupts <- os.Interrupt
		}()
		r := (&trial{agent: agent, interrupts: interrupts}).run(t.Context(), t, "hello", "--", "agent")
		r.check(t, 130, "cancelling the turn", "acprun: cancelled")
		if r.stdout != "Working. Stopped.\n" {
			t.Errorf("standard output %q", r.stdout)
		}
		if d := time.Since(start); d != time.Minute {
			t.Errorf("it took %v, want a minute", d)
		}
	})
}

func TestInterruptTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interrupts := make(chan os.Signal, 1)
		start, process := startDeaf()
		var first bool
		go func() {
			time.Sleep(time.Hour)
			interrupts <- os.Interrupt
			time.Sleep(time.Hour)
			first = isKilled(process)
			interrupts <- os.Interrupt
		}()
		begin := time.Now()
		r := (&trial{start: start, interrupts: interrupts}).run(t.Context(), t, "--json", "hello", "--", "agent")
		r.check(t, 130, "cancelling the turn", "interrupted")
		if first || !isKilled(process) {
			t.Errorf("killed by the first: %v, by the second: %v", first, isKilled(process))
		}
		if d := time.Since(begin); d < 2*time.Hour || d > 2*time.Hour+time.Second {
			t.Errorf("it took %v, want two hours", d)
		}
		if want := `{"type":"end","status":130,"error":"interrupted"}`; lastLine(r.stdout) != want {
			t.Errorf("last event %s, want %s", lastLine(r.stdout), want)
		}
		time.Sleep(time.Minute)
	})
}

// TestInterruptEarly checks that before the prompt there is no turn to cancel: the first Ctrl-C ends it all.
func TestInterruptEarly(t *testing.T) {
	hang := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	agents := map[string]*fakeAgent{
		"initialize": {initialize: func(ctx context.Context, _ *fakeAgent, _ *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
			return nil, hang(ctx)
		}},
		"session": {newSession: func(ctx context.Context, _ *fakeAgent, _ *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
			return nil, hang(ctx)
		}},
	}
	for name, agent := range agents {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				interrupts := make(chan os.Signal, 1)
				go func() {
					time.Sleep(time.Minute)
					interrupts <- os.Interrupt
				}()
				(&trial{agent: agent, interrupts: interrupts}).run(t.Context(), t, "hello", "--", "agent").check(t, 130, "interrupted")
			})
		})
	}
}

func TestInterruptPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stdin, w := io.Pipe()
		interrupts := make(chan os.Signal, 1)
		go func() {
			time.Sleep(time.Minute)
			interrupts <- os.Interrupt
		}()
		tr := &trial{stdin: stdin, terminals: []any{stdin}, interrupts: interrupts}
		tr.run(t.Context(), t, "--", "agent").check(t, 130, "Ctrl-D", "interrupted")
		_ = w.Close()
	})
}

func TestTimeout(t *testing.T) {
	tests := []struct {
		name  string
		agent *fakeAgent // nil: deaf
		after time.Duration
	}{
		{"obedient agent", obedient(), time.Minute},
		{"deaf agent", nil, time.Minute + patience},
		{"agent that does not start", &fakeAgent{initialize: func(ctx context.Context, _ *fakeAgent, _ *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, time.Minute},
		{"agent that answers with an error", &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
			<-ctx.Done()
			return "", errors.New("no")
		}}, time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := &trial{agent: tt.agent}
				if tt.agent == nil {
					tr.start, _ = startDeaf()
				}
				start := time.Now()
				r := tr.run(t.Context(), t, "--timeout", "1m", "hello", "--", "agent")
				r.check(t, 124, "the time is over: 1m0s")
				if d := time.Since(start); d != tt.after {
					t.Errorf("it took %v, want %v", d, tt.after)
				}
			})
		})
	}
}

// TestNoTimeout checks that a turn that ends in time is not touched.
func TestNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
			time.Sleep(59 * time.Second)
			return acpv1.StopReasonEndTurn, a.say(ctx, "Done.")
		}}
		(&trial{agent: agent}).run(t.Context(), t, "--timeout", "1m", "hello", "--", "agent").check(t, 0)
	})
}

// TestTerminated checks that a signal that asks no questions is one to be polite with, but not for long.
func TestTerminated(t *testing.T) {
	for name, agent := range map[string]*fakeAgent{"obedient": obedient(), "deaf": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				tr := &trial{agent: agent}
				want := time.Minute
				if agent == nil {
					tr.start, _ = startDeaf()
					want += patience
				}
				go func() {
					time.Sleep(time.Minute)
					cancel()
				}()
				start := time.Now()
				tr.run(ctx, t, "hello", "--", "agent").check(t, 130)
				if d := time.Since(start); d != want {
					t.Errorf("it took %v, want %v", d, want)
				}
			})
		})
	}
}

// TestInterruptQuestion checks that cancelling the turn ends a question to the user, and that the agent is told "cancelled".
func TestInterruptQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stdin, w := io.Pipe()
		interrupts := make(chan os.Signal, 1)
		var outcome acpv1.RequestPermissionOutcome
		agent := &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
			r, err := a.client.RequestPermission(context.WithoutCancel(ctx), permissionRequest(allOptions...))
			if err != nil {
				return "", err
			}
			outcome = r.Outcome
			return acpv1.StopReasonCancelled, a.say(ctx, "Well.")
		}}
		go func() {
			time.Sleep(time.Minute)
			interrupts <- os.Interrupt
		}()
		tr := &trial{agent: agent, stdin: stdin, terminals: []any{stdin}, interrupts: interrupts}
		r := tr.run(t.Context(), t, "hello", "--", "agent")
		r.check(t, 130, "asks for permission")
		if _, ok := outcome.(*acpv1.CancelledPermissionOutcome); !ok {
			t.Errorf("outcome %T, want cancelled", outcome)
		}
		_ = w.Close()
	})
}

// A stuckWriter takes nothing until it is released.
type stuckWriter struct{ entered, released chan struct{} }

func (w *stuckWriter) Write(b []byte) (int, error) {
	if !isClosed(w.entered) {
		close(w.entered)
	}
	<-w.released
	return len(b), nil
}

// TestInterruptStuck checks that a second Ctrl-C ends the program even if nobody reads its output.
func TestInterruptStuck(t *testing.T) {
	stdout := &stuckWriter{make(chan struct{}), make(chan struct{})}
	defer close(stdout.released)
	interrupts := make(chan os.Signal)
	go func() {
		<-stdout.entered
		interrupts <- os.Interrupt
		interrupts <- os.Interrupt
	}()
	(&trial{agent: obedient(), stdout: stdout, interrupts: interrupts}).run(t.Context(), t, "hello", "--", "agent").check(t, 130)
}

// TestDiesWhileHandled checks that an agent that ends does not leave a question open, and that what it said before is shown.
func TestDiesWhileHandled(t *testing.T) {
	stdin, w := io.Pipe()
	defer func() { _ = w.Close() }()
	process := newFakeProcess()
	start := func(context.Context, []string) (agentProcess, error) {
		go script(process, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n",
			`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}` + "\n",
			`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t"},"options":[]}}` + "\n" +
				`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"last words"}}}}` + "\n{",
		})
		return process, nil
	}
	begin := time.Now()
	r := (&trial{start: start, stdin: stdin, terminals: []any{stdin}}).run(t.Context(), t, "hello", "--", "agent")
	r.check(t, 3, "asks for permission: t", "closed by the peer")
	if !strings.Contains(r.stdout, "last words") {
		t.Errorf("standard output %q", r.stdout)
	}
	if d := time.Since(begin); d > 5*drainTime {
		t.Errorf("it took %v", d)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestOutputFails checks that a turn nobody sees is cancelled.
func TestOutputFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := (&trial{agent: obedient(), stdout: brokenWriter{}}).run(t.Context(), t, "hello", "--", "agent")
		r.check(t, 1, "standard output", io.ErrClosedPipe.Error())
	})
	// Here all is over when it fails.
	silent := &fakeAgent{prompt: func(context.Context, *fakeAgent, *acpv1.PromptRequest) (acpv1.StopReason, error) {
		return acpv1.StopReasonEndTurn, nil
	}}
	r := (&trial{agent: silent, stdout: &failAtEnd{}}).run(t.Context(), t, "--json", "hello", "--", "agent")
	r.check(t, 1, "standard output")
}

// failAtEnd fails when the last event is written.
type failAtEnd struct{}

func (failAtEnd) Write(b []byte) (int, error) {
	if strings.Contains(string(b), `"end"`) {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}
