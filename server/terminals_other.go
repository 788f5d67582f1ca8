//go:build !unix

package server

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills p alone.
func killGroup(p *os.Process) { _ = p.Kill() }

func groupLeft(*os.Process) bool { return false }

func exitStatus(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
