package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/server/store"
)

// TestFull lets the file grow no more, as on a full disk: a change fails and leaves all as it was, reading goes on, and with room again so does writing.
func TestFull(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	limit := func(pages int) {
		t.Helper()
		var got int
		if err := s.writer.QueryRow(fmt.Sprintf("PRAGMA max_page_count = %d", pages)).Scan(&got); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Create(t.Context(), store.Session{ID: "s"}); err != nil {
		t.Fatal(err)
	}
	turn, err := s.Begin(t.Context(), "s", "t", []byte(`"first"`))
	if err != nil {
		t.Fatal(err)
	}
	var pages int
	if err := s.writer.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit(pages + 2)
	big := json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)
	failures := map[string]error{
		"append": turn.Append(t.Context(), []byte(`"small"`), big),
		"commit": turn.Commit(t.Context(), []byte(`"small"`), big),
	}
	_, failures["begin"] = s.Begin(t.Context(), "s", "u", []byte(`"small"`), big)
	_, failures["create"] = s.Create(t.Context(), store.Session{ID: "u", Meta: big})
	_, failures["update"] = s.Update(t.Context(), "s", store.Patch{Title: new("new"), Meta: big})
	for what, err := range failures {
		if err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: error %v, want one of the full disk", what, err)
		}
	}
	want := []store.Record{{TurnID: "t", Torn: true, Data: []byte(`"first"`)}}
	check := func() {
		t.Helper()
		var got []store.Record
		for r, err := range s.History(t.Context(), "s") {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("history mismatch (-want +got):\n%s", diff)
		}
	}
	check()
	page, err := s.List(t.Context(), store.Query{})
	if err != nil || len(page.Sessions) != 1 || page.Sessions[0].Title != "" || page.Sessions[0].Meta != nil {
		t.Errorf("list: %+v, %v", page, err)
	}
	limit(1 << 20)
	if err := turn.Commit(t.Context(), []byte(`"last"`)); err != nil {
		t.Fatal(err)
	}
	want[0].Torn = false
	want = append(want, store.Record{TurnID: "t", Data: []byte(`"last"`)})
	check()
}
