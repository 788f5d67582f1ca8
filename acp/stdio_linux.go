package acp

import (
	"os"
	"syscall"
)

// divertStdout makes file descriptor 1 a copy of standard error, and returns what it was. If that is not possible, it is left as it is.
func divertStdout() *os.File {
	return divert(func(from, to int) error { return syscall.Dup3(from, to, 0) })
}
