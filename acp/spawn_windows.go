package acp

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command lead a process group.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// killGroup kills p. Windows has no signal for a group; its children end when their pipes do.
func killGroup(p *os.Process) { _ = p.Kill() }
