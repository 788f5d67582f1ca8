package conform_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/acp/conform"
)

// sound returns all transcripts in which nothing is wrong.
func sound(t *testing.T) map[string][]line {
	t.Helper()
	all := map[string][]line{}
	for _, rule := range conform.Rules() {
		_, good, _, _ := readRule(t, filepath.Join("testdata", rule.ID+".txtar"))
		all[rule.ID] = good
	}
	files, err := filepath.Glob("testdata/legal/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".jsonl")] = parseTranscript(t, text)
	}
	return all
}

// TestExcerpts cuts sound transcripts at every line. What is left may miss something, which is at most a warning.
func TestExcerpts(t *testing.T) {
	alarm := func(f conform.Finding) bool { return f.Severity == conform.Error }
	for name, lines := range sound(t) {
		t.Run(name, func(t *testing.T) {
			for n := range lines {
				for part, got := range map[string][]conform.Finding{
					"from": check(lines[n:], &conform.Options{Partial: true}),
					"to":   check(lines[:n], nil),
				} {
					if slices.ContainsFunc(got, alarm) {
						t.Errorf("%s line %d: false alarm:\n%s", part, n+1, findings(got))
					}
				}
			}
		})
	}
}

// TestTwice records each sound conversation twice in a row, as a log does that a second connection is appended to.
func TestTwice(t *testing.T) {
	for name, lines := range sound(t) {
		t.Run(name, func(t *testing.T) {
			for n := range lines {
				if got := check(slices.Concat(lines[:n], lines), nil); slices.ContainsFunc(got, func(f conform.Finding) bool { return f.Severity == conform.Error }) {
					t.Errorf("%d lines, then all: false alarm:\n%s", n, findings(got))
				}
			}
		})
	}
}
