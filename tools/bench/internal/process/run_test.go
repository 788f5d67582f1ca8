package process

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test program the process to run.
func TestMain(m *testing.M) {
	switch os.Getenv("PROCESS_TEST") {
	case "work":
		memory := make([]byte, 64<<20)
		touch := func() {
			for i := 0; i < len(memory); i += 1 << 10 {
				memory[i]++
			}
		}
		touch()
		for start := time.Now(); time.Since(start) < 200*time.Millisecond; {
			touch()
		}
		fmt.Println("done")
		return
	case "fail":
		fmt.Fprintln(os.Stderr, "first\nthe reason")
		os.Exit(3)
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	out, u, err := Run(t.Context(), []string{"PROCESS_TEST=work"}, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != "done\n" {
		t.Errorf("output %q", out)
	}
	if u.Wall < 200*time.Millisecond || u.CPU <= 0 {
		t.Errorf("wall %v, CPU %v", u.Wall, u.CPU)
	}
	if runtime.GOOS == "linux" && (u.Peak < 64<<20 || u.Peak > 256<<20) {
		t.Errorf("peak %d, want a little more than 64 MiB", u.Peak)
	}
}

func TestRunFails(t *testing.T) {
	_, _, err := Run(t.Context(), []string{"PROCESS_TEST=fail"}, os.Args[0])
	if err == nil || !strings.HasSuffix(err.Error(), "exit status 3: the reason") {
		t.Errorf("got %v", err)
	}
}

func TestOwn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says all of it")
	}
	if cpu, ok := CPU(); !ok || cpu <= 0 {
		t.Errorf("CPU %v, %v", cpu, ok)
	}
	if peak := Peak(os.Getpid()); peak < 1<<20 {
		t.Errorf("peak %d", peak)
	}
}
