package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/acpwire/acpwire/server/store"
)

type turn struct {
	store       *Store
	n           int64
	session, id string
}

// Begin implements [store.Store].
func (s *Store) Begin(ctx context.Context, session, turnID string, records ...json.RawMessage) (store.Turn, error) {
	if err := store.CheckRecords(records); err != nil {
		return nil, err
	}
	t := &turn{store: s, session: session, id: turnID}
	err := s.write(ctx, func(ctx context.Context, tx *sql.Conn) error {
		if _, err := find(ctx, tx, session); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, "INSERT INTO turn (session, id) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING n", session, turnID).Scan(&t.n)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("turn %q of session %q: %w", turnID, session, store.ErrExists)
		}
		if err != nil {
			return fmt.Errorf("begin turn: %w", err)
		}
		if err := t.add(ctx, tx, records); err != nil {
			return err
		}
		_, err = touch(ctx, tx, session)
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t *turn) add(ctx context.Context, tx *sql.Conn, records []json.RawMessage) error {
	for _, r := range records {
		if _, err := tx.ExecContext(ctx, "INSERT INTO record (turn, data) VALUES (?, ?)", t.n, string(r)); err != nil {
			return fmt.Errorf("append record: %w", err)
		}
	}
	return nil
}

func (t *turn) Append(ctx context.Context, records ...json.RawMessage) error {
	return t.write(ctx, records, false)
}

func (t *turn) Commit(ctx context.Context, records ...json.RawMessage) error {
	return t.write(ctx, records, true)
}

func (t *turn) write(ctx context.Context, records []json.RawMessage, commit bool) error {
	if err := store.CheckRecords(records); err != nil {
		return err
	}
	return t.store.write(ctx, func(ctx context.Context, tx *sql.Conn) error {
		var committed bool
		err := tx.QueryRowContext(ctx, "SELECT committed FROM turn WHERE n = ?", t.n).Scan(&committed)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("%w: %q", store.ErrNotFound, t.session)
		case err != nil:
			return fmt.Errorf("find turn: %w", err)
		case committed:
			return fmt.Errorf("%w: %q of session %q", store.ErrCommitted, t.id, t.session)
		}
		if err := t.add(ctx, tx, records); err != nil || !commit {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE turn SET committed = 1 WHERE n = ?", t.n); err != nil {
			return fmt.Errorf("commit turn: %w", err)
		}
		_, err = touch(ctx, tx, t.session)
		return err
	})
}

// History implements [store.Store].
func (s *Store) History(ctx context.Context, session string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		stopped := false
		err := s.read(ctx, func(tx *sql.Tx) error {
			if _, err := find(ctx, tx, session); err != nil {
				return err
			}
			var err error
			stopped, err = history(ctx, tx, session, yield)
			return err
		})
		if err != nil && !stopped {
			yield(store.Record{}, s.classify(ctx, "read history", err))
		}
	}
}

func history(ctx context.Context, tx *sql.Tx, session string, yield func(store.Record, error) bool) (stopped bool, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT turn.id, turn.committed, record.data FROM turn JOIN record ON record.turn = turn.n
		WHERE turn.session = ? ORDER BY turn.n, record.n`, session)
	if err != nil {
		return false, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var r store.Record
		var committed bool
		var data []byte
		if err := rows.Scan(&r.TurnID, &committed, &data); err != nil {
			return false, err
		}
		r.Torn, r.Data = !committed, data
		if !yield(r, nil) {
			return true, nil
		}
	}
	return false, rows.Err()
}
