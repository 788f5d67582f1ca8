//go:build !unix

package terminal

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: there are no signals to keep from the command.
func ownGroup(*exec.Cmd) {}

// killGroup kills p. What p has started ends when its pipes do.
func killGroup(p *os.Process) { _ = p.Kill() }

func statusOf(state *os.ProcessState) Status { return Status{Code: state.ExitCode()} }
