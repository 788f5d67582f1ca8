//go:build unix

package acp

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command lead a process group, if it does not lead a session anyway.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = !cmd.SysProcAttr.Setsid
}

// killGroup kills all processes of the group that p leads.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
