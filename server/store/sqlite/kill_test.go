package sqlite_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/server/store"
	"github.com/acpwire/acpwire/server/store/sqlite"
)

// The test binary is its own writer: with this variable set to a file and a name it writes to the store and prints what has been acknowledged.
const writerEnv = "ACPWIRE_STORE_WRITER"

func TestMain(m *testing.M) {
	if arg := os.Getenv(writerEnv); arg != "" {
		path, name, _ := strings.Cut(arg, "\x1f")
		if err := write(context.Background(), path, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// write writes turns of four records to the session of the name until it is killed. A line is printed for each change once it has been acknowledged. If the name has a
// slash, what is behind it goes before the turns' ids, and other writers may write to the session, too.
func write(ctx context.Context, path, name string) error {
	name, prefix, shared := strings.Cut(name, "/")
	s, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	fmt.Println("open")
	if _, err := s.Create(ctx, store.Session{ID: name}); err != nil && !(shared && errors.Is(err, store.ErrExists)) {
		return err
	}
	fmt.Println("create")
	for n := 0; ; n++ {
		record := func(r int) json.RawMessage { return fmt.Appendf(nil, `"%d %d %s"`, n, r, strings.Repeat("x", 900*r)) }
		turn, err := s.Begin(ctx, name, prefix+fmt.Sprint(n), record(0))
		if err != nil {
			return err
		}
		fmt.Println("begin", n)
		for r := 1; r < 3; r++ {
			if err := turn.Append(ctx, record(r)); err != nil {
				return err
			}
			fmt.Println("append", n, r)
		}
		if err := turn.Commit(ctx, record(3)); err != nil {
			return err
		}
		fmt.Println("commit", n)
	}
}

// A writer is a process that writes. Its output says what was acknowledged to it.
type writer struct {
	cmd *exec.Cmd
	out *bufio.Scanner
	err strings.Builder
}

func startWriter(t *testing.T, path, name string) *writer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{cmd: exec.Command(self)}
	w.cmd.Env = append(os.Environ(), writerEnv+"="+path+"\x1f"+name)
	w.cmd.Stderr = &w.err
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewScanner(out)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// kill kills the process when some lines have come and some more time has passed, and returns all that it has acknowledged.
func (w *writer) kill(t *testing.T, lines int, delay time.Duration) []string {
	t.Helper()
	var acknowledged []string
	for len(acknowledged) < lines && w.out.Scan() {
		acknowledged = append(acknowledged, w.out.Text())
	}
	if len(acknowledged) < lines {
		t.Errorf("the writer ended by itself: %s", &w.err)
	}
	timer := time.AfterFunc(delay, func() { _ = w.cmd.Process.Kill() })
	defer timer.Stop()
	for w.out.Scan() {
		acknowledged = append(acknowledged, w.out.Text())
	}
	_ = w.cmd.Wait()
	if w.err.Len() > 0 {
		t.Errorf("the writer failed: %s", &w.err)
	}
	return acknowledged
}

// verify compares a session with what was acknowledged of it: it has all of that, and at most the one change beyond that was not acknowledged any more.
func verify(t *testing.T, s store.Store, name string, acknowledged []string) {
	t.Helper()
	records, committed := 0, 0
	created := false
	for _, line := range acknowledged {
		switch word, _, _ := strings.Cut(line, " "); word {
		case "open":
		case "create":
			created = true
		case "begin", "append":
			records++
		case "commit":
			records++
			committed++
		default:
			t.Fatalf("the writer printed %q", line)
		}
	}
	if _, err := s.Get(t.Context(), name); err != nil {
		if created {
			t.Errorf("session %s is lost: %v", name, err)
		}
		return
	}
	got, gotCommitted := 0, 0
	for r, err := range s.History(t.Context(), name) {
		if err != nil {
			t.Fatal(err)
		}
		n, i := got/4, got%4
		wantData := fmt.Sprintf(`"%d %d %s"`, n, i, strings.Repeat("x", 900*i))
		if diff := cmp.Diff(store.Record{TurnID: fmt.Sprint(n), Torn: r.Torn, Data: []byte(wantData)}, r); diff != "" {
			t.Fatalf("record %d mismatch (-want +got):\n%s", got, diff)
		}
		got++
		if i == 3 {
			gotCommitted++
			if r.Torn {
				t.Errorf("turn %d is torn although it has its last record", n)
			}
		}
	}
	if got < records || got > records+1 {
		t.Errorf("session %s has %d records, %d were acknowledged", name, got, records)
	}
	if gotCommitted < committed || gotCommitted > committed+1 {
		t.Errorf("session %s has %d complete turns, %d were acknowledged", name, gotCommitted, committed)
	}
	verifyTorn(t, s, name, got)
}

// verifyTorn checks that exactly the records of the last turn are torn, unless it is complete.
func verifyTorn(t *testing.T, s store.Store, name string, total int) {
	t.Helper()
	n := 0
	for r, err := range s.History(t.Context(), name) {
		if err != nil {
			t.Fatal(err)
		}
		if want := n >= total-total%4; r.Torn != want {
			t.Errorf("record %d of %d: torn is %t", n, total, r.Torn)
		}
		n++
	}
}

// TestKill kills a process that writes, again and again on the same file.
func TestKill(t *testing.T) {
	times := 200
	if testing.Short() {
		times = 15
	}
	random := rand.New(rand.NewPCG(7, 7))
	path := filepath.Join(t.TempDir(), "store")
	all := make(map[string][]string)
	for i := range times {
		name := fmt.Sprintf("s-%d", i)
		w := startWriter(t, path, name)
		// Most are killed in a turn, some while they open the file or create the session.
		lines, delay := random.IntN(14), time.Duration(random.IntN(3000))*time.Microsecond
		all[name] = w.kill(t, lines, delay)
		s, err := sqlite.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatalf("after kill %d: %v", i, err)
		}
		verify(t, s, name, all[name])
		if i%20 == 19 || i == times-1 {
			for name, acknowledged := range all {
				verify(t, s, name, acknowledged)
			}
		}
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if t.Failed() {
			t.Fatalf("kill %d of %d, after %d lines and %v", i+1, times, lines, delay)
		}
	}
	intact(t, path)
}

// TestTwoProcesses lets processes write to one file at once, and kills one while the others go on.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s := open(t, path)
	const writers = 3
	acknowledged := make([][]string, writers)
	var wg sync.WaitGroup
	for i := range writers {
		w := startWriter(t, path, fmt.Sprintf("s-%d", i))
		wg.Go(func() { acknowledged[i] = w.kill(t, 20*(i+1), time.Millisecond) })
	}
	// This process writes, too.
	if _, err := s.Create(t.Context(), store.Session{ID: "mine"}); err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		turn, err := s.Begin(t.Context(), "mine", fmt.Sprint(n), []byte(`1`))
		if err != nil {
			t.Fatal(err)
		}
		if err := turn.Commit(t.Context(), []byte(`2`)); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	for i, lines := range acknowledged {
		verify(t, s, fmt.Sprintf("s-%d", i), lines)
	}
	n := 0
	for r, err := range s.History(t.Context(), "mine") {
		if err != nil || r.Torn {
			t.Fatalf("record %d: torn %t, error %v", n, r.Torn, err)
		}
		n++
	}
	if n != 20 {
		t.Errorf("%d records of this process, want 20", n)
	}
	p, err := s.List(t.Context(), store.Query{})
	if err != nil || len(p.Sessions) != writers+1 {
		t.Errorf("%d sessions, error %v; want %d", len(p.Sessions), err, writers+1)
	}
	intact(t, path)
}
