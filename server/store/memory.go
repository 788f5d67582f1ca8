package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/acpwire/acpwire/server/store/internal/cursor"
)

// Memory is a [Store] that keeps all in memory, for tests and for agents whose sessions need not outlive them. The zero value is ready to use.
type Memory struct {
	mu       sync.Mutex
	closed   bool
	last     int64 // the latest Updated of all
	sessions map[string]*memorySession
}

type memorySession struct {
	Session
	updated int64 // Updated, in nanoseconds
	spans   []span
	turns   []*memoryTurn
	deleted bool
}

// A span says that the session had been changed at from, until it was changed again.
type span struct{ from, until int64 }

type memoryTurn struct {
	store     *Memory
	session   *memorySession
	id        string
	committed bool
	records   []json.RawMessage
}

var _ Store = (*Memory)(nil)

// enter locks the store, unless nothing may be done any more. The caller unlocks it if there is no error.
func (m *Memory) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return ErrClosed
	}
	return nil
}

func (m *Memory) find(id string) (*memorySession, error) {
	if s := m.sessions[id]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("%w: %q", ErrNotFound, id)
}

func (m *Memory) now() int64 {
	m.last = max(m.last+1, time.Now().UnixNano())
	return m.last
}

// touch gives the session a new Updated and remembers the former one.
func (m *Memory) touch(s *memorySession) {
	now := m.now()
	s.spans = append(slices.DeleteFunc(s.spans, func(sp span) bool { return sp.until < now-int64(CursorLife) }), span{s.updated, now})
	s.updated = now
	s.Updated = time.Unix(0, now).UTC()
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, s Session) (Session, error) {
	if err := s.Check(); err != nil {
		return Session{}, err
	}
	if err := m.enter(ctx); err != nil {
		return Session{}, err
	}
	defer m.mu.Unlock()
	if m.sessions[s.ID] != nil {
		return Session{}, fmt.Errorf("session %q: %w", s.ID, ErrExists)
	}
	if m.sessions == nil {
		m.sessions = make(map[string]*memorySession)
	}
	now := m.now()
	s = s.Clone()
	s.Created = time.Unix(0, now).UTC()
	s.Updated = s.Created
	m.sessions[s.ID] = &memorySession{Session: s, updated: now}
	return s.Clone(), nil
}

// Get implements [Store].
func (m *Memory) Get(ctx context.Context, id string) (Session, error) {
	if err := m.enter(ctx); err != nil {
		return Session{}, err
	}
	defer m.mu.Unlock()
	s, err := m.find(id)
	if err != nil {
		return Session{}, err
	}
	return s.Clone(), nil
}

// Update implements [Store].
func (m *Memory) Update(ctx context.Context, id string, p Patch) (Session, error) {
	if err := m.enter(ctx); err != nil {
		return Session{}, err
	}
	defer m.mu.Unlock()
	s, err := m.find(id)
	if err != nil {
		return Session{}, err
	}
	if err := p.Apply(&s.Session); err != nil {
		return Session{}, err
	}
	m.touch(s)
	return s.Clone(), nil
}

// Delete implements [Store].
func (m *Memory) Delete(ctx context.Context, id string) error {
	if err := m.enter(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if s := m.sessions[id]; s != nil {
		s.deleted = true
		s.turns = nil
		delete(m.sessions, id)
	}
	return nil
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, q Query) (Page, error) {
	limit, err := q.PageSize()
	if err != nil {
		return Page{}, err
	}
	if err := m.enter(ctx); err != nil {
		return Page{}, err
	}
	defer m.mu.Unlock()
	now := time.Now()
	c := cursor.Cursor{AsOf: m.last, Before: m.last + 1, Begun: now.UnixNano()}
	if q.Cursor != "" {
		if c, err = cursor.Decode(q.Cursor, q.Cwd, now, CursorLife); err != nil {
			return Page{}, fmt.Errorf("%w: %w", ErrCursor, err)
		}
	}
	type item struct {
		at int64
		s  *memorySession
	}
	var items []item
	for _, s := range m.sessions {
		if q.Cwd != "" && s.Cwd != q.Cwd {
			continue
		}
		if at, ok := s.changedAsOf(c.AsOf); ok && at < c.Before {
			items = append(items, item{at, s})
		}
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(b.at, a.at) })
	var page Page
	if len(items) > limit {
		items = items[:limit]
		page.Next = cursor.Cursor{AsOf: c.AsOf, Before: items[limit-1].at, Begun: c.Begun}.Encode(q.Cwd)
	}
	for _, it := range items {
		page.Sessions = append(page.Sessions, it.s.Clone())
	}
	return page, nil
}

// changedAsOf returns when the session was last changed, seen from an earlier instant; false if it was not there yet.
func (s *memorySession) changedAsOf(instant int64) (int64, bool) {
	if s.updated <= instant {
		return s.updated, true
	}
	for _, sp := range s.spans {
		if sp.from <= instant && instant < sp.until {
			return sp.from, true
		}
	}
	return 0, false
}

// Begin implements [Store].
func (m *Memory) Begin(ctx context.Context, session, turnID string, records ...json.RawMessage) (Turn, error) {
	if err := CheckRecords(records); err != nil {
		return nil, err
	}
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	s, err := m.find(session)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(s.turns, func(t *memoryTurn) bool { return t.id == turnID }) {
		return nil, fmt.Errorf("turn %q of session %q: %w", turnID, session, ErrExists)
	}
	t := &memoryTurn{store: m, session: s, id: turnID}
	t.add(records)
	s.turns = append(s.turns, t)
	m.touch(s)
	return t, nil
}

func (t *memoryTurn) add(records []json.RawMessage) {
	for _, r := range records {
		t.records = append(t.records, slices.Clone(r))
	}
}

func (t *memoryTurn) Append(ctx context.Context, records ...json.RawMessage) error {
	return t.write(ctx, records, false)
}

func (t *memoryTurn) Commit(ctx context.Context, records ...json.RawMessage) error {
	return t.write(ctx, records, true)
}

func (t *memoryTurn) write(ctx context.Context, records []json.RawMessage, commit bool) error {
	if err := CheckRecords(records); err != nil {
		return err
	}
	if err := t.store.enter(ctx); err != nil {
		return err
	}
	defer t.store.mu.Unlock()
	switch {
	case t.session.deleted:
		return fmt.Errorf("%w: %q", ErrNotFound, t.session.ID)
	case t.committed:
		return fmt.Errorf("%w: %q of session %q", ErrCommitted, t.id, t.session.ID)
	}
	t.add(records)
	if commit {
		t.committed = true
		t.store.touch(t.session)
	}
	return nil
}

// History implements [Store].
func (m *Memory) History(ctx context.Context, session string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		records, err := m.snapshot(ctx, session)
		if err != nil {
			yield(Record{}, err)
			return
		}
		for _, r := range records {
			if ctx.Err() != nil {
				yield(Record{}, context.Cause(ctx))
				return
			}
			r.Data = slices.Clone(r.Data)
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (m *Memory) snapshot(ctx context.Context, session string) ([]Record, error) {
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	s, err := m.find(session)
	if err != nil {
		return nil, err
	}
	var records []Record
	for _, t := range s.turns {
		for _, r := range t.records {
			records = append(records, Record{TurnID: t.id, Torn: !t.committed, Data: r})
		}
	}
	return records, nil
}

// Close implements [Store]. What was stored is gone.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.sessions = nil
	return nil
}
