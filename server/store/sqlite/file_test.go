package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/server/store"
	"github.com/acpwire/acpwire/server/store/sqlite"
)

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s := open(t, path)
	want, err := s.Create(t.Context(), store.Session{ID: "s", Cwd: "/a", AdditionalDirectories: []string{"/b"}, Meta: []byte(`{"a":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, path).Get(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("session mismatch (-want +got):\n%s", diff)
	}
}

// TestOpenAtOnce makes the same new file several times at once.
func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	var wg sync.WaitGroup
	ids := []string{"a", "b", "c", "d", "e", "f"}
	for _, id := range ids {
		wg.Go(func() {
			s, err := sqlite.Open(t.Context(), path, nil)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			if _, err := s.Create(t.Context(), store.Session{ID: id}); err != nil {
				t.Errorf("create: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	wg.Wait()
	p, err := open(t, path).List(t.Context(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, session := range p.Sessions {
		got = append(got, session.ID)
	}
	slices.Sort(got)
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Errorf("sessions mismatch (-want +got):\n%s", diff)
	}
}

func TestPath(t *testing.T) {
	for _, name := range []string{"plain", "with space", "question?mode=memory", "100%25", "hash#1", "ünï", "file:x"} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name != "plain" {
				t.Skip("Windows does not allow all of these names")
			}
			path := filepath.Join(t.TempDir(), name)
			if _, err := open(t, path).Create(t.Context(), store.Session{ID: "s"}); err != nil {
				t.Fatal(err)
			}
			for _, suffix := range []string{"", "-wal", "-shm"} {
				info, err := os.Stat(path + suffix)
				if err != nil {
					t.Fatal(err)
				}
				if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
					t.Errorf("mode of the file with suffix %q: %v, want 0600", suffix, info.Mode().Perm())
				}
			}
			if _, err := open(t, path).Get(t.Context(), "s"); err != nil {
				t.Errorf("opened twice: %v", err)
			}
		})
	}
}

func TestOpenError(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	database := func(name, script string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(script); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name, path string
		check      func(err error) bool
	}{
		{"no path", "", func(err error) bool { return err != nil }},
		{"no folder", filepath.Join(dir, "none", "store"), func(err error) bool { return errors.Is(err, os.ErrNotExist) }},
		{"a folder", dir, func(err error) bool { return err != nil }},
		{"text", write("text", "This is a file of some other kind, which has to stay as it is, whatever a user may have typed. It is long enough."),
			func(err error) bool { return errors.Is(err, sqlite.ErrForeign) }},
		{"another database", database("other", "CREATE TABLE session (id)"), func(err error) bool { return errors.Is(err, sqlite.ErrForeign) }},
		{"another application", database("app", "PRAGMA application_id = 7"), func(err error) bool { return errors.Is(err, sqlite.ErrForeign) }},
		{"newer", database("newer", "PRAGMA application_id = 1633906807; PRAGMA user_version = 1000"), func(err error) bool {
			var version *sqlite.VersionError
			return errors.As(err, &version) && version.File == 1000
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, _ := os.ReadFile(test.path)
			s, err := sqlite.Open(t.Context(), test.path, nil)
			if err == nil {
				_ = s.Close()
			}
			if !test.check(err) {
				t.Errorf("error %v", err)
			}
			if after, _ := os.ReadFile(test.path); !slices.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestBusy holds the file's lock: a change waits for it, as long as the options say or until its context ends, while reading goes on.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s, err := sqlite.Open(t.Context(), path, &sqlite.Options{BusyTimeout: 30 * time.Millisecond, Relaxed: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Create(t.Context(), store.Session{ID: "s"}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(t.Context(), "s", "t", []byte(`1`)); err == nil {
		t.Error("a change while the file was locked succeeded")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := s.Begin(ctx, "s", "t", []byte(`1`)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	if _, err := s.Get(t.Context(), "s"); err != nil {
		t.Errorf("reading while the file was locked: %v", err)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(t.Context(), "s", "t", []byte(`1`)); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}
