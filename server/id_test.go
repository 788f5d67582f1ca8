package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// counted returns an [Options.NewID] that counts the things of each kind.
func counted() func(IDKind) string {
	var mu sync.Mutex
	counts := make(map[IDKind]int)
	return func(kind IDKind) string {
		mu.Lock()
		defer mu.Unlock()
		counts[kind]++
		return fmt.Sprintf("%s-%d", kind, counts[kind])
	}
}

// TestNewID shows that all ids are those of the options.
func TestNewID(t *testing.T) {
	var got []string
	keep := new(store.Memory)
	e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
		call := t.Tool("look", Read, "Look", CallID("given"))
		other := t.Tool("look", Read, "Look")
		got = append(got, call.ID(), other.ID())
		_, _, err := t.Visit(ctx, "?", "https://example.com/")
		return Stop, errors.Join(t.Say("hi"), err)
	}}, &Options{Store: keep, NewID: counted()})
	e.elicit = func(p *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error) {
		got = append(got, string(p.Mode.(*acpv1.ElicitationURLMode).ElicitationID))
		return &acpv1.CreateElicitationResponse{Action: &acpv1.ElicitationDeclineAction{}}, nil
	}
	id := e.newSession()
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	for _, u := range e.seen(id) {
		if chunk, ok := u.(*acpv1.AgentMessageChunk); ok {
			got = append(got, string(*chunk.MessageID))
		}
	}
	for r, err := range keep.History(t.Context(), string(id)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.TurnID)
	}
	want := []string{"given", "call-1", "visit-1", "message-1", "turn-1"}
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" || id != "session-1" {
		t.Errorf("session %s, mismatch (-want +got):\n%s", id, diff)
	}
}
