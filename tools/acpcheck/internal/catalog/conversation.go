package catalog

import (
	"slices"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

// ScopeConversation is the scope of the rules that the frames before decide.
const ScopeConversation = "conversation"

// conversation returns the rules of conversations, in the order of the specification's areas, and then those that are not checked.
func conversation() []Rule {
	var list []Rule
	for _, r := range conform.Rules() {
		if slices.ContainsFunc(own, func(o Rule) bool { return o.ID == r.ID }) {
			continue // the judges' own
		}
		list = append(list, Rule{
			ID: r.ID, Scope: ScopeConversation, Level: string(r.Level), Severity: r.Severity.String(), By: side(r.By), Doc: r.Doc, Page: r.Page, Limit: r.Limit,
		})
	}
	for _, r := range conform.Unchecked() {
		list = append(list, Rule{ID: r.ID, Scope: ScopeConversation, Severity: "note", By: side(r.By), Doc: r.Doc, Page: r.Page, Unchecked: r.Why})
	}
	return list
}

func side(s wire.Side) string {
	switch s {
	case wire.ClientSide:
		return "client"
	case wire.AgentSide:
		return "agent"
	case wire.BothSides:
	}
	return both
}
