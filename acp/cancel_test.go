package acp_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// untilCancelled is a turn that runs until its context ends.
func untilCancelled(ctx context.Context, _ *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestCancelBackToBack sends prompt and session/cancel in one write, 2,000 times. No cancellation is lost.
func TestCancelBackToBack(t *testing.T) {
	ours, theirs := acp.Pipe()
	agent := acp.NewAgent(ours, func(*acp.AgentConn) acpv1.Agent { return &funcAgent{prompt: untilCancelled} }, nil)
	defer end(t, agent.Conn)
	lines := newLineReader(theirs)
	for i := range 2000 {
		_, err := theirs.Write([]byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
`))
		if err != nil {
			t.Fatal(err)
		}
		want := `{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,"result":{"stopReason":"cancelled"}}`
		if got := lines.next(t); got != want {
			t.Fatalf("answer %s, want %s", got, want)
		}
	}
}

// TestCancelBeforeTheAnswerIsWritten has a turn that fails while nothing can be written, and is cancelled then. What the client reads after that is that it was
// cancelled.
func TestCancelBeforeTheAnswerIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fromAgent, toClient := io.Pipe()
		fromClient, toAgent := io.Pipe()
		agent := acp.NewAgent(acp.Duplex(fromClient, toClient), func(client *acp.AgentConn) acpv1.Agent {
			return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
				for range 2 { // the first is being written, the second fills the outbox
					if err := client.SessionUpdate(ctx, &acpv1.SessionNotification{SessionID: p.SessionID, Update: acpv1.MessageText(strings.Repeat("x", 100<<10))}); err != nil {
						return nil, err
					}
					synctest.Wait()
				}
				return nil, errors.New("out of luck")
			}}
		}, nil)
		say(t, toAgent, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
		time.Sleep(time.Second)
		say(t, toAgent, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
		time.Sleep(time.Second)
		lines := newLineReader(fromAgent)
		for range 2 {
			if got := method(lines.next(t)); got != "session/update" {
				t.Errorf("the agent wrote %s", got)
			}
		}
		if got, want := lines.next(t), stopLine(1, acpv1.StopReasonCancelled); got != want {
			t.Errorf("answer %s, want %s", got, want)
		}
		_ = toAgent.Close()
		if err := agent.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestCancelOneTurn checks that cancelling a turn leaves the next one alone, however close it is.
func TestCancelOneTurn(t *testing.T) {
	const n = 300
	started := make(chan struct{}, 1)
	conn, _ := connect(t, &funcClient{}, func(*acp.AgentConn) *funcAgent {
		turns := 0
		return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			turns++
			if turns%2 == 1 {
				started <- struct{}{}
				return untilCancelled(ctx, p)
			}
			select {
			case <-ctx.Done():
				return nil, errors.New("the second turn was cancelled")
			default:
				return endTurn, nil
			}
		}}
	})
	for range n {
		first := make(chan acpv1.StopReason, 1)
		go func() {
			r, err := conn.Prompt(t.Context(), promptFor("s"))
			if err != nil {
				t.Error(err)
			}
			first <- r.StopReason
		}()
		<-started
		if err := conn.CancelPrompt(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		if got := <-first; got != acpv1.StopReasonCancelled {
			t.Fatalf("first turn ended with %s", got)
		}
		if err := conn.CancelPrompt(t.Context(), "s"); err != nil { // late: must not reach the next turn
			t.Fatal(err)
		}
		r, err := conn.Prompt(t.Context(), promptFor("s"))
		if err != nil || r.StopReason != acpv1.StopReasonEndTurn {
			t.Fatalf("second turn: %v, %v", r, err)
		}
	}
}

// TestCancelOvertakes checks that session/cancel does not wait behind a notification's handler that takes its time.
func TestCancelOvertakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		a, b := acp.Pipe()
		var cancelled atomic.Bool
		agent := acp.NewAgent(b, func(*acp.AgentConn) acpv1.Agent {
			return &funcAgent{prompt: untilCancelled, cancel: func(context.Context, *acpv1.CancelNotification) error {
				cancelled.Store(true)
				return nil
			}}
		}, &acp.Options{Extensions: []acp.Extension{acp.HandleExtensionNotification("_test/slow", func(context.Context, struct{}) error {
			<-release
			return nil
		})}})
		client := acp.NewClient(a, &funcClient{}, nil)
		done := make(chan *acpv1.PromptResponse, 1)
		go func() {
			r, err := client.Prompt(t.Context(), promptFor("s"))
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		synctest.Wait()
		if err := acp.NotifyExtension(t.Context(), client, "_test/slow", struct{}{}); err != nil {
			t.Fatal(err)
		}
		if err := client.CancelPrompt(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		if r := <-done; r.StopReason != acpv1.StopReasonCancelled {
			t.Errorf("turn ended with %s", r.StopReason)
		}
		if cancelled.Load() {
			t.Error("the handler of session/cancel overtook another notification")
		}
		close(release)
		synctest.Wait()
		if !cancelled.Load() {
			t.Error("the handler was not told of session/cancel")
		}
		end(t, client.Conn, agent.Conn)
	})
}

// TestCancelByContext checks that a call returns when its context ends, that the peer is told, and that a late answer harms nothing.
func TestCancelByContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		causes := make(chan error, 1)
		conn, _ := connect(t, &funcClient{}, func(*acp.AgentConn) *funcAgent {
			return &funcAgent{prompt: func(ctx context.Context, _ *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
				<-ctx.Done()
				causes <- context.Cause(ctx)
				time.Sleep(time.Hour) // an agent that takes its time to stop
				return endTurn, nil
			}}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := conn.Prompt(ctx, promptFor("s")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
		}
		if d := time.Since(start); d != time.Second {
			t.Errorf("Prompt returned after %v", d)
		}
		if cause := <-causes; !errors.Is(cause, acp.ErrCancelledByPeer) {
			t.Errorf("cause %v, want %v", cause, acp.ErrCancelledByPeer)
		}
		time.Sleep(2 * time.Hour)
		if _, err := conn.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{}}); err != nil {
			t.Errorf("after a late answer: %v", err)
		}
	})
}

// TestCancelEndsTurn checks what a cancelled turn is answered with, whatever its handler returns.
func TestCancelEndsTurn(t *testing.T) {
	tests := []struct {
		name   string
		result *acpv1.PromptResponse
		err    error
		want   acpv1.StopReason
	}{
		{"context error", nil, context.Canceled, acpv1.StopReasonCancelled},
		{"another error", nil, errors.New("the model went away"), acpv1.StopReasonCancelled},
		{"an error with a code", nil, acp.Errorf(acp.CodeInternalError, "no"), acpv1.StopReasonCancelled},
		{"its own result", &acpv1.PromptResponse{StopReason: acpv1.StopReasonMaxTokens}, nil, acpv1.StopReasonMaxTokens},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, _ := connect(t, &funcClient{}, func(*acp.AgentConn) *funcAgent {
					return &funcAgent{prompt: func(ctx context.Context, _ *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
						<-ctx.Done()
						return tt.result, tt.err
					}}
				})
				go func() {
					synctest.Wait()
					_ = conn.CancelPrompt(t.Context(), "s")
				}()
				r, err := conn.Prompt(t.Context(), promptFor("s"))
				if err != nil || r.StopReason != tt.want {
					t.Errorf("got %v, %v, want %s", r, err, tt.want)
				}
			})
		})
	}
}

// TestCancelAnswersPermissions checks that a client that cancels a turn answers its permission requests, those that come late included, and no others.
func TestCancelAnswersPermissions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outcomes := make(chan string, 3)
		causes := make(chan error, 2)
		client := &funcClient{permission: func(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
			if p.SessionID == "other" {
				return &acpv1.RequestPermissionResponse{Outcome: &acpv1.SelectedPermissionOutcome{OptionID: "y"}}, nil
			}
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return &acpv1.RequestPermissionResponse{Outcome: &acpv1.SelectedPermissionOutcome{OptionID: "y"}}, nil // too late
		}}
		ask := func(ctx context.Context, client *acp.AgentConn, session acpv1.SessionID) {
			r, err := client.RequestPermission(ctx, &acpv1.RequestPermissionRequest{
				SessionID: session, ToolCall: acpv1.ToolCallUpdate{ToolCallID: "t"},
				Options: []acpv1.PermissionOption{{OptionID: "y", Name: "Yes", Kind: acpv1.PermissionOptionKindAllowOnce}},
			})
			switch {
			case err != nil:
				outcomes <- err.Error()
			default:
				switch r.Outcome.(type) {
				case *acpv1.CancelledPermissionOutcome:
					outcomes <- "cancelled"
				case *acpv1.SelectedPermissionOutcome:
					outcomes <- "selected"
				case *acpv1.UnknownRequestPermissionOutcome:
				}
			}
		}
		conn, agent := connect(t, client, func(client *acp.AgentConn) *funcAgent {
			return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
				ask(context.WithoutCancel(ctx), client, p.SessionID)
				ask(context.WithoutCancel(ctx), client, p.SessionID) // asked after the cancellation
				return nil, ctx.Err()
			}}
		})
		go func() {
			synctest.Wait()
			if err := conn.CancelPrompt(t.Context(), "s"); err != nil {
				t.Error(err)
			}
		}()
		r, err := conn.Prompt(t.Context(), promptFor("s"))
		if err != nil || r.StopReason != acpv1.StopReasonCancelled {
			t.Errorf("turn: %v, %v", r, err)
		}
		ask(t.Context(), agent, "other")
		if diff := cmp.Diff([]string{"cancelled", "cancelled", "selected"}, []string{<-outcomes, <-outcomes, <-outcomes}); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		if cause := <-causes; !errors.Is(cause, acp.ErrCancelled) {
			t.Errorf("cause %v, want %v", cause, acp.ErrCancelled)
		}
	})
}
