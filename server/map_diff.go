package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A Replacement is an edit as models ask for it: a text to put in the place of another.
type Replacement struct {
	// Old is what to replace, exactly. If empty, New becomes the whole of a file that is new or empty.
	Old string
	New string
	// All replaces every occurrence. If false, there must be one alone.
	All bool
}

// The reasons why a [Replacement] does not apply.
var (
	// ErrNoMatch says that the text to replace is not there.
	ErrNoMatch = errors.New("server: the text to replace was not found")
	// ErrAmbiguous says that it is there more than once.
	ErrAmbiguous = errors.New("server: the text to replace was found more than once")
	// ErrNoChange says that the edit replaces a text by itself.
	ErrNoChange = errors.New("server: the edit changes nothing")
)

// ApplyEdits applies edits in order, each to what the one before has made, and returns the new text. The error wraps [ErrNoMatch], [ErrAmbiguous] or [ErrNoChange]
// and says which edit it was; nothing is applied then.
func ApplyEdits(text string, edits ...Replacement) (string, error) {
	for i, e := range edits {
		changed, err := e.apply(text)
		if err != nil {
			return "", fmt.Errorf("edit %d: %w", i+1, err)
		}
		text = changed
	}
	return text, nil
}

func (e Replacement) apply(text string) (string, error) {
	if e.Old == e.New {
		return "", ErrNoChange
	}
	if e.Old == "" {
		if text != "" {
			return "", ErrAmbiguous
		}
		return e.New, nil
	}
	switch n := strings.Count(text, e.Old); {
	case n == 0:
		return "", ErrNoMatch
	case n > 1 && !e.All:
		return "", ErrAmbiguous
	}
	return strings.ReplaceAll(text, e.Old, e.New), nil
}

// ProposedDiff returns what edits are going to change in a file, for showing a tool call before it has run; once it has, its [AppliedDiff] takes that place. before is
// the text of the file, or nil if it is not known. If it is not known or the edits do not apply to it, the diff is of the edited pieces, one below the other. It
// returns nil if nothing changes.
func ProposedDiff(path string, before *string, edits ...Replacement) *DiffItem {
	if before != nil {
		if after, err := ApplyEdits(*before, edits...); err == nil {
			return AppliedDiff(path, before, after)
		}
	}
	var olds, news []string
	for _, e := range edits {
		if e.Old != e.New {
			olds, news = append(olds, e.Old), append(news, e.New)
		}
	}
	switch {
	case len(news) == 0:
		return nil
	case len(olds) == 1 && olds[0] == "":
		return &DiffItem{Path: path, New: news[0]}
	}
	return &DiffItem{Path: path, Old: new(strings.Join(olds, "\n")), New: strings.Join(news, "\n")}
}

// AppliedDiff returns what a tool has changed in a file, given its whole text before and after; before is nil if there was no file. It returns nil if nothing has
// changed.
func AppliedDiff(path string, before *string, after string) *DiffItem {
	if before != nil && *before == after {
		return nil
	}
	return &DiffItem{Path: path, Old: before, New: after}
}

// wireDiff maps a diff. It returns nil if it has no path.
func wireDiff(d *DiffItem, cwd string, l losses) *acpv1.Diff {
	path, ok := absPath(cwd, l.text(d.Path))
	if !ok {
		l.add(DropMalformed, "diff", "its path cannot be made absolute", "")
		return nil
	}
	out := &acpv1.Diff{Path: path, NewText: l.text(d.New)}
	if d.Old != nil {
		out.OldText = new(l.text(*d.Old))
	}
	return out
}
