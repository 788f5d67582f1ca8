package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acprun/internal/terminal"
)

// commandEnv makes the test program one of the commands below.
const commandEnv = "ACPRUN_TERMINAL_TEST"

func TestMain(m *testing.M) {
	name := os.Getenv(commandEnv)
	if name == "" {
		// With the race detector, the commands would wait a second before they end.
		if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	os.Exit(command(name))
}

func command(name string) int {
	switch name {
	case "both":
		fmt.Print("out\n")
		fmt.Fprint(os.Stderr, "err\n")
	case "fail":
		return 3
	case "sleep":
		fmt.Print("ready\n")
		time.Sleep(time.Minute)
	case "where":
		dir, err := os.Getwd()
		if err != nil {
			return 1
		}
		fmt.Print(dir, " ", os.Getenv("EXTRA"))
	case "input":
		n, err := os.Stdin.Read(make([]byte, 1))
		fmt.Print(n, " ", err)
	case "euros":
		fmt.Print(strings.Repeat("€", 1000))
	case "flood":
		for range 2000 {
			fmt.Print(strings.Repeat("x", 1<<10))
		}
		fmt.Print("end")
	case "leave":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), commandEnv+"=sleep")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return 1
		}
		fmt.Print("left ", child.Process.Pid, "\n")
	}
	return 0
}

// A log notes what a watcher is told.
type log struct {
	mu   sync.Mutex
	text strings.Builder
	seen chan struct{} // gets a value for each output, if there is room
}

func newLog() *log { return &log{seen: make(chan struct{}, 1)} }

func (l *log) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(&l.text, format, args...)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *log) Started(id string, c terminal.Command) { l.printf("[%s started]", id) }
func (l *log) Exited(id string, s terminal.Status)   { l.printf("[%s %+v]", id, s) }
func (l *log) Output(_, text string) {
	l.printf("%s", text)
	select {
	case l.seen <- struct{}{}:
	default:
	}
}

func newManager(t *testing.T) (*terminal.Manager, *log) {
	t.Helper()
	l := newLog()
	m := terminal.NewManager(l)
	t.Cleanup(func() { m.Close(context.Background()) })
	return m, l
}

func create(t *testing.T, m *terminal.Manager, name string, limit *uint64) string {
	t.Helper()
	id, err := m.Create(terminal.Command{Name: os.Args[0], Env: []string{commandEnv + "=" + name}, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func wait(t *testing.T, m *terminal.Manager, id string) terminal.Status {
	t.Helper()
	s, err := m.Wait(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func output(t *testing.T, m *terminal.Manager, id string) (text string, truncated bool, s *terminal.Status) {
	t.Helper()
	text, truncated, s, err := m.Output(id)
	if err != nil {
		t.Fatal(err)
	}
	return text, truncated, s
}

// TestCommand checks the life of a terminal: output and status after the end, both streams in one, nothing after the release.
func TestCommand(t *testing.T) {
	m, l := newManager(t)
	id := create(t, m, "both", nil)
	if got, want := wait(t, m, id), (terminal.Status{}); got != want {
		t.Errorf("status %+v, want %+v", got, want)
	}
	text, truncated, s := output(t, m, id)
	if text != "out\nerr\n" || truncated || s == nil || *s != (terminal.Status{}) {
		t.Errorf("output %q, truncated %v, status %v", text, truncated, s)
	}
	if got, want := l.String(), "["+id+" started]out\nerr\n["+id+" {Code:0 Signal:}]"; got != want {
		t.Errorf("watched %q, want %q", got, want)
	}
	if err := m.Release(id); err != nil {
		t.Error(err)
	}
	_, _, _, outputErr := m.Output(id)
	_, waitErr := m.Wait(t.Context(), id)
	for what, err := range map[string]error{"Output": outputErr, "Wait": waitErr, "Kill": m.Kill(id), "Release": m.Release(id)} {
		if !errors.Is(err, terminal.ErrUnknown) {
			t.Errorf("%s after Release: error %v, want %v", what, err, terminal.ErrUnknown)
		}
	}
	if next := create(t, m, "fail", nil); next == id {
		t.Errorf("the id %s was used again", id)
	} else if got, want := wait(t, m, next), (terminal.Status{Code: 3}); got != want {
		t.Errorf("status %+v, want %+v", got, want)
	}
}

// TestLimit checks that the end of the output is kept, within the limit and cut between characters.
func TestLimit(t *testing.T) {
	tests := []struct {
		name    string
		command string
		limit   *uint64
		want    string
		cut     bool
	}{
		{"none", "euros", nil, strings.Repeat("€", 1000), false},
		{"as long as the output", "euros", new(uint64(3000)), strings.Repeat("€", 1000), false},
		{"between characters", "euros", new(uint64(30)), strings.Repeat("€", 10), true},
		{"one byte more", "euros", new(uint64(31)), strings.Repeat("€", 10), true},
		{"two bytes more", "euros", new(uint64(32)), strings.Repeat("€", 10), true},
		{"less than a character", "euros", new(uint64(2)), "", true},
		{"nothing", "euros", new(uint64(0)), "", true},
		{"much more than the limit", "flood", new(uint64(5)), "xxend", true},
		{"more than the default", "flood", nil, strings.Repeat("x", terminal.DefaultLimit-3) + "end", true},
		{"limit beyond reason", "euros", new(uint64(1<<64 - 1)), strings.Repeat("€", 1000), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := newManager(t)
			id := create(t, m, tt.command, tt.limit)
			wait(t, m, id)
			text, cut, _ := output(t, m, id)
			if text != tt.want || cut != tt.cut {
				t.Errorf("output of %d bytes, truncated %v; want %d bytes, %v\n%.40q", len(text), cut, len(tt.want), tt.cut, text)
			}
		})
	}
}

func TestKill(t *testing.T) {
	m, l := newManager(t)
	id := create(t, m, "sleep", nil)
	<-l.seen
	if text, _, s := output(t, m, id); text != "ready\n" || s != nil {
		t.Errorf("while it runs: output %q, status %v", text, s)
	}
	if err := m.Kill(id); err != nil {
		t.Fatal(err)
	}
	s := wait(t, m, id)
	if runtime.GOOS != "windows" && s != (terminal.Status{Signal: "SIGKILL"}) {
		t.Errorf("status %+v, want SIGKILL", s)
	}
	if text, _, got := output(t, m, id); text != "ready\n" || got == nil || *got != s {
		t.Errorf("after the kill: output %q, status %v", text, got)
	}
	if err := m.Kill(id); err != nil {
		t.Errorf("a second kill: %v", err)
	}
}

// TestRelease checks that a release ends a command, and whoever waits for it.
func TestRelease(t *testing.T) {
	m, l := newManager(t)
	id := create(t, m, "sleep", nil)
	<-l.seen
	done := make(chan error, 1)
	go func() {
		_, err := m.Wait(t.Context(), id)
		done <- err
	}()
	if err := m.Release(id); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil && !errors.Is(err, terminal.ErrUnknown) {
		t.Error(err)
	}
}

func TestWaitCancelled(t *testing.T) {
	m, _ := newManager(t)
	id := create(t, m, "sleep", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Wait(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestLeftBehind checks that a process that outlives its command does not keep it from ending, goes on, and ends with the release.
func TestLeftBehind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no killing of process groups here")
	}
	m, l := newManager(t)
	id := create(t, m, "leave", nil)
	wait(t, m, id)
	for !strings.Contains(l.String(), "ready") {
		<-l.seen
	}
	var pid int
	text, _, _ := output(t, m, id)
	for line := range strings.Lines(text) {
		if _, err := fmt.Sscanf(line, "left %d", &pid); err == nil {
			break
		}
	}
	if pid == 0 || !runs(pid) {
		t.Fatalf("process %d does not run; output %q", pid, text)
	}
	if err := m.Release(id); err != nil {
		t.Fatal(err)
	}
	for runs(pid) {
		if t.Context().Err() != nil {
			t.Fatal("it still runs")
		}
		runtime.Gosched()
	}
}

func TestWhere(t *testing.T) {
	m, _ := newManager(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, want string }{{"where", dir + " more"}, {"input", "0 EOF"}}
	for _, tt := range tests {
		id, err := m.Create(terminal.Command{Name: os.Args[0], Dir: dir, Env: []string{commandEnv + "=" + tt.name, "EXTRA=more"}})
		if err != nil {
			t.Fatal(err)
		}
		wait(t, m, id)
		if text, _, _ := output(t, m, id); text != tt.want {
			t.Errorf("%s: output %q, want %q", tt.name, text, tt.want)
		}
	}
}

// TestShellLine checks that a whole command line as the name of a program works.
func TestShellLine(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	m, _ := newManager(t)
	id, err := m.Create(terminal.Command{Name: "echo one two | tr a-z A-Z; exit 4"})
	if err != nil {
		t.Fatal(err)
	}
	s := wait(t, m, id)
	if text, _, _ := output(t, m, id); text != "ONE TWO\n" || s.Code != 4 {
		t.Errorf("output %q, status %+v", text, s)
	}
}

func TestCreateFails(t *testing.T) {
	m, l := newManager(t)
	if id, err := m.Create(terminal.Command{Name: "acprun-no-such-program"}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("terminal %q, error %v, want %v", id, err, exec.ErrNotFound)
	}
	if id, err := m.Create(terminal.Command{Name: os.Args[0], Dir: filepath.Join(t.TempDir(), "no")}); err == nil {
		t.Errorf("terminal %q in a directory that is missing", id)
	}
	if got := l.String(); got != "" {
		t.Errorf("watched %q", got)
	}
	m.Close(t.Context())
	if _, err := m.Create(terminal.Command{Name: os.Args[0]}); !errors.Is(err, terminal.ErrClosed) {
		t.Errorf("after Close: error %v, want %v", err, terminal.ErrClosed)
	}
}

// TestClose checks that closing ends all commands, and does not wait for longer than its context.
func TestClose(t *testing.T) {
	m, l := newManager(t)
	for range 3 {
		create(t, m, "sleep", nil)
	}
	m.Close(t.Context())
	if got := strings.Count(l.String(), "SIGKILL"); runtime.GOOS != "windows" && got != 3 {
		t.Errorf("%d commands were killed, want 3: %s", got, l)
	}

	stuck := &stuckWatcher{release: make(chan struct{})}
	m = terminal.NewManager(stuck)
	create(t, m, "both", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.Close(ctx)
	close(stuck.release)
}

// A stuckWatcher takes its time to show output.
type stuckWatcher struct{ release chan struct{} }

func (*stuckWatcher) Started(string, terminal.Command) {}
func (*stuckWatcher) Exited(string, terminal.Status)   {}
func (w *stuckWatcher) Output(string, string)          { <-w.release }

func TestTooMany(t *testing.T) {
	program, err := exec.LookPath("true") // starts faster than this one
	if err != nil {
		t.Skip("there is no program true")
	}
	m, _ := newManager(t)
	n := 0
	for ; err == nil && n <= terminal.MaxTerminals; n++ {
		_, err = m.Create(terminal.Command{Name: program})
	}
	if !errors.Is(err, terminal.ErrTooMany) || n != terminal.MaxTerminals+1 {
		t.Errorf("terminal %d: error %v, want %v", n, err, terminal.ErrTooMany)
	}
}

func TestCommandString(t *testing.T) {
	c := terminal.Command{Name: "sh", Args: []string{"-c", "echo 'a b'", "", "plain"}}
	if diff := cmp.Diff(`sh -c 'echo '\''a b'\''' '' plain`, c.String()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
