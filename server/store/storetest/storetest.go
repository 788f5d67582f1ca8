// Package storetest tests implementations of [store.Store].
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/server/store"
)

// Run tests what open returns: an empty store, a new one each time. It is closed when its test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s store.Store)
	}{
		{"session", testSession},
		{"patch", testPatch},
		{"copies", testCopies},
		{"invalid", testInvalid},
		{"unknown session", testUnknown},
		{"delete", testDelete},
		{"list", testList},
		{"list filter", testListFilter},
		{"list limit", testListLimit},
		{"list cursor", testListCursor},
		{"list is stable", testListStable},
		{"history", testHistory},
		{"torn turn", testTorn},
		{"turn errors", testTurnErrors},
		{"history snapshot", testHistorySnapshot},
		{"history stopped", testHistoryStopped},
		{"big records", testBig},
		{"contexts", testContexts},
		{"concurrent turns", testConcurrentTurns},
		{"concurrent list", testConcurrentList},
		{"concurrent updates", testConcurrentUpdates},
		{"closed", testClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			test.run(t, s)
		})
	}
}

func create(t *testing.T, s store.Store, session store.Session) store.Session {
	t.Helper()
	created, err := s.Create(t.Context(), session)
	if err != nil {
		t.Fatalf("create %q: %v", session.ID, err)
	}
	return created
}

func begin(t *testing.T, s store.Store, session, turnID string, records ...json.RawMessage) store.Turn {
	t.Helper()
	turn, err := s.Begin(t.Context(), session, turnID, records...)
	if err != nil {
		t.Fatalf("begin %q: %v", turnID, err)
	}
	return turn
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func noErr(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func wantDiff(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s mismatch (-want +got):\n%s", what, diff)
	}
}

// read returns a history as lines of turn, data and, if so, "torn".
func read(t *testing.T, s store.Store, session string) []string {
	t.Helper()
	var lines []string
	for r, err := range s.History(t.Context(), session) {
		noErr(t, "history", err)
		line := r.TurnID + " " + string(r.Data)
		if r.Torn {
			line += " torn"
		}
		lines = append(lines, line)
	}
	return lines
}

// pages lists all from the query on and calls between after each page but the last.
func pages(t *testing.T, s store.Store, q store.Query, between func(page int)) []string {
	t.Helper()
	var ids []string
	for n := 1; ; n++ {
		p, err := s.List(t.Context(), q)
		noErr(t, "list", err)
		for _, session := range p.Sessions {
			ids = append(ids, session.ID)
		}
		if p.Next == "" {
			return ids
		}
		if between != nil {
			between(n)
		}
		q.Cursor = p.Next
	}
}

func raw(format string, args ...any) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(format, args...))
}

func ptr[T any](v T) *T { return &v }

func full(id string) store.Session {
	return store.Session{
		ID: id, Cwd: "/home/ü/project", AdditionalDirectories: []string{"/lib", "/with space"}, Title: "A title\nin two lines", Mode: "plan",
		Config: raw(`{"model":"m"}`), Meta: raw(`[1, 2.50]`),
	}
}

func testSession(t *testing.T, s store.Store) {
	before := time.Now()
	created := create(t, s, full("s"))
	want := full("s")
	want.Created, want.Updated = created.Created, created.Updated
	wantDiff(t, "created", want, created)
	if created.Created.Before(before.Add(-time.Second)) || created.Created.After(time.Now().Add(time.Second)) || !created.Created.Equal(created.Updated) {
		t.Errorf("created at %v, updated at %v, at %v", created.Created, created.Updated, before)
	}
	if created.Created.Location() != time.UTC {
		t.Errorf("location %v, want UTC", created.Created.Location())
	}
	got, err := s.Get(t.Context(), "s")
	noErr(t, "get", err)
	wantDiff(t, "got", created, got)

	_, err = s.Create(t.Context(), store.Session{ID: "s"})
	wantErr(t, "create again", err, store.ErrExists)
	got, err = s.Get(t.Context(), "s")
	noErr(t, "get", err)
	wantDiff(t, "after creating again", created, got)

	bare := create(t, s, store.Session{ID: "bare"})
	got, err = s.Get(t.Context(), "bare")
	noErr(t, "get", err)
	wantDiff(t, "bare", bare, got)
}

func testPatch(t *testing.T, s store.Store) {
	want := create(t, s, full("s"))
	for _, step := range []struct {
		name  string
		patch store.Patch
		apply func(*store.Session)
	}{
		{"nothing", store.Patch{}, func(*store.Session) {}},
		{"title", store.Patch{Title: ptr("new")}, func(s *store.Session) { s.Title = "new" }},
		{"title to empty", store.Patch{Title: ptr("")}, func(s *store.Session) { s.Title = "" }},
		{"mode", store.Patch{Mode: ptr("ask")}, func(s *store.Session) { s.Mode = "ask" }},
		{"config", store.Patch{Config: raw(`{"a":1}`)}, func(s *store.Session) { s.Config = raw(`{"a":1}`) }},
		{"meta removed", store.Patch{Meta: raw(`null`)}, func(s *store.Session) { s.Meta = nil }},
		{"directories", store.Patch{Cwd: ptr("/c"), AdditionalDirectories: &[]string{"/d"}}, func(s *store.Session) {
			s.Cwd, s.AdditionalDirectories = "/c", []string{"/d"}
		}},
	} {
		t.Run(step.name, func(t *testing.T) {
			got, err := s.Update(t.Context(), "s", step.patch)
			noErr(t, "update", err)
			if !got.Updated.After(want.Updated) {
				t.Errorf("updated %v after %v", got.Updated, want.Updated)
			}
			step.apply(&want)
			want.Updated = got.Updated
			wantDiff(t, "returned", want, got)
			got, err = s.Get(t.Context(), "s")
			noErr(t, "get", err)
			wantDiff(t, "stored", want, got)
		})
	}
}

func testCopies(t *testing.T, s store.Store) {
	in := full("s")
	create(t, s, in)
	spoil := func(s store.Session) {
		s.AdditionalDirectories[0] = "spoilt"
		s.Config[0] = 'X'
		s.Meta[0] = 'X'
	}
	spoil(in)
	got, err := s.Get(t.Context(), "s")
	noErr(t, "get", err)
	spoil(got)
	directories, config := []string{"/d"}, raw(`[3]`)
	got, err = s.Update(t.Context(), "s", store.Patch{AdditionalDirectories: &directories, Config: config})
	noErr(t, "update", err)
	directories[0], config[0] = "spoilt", 'X'
	spoil(got)
	got, err = s.Get(t.Context(), "s")
	noErr(t, "get", err)
	want := full("s")
	want.AdditionalDirectories, want.Config = []string{"/d"}, raw(`[3]`)
	want.Created, want.Updated = got.Created, got.Updated
	wantDiff(t, "session", want, got)

	record := raw(`"one"`)
	turn := begin(t, s, "s", "t", record)
	record[1] = 'X'
	record = raw(`"two"`)
	noErr(t, "append", turn.Append(t.Context(), record))
	record[1] = 'X'
	for r, err := range s.History(t.Context(), "s") {
		noErr(t, "history", err)
		r.Data[1] = 'X'
	}
	wantDiff(t, "history", []string{`t "one" torn`, `t "two" torn`}, read(t, s, "s"))
}

func testInvalid(t *testing.T, s store.Store) {
	_, err := s.Create(t.Context(), store.Session{})
	wantErr(t, "no ID", err, store.ErrInvalid)
	_, err = s.Create(t.Context(), store.Session{ID: "x", Meta: raw(`{`)})
	wantErr(t, "bad meta", err, store.ErrInvalid)
	want := create(t, s, full("s"))
	_, err = s.Update(t.Context(), "s", store.Patch{Title: ptr("new"), Config: raw(`}`)})
	wantErr(t, "bad config", err, store.ErrInvalid)
	got, err := s.Get(t.Context(), "s")
	noErr(t, "get", err)
	wantDiff(t, "after a bad update", want, got)
	_, err = s.List(t.Context(), store.Query{Limit: -1})
	wantErr(t, "limit", err, store.ErrInvalid)
	_, err = s.Begin(t.Context(), "s", "t", raw(`1`), raw(`nul`))
	wantErr(t, "bad first record", err, store.ErrInvalid)
	turn := begin(t, s, "s", "t")
	wantErr(t, "bad record", turn.Append(t.Context(), raw(`1`), raw(``)), store.ErrInvalid)
	wantErr(t, "bad last record", turn.Commit(t.Context(), raw(`1`), nil), store.ErrInvalid)
	noErr(t, "append", turn.Append(t.Context(), raw(`2`)))
	wantDiff(t, "history", []string{"t 2 torn"}, read(t, s, "s"))
}

func testUnknown(t *testing.T, s store.Store) {
	_, err := s.Get(t.Context(), "none")
	wantErr(t, "get", err, store.ErrNotFound)
	_, err = s.Update(t.Context(), "none", store.Patch{Title: ptr("x")})
	wantErr(t, "update", err, store.ErrNotFound)
	_, err = s.Begin(t.Context(), "none", "t")
	wantErr(t, "begin", err, store.ErrNotFound)
	noErr(t, "delete", s.Delete(t.Context(), "none"))
	n := 0
	for r, err := range s.History(t.Context(), "none") {
		wantErr(t, "history", err, store.ErrNotFound)
		wantDiff(t, "record", store.Record{}, r)
		n++
	}
	wantDiff(t, "yielded", 1, n)
}

func testDelete(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	create(t, s, full("other"))
	turn := begin(t, s, "s", "t", raw(`1`))
	noErr(t, "commit", begin(t, s, "other", "t", raw(`2`)).Commit(t.Context()))
	noErr(t, "delete", s.Delete(t.Context(), "s"))
	_, err := s.Get(t.Context(), "s")
	wantErr(t, "get", err, store.ErrNotFound)
	wantErr(t, "append", turn.Append(t.Context(), raw(`1`)), store.ErrNotFound)
	wantErr(t, "commit", turn.Commit(t.Context()), store.ErrNotFound)
	create(t, s, full("s"))
	if lines := read(t, s, "s"); lines != nil {
		t.Errorf("a new session with the ID has the history %q", lines)
	}
	wantErr(t, "append to the old turn", turn.Append(t.Context(), raw(`1`)), store.ErrNotFound)
	wantDiff(t, "other history", []string{"t 2"}, read(t, s, "other"))
	noErr(t, "delete again", s.Delete(t.Context(), "s"))
	wantDiff(t, "list", []string{"other"}, pages(t, s, store.Query{}, nil))
}

func testContexts(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	turn := begin(t, s, "s", "t", raw(`1`), raw(`2`))
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for what, err := range attempts(ctx, s, turn) {
		wantErr(t, what, err, why)
	}
	wantDiff(t, "history", []string{"t 1 torn", "t 2 torn"}, read(t, s, "s"))
	wantDiff(t, "list", []string{"s"}, pages(t, s, store.Query{}, nil))

	// A store may have read on before it sees that the context has ended.
	ctx, cancel = context.WithCancelCause(t.Context())
	defer cancel(nil)
	for _, err := range s.History(ctx, "s") {
		if err != nil {
			wantErr(t, "history while its context ends", err, why)
		}
		cancel(why)
	}
}

// attempts calls each method once.
func attempts(ctx context.Context, s store.Store, turn store.Turn) map[string]error {
	errs := make(map[string]error)
	_, errs["create"] = s.Create(ctx, store.Session{ID: "another"})
	_, errs["get"] = s.Get(ctx, "s")
	_, errs["update"] = s.Update(ctx, "s", store.Patch{Title: ptr("x")})
	_, errs["list"] = s.List(ctx, store.Query{})
	_, errs["begin"] = s.Begin(ctx, "s", "u")
	errs["append"] = turn.Append(ctx, raw(`3`))
	errs["commit"] = turn.Commit(ctx, raw(`3`))
	errs["delete"] = s.Delete(ctx, "s")
	for _, err := range s.History(ctx, "s") {
		errs["history"] = err
	}
	return errs
}

func testClosed(t *testing.T, s store.Store) {
	create(t, s, full("s"))
	turn := begin(t, s, "s", "t")
	noErr(t, "close", s.Close())
	for what, err := range attempts(t.Context(), s, turn) {
		wantErr(t, what, err, store.ErrClosed)
	}
	noErr(t, "close again", s.Close())
}
