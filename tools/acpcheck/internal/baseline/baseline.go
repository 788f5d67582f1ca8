// Package baseline reads lists of findings that are known, each with a reason and a day from which it counts again.
//
// A list is YAML, a sequence of entries, or one JSON object a line:
//
//   - rule: TOOL-2
//     file: "*/resume.jsonl"
//     method: session/update
//     pointer: /params/update/toolCallId
//     message: announced before
//     reason: reported upstream, fixed in their next release
//     expires: 2030-01-31
package baseline

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// An Entry is one finding that is known, or several alike. What it leaves empty matches anything.
type Entry struct {
	// Rule is the id of the finding's rule. Required.
	Rule string `json:"rule" yaml:"rule"`
	// File is a pattern as of [path.Match] for the transcript's path or its last part.
	File string `json:"file" yaml:"file"`
	// Method is the method of the frame, or of the request that it answers.
	Method string `json:"method" yaml:"method"`
	// Pointer is a pattern as of [path.Match] for the finding's JSON pointer.
	Pointer string `json:"pointer" yaml:"pointer"`
	// Message is a part of the finding's message.
	Message string `json:"message" yaml:"message"`
	// Reason says why it is not fixed. Required.
	Reason string `json:"reason" yaml:"reason"`
	// Expires is the last day on which the entry counts, as YYYY-MM-DD. Required.
	Expires string `json:"expires" yaml:"expires"`

	line    int
	expired bool
	used    atomic.Int64
}

// A List is a baseline. It is safe for concurrent use.
type List struct {
	// Name is the file's.
	Name    string
	entries []*Entry
}

// Known reports whether the finding is in the list and the entry has not expired.
func (l *List) Known(file string, v *judge.Verdict, f *judge.Finding) bool {
	known := false
	for _, e := range l.entries {
		if e.matches(file, v, f) {
			e.used.Add(1)
			known = known || !e.expired
		}
	}
	return known
}

func (e *Entry) matches(file string, v *judge.Verdict, f *judge.Finding) bool {
	return e.Rule == string(f.Rule) && (e.Method == "" || e.Method == v.Method) && strings.Contains(f.Message, e.Message) &&
		(e.Pointer == "" || match(e.Pointer, f.Pointer)) && (e.File == "" || match(e.File, filepath.ToSlash(file)) || match(e.File, path.Base(filepath.ToSlash(file))))
}

func match(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok // the pattern was checked when it was read
}

// Report reports entries that have expired and entries that matched nothing, once everything was checked. It passes over those for whose rules checked says no.
func (l *List) Report(checked func(rule string) bool, report func(line int, f judge.Finding)) {
	for _, e := range l.entries {
		if !checked(e.Rule) {
			continue
		}
		var said []string
		n := e.used.Load()
		if e.expired {
			said = append(said, "expired on "+e.Expires)
		}
		switch {
		case n == 0:
			said = append(said, "matches nothing")
		case e.expired:
			said = append(said, fmt.Sprintf("matches %d that count again", n))
		default:
			continue
		}
		report(e.line, judge.Finding{Severity: judge.Warning, Violation: wire.Violation{
			Rule: catalog.RuleBaseline, Offset: -1, Message: "the entry for " + e.Rule + " " + strings.Join(said, " and ") + " (" + e.Reason + ")",
		}})
	}
}

// check completes an entry that was read.
func (e *Entry) check(now time.Time) error {
	for _, required := range []struct{ name, value string }{{"rule", e.Rule}, {"reason", e.Reason}, {"expires", e.Expires}} {
		if strings.TrimSpace(required.value) == "" {
			return fmt.Errorf("the entry has no %q", required.name)
		}
	}
	if _, ok := catalog.Find(e.Rule); !ok {
		return fmt.Errorf("there is no rule %q; see acpcheck rules", e.Rule)
	}
	for _, pattern := range []string{e.File, e.Pointer} {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is no pattern: %w", pattern, err)
		}
	}
	day, err := time.ParseInLocation(time.DateOnly, e.Expires, now.Location())
	if err != nil {
		return fmt.Errorf("\"expires\" is %q, expected a day as YYYY-MM-DD", e.Expires)
	}
	e.expired = !now.Before(day.AddDate(0, 0, 1))
	return nil
}
