//go:build unix

package server

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// groupLeft reports whether the group of a process that has ended still has others.
func groupLeft(p *os.Process) bool { return !errors.Is(syscall.Kill(-p.Pid, 0), syscall.ESRCH) }

func exitStatus(state *os.ProcessState) Exit {
	if s, ok := state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return Exit{Code: -1, Signal: signalName(s.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}

func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGPIPE:
		return "SIGPIPE"
	case syscall.SIGTERM:
		return "SIGTERM"
	}
	return fmt.Sprintf("signal %d", int(s))
}
