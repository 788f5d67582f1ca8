package store

import (
	"fmt"
	"time"
)

const (
	// DefaultLimit is how many sessions a page has at most if the query does not say.
	DefaultLimit = 50
	// MaxLimit is how many a page has at most, whatever the query says.
	MaxLimit = 1000
	// CursorLife is how long a listing may take. A cursor of one that was begun earlier is refused.
	CursorLife = time.Hour
)

// A Query says which sessions to list. The zero value is the first page of all.
type Query struct {
	// Cwd, if not empty, leaves out sessions with another working directory. Paths are compared as they are.
	Cwd string
	// Cursor is the Next of the page before. If empty, the listing begins.
	Cursor string
	// Limit is how many sessions to return at most. If zero, DefaultLimit.
	Limit int
}

// PageSize returns how many sessions the query asks for, or an error that wraps [ErrInvalid].
func (q Query) PageSize() (int, error) {
	switch {
	case q.Limit < 0:
		return 0, fmt.Errorf("%w: limit %d", ErrInvalid, q.Limit)
	case q.Limit == 0:
		return DefaultLimit, nil
	}
	return min(q.Limit, MaxLimit), nil
}

// A Page is a part of a listing.
type Page struct {
	Sessions []Session
	// Next is the cursor of the next page; empty if this is the last.
	Next string
}
