package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// createRecord keeps a new session.
func (s *Server) createRecord(ctx context.Context, session *Session) error {
	if s.opts.Store == nil {
		return nil
	}
	session.mu.Lock()
	record := store.Session{
		ID: session.id, Cwd: filepath.Clean(session.cwd), AdditionalDirectories: session.dirs, Title: session.title, Mode: session.mode, Config: settingsJSON(session.settings),
	}
	session.mu.Unlock()
	if _, err := s.opts.Store.Create(ctx, record); err != nil {
		return storeError(err)
	}
	session.mu.Lock()
	session.stored = true
	changed := session.changed
	session.mu.Unlock()
	if changed {
		s.keepMeta(session)
	}
	return nil
}

// readRecord fills in what is kept of a session, and returns its history.
func (s *Server) readRecord(ctx context.Context, session *Session) ([]Entry, error) {
	record, err := s.opts.Store.Get(ctx, session.id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &NotFoundError{session.id}
	}
	if err != nil {
		return nil, storeError(err)
	}
	if err := sameCwd(record.Cwd, session.cwd); err != nil {
		return nil, err
	}
	session.title, session.mode, session.stored = record.Title, record.Mode, true
	session.changed = !slices.Equal(record.AdditionalDirectories, session.dirs)
	if len(record.Config) > 0 {
		if err := json.Unmarshal(record.Config, &session.settings); err != nil {
			return nil, storeError(fmt.Errorf("settings of a session: %w", err))
		}
	}
	if session.settings == nil {
		session.settings = make(map[string]ConfigValue)
	}
	var history []Entry
	var turn string
	for r, err := range s.opts.Store.History(ctx, session.id) {
		if err != nil {
			return nil, storeError(err)
		}
		e, err := decodeEntry(r.Data)
		if err != nil {
			return nil, storeError(fmt.Errorf("history of a session: %w", err))
		}
		if last := len(history) - 1; last >= 0 && turn == r.TurnID {
			history[last].Torn = false // it is not the last of its turn
		}
		e.Torn, turn = r.Torn, r.TurnID
		history = append(history, e)
		session.noteCalls(e)
	}
	return history, nil
}

// noteCalls keeps the ids of tool calls that the client has seen from being used again.
func (s *Session) noteCalls(e Entry) {
	for _, b := range e.Blocks {
		if call, ok := b.(*ToolCallBlock); ok {
			s.callIDs[call.ID] = true
		}
	}
}

// keepMeta keeps the session's title, mode, settings and directories. A failure is only logged: the session goes on.
func (s *Server) keepMeta(session *Session) {
	if s.opts.Store == nil {
		return
	}
	session.mu.Lock()
	if !session.stored {
		session.changed = true
		session.mu.Unlock()
		return
	}
	title, mode, dirs := session.title, session.mode, session.dirs
	patch := store.Patch{Title: &title, Mode: &mode, AdditionalDirectories: &dirs, Config: settingsJSON(session.settings)}
	if patch.Config == nil {
		patch.Config = json.RawMessage("null") // no settings any more, where nil would leave those that there were
	}
	session.mu.Unlock()
	if _, err := s.opts.Store.Update(context.Background(), session.id, patch); err != nil {
		s.logFailure("Store", session.redacted(storeError(err)))
	}
}

func settingsJSON(settings map[string]ConfigValue) json.RawMessage {
	if len(settings) == 0 {
		return nil
	}
	return json.RawMessage(raw(settings))
}

func (s *Server) deleteRecord(ctx context.Context, id string) error {
	return storeError(s.opts.Store.Delete(ctx, id))
}

// listRecords returns a page of the sessions with the working directory, or of all if cwd is empty.
func (s *Server) listRecords(ctx context.Context, cwd, cursor string) (*acpv1.ListSessionsResponse, error) {
	if cwd != "" {
		cwd = filepath.Clean(cwd) // as createRecord does: stores compare names
	}
	page, err := s.opts.Store.List(ctx, store.Query{Cwd: cwd, Cursor: cursor, Limit: s.opts.PageSize})
	if errors.Is(err, store.ErrCursor) {
		return nil, invalid("/cursor", "the cursor is not one of this agent's, or is no longer valid")
	}
	if err != nil {
		return nil, storeError(err)
	}
	result := &acpv1.ListSessionsResponse{Sessions: []acpv1.SessionInfo{}}
	for _, r := range page.Sessions {
		info := acpv1.SessionInfo{SessionID: acpv1.SessionID(r.ID), Cwd: r.Cwd, UpdatedAt: new(r.Updated.UTC().Format(time.RFC3339Nano))}
		info.Title = optional(clean(r.Title))
		if s.accepts.Directories {
			info.AdditionalDirectories = r.AdditionalDirectories
		}
		result.Sessions = append(result.Sessions, info)
	}
	if page.Next != "" {
		result.NextCursor = &page.Next
	}
	return result, nil
}

// storeError returns the error that stands for a failure of the store.
func storeError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Kind: ErrorStore, Message: "the session could not be stored or read", Retryable: true, Err: err}
}
