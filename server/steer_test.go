package server

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// A slowStore takes its time to begin a turn.
type slowStore struct {
	store.Memory
	beginning, goOn chan struct{}
}

func (s *slowStore) Begin(ctx context.Context, session, turnID string, records ...json.RawMessage) (store.Turn, error) {
	close(s.beginning)
	<-s.goOn
	return s.Memory.Begin(ctx, session, turnID, records...)
}

// TestSteerTooEarly steers a turn that the engine does not have yet: its prompt is only being stored.
func TestSteerTooEarly(t *testing.T) {
	engine := newRich()
	keep := &slowStore{beginning: make(chan struct{}), goOn: make(chan struct{})}
	e := open(t, engine, &Options{Store: keep})
	id := e.newSession()
	go func() {
		defer close(keep.goOn)
		<-keep.beginning
		_, err := acp.CallExtension[struct{}](t.Context(), e, SteerMethod, acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("left")})
		var said *acp.Error
		if !errors.As(err, &said) {
			t.Errorf("got %v, want an error", err)
		}
	}()
	if stop, err := e.ask(id, "go"); stop != acpv1.StopReasonEndTurn || err != nil {
		t.Errorf("got %q, %v", stop, err)
	}
	for _, u := range e.seen(id) {
		if chunk, ok := u.(*acpv1.AgentMessageChunk); ok {
			if text, _ := acpv1.TextOf(chunk.Content); text != "echo go" {
				t.Errorf("said %q", text)
			}
		}
	}
}
