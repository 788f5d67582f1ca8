// Package store keeps sessions and what was said in them. [Store] is the interface; [Memory] keeps all in memory, and package sqlite keeps all in one file.
// Package storetest tests an implementation.
package store

import (
	"context"
	"encoding/json"
	"iter"
)

// A Store keeps sessions and their histories. All methods may be called at once, from several goroutines, and, if the store is on a disk, from several processes.
//
// Each change is atomic, and is durable when its method returns. A method whose context has ended before it began changes nothing and returns the context's error.
// After Close, all methods return [ErrClosed].
//
// What goes in and comes out is copied: the caller may change it afterwards.
type Store interface {
	// Create adds a session and returns it with its times, which the store sets. If there is one with its ID, [ErrExists].
	Create(ctx context.Context, s Session) (Session, error)
	// Get returns a session, or [ErrNotFound].
	Get(ctx context.Context, id string) (Session, error)
	// Update changes what p says and returns the session as it then is, or [ErrNotFound].
	Update(ctx context.Context, id string, p Patch) (Session, error)
	// Delete removes a session and its history. If there is none with the ID, nothing happens.
	Delete(ctx context.Context, id string) error
	// List returns a page of the sessions that q asks for, the one that was changed last first. The pages of a listing show the sessions that there were when its first page
	// was read, in the order of that time: none comes twice, and none is left out unless it is deleted meanwhile. The error is [ErrCursor] if q has a cursor that
	// List did not return for the same filter, or whose listing was begun longer than [CursorLife] ago.
	List(ctx context.Context, q Query) (Page, error)

	// Begin adds a turn with its first records to a session's history; turnID must be new in the session. The error is [ErrNotFound] if there is no such session,
	// [ErrExists] if it has a turn of that ID.
	Begin(ctx context.Context, session, turnID string, records ...json.RawMessage) (Turn, error)
	// History yields the records of a session: turns in the order in which they were begun, and in a turn its records as they were appended. It is as the history was when
	// the first one was yielded. An error, [ErrNotFound] for example, is yielded last, with a zero Record.
	History(ctx context.Context, session string) iter.Seq2[Record, error]

	// Close frees what the store holds. It may be called more than once.
	Close() error
}

// A Turn is a turn that was begun. A turn that is not committed stays in the history and is marked as torn. Its methods may be called at once; their errors are
// [ErrCommitted] after Commit and [ErrNotFound] if the session was deleted.
type Turn interface {
	// Append adds records to the turn: all or, with an error, none.
	Append(ctx context.Context, records ...json.RawMessage) error
	// Commit adds records like Append and marks the turn as complete, both at once.
	Commit(ctx context.Context, records ...json.RawMessage) error
}

// A Record is one piece of a history. The store does not look into it.
type Record struct {
	// TurnID is the turn it belongs to.
	TurnID string
	// Torn says that the turn is not committed: it is still running, or the process that ran it has died.
	Torn bool
	// Data is a JSON text.
	Data json.RawMessage
}
