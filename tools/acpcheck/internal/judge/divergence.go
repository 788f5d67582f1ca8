package judge

import (
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
)

// A divergence is a place where the generated types refuse what the schema accepts, on purpose. Most are unions: the schema's anyOf tries one variant after the other and
// takes any that fits, the generated types decide by a tag or a key which variant the sender meant and hold the value to that one. So of two readings of a frame the
// sender hears about the one that is wrong, and no reader takes an HTTP server for a command because somebody forgot its URL.
type divergence struct {
	// name is the definition, or the format, that the two read differently.
	name string
	// paths are what the schema paths of the violations start with.
	paths []string
	// keyword narrows that down. If empty, any.
	keyword string
	// why completes the sentence "stricter than the schema: ".
	why string
}

var divergences = []divergence{
	{
		name:  "McpServer",
		paths: []string{"#/$defs/McpServerHttp/", "#/$defs/McpServerSse/", "#/$defs/HttpHeader/"},
		why:   `a server is of the transport that "type" names, also if its other members would do for a stdio server`,
	},
	{
		name:  "AuthMethod",
		paths: []string{"#/$defs/AuthMethodTerminal/"},
		why:   `a method of "type" "terminal" is no agent method`,
	},
	{
		name:  "EmbeddedResourceResource",
		paths: []string{"#/$defs/TextResourceContents/"},
		why:   `a resource with "text" is a text resource, also if it has "blob"`,
	},
	{
		name:  "SessionConfigSelectOptions",
		paths: []string{"#/$defs/SessionConfigSelectGroup/", "#/$defs/SessionConfigSelectOption/"},
		why:   `options are groups if the first has "group" and "options", also if all would do as plain options`,
	},
	{
		name:  "SetSessionConfigOptionRequest",
		paths: []string{"#/$defs/SetSessionConfigOptionRequest/properties/value/"},
		why:   `a value of "type" "boolean" is a boolean`,
	},
	{
		name:  "CreateElicitationRequest",
		paths: []string{"#/$defs/ElicitationSessionScope/"},
		why:   `an elicitation with "sessionId" is in the scope of a session, also if it has "requestId"`,
	},
	{
		name:  "MultiSelectItems",
		paths: []string{"#/$defs/StringMultiSelectItems/"},
		why:   `items of "type" "string" are no titled items, also if they have "anyOf"`,
	},
	{
		name:    "double",
		paths:   []string{"#/$defs/"},
		keyword: "format",
		why:     "a number beyond the range of a double cannot be kept as one",
	},
}

func (d *divergence) explains(v *wire.Violation) bool {
	if d.keyword != "" && d.keyword != v.Keyword {
		return false
	}
	return slices.ContainsFunc(d.paths, func(path string) bool { return strings.HasPrefix(v.Schema, path) })
}

// explained returns the reason why the violations stand although the schema accepts the value. ok is false if one of them has none.
func explained(violations []wire.Violation) (why string, ok bool) {
	for i := range violations {
		d := slices.IndexFunc(divergences, func(d divergence) bool { return d.explains(&violations[i]) })
		if d < 0 {
			return "", false
		}
		why = divergences[d].why
	}
	return why, len(violations) > 0
}
