//go:build unix

package terminal_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// runs reports whether there is a process that has not ended. One that has may wait for its parent to ask.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
