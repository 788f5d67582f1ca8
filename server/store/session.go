package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A Session is what is known of a session beside its history.
type Session struct {
	// ID must not be empty.
	ID string
	// Cwd is its working directory.
	Cwd string
	// AdditionalDirectories are its roots beside Cwd.
	AdditionalDirectories []string
	// Title is empty if it has none yet.
	Title string
	// Mode is the ID of its mode; empty is none.
	Mode string
	// Config holds the settings of its config options, and Meta whatever else is to be kept. Both are JSON texts, or nil.
	Config, Meta json.RawMessage
	// Created and Updated are set by the store, in UTC. Updated changes with Update, Begin and Commit; no two changes in a store have the same, and a later change
	// has a later one even if the clock was set back.
	Created, Updated time.Time
}

// Clone returns a deep copy.
func (s Session) Clone() Session {
	s.AdditionalDirectories = slices.Clone(s.AdditionalDirectories)
	s.Config = slices.Clone(s.Config)
	s.Meta = slices.Clone(s.Meta)
	return s
}

// Check returns an error that wraps [ErrInvalid] if s cannot be stored. Implementations call it.
func (s Session) Check() error {
	if s.ID == "" {
		return fmt.Errorf("%w: the session has no ID", ErrInvalid)
	}
	return checkTexts(s.Config, s.Meta)
}

// A Patch says what to change of a session. What is nil stays as it is.
type Patch struct {
	Cwd                   *string
	AdditionalDirectories *[]string
	Title                 *string
	Mode                  *string
	// Config and Meta replace the whole text; the text null is what removes it.
	Config, Meta json.RawMessage
}

// Apply changes s, which keeps its times, and keeps no reference to p. The error wraps [ErrInvalid]; s is then as it was. Implementations call it.
func (p Patch) Apply(s *Session) error {
	if err := checkTexts(p.Config, p.Meta); err != nil {
		return err
	}
	if p.Cwd != nil {
		s.Cwd = *p.Cwd
	}
	if p.AdditionalDirectories != nil {
		s.AdditionalDirectories = slices.Clone(*p.AdditionalDirectories)
	}
	if p.Title != nil {
		s.Title = *p.Title
	}
	if p.Mode != nil {
		s.Mode = *p.Mode
	}
	s.Config = replaceText(s.Config, p.Config)
	s.Meta = replaceText(s.Meta, p.Meta)
	return nil
}

func replaceText(old, text json.RawMessage) json.RawMessage {
	switch {
	case text == nil:
		return old
	case string(text) == "null":
		return nil
	}
	return slices.Clone(text)
}

func checkTexts(texts ...json.RawMessage) error {
	for _, text := range texts {
		if text != nil && !json.Valid(text) {
			return fmt.Errorf("%w: config or meta is not JSON", ErrInvalid)
		}
	}
	return nil
}

// CheckRecords returns an error that wraps [ErrInvalid] if one of the records is not a JSON text. Implementations call it.
func CheckRecords(records []json.RawMessage) error {
	for i, r := range records {
		if !json.Valid(r) {
			return fmt.Errorf("%w: record %d of %d is not JSON", ErrInvalid, i+1, len(records))
		}
	}
	return nil
}
