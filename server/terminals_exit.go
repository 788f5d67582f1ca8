package server

import (
	"context"
	"sync"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// exitGrace is how long a client may take to say how a command has ended that was killed.
const exitGrace = time.Second

// clientExit is how a command in a terminal of the client ends. The client is asked once however many wait, and the question stays when they do not wait any more:
// not every client knows cancellation, but all answer when the command has ended.
type clientExit struct {
	mu     sync.Mutex
	asked  *exitQuestion
	closed bool // the terminal is being released
}

type exitQuestion struct {
	giveUp context.CancelFunc
	done   chan struct{} // closed when the rest is set
	exit   Exit
	err    error
}

func (q *exitQuestion) answered() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}

func (t *clientTerminal) wait(ctx context.Context) (Exit, error) {
	q := t.askExit()
	if q == nil {
		return Exit{}, ErrReleased
	}
	select {
	case <-q.done:
		return q.exit, q.err
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// askExit asks the client, unless it was asked before and has not failed to answer. The question ends with the terminal at the latest. It returns nil if that is being
// released.
func (t *clientTerminal) askExit() *exitQuestion {
	t.exit.mu.Lock()
	defer t.exit.mu.Unlock()
	if q := t.exit.asked; q != nil && (!q.answered() || q.err == nil) {
		return q
	}
	if t.exit.closed {
		return nil
	}
	ctx, giveUp := context.WithCancel(context.Background())
	q := &exitQuestion{giveUp: giveUp, done: make(chan struct{})}
	t.exit.asked = q
	go func() {
		defer close(q.done)
		defer giveUp()
		res, err := t.client.WaitForTerminalExit(ctx, &acpv1.WaitForTerminalExitRequest{SessionID: t.sessionID, TerminalID: t.terminalID})
		if q.err = err; err == nil {
			q.exit = exitOf(res.ExitCode, res.Signal)
		}
	}()
	return q
}

// release ends the command first if the client still has to say how it ends, so that it can. The question is answered or given up before the terminal is released.
func (t *clientTerminal) release(ctx context.Context) error {
	if q := t.lastQuestion(); q != nil && !q.answered() {
		if t.kill(ctx) == nil {
			timer := time.NewTimer(exitGrace)
			defer timer.Stop()
			select {
			case <-q.done:
			case <-timer.C:
			case <-ctx.Done():
			}
		}
		q.giveUp()
		<-q.done
	}
	_, err := t.client.ReleaseTerminal(ctx, &acpv1.ReleaseTerminalRequest{SessionID: t.sessionID, TerminalID: t.terminalID})
	return err
}

// lastQuestion returns what was asked, if anything was. Nothing is asked any more.
func (t *clientTerminal) lastQuestion() *exitQuestion {
	t.exit.mu.Lock()
	defer t.exit.mu.Unlock()
	t.exit.closed = true
	return t.exit.asked
}
