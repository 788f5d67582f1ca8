package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acpwire/acpwire/server/store"
	"github.com/acpwire/acpwire/server/store/sqlite"
)

// TestOneSession lets processes write turns to one session at once, and kills them: each turn is whole and in order, whatever stands between its records in the file.
func TestOneSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	const writers = 3
	acknowledged := make([][]string, writers)
	var wg sync.WaitGroup
	for i := range writers {
		w := startWriter(t, path, fmt.Sprintf("s/%c", 'a'+i))
		wg.Go(func() { acknowledged[i] = w.kill(t, 25*(i+1), time.Millisecond) })
	}
	wg.Wait()
	s := open(t, path)
	turns := make(map[string][]string)
	torn := make(map[string]bool)
	last := ""
	for r, err := range s.History(t.Context(), "s") {
		if err != nil {
			t.Fatal(err)
		}
		if r.TurnID != last && len(turns[r.TurnID]) > 0 {
			t.Errorf("the records of turn %s are not together", r.TurnID)
		}
		last = r.TurnID
		turns[r.TurnID] = append(turns[r.TurnID], string(r.Data))
		torn[r.TurnID] = r.Torn
	}
	for i, lines := range acknowledged {
		prefix := string(rune('a' + i))
		records := make(map[string]int)
		committed := make(map[string]bool)
		for _, line := range lines {
			switch word, rest, _ := strings.Cut(line, " "); word {
			case "begin", "append", "commit":
				n, _, _ := strings.Cut(rest, " ")
				records[prefix+n]++
				committed[prefix+n] = word == "commit"
			}
		}
		for id, n := range records {
			got := turns[id]
			if len(got) < n || len(got) > n+1 || committed[id] && torn[id] || len(got) == 4 == torn[id] {
				t.Errorf("turn %s has %d records, torn %t; %d were acknowledged, committed %t", id, len(got), torn[id], n, committed[id])
			}
			for r, data := range got {
				if want := fmt.Sprintf(`"%s %d `, id[1:], r); !strings.HasPrefix(data, want) {
					t.Errorf("record %d of turn %s is %.20s, want %s", r, id, data, want)
				}
			}
		}
	}
	intact(t, path)
}

// TestCorrupt opens stores in which something has been overwritten: there is an error, at the latest when it is read, and neither a panic nor a wrong history.
func TestCorrupt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), store.Session{ID: "s"}); err != nil {
		t.Fatal(err)
	}
	turn, err := s.Begin(t.Context(), "s", "t")
	if err != nil {
		t.Fatal(err)
	}
	record := []byte(`"` + strings.Repeat("x", 3000) + `"`)
	for range 20 {
		if err := turn.Append(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for at := 100; at < len(whole); at += 4096 {
		for name, broken := range map[string][]byte{
			"overwritten": append(append(append([]byte(nil), whole[:at]...), make([]byte, 200)...), whole[min(at+200, len(whole)):]...),
			"cut":         whole[:at],
		} {
			path := filepath.Join(t.TempDir(), "store")
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			n, err := readAll(t.Context(), path)
			if err != nil {
				failed++
				continue
			}
			if n != 20 {
				t.Errorf("%s at %d: %d records and no error", name, at, n)
			}
		}
	}
	if failed < len(whole)/4096 {
		t.Errorf("only %d of the broken files were noticed", failed)
	}
}

func readAll(ctx context.Context, path string) (n int, err error) {
	s, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for r, err := range s.History(ctx, "s") {
		if err != nil {
			return n, err
		}
		if len(r.Data) != 3002 {
			return n, errors.New("another record")
		}
		n++
	}
	return n, nil
}

// TestReadOnlyFile shows that a store that cannot be written is not opened.
func TestReadOnlyFile(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may write everywhere")
	}
	path := filepath.Join(t.TempDir(), "store")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlite.Open(t.Context(), path, nil); err == nil {
		_ = s.Close()
		t.Error("it was opened")
	}
}

// TestReadOnlyFolder opens stores that cannot be written.
func TestReadOnlyFolder(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may write everywhere")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "store")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o700) }()
	for _, name := range []string{"store", "new"} {
		s, err := sqlite.Open(t.Context(), filepath.Join(dir, name), nil)
		if err == nil {
			_, err = s.Create(t.Context(), store.Session{ID: "s"})
			_ = s.Close()
		}
		if err == nil {
			t.Errorf("%s: no error in a folder that is not writable", name)
		}
	}
}
