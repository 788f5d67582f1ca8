package server

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// drainTime is how long the output of a command that has ended is waited for, if something that it started keeps it open.
const drainTime = 100 * time.Millisecond

// localTerminal is a command on this machine. It has no terminal device and no input.
type localTerminal struct {
	cmd  *exec.Cmd
	tail outputTail
	out  *os.File // the reading end of the command's output
	// read is closed when the output has ended, done when the command has; exit is set before that.
	read, done chan struct{}
	exit       Exit
	// killing has a token while somebody may kill: never after the command has been waited for and left nothing behind, when its number may be another's.
	killing chan bool
}

// startLocal starts a command in c.Dir. Its environment is that of this process with c.Env added.
func startLocal(c CommandLine) (*localTerminal, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// The command gets the pipe itself, so that waiting for it does not wait for what it has started.
	defer in.Close() //nolint:errcheck // nothing was written through it
	cmd := exec.Command(c.Command, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append(cmd.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = in, in
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		_ = out.Close()
		return nil, err
	}
	t := &localTerminal{
		cmd: cmd, out: out, tail: outputTail{limit: c.OutputLimit},
		read: make(chan struct{}), done: make(chan struct{}), killing: make(chan bool, 1),
	}
	t.killing <- true
	go t.copy()
	go t.reap()
	return t, nil
}

// copy ends when the output has, or when release closes it.
func (t *localTerminal) copy() {
	defer close(t.read)
	_, _ = io.Copy(&t.tail, t.out)
}

// reap ends when the command has.
func (t *localTerminal) reap() {
	defer close(t.done)
	err := t.cmd.Wait()
	if <-t.killing && groupLeft(t.cmd.Process) {
		t.killing <- true
	} else {
		t.killing <- false
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.exit = Exit{Code: -1}
		return
	}
	t.exit = exitStatus(t.cmd.ProcessState)
	select {
	case <-t.read:
	case <-time.After(drainTime):
	}
}

func (t *localTerminal) id() string { return "" }

func (t *localTerminal) output(context.Context) (TerminalOutput, error) {
	var o TerminalOutput
	select {
	case <-t.done: // in this order, so that with the exit comes all output
		o.Exit = new(t.exit)
	default:
	}
	ended := false
	select {
	case <-t.read:
		ended = true
	default:
	}
	o.Text, o.Truncated = t.tail.read(ended)
	return o, nil
}

func (t *localTerminal) wait(ctx context.Context) (Exit, error) {
	select {
	case <-t.done:
		return t.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// kill kills the whole group. What has left the group lives on.
func (t *localTerminal) kill(context.Context) error {
	may := <-t.killing
	if may {
		killGroup(t.cmd.Process)
	}
	t.killing <- may
	return nil
}

func (t *localTerminal) release(ctx context.Context) error {
	err := t.kill(ctx)
	select {
	case <-t.done:
	case <-ctx.Done():
	}
	return errors.Join(err, t.out.Close())
}
