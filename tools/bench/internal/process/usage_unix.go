//go:build unix

package process

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// CPU returns the time that this process has kept processors busy, or false if the system does not say.
func CPU() (time.Duration, bool) { return cpu(syscall.RUSAGE_SELF) }

// ChildrenCPU returns the time that those child processes of this process have kept processors busy that it has waited for; 0 if the system does not say.
func ChildrenCPU() time.Duration {
	d, _ := cpu(syscall.RUSAGE_CHILDREN)
	return d
}

func cpu(who int) (time.Duration, bool) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}

func peakOf(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss << 10
}
