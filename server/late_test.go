package server

import (
	"context"
	"slices"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A holder is a client that answers nothing before it is asked to cancel.
type holder struct {
	acpv1.UnimplementedClient
	asked chan struct{} // has a token for each question
}

func (h *holder) hold(ctx context.Context) error {
	h.asked <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

func (h *holder) SessionUpdate(context.Context, *acpv1.SessionNotification) error { return nil }

func (h *holder) CreateElicitation(ctx context.Context, _ *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error) {
	return nil, h.hold(ctx)
}

func (h *holder) ReadTextFile(ctx context.Context, _ *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
	return nil, h.hold(ctx)
}

func (h *holder) WriteTextFile(ctx context.Context, _ *acpv1.WriteTextFileRequest) (*acpv1.WriteTextFileResponse, error) {
	return nil, h.hold(ctx)
}

func (h *holder) RequestPermission(ctx context.Context, _ *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	return nil, h.hold(ctx)
}

// TestQuestionsEndBeforeTheAnswer has an engine return while the client has a question of it, asked with a context of its own. The question is given up before the turn is
// answered, and whatever the engine asks then fails without a word on the wire.
func TestQuestionsEndBeforeTheAnswer(t *testing.T) {
	for name, ask := range map[string]func(ctx context.Context, turn *Turn) error{
		"a form": func(ctx context.Context, turn *Turn) error {
			_, err := turn.Ask(ctx, Form{Message: "?", Fields: []Field{{Name: "a"}}})
			return err
		},
		"a file to read": func(ctx context.Context, turn *Turn) error {
			_, err := turn.Files().Read(ctx, "a", 0, 0)
			return err
		},
		"a file to write": func(ctx context.Context, turn *Turn) error { return turn.Files().Write(ctx, "a", "b") },
		"a permission": func(ctx context.Context, turn *Turn) error {
			_, err := turn.Allow(ctx, turn.Tool("look", Read, "Look"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				h := &holder{asked: make(chan struct{}, 2)}
				var over *Turn
				failed := make(chan error, 1)
				e := connectAs(t, New(script{prompt: func(ctx context.Context, turn *Turn) (Finish, error) {
					over = turn
					go func() { failed <- ask(context.WithoutCancel(ctx), turn) }()
					<-h.asked
					return Stop, nil
				}}, nil), h)
				caps := both()
				caps.FS = &acpv1.FileSystemCapabilities{ReadTextFile: new(true), WriteTextFile: new(true)}
				if _, err := e.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: caps}); err != nil {
					t.Fatal(err)
				}
				id := e.newSession()
				if stop, err := e.ask(id, "go"); err != nil || stop != acpv1.StopReasonEndTurn {
					t.Fatalf("the turn ended with %s, %v", stop, err)
				}
				if err := <-failed; err == nil {
					t.Error("the question has an answer")
				}
				sent := e.log.sent()
				if cancelled, answered := slices.Index(sent, acpv1.MethodCancelRequest), slices.Index(sent, "session/prompt result end_turn"); cancelled < 0 || answered < cancelled {
					t.Fatalf("the question was not given up before the answer: %q", sent)
				}
				if err := ask(t.Context(), over); err == nil {
					t.Error("a question after the turn has an answer")
				}
				if after := e.log.sent(); len(after) != len(sent) {
					t.Errorf("after the turn the agent wrote %q", after[len(sent):])
				}
				e.leave()
			}
		})
	}
}
