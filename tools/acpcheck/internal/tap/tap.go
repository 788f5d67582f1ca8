// Package tap stands between a client and an agent, passes on every byte as it comes, and checks a copy.
//
// The two loops that copy never wait for the check: what they copy goes into a bounded queue as well, and if the check falls behind or fails, the check ends and the
// report says so. A chunk enters the queue before it is passed on, so that the check sees a request before what its receiver makes of it.
package tap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/check"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

const (
	// DefaultQueue is [Options.Queue] if that is zero.
	DefaultQueue = 64 << 20
	// DefaultGrace is [Options.Grace] if that is zero.
	DefaultGrace = 5 * time.Second

	// chunkSize is the most that is read at once.
	chunkSize = 64 << 10
	// orphaned is how often to look whether the client is still there once it has closed its end.
	orphaned = time.Second
)

// Options say what to run and how to check it.
type Options struct {
	// Command is the agent's program and its arguments. Required.
	Command []string
	// In is what the client writes, and Out what it reads. If they are an [io.Closer], they are closed when there is no more to read or write. Required.
	In  io.Reader
	Out io.Writer
	// Err is the agent's standard error. An *os.File is handed to the agent itself.
	Err io.Writer
	// Signals are passed on to the agent. If nil, none are.
	Signals <-chan os.Signal

	// Record gets the transcript. If nil, there is none.
	Record io.Writer
	// Name is how the report calls the transcript.
	Name string
	// Report gets findings as they come, and a summary at the end. Required.
	Report io.Writer
	// Format is that of the report. Required.
	Format report.Formatter
	// Filter says which findings count.
	Filter check.Filter
	// Judge says how frames are judged.
	Judge judge.Options
	// MaxFrame is the longest line that is judged, in bytes. Required.
	MaxFrame int
	// Queue is how many bytes may wait for the check. If zero, DefaultQueue.
	Queue int
	// Grace is how long the agent may take to end once it was told to, and the check once the agent has ended. If zero, DefaultGrace.
	Grace time.Duration

	// judge replaces the judges in tests.
	judge func(frame []byte, d transcript.Direction) *judge.Verdict
}

// A tap is one run.
type tap struct {
	*Options
	cmd   *exec.Cmd
	in    *os.File // the agent's standard input
	out   *os.File // the agent's standard output
	queue *queue

	exited    chan struct{}
	inDone    chan struct{}
	outDone   chan struct{}
	outBroken atomic.Bool // the client does not read any more
	told      bool        // the agent was told to end; supervise's until the agent has ended
}

// Run runs the agent until it ends, and returns its exit status; 128 and the signal's number if a signal ended it. The error says why it could not be started. Nothing
// that goes wrong with the check is an error: the report tells. When ctx ends, the agent is asked to terminate.
func Run(ctx context.Context, opts *Options) (status int, err error) {
	o := *opts
	o.Queue = cmp.Or(o.Queue, DefaultQueue)
	o.Grace = cmp.Or(o.Grace, DefaultGrace)
	t := &tap{Options: &o, queue: newQueue(o.Queue), exited: make(chan struct{}), inDone: make(chan struct{}), outDone: make(chan struct{})}
	if err := t.start(); err != nil {
		return 0, fmt.Errorf("cannot start %s: %w", o.Command[0], err)
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		newWatcher(&o, t.queue).run()
	}()
	go t.copyIn()
	go t.copyOut()
	t.supervise(ctx)
	t.drain()
	status = exitStatus(t.cmd.ProcessState)
	// Who reads to the end takes whatever the agent still has to say, so that nothing is missing for another reason than that the agent did not say it.
	t.queue.finish(end{status: status, inOrder: status == 0 && !t.told && !t.outBroken.Load()})
	wait(watched, o.Grace)
	return status, nil
}

// start starts the agent. The thread that does stays until the agent has ended: on Linux the agent is killed when that thread ends, however it does.
func (t *tap) start() error {
	childIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, childIn.Close(), in.Close())
	}
	t.in, t.out = in, out
	t.cmd = exec.Command(t.Command[0], t.Command[1:]...)
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = childIn, childOut, t.Err
	t.cmd.WaitDelay = t.Grace
	isolate(t.cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := t.cmd.Start()
		_ = childIn.Close()
		_ = childOut.Close()
		started <- err
		if err == nil {
			_ = t.cmd.Wait() // the state says how it ended
			close(t.exited)
		}
		runtime.UnlockOSThread()
	}()
	if err := <-started; err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	return nil
}

// copyIn passes on what the client writes.
func (t *tap) copyIn() {
	defer close(t.inDone)
	_ = t.copy(t.in, t.In, transcript.ClientToAgent)
	_ = t.in.Close()
	closeEnd(t.In) // so that the client learns that the agent reads no more
}

// copyOut passes on what the agent writes.
func (t *tap) copyOut() {
	defer close(t.outDone)
	if t.copy(t.Out, t.out, transcript.AgentToClient) != nil {
		t.outBroken.Store(true)
	}
	_ = t.out.Close()
	closeEnd(t.Out)
}

// copy returns the error of a write; the end of what is read is none, whatever its reason.
func (t *tap) copy(to io.Writer, from io.Reader, d transcript.Direction) error {
	b := make([]byte, chunkSize)
	for {
		n, err := from.Read(b)
		if n > 0 {
			t.queue.offer(d, b[:n])
			if _, err := to.Write(b[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			t.queue.offer(d, nil)
			return nil
		}
	}
}

func closeEnd(end any) {
	if c, ok := end.(io.Closer); ok {
		_ = c.Close()
	}
}

// supervise waits until the agent has ended. It passes signals on, and ends an agent that does not end although it was told to or the client is gone.
func (t *tap) supervise(ctx context.Context) {
	parent := os.Getppid()
	look := time.NewTicker(orphaned)
	defer look.Stop()
	var deadline <-chan time.Time
	expire := func() {
		t.told = true
		if deadline == nil {
			deadline = time.After(t.Grace)
		}
	}
	done := ctx.Done()
	for {
		select {
		case <-t.exited:
			return
		case s := <-t.Signals:
			forward(t.cmd.Process, s)
			if isFatal(s) {
				expire()
			}
		case <-done:
			done = nil
			terminate(t.cmd.Process)
			expire()
		case <-look.C:
			if deadline == nil && t.clientGone(parent) {
				terminate(t.cmd.Process)
				expire()
			}
		case <-deadline:
			killGroup(t.cmd.Process)
			deadline = time.After(t.Grace)
		}
	}
}

// clientGone reports whether the client writes no more and cannot read any more either.
func (t *tap) clientGone(parent int) bool {
	select {
	case <-t.inDone:
		return t.outBroken.Load() || os.Getppid() != parent
	default:
		return false
	}
}

// drain passes on what the agent wrote before it ended, and ends what it left behind in its process group.
func (t *tap) drain() {
	if !wait(t.outDone, min(t.Grace, time.Second)) {
		killGroup(t.cmd.Process)
		if !wait(t.outDone, t.Grace) {
			_ = t.out.Close() // somebody who left the group holds it open
		}
	}
	killGroup(t.cmd.Process)
	closeEnd(t.In)
}

// wait reports whether done is closed within the time.
func wait(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
