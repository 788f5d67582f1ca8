package terminal

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// drainTime is how long the output of a command that has ended is waited for. A process that it left behind may hold it open.
const drainTime = 250 * time.Millisecond

// A Command is what runs in a terminal.
type Command struct {
	// Name is the program: a path, or a name that is looked for in PATH. If there are no Args and no such program, and it holds spaces, it is a line for the
	// system's shell.
	Name string
	Args []string
	// Env is added to the environment of this process, in the form key=value.
	Env []string
	// Dir is where the command runs.
	Dir string
	// Limit is how much of the output is kept, in bytes. If nil, DefaultLimit.
	Limit *uint64
}

// String returns the command line, for people.
func (c Command) String() string {
	words := []string{c.Name}
	for _, a := range c.Args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`*?;&|<>()") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// A Status says how a command ended.
type Status struct {
	// Code is the exit status. It means nothing if there is a Signal.
	Code int
	// Signal is the name of the signal that ended the command, such as SIGKILL; empty if none did.
	Signal string
}

type terminal struct {
	id      string
	watcher Watcher
	cmd     *exec.Cmd
	out     *os.File // the reading end of the output
	tail    tail

	copied chan struct{} // closed when all output has been read
	done   chan struct{} // closed when the command has ended
	status Status        // how; valid then
}

// start starts the command. The caller goes on with copy and wait.
func start(id string, c Command, w Watcher) (*terminal, error) {
	limit := uint64(DefaultLimit)
	if c.Limit != nil {
		limit = min(*c.Limit, MaxLimit)
	}
	t := &terminal{id: id, watcher: w, tail: tail{limit: int(limit)}, copied: make(chan struct{}), done: make(chan struct{})}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	t.out = out
	t.cmd = prepare(c)
	t.cmd.Dir = c.Dir
	t.cmd.Env = append(os.Environ(), c.Env...)
	t.cmd.Stdout, t.cmd.Stderr = in, in
	ownGroup(t.cmd)
	err = t.cmd.Start()
	_ = in.Close()
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return t, nil
}

// prepare decides between a program and a line for the shell.
func prepare(c Command) *exec.Cmd {
	if len(c.Args) == 0 && strings.ContainsAny(c.Name, " \t\n") {
		if _, err := exec.LookPath(c.Name); err != nil {
			if runtime.GOOS == "windows" {
				return exec.Command("cmd", "/C", c.Name)
			}
			return exec.Command("sh", "-c", c.Name)
		}
	}
	return exec.Command(c.Name, c.Args...)
}

// copy reads the output until nobody holds it open any more, or the terminal is released.
func (t *terminal) copy() {
	defer close(t.copied)
	buf := make([]byte, 32<<10)
	for {
		n, err := t.out.Read(buf)
		t.show(t.tail.write(buf[:n]))
		if err != nil {
			t.show(t.tail.end())
			return
		}
	}
}

func (t *terminal) show(text string) {
	if text != "" {
		t.watcher.Output(t.id, text)
	}
}

// wait waits for the command and most likely the last of its output.
func (t *terminal) wait() {
	_ = t.cmd.Wait() // the state says it all
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-t.copied:
	case <-timer.C:
	}
	t.status = statusOf(t.cmd.ProcessState)
	t.watcher.Exited(t.id, t.status)
	close(t.done)
}

// ended returns how the command ended; nil while it runs.
func (t *terminal) ended() *Status {
	select {
	case <-t.done:
		return &t.status
	default:
		return nil
	}
}

// kill ends the command and what it has started.
func (t *terminal) kill() { killGroup(t.cmd.Process) }

// release also closes the output, and waits until everything has ended.
func (t *terminal) release() {
	t.kill()
	<-t.done
	_ = t.out.Close()
	<-t.copied
}
