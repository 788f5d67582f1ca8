// Package sqlite is a [store.Store] in one SQLite file. It needs no C compiler and no server, several processes may use one file at once, and what was stored
// survives a process that is killed.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/acpwire/acpwire/server/store"
)

// DefaultBusyTimeout is how long a change waits for those of other processes.
const DefaultBusyTimeout = 10 * time.Second

// Options change how [Open] opens a store. The zero value is ready to use.
type Options struct {
	// BusyTimeout is how long a change waits for those of other processes before it fails. If zero, DefaultBusyTimeout.
	BusyTimeout time.Duration
	// Relaxed does without waiting for the disk on each change. What was stored still survives a process that is killed, but the last changes not a machine that loses power.
	Relaxed bool
}

// Store is a [store.Store] in a file.
type Store struct {
	// SQLite has one writer at a time. Writers of this process queue for the one connection, where a context can end their wait.
	writer *sql.DB
	reader *sql.DB
	closed atomic.Bool
}

var _ store.Store = (*Store)(nil)

// Open opens the store in a file, or creates it, readable for its owner only; its folder must exist. Beside the file are, while it is open, two others with the suffixes
// -wal and -shm. If opts is nil, the zero Options. A file that can only be read is an error.
//
// The error may be a [*VersionError] or wrap [ErrForeign].
func Open(ctx context.Context, path string, opts *Options) (*Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = DefaultBusyTimeout
	}
	s, err := open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string, o Options) (*Store, error) {
	if path == "" {
		return nil, errors.New("no file given")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := create(abs); err != nil {
		return nil, err
	}
	s := new(Store)
	if s.writer, err = sql.Open("sqlite", dsn(abs, o, false)); err != nil {
		return nil, err
	}
	s.writer.SetMaxOpenConns(1)
	s.writer.SetMaxIdleConns(1)
	if s.reader, err = sql.Open("sqlite", dsn(abs, o, true)); err != nil {
		return nil, errors.Join(err, s.writer.Close())
	}
	s.reader.SetMaxIdleConns(4)
	if err := s.prepare(ctx, o.BusyTimeout); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// create makes the file if there is none, which SQLite would do with wider permissions. It does not touch one that exists: closing a descriptor of a file drops all locks
// that the process has on it.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func dsn(path string, o Options, readOnly bool) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	q := url.Values{}
	add := func(pragma string) { q.Add("_pragma", pragma) }
	add("busy_timeout(" + strconv.FormatInt(max(o.BusyTimeout.Milliseconds(), 1), 10) + ")")
	add("foreign_keys(1)")
	if readOnly {
		add("query_only(1)")
	}
	if o.Relaxed {
		add("synchronous(NORMAL)")
	} else {
		add("synchronous(FULL)")
	}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: q.Encode()}).String()
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.closed.Store(true)
	return errors.Join(s.reader.Close(), s.writer.Close())
}

// enter returns why nothing may be done any more.
func (s *Store) enter(ctx context.Context) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// wrap makes an error of the database one of package store, or names what failed.
func (s *Store) wrap(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return store.ErrClosed
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// write runs f in a transaction that has the file for itself. Only the wait for that can be cancelled: what f did is done or not done, never unknown.
func (s *Store) write(ctx context.Context, f func(ctx context.Context, tx *sql.Conn) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return s.wrap(ctx, "connect", err)
	}
	defer func() { _ = conn.Close() }()
	held := context.WithoutCancel(ctx)
	rollback := func() { _, _ = conn.ExecContext(held, "ROLLBACK") }
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		rollback() // the context may have ended after the transaction began
		return s.wrap(ctx, "begin", err)
	}
	if err := f(held, conn); err != nil {
		rollback()
		return err
	}
	if _, err := conn.ExecContext(held, "COMMIT"); err != nil {
		rollback()
		return s.wrap(held, "commit", err)
	}
	return nil
}

// read runs f in a transaction that sees the file as it is at its first query.
func (s *Store) read(ctx context.Context, f func(tx *sql.Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	tx, err := s.reader.BeginTx(ctx, nil)
	if err != nil {
		return s.wrap(ctx, "begin", err)
	}
	defer func() { _ = tx.Rollback() }()
	return f(tx)
}

// tick returns the instant of a change: later than those of all earlier changes of the file.
func tick(ctx context.Context, tx *sql.Conn) (int64, error) {
	var now int64
	err := tx.QueryRowContext(ctx, "UPDATE clock SET last = max(last + 1, ?) RETURNING last", time.Now().UnixNano()).Scan(&now)
	if err != nil {
		return 0, fmt.Errorf("clock: %w", err)
	}
	return now, nil
}
