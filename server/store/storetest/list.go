package storetest

import (
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/acpwire/acpwire/server/store"
)

// names returns prefix-n, ..., prefix-1: the order of a list when they were created from 1 on.
func names(prefix string, n int) []string {
	var ids []string
	for i := n; i > 0; i-- {
		ids = append(ids, fmt.Sprintf("%s-%d", prefix, i))
	}
	return ids
}

func createAll(t *testing.T, s store.Store, prefix, cwd string, n int) {
	t.Helper()
	for _, id := range slices.Backward(names(prefix, n)) {
		create(t, s, store.Session{ID: id, Cwd: cwd})
	}
}

func testList(t *testing.T, s store.Store) {
	p, err := s.List(t.Context(), store.Query{})
	noErr(t, "list", err)
	wantDiff(t, "empty", store.Page{}, p)
	createAll(t, s, "s", "/", 3)
	wantDiff(t, "created", []string{"s-3", "s-2", "s-1"}, pages(t, s, store.Query{}, nil))
	_, err = s.Update(t.Context(), "s-2", store.Patch{Title: ptr("x")})
	noErr(t, "update", err)
	wantDiff(t, "updated", []string{"s-2", "s-3", "s-1"}, pages(t, s, store.Query{}, nil))
	turn := begin(t, s, "s-1", "t")
	wantDiff(t, "begun", []string{"s-1", "s-2", "s-3"}, pages(t, s, store.Query{}, nil))
	begin(t, s, "s-3", "t")
	noErr(t, "commit", turn.Commit(t.Context()))
	wantDiff(t, "committed", []string{"s-1", "s-3", "s-2"}, pages(t, s, store.Query{}, nil))

	p, err = s.List(t.Context(), store.Query{})
	noErr(t, "list", err)
	for _, listed := range p.Sessions {
		got, err := s.Get(t.Context(), listed.ID)
		noErr(t, "get", err)
		wantDiff(t, "listed", got, listed)
	}
}

func testListFilter(t *testing.T, s store.Store) {
	createAll(t, s, "a", "/a", 5)
	createAll(t, s, "b", "/b", 5)
	wantDiff(t, "one directory", names("a", 5), pages(t, s, store.Query{Cwd: "/a", Limit: 2}, nil))
	for _, cwd := range []string{"/", "/a/", "/A", "/a%", "/_"} {
		if ids := pages(t, s, store.Query{Cwd: cwd}, nil); ids != nil {
			t.Errorf("cwd %q: %q", cwd, ids)
		}
	}
}

func testListLimit(t *testing.T, s store.Store) {
	createAll(t, s, "s", "/", store.DefaultLimit+1)
	p, err := s.List(t.Context(), store.Query{})
	noErr(t, "list", err)
	wantDiff(t, "first page", store.DefaultLimit, len(p.Sessions))
	p, err = s.List(t.Context(), store.Query{Limit: store.DefaultLimit + 1})
	noErr(t, "list", err)
	wantDiff(t, "exact page", store.DefaultLimit+1, len(p.Sessions))
	wantDiff(t, "cursor after an exact page", "", p.Next)
	p, err = s.List(t.Context(), store.Query{Limit: store.MaxLimit + 1})
	noErr(t, "list", err)
	wantDiff(t, "huge page", store.DefaultLimit+1, len(p.Sessions))
}

func testListCursor(t *testing.T, s store.Store) {
	createAll(t, s, "s", "/a", 3)
	p, err := s.List(t.Context(), store.Query{Limit: 1})
	noErr(t, "list", err)
	filtered, err := s.List(t.Context(), store.Query{Limit: 1, Cwd: "/a"})
	noErr(t, "list", err)
	decoded, err := base64.RawURLEncoding.DecodeString(p.Next)
	changed := p.Next + "AAAA"
	if err == nil && len(decoded) > 0 {
		decoded[0] ^= 0xff
		changed = base64.RawURLEncoding.EncodeToString(decoded)
	}
	for _, test := range []struct {
		name  string
		query store.Query
	}{
		{"not a cursor", store.Query{Cursor: "!"}},
		{"an ID", store.Query{Cursor: "s-1"}},
		{"a number", store.Query{Cursor: "2"}},
		{"cut", store.Query{Cursor: p.Next[:len(p.Next)-2]}},
		{"longer", store.Query{Cursor: p.Next + "AA"}},
		{"changed", store.Query{Cursor: changed}},
		{"of no filter", store.Query{Cursor: p.Next, Cwd: "/a"}},
		{"of a filter", store.Query{Cursor: filtered.Next}},
		{"of another filter", store.Query{Cursor: filtered.Next, Cwd: "/b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := s.List(t.Context(), test.query)
			wantErr(t, "list", err, store.ErrCursor)
			wantDiff(t, "page", store.Page{}, got)
		})
	}
	again := pages(t, s, store.Query{Cursor: p.Next}, nil)
	wantDiff(t, "a cursor used again", again, pages(t, s, store.Query{Cursor: p.Next, Limit: 1}, nil))
}

// testListStable changes what it can between the pages of a listing.
func testListStable(t *testing.T, s store.Store) {
	createAll(t, s, "s", "/a", 9)
	got := pages(t, s, store.Query{Limit: 2, Cwd: "/a"}, func(page int) {
		create(t, s, store.Session{ID: fmt.Sprintf("new-%d", page), Cwd: "/a"})
		if page > 2 {
			return
		}
		// s-9 was seen, s-1 was not yet; both move to the front twice. s-3 is deleted.
		for _, id := range []string{"s-9", "s-1"} {
			_, err := s.Update(t.Context(), id, store.Patch{Title: ptr("x")})
			noErr(t, "update", err)
			noErr(t, "commit", begin(t, s, id, fmt.Sprint(page)).Commit(t.Context()))
		}
		noErr(t, "delete", s.Delete(t.Context(), "s-3"))
	})
	want := slices.DeleteFunc(names("s", 9), func(id string) bool { return id == "s-3" })
	wantDiff(t, "listing", want, got)
}

// testConcurrentList lists while others create and change sessions.
func testConcurrentList(t *testing.T, s store.Store) {
	createAll(t, s, "s", "/", 30)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				id := fmt.Sprintf("w-%d-%d", w, i)
				if _, err := s.Create(t.Context(), store.Session{ID: id}); err != nil {
					t.Errorf("create %q: %v", id, err)
					return
				}
				id = fmt.Sprintf("s-%d", 1+(7*i+w)%30)
				if _, err := s.Update(t.Context(), id, store.Patch{Title: &id}); err != nil {
					t.Errorf("update %q: %v", id, err)
					return
				}
			}
		})
	}
	defer wg.Wait()
	defer close(done)
	for range 5 {
		seen := make(map[string]int)
		for _, id := range pages(t, s, store.Query{Limit: 10}, nil) {
			seen[id]++
		}
		for _, id := range names("s", 30) {
			if seen[id] == 0 {
				t.Errorf("%s was left out", id)
			}
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("%s came %d times", id, n)
			}
		}
	}
}

func testConcurrentUpdates(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	const each = 20
	var wg sync.WaitGroup
	var mu sync.Mutex
	times := make(map[int64]bool)
	change := func(patch store.Patch) {
		for range each {
			got, err := s.Update(t.Context(), "s", patch)
			if err != nil {
				t.Errorf("update: %v", err)
				return
			}
			mu.Lock()
			times[got.Updated.UnixNano()] = true
			mu.Unlock()
		}
	}
	wg.Go(func() { change(store.Patch{Title: ptr("new")}) })
	wg.Go(func() { change(store.Patch{Mode: ptr("new")}) })
	wg.Go(func() { change(store.Patch{Meta: raw(`"new"`)}) })
	wg.Wait()
	got, err := s.Get(t.Context(), "s")
	noErr(t, "get", err)
	want := full("s")
	want.Title, want.Mode, want.Meta = "new", "new", raw(`"new"`)
	want.Created, want.Updated = got.Created, got.Updated
	wantDiff(t, "session", want, got)
	wantDiff(t, "different times", 3*each, len(times))
}
