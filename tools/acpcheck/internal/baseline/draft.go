package baseline

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
)

// A Draft gathers findings for a new list. The zero value is empty. It is safe for concurrent use.
type Draft struct {
	// Warnings also takes warnings. Otherwise only errors are taken.
	Warnings bool

	mu    sync.Mutex
	found map[kind]*example
}

// A kind is what findings that are alike share. It holds no ids, times or places in lists, which differ from one recording to the next.
type kind struct {
	rule, method, pointer, message string
}

// An example is one of the findings of a kind.
type example struct {
	count                   int
	severity, file, message string
}

// Add takes a finding.
func (d *Draft) Add(file string, v *judge.Verdict, f *judge.Finding) {
	if f.Severity == judge.Warning && !d.Warnings {
		return
	}
	k := kind{string(f.Rule), v.Method, pattern(f.Pointer), lasting(f)}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.found == nil {
		d.found = map[kind]*example{}
	}
	e := d.found[k]
	if e == nil {
		e = &example{}
		d.found[k] = e
	}
	if e.count++; e.count == 1 || file < e.file {
		e.severity, e.file, e.message = f.Severity.String(), file, f.Message
	}
}

// Len returns the number of entries.
func (d *Draft) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.found)
}

// Write writes the list as YAML: an entry for each kind of finding, which expires on the day given. The reasons are empty, so that [Read] takes the list only
// once somebody has filled them in.
func (d *Draft) Write(w io.Writer, expires time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var b strings.Builder
	b.WriteString("# Findings that are known. Fill in each reason, then: acpcheck validate --baseline THIS FILE\n")
	b.WriteString("# What is to be fixed now, take out. An entry counts up to the day on which it expires.\n")
	kinds := slices.SortedFunc(maps.Keys(d.found), func(x, y kind) int {
		return cmp.Or(cmp.Compare(x.rule, y.rule), cmp.Compare(x.method, y.method), cmp.Compare(x.pointer, y.pointer), cmp.Compare(x.message, y.message))
	})
	for _, k := range kinds {
		e := d.found[k]
		fmt.Fprintf(&b, "\n# %s, %s, first in %s: %s\n- rule: %s\n", e.severity, report.Count(e.count, "time"), comment(filepath.ToSlash(e.file)), comment(e.message), k.rule)
		for _, m := range []struct{ name, value string }{{"method", k.method}, {"pointer", k.pointer}, {"message", k.message}} {
			if m.value != "" {
				fmt.Fprintf(&b, "  %s: %s\n", m.name, strconv.Quote(m.value))
			}
		}
		fmt.Fprintf(&b, "  reason: \"\"\n  expires: %s\n", expires.Format(time.DateOnly))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// comment makes text fit for a comment: one line that shows.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

var special = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// pattern returns a pattern for the pointer and those that differ from it by places in lists.
func pattern(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if _, err := strconv.ParseUint(p, 10, 64); err == nil {
			parts[i] = "*"
		} else {
			parts[i] = special.Replace(p)
		}
	}
	return strings.Join(parts, "/")
}

// varying matches what a message quotes or counts.
var varying = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9]+`)

// lasting returns the part of a finding's message that does not depend on the recording: all of it if the schema says it, otherwise the longest part without
// names and numbers.
func lasting(f *judge.Finding) string {
	if f.Rule == wire.RuleSchema || f.Rule == acp.RuleMethod {
		return f.Message
	}
	longest := ""
	for _, part := range varying.Split(f.Message, -1) {
		if part = strings.TrimSpace(part); len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}
