package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

var propertyRuns = flag.Int("property.runs", 60, "how many random clients and engines TestRandomEngines runs")

var propertySeed = flag.Uint64("seed", 0, "the seed of TestRandomEngines; 0 is a new one, or 1 with -short")

// A chaos is an engine that does random things in its turns. What it does is decided by a seed, the order of goroutines apart.
type chaos struct {
	Base
	mu        sync.Mutex
	rand      *rand.Rand
	cancelled map[string]bool // prompts whose end by the client the engine saw while it was running
	sessions  map[string]*Session
}

func (c *chaos) Open(_ context.Context, s *Session) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[s.ID()] = s
	return nil
}

// arrived waits until the prompt has its place in the session, or its answer.
func (c *chaos) arrived(id acpv1.SessionID, text string, answered <-chan struct{}) {
	c.mu.Lock()
	s := c.sessions[string(id)]
	c.mu.Unlock()
	for {
		s.mu.Lock()
		there := slices.ContainsFunc(s.turns, func(t *Turn) bool { return t.Text() == text })
		s.mu.Unlock()
		select {
		case <-answered:
			return
		case <-time.After(50 * time.Microsecond):
		}
		if there {
			return
		}
	}
}

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

func (c *chaos) roll(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rand.IntN(n)
}

func (c *chaos) Prompt(ctx context.Context, t *Turn) (Finish, error) {
	var side sync.WaitGroup
	defer func() {
		if isCancelled(context.Cause(ctx)) {
			c.mu.Lock()
			c.cancelled[t.Text()] = true
			c.mu.Unlock()
		}
	}()
	calls := []*Call{t.Tool("first", Read, "First")}
	for range c.roll(25) {
		call := calls[c.roll(len(calls))]
		switch c.roll(16) {
		case 0, 1, 2:
			_ = t.Say(t.Text())
		case 3:
			_ = t.Think(t.Text())
		case 4, 5:
			calls = append(calls, t.Tool("rm", Delete, "Remove", CallID(fmt.Sprint("call-", c.roll(9))), Input(map[string]int{"n": c.roll(5)})))
		case 6:
			_, _ = t.Allow(ctx, call)
		case 7:
			side.Go(func() { _, _ = t.Allow(ctx, call); _ = call.Start() })
		case 8:
			_ = errors.Join(call.Start(), call.Output(Text("out")))
		case 9:
			_ = errors.Join(call.Done(Text("done")), call.Fail(errors.New("too late")))
		case 10:
			_ = call.Diff(&DiffItem{Path: "x", New: "y"})
		case 11:
			_ = errors.Join(t.Plan([]Todo{{Text: "plan"}}), t.SetTitle("title"), t.Usage(Usage{Context: 1, Window: 2}))
		case 12:
			time.Sleep(time.Duration(c.roll(300)) * time.Microsecond)
		case 13:
			// Somebody who keeps the turn for later.
			go func() {
				time.Sleep(time.Duration(c.roll(2000)) * time.Microsecond)
				_ = errors.Join(t.Say(t.Text()), call.Done(Result{}), t.Tool("late", Read, "Late").Start())
				_, _ = t.Allow(context.Background(), call)
			}()
		case 14:
			if c.roll(3) == 0 {
				panic("chaos")
			}
		case 15:
			if ctx.Err() != nil && c.roll(2) == 0 {
				time.Sleep(8 * time.Millisecond) // longer than the grace
			}
		}
	}
	if c.roll(3) > 0 {
		side.Wait()
	}
	if c.roll(6) == 0 {
		return Stop, errors.New("chaos")
	}
	return []Finish{Stop, Length, Aborted, Pause}[c.roll(4)], nil
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
		engine := &chaos{rand: rand.New(rand.NewPCG(seed, uint64(i))), cancelled: make(map[string]bool), sessions: make(map[string]*Session)}
		opts := &Options{CancelGrace: 4 * time.Millisecond, Policy: []PromptPolicy{Queue, Preempt, Reject}[i%3]}
		if i%2 == 0 {
			opts.Store = new(store.Memory)
		}
		turns += runRandom(t, engine, opts, rand.New(rand.NewPCG(seed, uint64(i)+1<<32)))
		if t.Failed() {
			t.Fatalf("in run %d", i)
		}
	}
	if turns < *propertyRuns*5 {
		t.Errorf("only %d turns in %d runs", turns, *propertyRuns)
	}
}

func runRandom(t *testing.T, engine *chaos, opts *Options, r *rand.Rand) (turns int) {
	e := open(t, engine, opts)
	seeds := rand.New(rand.NewPCG(r.Uint64(), 0))
	var mu sync.Mutex
	e.permit = func(ctx context.Context, _ *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
		mu.Lock()
		n := seeds.IntN(7)
		mu.Unlock()
		switch n {
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
		}
		time.Sleep(time.Duration(n*50) * time.Microsecond)
		return acpv1.Selected([]acpv1.PermissionOptionID{"allow_once", "allow_once", "reject_once", "allow_always"}[n-3]), nil
	}
	stops := make(map[string]acpv1.StopReason)
	var sessions sync.WaitGroup
	for n := range 1 + r.IntN(3) {
		own := rand.New(rand.NewPCG(r.Uint64(), 1))
		id := e.newSession()
		sessions.Go(func() { randomSession(e, engine, opts, id, n, own, &mu, stops) })
	}
	sessions.Wait()
	e.leave()
	check := checkWire(e.log.all())
	for text, stop := range stops {
		engine.mu.Lock()
		if engine.cancelled[text] && stop != acpv1.StopReasonCancelled && opts.Policy != Preempt {
			check.problem("prompt %s was cancelled and answered %q", text, stop)
		}
		engine.mu.Unlock()
	}
	for _, p := range check.problems {
		if opts.Policy == Preempt && strings.HasPrefix(p, "cancelled, but not by the client") {
			continue // the client's next prompt did it
		}
		t.Error(p)
	}
	if t.Failed() && testing.Verbose() {
		for _, f := range e.log.all() {
			t.Log(map[bool]string{true: "agent ", false: "client "}[f.out] + f.line)
		}
	}
	return check.turns
}

// randomSession prompts, cancels and closes a session.
func randomSession(e *editor, engine *chaos, opts *Options, id acpv1.SessionID, n int, r *rand.Rand, mu *sync.Mutex, stops map[string]acpv1.StopReason) {
	var prompts sync.WaitGroup
	for i := range 3 + r.IntN(4) {
		text := fmt.Sprintf("s%d p%d", n, i)
		answered := make(chan struct{})
		prompts.Go(func() {
			defer close(answered)
			stop, err := e.ask(id, text)
			var said *acp.Error
			if err != nil && !errors.As(err, &said) {
				e.t.Errorf("prompt %s: %v", text, err)
			}
			mu.Lock()
			defer mu.Unlock()
			stops[text] = stop
		})
		if opts.Policy == Queue && r.IntN(2) == 0 {
			e.log.sawPrompt(text, answered) // the next one is sent while the server still looks for this one's place
		} else {
			engine.arrived(id, text, answered)
		}
		pause := time.Duration(r.IntN(1500)) * time.Microsecond
		switch r.IntN(6) {
		case 0, 1:
			time.Sleep(pause)
			_ = e.CancelPrompt(context.Background(), id)
		case 2:
			time.Sleep(pause)
		default:
			prompts.Wait()
		}
	}
	if r.IntN(2) == 0 {
		if _, err := e.CloseSession(context.Background(), &acpv1.CloseSessionRequest{SessionID: id}); err != nil {
			e.t.Errorf("close: %v", err)
		}
	}
	prompts.Wait()
}
