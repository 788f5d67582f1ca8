//go:build !unix

package tap

import (
	"os"
	"os/exec"
	"os/signal"
)

// isolate does nothing: there are no process groups.
func isolate(*exec.Cmd) {}

// Signals returns the signals that are passed on, and what to call at the end.
func Signals() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	return c, func() { signal.Stop(c) }
}

// forward ends the agent: no signal but this one can be sent.
func forward(p *os.Process, _ os.Signal) { _ = p.Kill() }

func isFatal(os.Signal) bool { return true }

func terminate(p *os.Process) { _ = p.Kill() }

func killGroup(p *os.Process) { _ = p.Kill() }

func exitStatus(s *os.ProcessState) int { return s.ExitCode() }
