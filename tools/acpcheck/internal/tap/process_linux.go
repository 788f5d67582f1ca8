package tap

import "syscall"

// dieWithParent has the kernel end the agent if this process is killed.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }
