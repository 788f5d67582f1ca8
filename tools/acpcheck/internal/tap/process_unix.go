//go:build unix

package tap

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// isolate gives the agent a process group of its own, so that it can be ended with all that it starts.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// Signals returns the signals that are passed on, and what to call at the end. A broken pipe becomes an error of the write, too.
func Signals() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 8)
	pipe := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	signal.Notify(pipe, syscall.SIGPIPE)
	return c, func() {
		signal.Stop(c)
		signal.Stop(pipe)
	}
}

// forward passes a signal on: to the whole group if it is one that a terminal sends to all.
func forward(p *os.Process, s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok {
		return
	}
	pid := p.Pid
	if number == syscall.SIGINT || number == syscall.SIGQUIT || number == syscall.SIGHUP {
		pid = -pid
	}
	_ = syscall.Kill(pid, number)
}

// isFatal reports whether the signal asks the agent to end.
func isFatal(s os.Signal) bool {
	return s != syscall.SIGUSR1 && s != syscall.SIGUSR2
}

func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func exitStatus(s *os.ProcessState) int {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}
