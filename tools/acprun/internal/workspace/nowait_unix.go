//go:build unix

package workspace

import "syscall"

// noWait makes opening a named pipe return instead of waiting for its other end.
const noWait = syscall.O_NONBLOCK
