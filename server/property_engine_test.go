package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A chaos is an engine that does random things in its turns. What it does is decided by a seed, the order of goroutines apart.
type chaos struct {
	Base
	mu        sync.Mutex
	rand      *rand.Rand
	cancelled map[string]bool // prompts whose end by the client the engine saw while it was running
	sessions  map[string]*Session
	opened    map[*Session]bool // false: closed
	problems  []string
}

func newChaos(r *rand.Rand) *chaos {
	return &chaos{rand: r, cancelled: make(map[string]bool), sessions: make(map[string]*Session), opened: make(map[*Session]bool)}
}

func (c *chaos) Open(_ context.Context, s *Session) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[s.ID()] = s
	c.opened[s] = true
	return nil
}

func (c *chaos) Restore(ctx context.Context, s *Session, _ []Entry) error { return c.Open(ctx, s) }

func (c *chaos) Close(_ context.Context, s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.opened[s] {
		c.problems = append(c.problems, "closed twice, or never opened: "+s.ID())
	}
	c.opened[s] = false
}

// left checks that nothing is open once the connection has gone.
func (c *chaos) left(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.problems {
		t.Error(p)
	}
	for s, open := range c.opened {
		if open {
			t.Errorf("session %s was never closed", s.ID())
		}
	}
}

func (c *chaos) Modes(*Session) []Mode {
	return []Mode{{ID: "code"}, {ID: "plan", ReadOnly: true}}
}

func (c *chaos) SetMode(context.Context, *Session, string) error {
	if c.roll(4) == 0 {
		return errors.New("chaos")
	}
	return nil
}

func (c *chaos) Steer(_ context.Context, t *Turn, _ []Part) error {
	switch c.roll(6) {
	case 0:
		panic("chaos")
	case 1:
		return errors.New("chaos")
	}
	return t.Say(t.Text())
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
		switch n := c.roll(20); n {
		case 4, 5:
			calls = append(calls, t.Tool("rm", Delete, "Remove", CallID(fmt.Sprint("call-", c.roll(9))), Input(map[string]int{"n": c.roll(5)})))
		case 7:
			side.Go(func() { _, _ = t.Allow(ctx, call); _ = call.Start() })
		case 16:
			side.Go(func() { c.run(ctx, t, call) })
		default:
			c.act(ctx, t, call, n)
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

// act does one thing.
func (c *chaos) act(ctx context.Context, t *Turn, call *Call, n int) {
	switch n {
	case 0, 1, 2:
		_ = t.Say(t.Text())
	case 3:
		_ = t.Think(t.Text())
	case 6:
		_, _ = t.Allow(ctx, call)
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
			c.run(context.Background(), t, call)
			// And the session.
			_ = errors.Join(t.s.SetTitle("late"), t.s.SetMode("code"), t.s.SetMode("plan"), t.s.Notice(Info, "late", ""), t.s.RefreshCommands())
		}()
	case 14:
		if c.roll(3) == 0 {
			panic("chaos")
		}
	case 15:
		if ctx.Err() != nil && c.roll(2) == 0 {
			time.Sleep(8 * time.Millisecond) // longer than the grace
		}
	case 17:
		_ = t.SetMode([]string{"code", "plan", "none"}[c.roll(3)])
	case 18:
		_, _ = t.ExitPlan(ctx, call, "code", "none")
	case 19:
		_, _ = t.Ask(ctx, Form{Message: "?", Fields: []Field{{Name: "a"}}, Call: call})
	}
}

// run runs a command in a terminal of the client, and forgets to release it most of the time.
func (c *chaos) run(ctx context.Context, t *Turn, call *Call) {
	term, err := t.Terminals().Run(ctx, CommandLine{Command: "x"})
	if err != nil {
		return
	}
	_ = call.Terminal(term.ID())
	_ = call.Output(Result{Items: []Item{&TerminalItem{TerminalID: term.ID(), Output: "out"}, &TerminalItem{TerminalID: "made up"}}})
	short, cancel := context.WithTimeout(ctx, time.Duration(c.roll(500))*time.Microsecond)
	defer cancel()
	_, _ = term.Wait(short)
	if c.roll(3) == 0 {
		_ = errors.Join(term.Kill(ctx), term.Release(ctx), call.Terminal(term.ID()))
	}
}
