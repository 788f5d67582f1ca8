package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/acpwire/acpwire/server/store"
)

func testHistory(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	create(t, s, full("other"))
	if lines := read(t, s, "s"); lines != nil {
		t.Errorf("a new session has the history %q", lines)
	}
	one := begin(t, s, "s", "one", raw(`"a"`), raw(`{"b": [ 1 ]}`))
	begin(t, s, "other", "one", raw(`"not mine"`))
	noErr(t, "append", one.Append(t.Context(), raw(`3`)))
	noErr(t, "append nothing", one.Append(t.Context()))
	two := begin(t, s, "s", "two", raw(`"second"`))
	noErr(t, "append", one.Append(t.Context(), raw(`4`), raw(`"\u00e9 é 😀"`)))
	noErr(t, "commit", one.Commit(t.Context(), raw(`null`)))
	noErr(t, "commit", two.Commit(t.Context()))
	want := []string{`one "a"`, `one {"b": [ 1 ]}`, `one 3`, `one 4`, `one "\u00e9 é 😀"`, `one null`, `two "second"`}
	wantDiff(t, "history", want, read(t, s, "s"))
}

func testTorn(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	noErr(t, "commit", begin(t, s, "s", "whole", raw(`1`)).Commit(t.Context(), raw(`2`)))
	torn := begin(t, s, "s", "torn", raw(`3`))
	noErr(t, "append", torn.Append(t.Context(), raw(`4`)))
	noErr(t, "commit", begin(t, s, "s", "next", raw(`5`)).Commit(t.Context()))
	wantDiff(t, "history", []string{"whole 1", "whole 2", "torn 3 torn", "torn 4 torn", "next 5"}, read(t, s, "s"))
}

func testTurnErrors(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	create(t, s, full("other"))
	turn := begin(t, s, "s", "t", raw(`1`))
	_, err := s.Begin(t.Context(), "s", "t", raw(`2`))
	wantErr(t, "begin again", err, store.ErrExists)
	begin(t, s, "other", "t")
	noErr(t, "commit", turn.Commit(t.Context()))
	wantErr(t, "append", turn.Append(t.Context(), raw(`3`)), store.ErrCommitted)
	wantErr(t, "commit", turn.Commit(t.Context(), raw(`3`)), store.ErrCommitted)
	_, err = s.Begin(t.Context(), "s", "t", raw(`2`))
	wantErr(t, "begin again", err, store.ErrExists)
	wantDiff(t, "history", []string{"t 1"}, read(t, s, "s"))
}

func testHistorySnapshot(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	turn := begin(t, s, "s", "t", raw(`1`), raw(`2`), raw(`3`))
	var lines []string
	for r, err := range s.History(t.Context(), "s") {
		noErr(t, "history", err)
		lines = append(lines, string(r.Data))
		noErr(t, "append while reading", turn.Append(t.Context(), raw(`4`)))
		wantDiff(t, "read while reading", 3+len(lines), len(read(t, s, "s")))
	}
	wantDiff(t, "history", []string{"1", "2", "3"}, lines)
}

func testHistoryStopped(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	begin(t, s, "s", "t", raw(`1`), raw(`2`), raw(`3`))
	for range 20 {
		for _, err := range s.History(t.Context(), "s") {
			noErr(t, "history", err)
			break
		}
	}
	wantDiff(t, "history", []string{"t 1 torn", "t 2 torn", "t 3 torn"}, read(t, s, "s"))
}

func testBig(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	const size = 4 << 20
	turn := begin(t, s, "s", "t", raw(`"%s"`, strings.Repeat("a", size)))
	noErr(t, "append", turn.Append(t.Context(), raw(`"%s"`, strings.Repeat("b", size))))
	noErr(t, "commit", turn.Commit(t.Context(), raw(`"%s"`, strings.Repeat("c", size))))
	want := "abc"
	for r, err := range s.History(t.Context(), "s") {
		noErr(t, "history", err)
		if want == "" {
			t.Fatal("more records than were written")
		}
		if !bytes.Equal(r.Data, raw(`"%s"`, strings.Repeat(want[:1], size))) {
			t.Errorf("record of %d bytes, want %d times %s", len(r.Data), size, want[:1])
		}
		want = want[1:]
	}
	wantDiff(t, "records missing", "", want)
}

// testConcurrentTurns writes turns of several sessions at once and reads meanwhile: what is read is a beginning of what was written.
func testConcurrentTurns(t *testing.T, s store.Store) {
	const sessions, turns, records = 4, 3, 8
	var wg sync.WaitGroup
	for i := range sessions {
		id := fmt.Sprintf("s-%d", i)
		create(t, s, store.Session{ID: id})
		wg.Go(func() { writeTurns(t, s, id, turns, records) })
		wg.Go(func() {
			for range 10 {
				n := 0
				for r, err := range s.History(t.Context(), id) {
					if err != nil {
						t.Errorf("history: %v", err)
						return
					}
					if want := fmt.Sprintf(`"%s %d %d"`, id, n/records, n%records); string(r.Data) != want {
						t.Errorf("record %s, want %s", r.Data, want)
					}
					n++
				}
			}
		})
	}
	wg.Wait()
	for i := range sessions {
		id := fmt.Sprintf("s-%d", i)
		var want []string
		for turn := range turns {
			for record := range records {
				want = append(want, fmt.Sprintf(`t-%d "%s %d %d"`, turn, id, turn, record))
			}
		}
		wantDiff(t, "history of "+id, want, read(t, s, id))
	}
}

func writeTurns(t *testing.T, s store.Store, id string, turns, records int) {
	for n := range turns {
		turn, err := s.Begin(t.Context(), id, fmt.Sprintf("t-%d", n), raw(`"%s %d 0"`, id, n))
		if err != nil {
			t.Errorf("begin: %v", err)
			return
		}
		for r := 1; r < records-1; r++ {
			if err := turn.Append(t.Context(), raw(`"%s %d %d"`, id, n, r)); err != nil {
				t.Errorf("append: %v", err)
				return
			}
		}
		if err := turn.Commit(t.Context(), raw(`"%s %d %d"`, id, n, records-1)); err != nil {
			t.Errorf("commit: %v", err)
			return
		}
	}
}
