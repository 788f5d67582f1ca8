//go:build unix

package acp

import (
	"os"
	"syscall"
)

func divert(dup2 func(from, to int) error) *os.File {
	syscall.ForkLock.RLock()
	out, err := syscall.Dup(1)
	if err == nil {
		syscall.CloseOnExec(out)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return os.Stdout
	}
	if err := dup2(2, 1); err != nil {
		_ = syscall.Close(out)
		return os.Stdout
	}
	return os.NewFile(uintptr(out), "/dev/stdout")
}
