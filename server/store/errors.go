package store

import "errors"

// The errors of stores. They come wrapped; use [errors.Is].
var (
	// ErrNotFound means that there is no such session.
	ErrNotFound = errors.New("no such session")
	// ErrExists means that there is a session, or in the session a turn, with that ID.
	ErrExists = errors.New("the ID is in use")
	// ErrCursor means that a cursor is not one, belongs to another query or is too old. The listing can be begun again.
	ErrCursor = errors.New("invalid cursor")
	// ErrCommitted means that the turn is complete already.
	ErrCommitted = errors.New("the turn is committed")
	// ErrInvalid means that what was given cannot be stored.
	ErrInvalid = errors.New("invalid value")
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("the store is closed")
)
