package main

import (
	"context"
	"os"
	"sync"
	"time"
)

const (
	// patience is how long an agent may take to end a cancelled turn when nobody is there to press Ctrl-C again.
	patience = 3 * time.Second
	// lastWords is how long anything is waited for after the agent was killed.
	lastWords = 250 * time.Millisecond
)

// A control ends the work when something outside wants it to end: a signal, the time, or an output that fails. It is politely at first, if there is a turn to
// cancel.
type control struct {
	interrupts <-chan os.Signal
	timeout    time.Duration   // 0: none
	prompted   <-chan struct{} // closed when there is a turn to cancel
	over       <-chan struct{} // closed when the work is done, and only the end has to come
	faults     <-chan error    // of outputs
	cancelTurn func()
	kill       func()
	say        func(format string, args ...any)

	stop context.CancelCauseFunc // ends the work
	hard context.CancelFunc      // ends all waiting

	mu    sync.Mutex
	first error
}

// cause returns why the work was to end before it was over; nil if it was not.
func (c *control) cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

// blame notes why the work is to end, unless it is over or there is a reason already, and returns the reason.
func (c *control) blame(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil && !isClosed(c.over) {
		c.first = err
	}
	return c.first
}

// run watches until done is closed. ctx is what signals end that ask no questions.
func (c *control) run(ctx context.Context, done <-chan struct{}) {
	var timer, grace <-chan time.Time
	if c.timeout > 0 {
		t := time.NewTimer(c.timeout)
		defer t.Stop()
		timer = t.C
	}
	ended := ctx.Done()
	presses := 0
	for {
		var cause error
		select {
		case <-done:
			return
		case <-c.interrupts:
			presses++
			c.interrupted(presses)
			continue
		case <-grace:
			c.stop(c.cause())
			continue
		case <-timer:
			cause, timer = errTimeout, nil
		case <-ended:
			cause, ended = errTerminated, nil
		case cause = <-c.faults:
		}
		if !isClosed(c.over) {
			c.cancel(cause)
			grace = time.After(patience)
		}
	}
}

// interrupted handles the nth Ctrl-C.
func (c *control) interrupted(n int) {
	switch {
	case n == 1 && !isClosed(c.over):
		if isClosed(c.prompted) {
			c.say("cancelling the turn; Ctrl-C again kills the agent")
		}
		c.cancel(errInterrupted)
	default:
		cause := c.blame(errInterrupted)
		c.kill()
		c.stop(cause)
		time.AfterFunc(lastWords, c.hard)
	}
}

// cancel cancels the turn. If there is none, it ends the work.
func (c *control) cancel(cause error) {
	cause = c.blame(cause)
	if !isClosed(c.prompted) {
		c.stop(cause)
		return
	}
	c.cancelTurn()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
