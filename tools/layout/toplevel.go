package layout

import (
	"fmt"
	"strings"
)

var topLevelEntries = map[string]bool{
	"go.mod": true, "go.sum": true, "Makefile": true, "README.md": true, "LICENSE": true, "CHANGELOG.md": true,
	"generate.go": true, "layout_test.go": true, "example_test.go": true,
	"schema": true, "gen": true, "acp": true, "server": true, "tools": true,
}

// topLevel allows any dot entry: they configure tools and nobody has to read them to find their way.
func topLevel(r *Repo) []Finding {
	var findings []Finding
	seen := make(map[string]bool)
	for _, f := range r.Files {
		entry, _, _ := strings.Cut(f.Path, "/")
		if topLevelEntries[entry] || strings.HasPrefix(entry, ".") || seen[entry] {
			continue
		}
		seen[entry] = true
		findings = append(findings, Finding{f.Path, 1, fmt.Sprintf("%s does not belong at the top level", entry)})
	}
	return findings
}
