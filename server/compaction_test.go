package server

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// TestCompaction shows that compactions come to one end each, and that only clients that can show them get them.
func TestCompaction(t *testing.T) {
	shows := &acpv1.ClientCapabilities{Session: &acpv1.ClientSessionCapabilities{Compaction: &acpv1.CompactionCapabilities{}}}
	engine := script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		done, errDone := t.Compact()
		failed, errFailed := t.Compact()
		_, errLeft := t.Compact()
		if err := errors.Join(errDone, errFailed, errLeft); err != nil {
			return Stop, err
		}
		err := errors.Join(done.Summary("all"), done.Summary(" of it"), done.Done(), failed.Fail(errors.New("too long")))
		for _, late := range []error{done.Summary("x"), done.Done(), failed.Fail(nil)} {
			if !errors.Is(late, ErrCompactionOver) {
				return Stop, errors.New("a compaction goes on after its end")
			}
		}
		return Stop, err
	}}
	tests := []struct {
		name string
		caps *acpv1.ClientCapabilities
		want []string
	}{
		{"shown", shows, []string{
			"compaction-1 in_progress", "compaction-2 in_progress", "compaction-3 in_progress", "compaction-1: all", "compaction-1:  of it", "compaction-1 completed", "compaction-2 failed too long",
			"compaction-3 cancelled",
		}},
		{"not shown", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := acp.Pipe()
			served := make(chan error, 1)
			go func() { served <- New(engine, &Options{NewID: counted()}).Serve(context.Background(), b) }()
			e := &editor{t: t}
			e.ClientConn = acp.NewClient(a, e, &acp.Options{Tap: conform.Test(t, wire.ClientSide, nil)})
			if _, err := e.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: tt.caps}); err != nil {
				t.Fatal(err)
			}
			id := e.newSession()
			if _, err := e.ask(id, "go"); err != nil {
				t.Error(err)
			}
			var got []string
			for _, u := range e.seen(id) {
				switch u := u.(type) {
				case *acpv1.CompactionUpdate:
					s := string(u.CompactionID) + " " + string(u.Status)
					if text, ok := u.Error.Get(); ok {
						s += " " + text
					}
					got = append(got, s)
				case *acpv1.CompactionSummaryChunk:
					text, _ := acpv1.TextOf(u.Content)
					got = append(got, string(u.CompactionID)+": "+text)
				default:
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if err := errors.Join(e.Close(), <-served); err != nil {
				t.Error(err)
			}
		})
	}
}
