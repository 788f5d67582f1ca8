package layout

import (
	"cmp"
	"fmt"
	"slices"
)

// Rule is one property that the whole tree must have.
type Rule struct {
	// Name identifies the rule in test output, such as "import-direction".
	Name string
	// Doc says in one sentence what must hold.
	Doc string

	check func(*Repo) []Finding
}

// Check returns what in the tree breaks the rule, ordered by file and line; nil if nothing does.
func (r Rule) Check(repo *Repo) []Finding {
	findings := r.check(repo)
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return findings
}

// Finding is one place that breaks a rule.
type Finding struct {
	// File is relative to the root of the tree.
	File string
	// Line counts from 1. What concerns the whole file is reported on its first line.
	Line int
	// Message says what is wrong and what would be right.
	Message string
}

// String formats the finding as file:line: message, which editors and terminals turn into a link.
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message) }

// Rules returns every rule of the repository.
func Rules() []Rule {
	return []Rule{
		{"top-level", "Nothing but the fixed entries stands at the top level.", topLevel},
		{"import-direction", "Packages import only what stands below them.", importDirection},
		{"generated-header", "Generated files, and only they, say what generated them and from what.", generatedHeader},
		{"generate-lines", "All go:generate lines stand in generate.go.", generateLines},
		{"initialisms", "Exported names spell initialisms in one case: SessionID, not SessionId.", initialismNames},
		{"function-length", "No function outside generated code is longer than 100 lines.", functionLength},
		{"file-length", "No file written by hand, tests aside, is longer than 600 lines.", fileLength},
		{"doc-comments", "Every package and every exported identifier has a doc comment.", docComments},
		{"foreign-names", "No file names a package registry's host or a path of one machine.", foreignNames},
		{"skip-reason", "A test that skips says why.", skipReason},
	}
}
