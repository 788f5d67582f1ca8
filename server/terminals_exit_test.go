package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A busyHost has terminals whose commands run until they are killed, or for ever.
type busyHost struct {
	*terminalHost
	killed  chan struct{}
	endless bool
}

func (h *busyHost) WaitForTerminalExit(ctx context.Context, r *acpv1.WaitForTerminalExitRequest) (*acpv1.WaitForTerminalExitResponse, error) {
	h.note("wait " + string(r.TerminalID))
	select {
	case <-h.killed:
		return &acpv1.WaitForTerminalExitResponse{Signal: new("SIGKILL")}, nil
	case <-ctx.Done():
		h.note("wait given up")
		return nil, ctx.Err()
	}
}

func (h *busyHost) KillTerminal(ctx context.Context, r *acpv1.KillTerminalRequest) (*acpv1.KillTerminalResponse, error) {
	if !h.endless {
		close(h.killed)
	}
	return h.terminalHost.KillTerminal(ctx, r)
}

// TestTerminalExitAnswered shows that the question how a command ends is asked once, is not given up with those who wait, and is answered before the terminal is
// released, if the client answers at all.
func TestTerminalExitAnswered(t *testing.T) {
	tests := []struct {
		name    string
		endless bool
		failing error
		want    []string
		took    time.Duration
	}{
		{"killed", false, nil, []string{"create", "wait t", "kill t", "release t"}, 0},
		{"never ends", true, nil, []string{"create", "wait t", "kill t", "wait given up", "release t"}, exitGrace},
		{"cannot be killed", true, errors.New("no"), []string{"create", "wait t", "kill t", "wait given up", "release t"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &busyHost{terminalHost: &terminalHost{failing: tt.failing}, killed: make(chan struct{}), endless: tt.endless}
				access := clientTerminals(h.terminalHost).access
				access.client = h
				term, err := newTerminals(access).Run(t.Context(), CommandLine{Command: "x"})
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					if _, err := term.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
					}
					cancel()
				}
				start := time.Now()
				if err := term.Release(t.Context()); !errors.Is(err, tt.failing) {
					t.Errorf("got %v, want %v", err, tt.failing)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("release took %v, want %v", took, tt.took)
				}
				synctest.Wait()
				if diff := cmp.Diff(tt.want, h.all()); diff != "" {
					t.Errorf("mismatch (-want +got):\n%s", diff)
				}
			})
		})
	}
}
