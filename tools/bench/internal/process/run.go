// Package process runs programs and says what they took, and what this process has taken so far.
package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Usage is what a process took.
type Usage struct {
	// Wall and CPU are times. CPU is that of all threads together.
	Wall, CPU time.Duration
	// Peak is the most memory that was resident at one time, in bytes; 0 if the system does not say.
	Peak int64
}

// Run runs a program to its end. Variables are set on top of the environment. The output holds what it printed. If it fails, the last line of what it wrote to
// standard error is in the error.
func Run(ctx context.Context, variables []string, name string, args ...string) (output []byte, u Usage, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), variables...)
	var out, diagnostics bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, u, err
	}
	stop, peaks := make(chan struct{}), make(chan int64, 1)
	go func() { peaks <- watch(cmd.Process.Pid, stop) }()
	err = cmd.Wait()
	u.Wall = time.Since(start)
	close(stop)
	u.Peak = <-peaks
	state := cmd.ProcessState
	u.CPU = state.UserTime() + state.SystemTime()
	if u.Peak == 0 {
		u.Peak = peakOf(state)
	}
	if err != nil {
		return out.Bytes(), u, fmt.Errorf("%s: %w: %s", filepath.Base(name), err, LastLine(diagnostics.Bytes()))
	}
	return out.Bytes(), u, nil
}

// watch returns the last peak that a process showed before it ended. What the system says afterwards is no less than the memory of the process that started
// it, so it is only for systems that do not tell before.
func watch(pid int, stop <-chan struct{}) (peak int64) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		peak = max(peak, Peak(pid))
		select {
		case <-stop:
			return peak
		case <-tick.C:
		}
	}
}

// peakFromProc reads Linux's account of a process; 0 if there is none.
func peakFromProc(pid string) int64 {
	b, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return n << 10
		}
	}
	return 0
}

// Peak returns the most memory of a running process that was resident at one time, in bytes; 0 if the system does not say.
func Peak(pid int) int64 { return peakFromProc(strconv.Itoa(pid)) }

// LastLine returns the last line of a program's output.
func LastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
