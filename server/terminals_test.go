package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// terminalHost is a client with terminals in which nothing runs. It keeps what it is asked.
type terminalHost struct {
	acpv1.UnimplementedClient
	// creating, if not nil, is what creating a terminal waits for.
	creating chan struct{}
	// waiting, if not nil, is closed when somebody waits for an exit, which does not come.
	waiting chan struct{}
	// failing is the error of every method but CreateTerminal.
	failing error

	mu      sync.Mutex
	calls   []string
	created []*acpv1.CreateTerminalRequest
}

func (h *terminalHost) note(call string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, call)
}

func (h *terminalHost) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

func (h *terminalHost) CreateTerminal(ctx context.Context, r *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error) {
	h.note("create")
	if h.creating != nil {
		select {
		case <-h.creating:
		case <-ctx.Done():
			h.note("create given up")
			return nil, ctx.Err()
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.created = append(h.created, r)
	return &acpv1.CreateTerminalResponse{TerminalID: "t"}, nil
}

func (h *terminalHost) TerminalOutput(_ context.Context, r *acpv1.TerminalOutputRequest) (*acpv1.TerminalOutputResponse, error) {
	h.note("output " + string(r.TerminalID))
	return &acpv1.TerminalOutputResponse{Output: "€€", ExitStatus: &acpv1.TerminalExitStatus{ExitCode: new(uint32(3))}}, h.failing
}

func (h *terminalHost) WaitForTerminalExit(ctx context.Context, r *acpv1.WaitForTerminalExitRequest) (*acpv1.WaitForTerminalExitResponse, error) {
	h.note("wait " + string(r.TerminalID))
	if h.waiting != nil {
		close(h.waiting)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &acpv1.WaitForTerminalExitResponse{Signal: new("SIGTERM")}, h.failing
}

func (h *terminalHost) KillTerminal(_ context.Context, r *acpv1.KillTerminalRequest) (*acpv1.KillTerminalResponse, error) {
	h.note("kill " + string(r.TerminalID))
	return &acpv1.KillTerminalResponse{}, h.failing
}

func (h *terminalHost) ReleaseTerminal(_ context.Context, r *acpv1.ReleaseTerminalRequest) (*acpv1.ReleaseTerminalResponse, error) {
	h.note("release " + string(r.TerminalID))
	return &acpv1.ReleaseTerminalResponse{}, h.failing
}

func clientTerminals(h *terminalHost) *Terminals {
	return newTerminals(toolAccess{
		sessionID: "s", roots: newRoots("/no/such/w", nil), client: h, caps: &acpv1.ClientCapabilities{Terminal: new(true)},
	})
}

func TestTerminalClient(t *testing.T) {
	h := &terminalHost{}
	ts := clientTerminals(h)
	ctx := t.Context()
	term, err := ts.Run(ctx, CommandLine{Command: "make", Args: []string{"-k"}, Env: []string{"A=1=2", "B"}, Dir: "sub", OutputLimit: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := &acpv1.CreateTerminalRequest{
		SessionID: "s", Command: "make", Args: []string{"-k"}, Env: []acpv1.EnvVariable{{Name: "A", Value: "1=2"}, {Name: "B"}},
		Cwd: new("/no/such/w/sub"), OutputByteLimit: new(uint64(4)),
	}
	if diff := cmp.Diff([]*acpv1.CreateTerminalRequest{want}, h.created); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if term.ID() != "t" || !ts.has("t") || ts.has("u") || ts.has("") {
		t.Errorf("id %q", term.ID())
	}
	// The client has kept more than it was told to.
	out, err := term.Output(ctx)
	if diff := cmp.Diff(TerminalOutput{Text: "€", Truncated: true, Exit: &Exit{Code: 3}}, out); diff != "" || err != nil {
		t.Errorf("%v; mismatch (-want +got):\n%s", err, diff)
	}
	if exit, err := term.Wait(ctx); err != nil || exit != (Exit{Code: -1, Signal: "SIGTERM"}) {
		t.Errorf("wait: %v, %v", exit, err)
	}
	if err := term.Kill(ctx); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := term.Release(ctx); err != nil {
			t.Error(err)
		}
	}
	if _, err := term.Output(ctx); !errors.Is(err, ErrReleased) {
		t.Errorf("output: %v", err)
	}
	if _, err := term.Wait(ctx); !errors.Is(err, ErrReleased) {
		t.Errorf("wait: %v", err)
	}
	if err := term.Kill(ctx); !errors.Is(err, ErrReleased) {
		t.Errorf("kill: %v", err)
	}
	ts.close()
	if diff := cmp.Diff([]string{"create", "output t", "wait t", "kill t", "release t"}, h.all()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if ts.has("t") {
		t.Error("the released terminal can still be shown")
	}
}

// TestTerminalReleasedAlways ends a terminal in each way that does not call Release.
func TestTerminalReleasedAlways(t *testing.T) {
	tests := []struct {
		name string
		end  func(cancel context.CancelFunc, ts *Terminals)
	}{
		{"the context ends", func(cancel context.CancelFunc, _ *Terminals) { cancel() }},
		{"the turn ends", func(_ context.CancelFunc, ts *Terminals) { ts.close() }},
		{"both", func(cancel context.CancelFunc, ts *Terminals) { cancel(); ts.close() }},
		{"the engine panics", func(_ context.CancelFunc, ts *Terminals) {
			defer func() { _ = recover() }()
			defer ts.close()
			panic("engine")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &terminalHost{}
				ts := clientTerminals(h)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if _, err := ts.Run(ctx, CommandLine{Command: "x"}); err != nil {
					t.Fatal(err)
				}
				tt.end(cancel, ts)
				synctest.Wait()
				if diff := cmp.Diff([]string{"create", "release t"}, h.all()); diff != "" {
					t.Errorf("mismatch (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestTerminalCreatedLate gives a terminal up while the client is still creating it.
func TestTerminalCreatedLate(t *testing.T) {
	tests := []struct {
		name  string
		wait  time.Duration // until the client has created it
		close bool          // close instead of ending the context
		want  []string
		err   error
	}{
		{"in time", time.Second, false, []string{"create", "release t"}, context.Canceled},
		{"in time, the turn is over", time.Second, true, []string{"create", "release t"}, context.Canceled},
		{"late", time.Minute, false, []string{"create", "release t"}, context.Canceled},
		{"late, the turn is over", time.Minute, true, []string{"create", "release t"}, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &terminalHost{creating: make(chan struct{})}
				ts := clientTerminals(h)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				time.AfterFunc(time.Second, func() {
					if tt.close {
						begun := time.Now()
						ts.close()
						if took := time.Since(begun); took > releaseTimeout {
							t.Errorf("the turn was held up for %v", took)
						}
					} else {
						cancel()
					}
				})
				time.AfterFunc(time.Second+tt.wait, func() { close(h.creating) })
				start := time.Now()
				if term, err := ts.Run(ctx, CommandLine{Command: "x"}); term != nil || !errors.Is(err, tt.err) {
					t.Errorf("got %v, %v; want %v", term, err, tt.err)
				}
				if took := time.Since(start); took != time.Second {
					t.Errorf("Run took %v after its context had ended", took-time.Second)
				}
				time.Sleep(2 * time.Minute)
				if diff := cmp.Diff(tt.want, h.all()); diff != "" {
					t.Errorf("mismatch (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestTerminalErrors(t *testing.T) {
	ctx := t.Context()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	h := &terminalHost{}
	ts := clientTerminals(h)
	if _, err := ts.Run(ctx, CommandLine{}); err == nil {
		t.Error("ran nothing")
	}
	for _, dir := range []string{"..", "/", "/no/such/ww"} {
		if _, err := ts.Run(ctx, CommandLine{Command: "x", Dir: dir}); !errors.Is(err, ErrOutsideRoots) {
			t.Errorf("in %s: %v", dir, err)
		}
	}
	if _, err := ts.Run(ended, CommandLine{Command: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	ts.access.caps, ts.access.local = nil, LocalNever
	var unsupported *acp.UnsupportedError
	if _, err := ts.Run(ctx, CommandLine{Command: "x"}); !errors.As(err, &unsupported) || unsupported.Capability != "terminal" {
		t.Errorf("without the capability: %v", err)
	}
	if calls := h.all(); len(calls) > 0 {
		t.Errorf("the client was asked: %v", calls)
	}

	ts = clientTerminals(h)
	term, err := ts.Run(ctx, CommandLine{Command: "x"})
	if err != nil {
		t.Fatal(err)
	}
	h.failing = errors.New("no")
	if _, err := term.Output(ctx); !errors.Is(err, h.failing) {
		t.Errorf("output: %v", err)
	}
	if _, err := term.Wait(ctx); !errors.Is(err, h.failing) {
		t.Errorf("wait: %v", err)
	}
	if err := term.Release(ctx); !errors.Is(err, h.failing) {
		t.Errorf("release: %v", err)
	}
	ts.close()
	if _, err := ts.Run(ctx, CommandLine{Command: "x"}); !errors.Is(err, ErrTerminalsClosed) {
		t.Errorf("after the turn: %v", err)
	}
}

func TestTerminalKeepEnd(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
		cut      bool
	}{
		{"fits", "€€", 6, "€€", false},
		{"between characters", "€€", 3, "€", true},
		{"in a character", "€€", 4, "€", true},
		{"less than a character", "€€", 2, "", true},
		{"four bytes", "a😀", 3, "", true},
		{"nothing", "€", 0, "", true},
		{"nothing of nothing", "", 0, "", false},
		{"negative", "a", -1, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, cut := keepEnd(tt.in, tt.limit); got != tt.want || cut != tt.cut {
				t.Errorf("got %q, %v; want %q, %v", got, cut, tt.want, tt.cut)
			}
		})
	}
}

func TestTerminalTail(t *testing.T) {
	tests := []struct {
		name   string
		limit  int
		writes []string
		ended  bool
		want   string
		cut    bool
	}{
		{"fits", 9, []string{"ab", "cd"}, false, "abcd", false},
		{"a character in two writes", 9, []string{"a\xe2\x82", "\xac"}, false, "a€", false},
		{"a character to come", 9, []string{"a\xe2\x82"}, false, "a", false},
		{"a character that never comes", 9, []string{"a\xe2\x82"}, true, "a\uFFFD", false},
		{"cut in a character", 4, []string{"€€€"}, true, "€", true},
		{"many writes", 4, slices.Repeat([]string{"€"}, 99), true, "€", true},
		{"one large write", 4, []string{"x", strings.Repeat("€", 99)}, true, "€", true},
		{"bytes", 3, []string{strings.Repeat("\xff", 99)}, true, "\uFFFD", true},
		{"limit zero", 0, []string{"abc"}, true, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tail := &outputTail{limit: tt.limit}
			for _, w := range tt.writes {
				if n, err := tail.Write([]byte(w)); n != len(w) || err != nil {
					t.Fatalf("wrote %d, %v", n, err)
				}
			}
			if got, cut := tail.read(tt.ended); got != tt.want || cut != tt.cut {
				t.Errorf("got %q, %v; want %q, %v", got, cut, tt.want, tt.cut)
			}
		})
	}
}

// FuzzTerminalTail compares the tail with keeping everything.
func FuzzTerminalTail(f *testing.F) {
	f.Add("a€😀b", 5, 3)
	f.Add("\xff\xe2\x82", 2, 1)
	f.Fuzz(func(t *testing.T, s string, limit, chunk int) {
		limit, chunk = min(max(limit, 0), 64), min(max(chunk, 1), 64)
		tail := &outputTail{limit: limit}
		for rest := []byte(s); len(rest) > 0; {
			n := min(chunk, len(rest))
			_, _ = tail.Write(rest[:n])
			rest = rest[n:]
		}
		got, cut := tail.read(true)
		if len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%q is no text of at most %d bytes", got, limit)
		}
		if !utf8.ValidString(s) {
			return
		}
		if want, wantCut := keepEnd(s, limit); got != want || cut != wantCut {
			t.Errorf("got %q, %v; want %q, %v", got, cut, want, wantCut)
		}
	})
}
