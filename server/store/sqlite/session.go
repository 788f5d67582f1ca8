package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/acpwire/acpwire/server/store"
)

// columns are those that scanSession reads.
const columns = "session.id, session.cwd, session.directories, session.title, session.mode, session.config, session.meta, session.created, session.updated"

type scanner interface{ Scan(dest ...any) error }

func scanSession(row scanner, more ...any) (store.Session, error) {
	var s store.Session
	var directories string
	var config, meta sql.NullString
	var created, updated int64
	dest := append([]any{&s.ID, &s.Cwd, &directories, &s.Title, &s.Mode, &config, &meta, &created, &updated}, more...)
	if err := row.Scan(dest...); err != nil {
		return store.Session{}, err
	}
	if err := json.Unmarshal([]byte(directories), &s.AdditionalDirectories); err != nil {
		return store.Session{}, fmt.Errorf("directories of session %q: %w", s.ID, err)
	}
	s.Config, s.Meta = text(config), text(meta)
	s.Created, s.Updated = time.Unix(0, created).UTC(), time.Unix(0, updated).UTC()
	return s, nil
}

func text(s sql.NullString) json.RawMessage {
	if !s.Valid {
		return nil
	}
	return json.RawMessage(s.String)
}

func nullable(text json.RawMessage) sql.NullString {
	return sql.NullString{String: string(text), Valid: text != nil}
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func find(ctx context.Context, q querier, id string) (store.Session, error) {
	s, err := scanSession(q.QueryRowContext(ctx, "SELECT "+columns+" FROM session WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("%w: %q", store.ErrNotFound, id)
	}
	return s, err
}

// touch gives the session a new Updated and remembers the former one.
func touch(ctx context.Context, tx *sql.Conn, id string) (int64, error) {
	now, err := tick(ctx, tx)
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM span WHERE session = ? AND until < ?", id, now-int64(store.CursorLife)); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO span SELECT id, updated, ? FROM session WHERE id = ?", now, id); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "UPDATE session SET updated = ? WHERE id = ?", now, id)
	return now, err
}

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, session store.Session) (store.Session, error) {
	if err := session.Check(); err != nil {
		return store.Session{}, err
	}
	session = session.Clone()
	directories, err := json.Marshal(session.AdditionalDirectories)
	if err != nil {
		return store.Session{}, err
	}
	err = s.write(ctx, func(ctx context.Context, tx *sql.Conn) error {
		now, err := tick(ctx, tx)
		if err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, "INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", session.ID, session.Cwd, string(directories),
			session.Title, session.Mode, nullable(session.Config), nullable(session.Meta), now, now)
		if err != nil {
			return fmt.Errorf("create session: %w", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("create session: %w", err)
		}
		if n == 0 {
			return fmt.Errorf("session %q: %w", session.ID, store.ErrExists)
		}
		session.Created = time.Unix(0, now).UTC()
		session.Updated = session.Created
		return nil
	})
	if err != nil {
		return store.Session{}, err
	}
	return session, nil
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, id string) (store.Session, error) {
	var session store.Session
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		session, err = find(ctx, tx, id)
		return err
	})
	return session, s.classify(ctx, "get session", err)
}

// Update implements [store.Store].
func (s *Store) Update(ctx context.Context, id string, p store.Patch) (store.Session, error) {
	var session store.Session
	err := s.write(ctx, func(ctx context.Context, tx *sql.Conn) (err error) {
		if session, err = find(ctx, tx, id); err != nil {
			return err
		}
		if err := p.Apply(&session); err != nil {
			return err
		}
		directories, err := json.Marshal(session.AdditionalDirectories)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE session SET cwd = ?, directories = ?, title = ?, mode = ?, config = ?, meta = ? WHERE id = ?", session.Cwd, string(directories),
			session.Title, session.Mode, nullable(session.Config), nullable(session.Meta), id)
		if err != nil {
			return fmt.Errorf("update session: %w", err)
		}
		now, err := touch(ctx, tx, id)
		session.Updated = time.Unix(0, now).UTC()
		return err
	})
	if err != nil {
		return store.Session{}, err
	}
	return session, nil
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Conn) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM session WHERE id = ?", id); err != nil {
			return fmt.Errorf("delete session: %w", err)
		}
		return nil
	})
}

// classify leaves errors of package store as they are.
func (s *Store) classify(ctx context.Context, doing string, err error) error {
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrCursor) || errors.Is(err, store.ErrInvalid) {
		return err
	}
	return s.wrap(ctx, doing, err)
}
