package catalog

import "github.com/acpwire/acpwire/tools/acpcheck/internal/suite"

// ScopeSuite is the scope of the rules that only acpcheck test and test-client check.
const ScopeSuite = "suite"

// live returns the rules of programs at work.
func live() []Rule {
	var list []Rule
	for _, r := range suite.Rules() {
		list = append(list, Rule{ID: r.ID, Scope: ScopeSuite, Level: string(r.Level), Severity: r.Severity.String(), By: side(r.By), Doc: r.Doc, Page: r.Page})
	}
	return list
}
