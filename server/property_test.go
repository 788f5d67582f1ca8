package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/server/store"
)

var propertyRuns = flag.Int("property.runs", 60, "how many random clients and engines TestRandomEngines runs")

var propertySeed = flag.Uint64("seed", 0, "the seed of TestRandomEngines; 0 is a new one, or 1 with -short")

// sawPrompt waits until the prompt has been read from the wire, or answered.
func (w *wireLog) sawPrompt(text string, answered <-chan struct{}) {
	read := func(f frame) bool {
		return !f.out && f.msg.Method == "session/prompt" && strings.Contains(string(f.msg.Params), `"`+text+`"`)
	}
	for !slices.ContainsFunc(w.all(), read) {
		select {
		case <-answered:
			return
		case <-time.After(50 * time.Microsecond):
		}
	}
}

// TestRandomEngines drives engines that do random things with clients that do random things, and checks all that is on the wire.
func TestRandomEngines(t *testing.T) {
	seed := *propertySeed
	switch {
	case seed != 0:
	case testing.Short():
		seed = 1
	default:
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	turns := 0
	for i := range *propertyRuns {
		engine := newChaos(rand.New(rand.NewPCG(seed, uint64(i))))
		opts := &Options{CancelGrace: 4 * time.Millisecond, Policy: []PromptPolicy{Queue, Preempt, Reject}[i%3]}
		if i%2 == 0 {
			opts.Store = new(store.Memory)
		}
		r := &randomRun{engine: engine, opts: opts, rand: rand.New(rand.NewPCG(seed, uint64(i)+1<<32)), loses: i%5 == 4}
		turns += r.run(t)
		if t.Failed() {
			t.Fatalf("in run %d", i)
		}
	}
	if turns < *propertyRuns*4 {
		t.Errorf("only %d turns in %d runs", turns, *propertyRuns)
	}
}

// A randomRun is a connection of a client that does random things. Requests of the agent it handles at random, too.
type randomRun struct {
	acpv1.UnimplementedClient
	*editor
	engine *chaos
	opts   *Options
	rand   *rand.Rand
	loses  bool // the client goes away in the middle of it

	mu        sync.Mutex
	seeds     *rand.Rand // of the handlers
	terminals int
	lost      bool
}

func (r *randomRun) roll(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seeds.IntN(n)
}

func (r *randomRun) RequestPermission(ctx context.Context, _ *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	switch n := r.roll(8); n {
	case 0:
		// Waits for the turn to be cancelled, but a user would not wait for ever.
		select {
		case <-ctx.Done():
		case <-time.After(3 * time.Millisecond):
		}
		return acpv1.Cancelled(), nil
	case 1:
		return nil, errors.New("the client failed")
	case 2:
		return acpv1.Selected("unknown"), nil
	default:
		time.Sleep(time.Duration(n*50) * time.Microsecond)
		return acpv1.Selected([]acpv1.PermissionOptionID{"allow_once", "allow_once", "reject_once", "allow_always", "code"}[n-3]), nil
	}
}

func (r *randomRun) SessionUpdate(context.Context, *acpv1.SessionNotification) error { return nil }

func (r *randomRun) CreateElicitation(context.Context, *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error) {
	return &acpv1.CreateElicitationResponse{Action: &acpv1.ElicitationDeclineAction{}}, nil
}

func (r *randomRun) CreateTerminal(context.Context, *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error) {
	time.Sleep(time.Duration(r.roll(1000)) * time.Microsecond)
	if r.roll(5) == 0 {
		return nil, errors.New("the client failed")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.terminals++
	return &acpv1.CreateTerminalResponse{TerminalID: acpv1.TerminalID("t" + strconv.Itoa(r.terminals))}, nil
}

func (r *randomRun) WaitForTerminalExit(ctx context.Context, _ *acpv1.WaitForTerminalExitRequest) (*acpv1.WaitForTerminalExitResponse, error) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(r.roll(1000)) * time.Microsecond):
	}
	return &acpv1.WaitForTerminalExitResponse{ExitCode: new(uint32(0))}, nil
}

func (r *randomRun) KillTerminal(context.Context, *acpv1.KillTerminalRequest) (*acpv1.KillTerminalResponse, error) {
	return &acpv1.KillTerminalResponse{}, nil
}

func (r *randomRun) ReleaseTerminal(context.Context, *acpv1.ReleaseTerminalRequest) (*acpv1.ReleaseTerminalResponse, error) {
	return &acpv1.ReleaseTerminalResponse{}, nil
}

// run returns how many turns were answered.
func (r *randomRun) run(t *testing.T) int {
	r.seeds = rand.New(rand.NewPCG(r.rand.Uint64(), 0))
	r.editor = connectAs(t, New(r.engine, r.opts), r)
	caps := both()
	caps.Terminal = new(true)
	if _, err := r.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: caps}); err != nil {
		t.Fatal(err)
	}
	var sessions sync.WaitGroup
	for n := range 1 + r.rand.IntN(3) {
		own := rand.New(rand.NewPCG(r.rand.Uint64(), 1))
		id := r.newSession()
		sessions.Go(func() { r.session(id, n, own) })
	}
	if r.loses {
		time.Sleep(time.Duration(r.rand.IntN(8000)) * time.Microsecond)
		r.mu.Lock()
		r.lost = true
		r.mu.Unlock()
		_ = r.Close()
	}
	sessions.Wait()
	if !r.loses {
		r.answered()
	}
	r.leave()
	r.engine.left(t)
	return r.check(t)
}

// answered waits until the agent has answered everything, also what the client has given up.
func (r *randomRun) answered() {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(200 * time.Microsecond) {
		open := make(map[string]bool)
		for _, f := range r.log.all() {
			switch {
			case !f.out && f.msg.Method != "" && f.msg.ID != nil:
				open[string(f.msg.ID)] = true
			case f.out && f.msg.Method == "":
				delete(open, string(f.msg.ID))
			}
		}
		if len(open) == 0 || time.Now().After(deadline) {
			return // checkWire says what is missing
		}
	}
}

func (r *randomRun) isLost() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// check judges what was on the wire.
func (r *randomRun) check(t *testing.T) int {
	frames := r.log.all()
	check := checkWire(frames, r.loses)
	r.engine.mu.Lock()
	for text := range r.engine.cancelled {
		if stop, answered := check.stops[text]; answered && stop != "cancelled" {
			check.problem("prompt %s was cancelled and answered %q", text, stop)
		}
	}
	r.engine.mu.Unlock()
	rules := conform.New(&conform.Options{Closed: !r.loses})
	var findings []conform.Finding
	for _, f := range frames {
		side := wire.ClientSide
		if f.out {
			side = wire.AgentSide
		}
		findings = append(findings, rules.Frame(side, []byte(f.line))...)
	}
	for _, f := range append(findings, rules.End()...) {
		if f.By == wire.AgentSide && f.Severity == conform.Error {
			check.problem("%s", f)
		}
	}
	for _, p := range check.problems {
		if r.opts.Policy == Preempt && strings.HasPrefix(p, "cancelled, but not by the client") {
			continue // the client's next prompt did it
		}
		t.Error(p)
	}
	if t.Failed() && testing.Verbose() {
		for i, f := range frames {
			t.Log(i+1, map[bool]string{true: "agent ", false: "client "}[f.out]+f.line)
		}
	}
	return check.turns
}

// fine reports whether the client may get the error.
func (r *randomRun) fine(err error) bool {
	var said *acp.Error
	return err == nil || errors.As(err, &said) || errors.Is(err, context.Canceled) || r.isLost()
}

// session prompts, cancels, steers, loads and closes a session.
func (r *randomRun) session(id acpv1.SessionID, n int, own *rand.Rand) {
	ctx := context.Background()
	expect := func(what string, err error) {
		if !r.fine(err) {
			r.t.Errorf("%s: %v", what, err)
		}
	}
	var prompts sync.WaitGroup
	for i := range 3 + own.IntN(5) {
		text := fmt.Sprintf("s%d p%d", n, i)
		asking, giveUp := context.WithCancel(ctx)
		defer giveUp()
		answered := make(chan struct{})
		prompts.Go(func() {
			defer close(answered)
			_, err := r.Prompt(asking, &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text(text)})
			expect("prompt "+text, err)
		})
		pause := time.Duration(own.IntN(1500)) * time.Microsecond
		act := own.IntN(12)
		if own.IntN(2) == 0 && (r.opts.Policy == Queue || act == 4 || act == 6) {
			r.log.sawPrompt(text, answered) // what follows is sent while the server still looks for its place
		} else {
			r.engine.arrived(id, text, answered)
			if act < 8 {
				time.Sleep(pause)
			}
		}
		switch act {
		case 0, 1:
			_ = r.CancelPrompt(ctx, id)
		case 2:
			giveUp()
		case 3:
			_, err := acp.CallExtension[struct{}](ctx, r, SteerMethod, acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("left")})
			expect("steer", err)
		case 4:
			_, err := r.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: id, Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
			expect("load", err)
		case 5:
			_, err := r.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: id, ModeID: []acpv1.SessionModeID{"code", "plan"}[own.IntN(2)]})
			expect("mode", err)
		case 6:
			if own.IntN(3) == 0 {
				_, err := r.DeleteSession(ctx, &acpv1.DeleteSessionRequest{SessionID: id})
				expect("delete", err)
				break
			}
			_, err := r.CloseSession(ctx, &acpv1.CloseSessionRequest{SessionID: id})
			expect("close", err)
		case 7:
		default:
			prompts.Wait()
		}
	}
	prompts.Wait()
}
