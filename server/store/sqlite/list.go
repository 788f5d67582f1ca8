package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/acpwire/acpwire/server/store"
	"github.com/acpwire/acpwire/server/store/internal/cursor"
)

// page selects sessions by when they had been updated, seen from the instant :asof: those that were not updated since, and those that were, at their former place.
const page = `
SELECT ` + columns + `, place.since FROM (
	SELECT id AS session, updated AS since FROM session WHERE updated <= :asof
	UNION ALL
	SELECT session, since FROM span WHERE since <= :asof AND until > :asof
) AS place JOIN session ON session.id = place.session
WHERE place.since < :before AND (:cwd = '' OR session.cwd = :cwd)
ORDER BY place.since DESC LIMIT :limit`

// List implements [store.Store].
func (s *Store) List(ctx context.Context, q store.Query) (store.Page, error) {
	limit, err := q.PageSize()
	if err != nil {
		return store.Page{}, err
	}
	var p store.Page
	err = s.read(ctx, func(tx *sql.Tx) (err error) {
		p, err = list(ctx, tx, q, limit)
		return err
	})
	if err != nil {
		return store.Page{}, s.classify(ctx, "list sessions", err)
	}
	return p, nil
}

func list(ctx context.Context, tx *sql.Tx, q store.Query, limit int) (store.Page, error) {
	now := time.Now()
	c := cursor.Cursor{Begun: now.UnixNano()}
	if q.Cursor != "" {
		var err error
		if c, err = cursor.Decode(q.Cursor, q.Cwd, now, store.CursorLife); err != nil {
			return store.Page{}, fmt.Errorf("%w: %w", store.ErrCursor, err)
		}
	} else {
		if err := tx.QueryRowContext(ctx, "SELECT last FROM clock").Scan(&c.AsOf); err != nil {
			return store.Page{}, err
		}
		c.Before = c.AsOf + 1
	}
	rows, err := tx.QueryContext(ctx, page, sql.Named("asof", c.AsOf), sql.Named("before", c.Before), sql.Named("cwd", q.Cwd), sql.Named("limit", limit+1))
	if err != nil {
		return store.Page{}, err
	}
	defer func() { _ = rows.Close() }()
	var p store.Page
	for rows.Next() {
		if len(p.Sessions) == limit {
			p.Next = c.Encode(q.Cwd)
			break
		}
		session, err := scanSession(rows, &c.Before)
		if err != nil {
			return store.Page{}, err
		}
		p.Sessions = append(p.Sessions, session)
	}
	return p, rows.Err()
}
