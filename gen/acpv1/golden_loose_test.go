package acpv1

import (
	"slices"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/gen/wire"
)

// loosenesses are where the schema accepts a value that the decoder refuses. Its anyOf accepts what fits any variant, also one that neither the tag nor the
// member that decides names; the decoder goes by what names the variant, because that is what the sender meant. And JSON has numbers that no double holds.
var loosenesses = []struct {
	name, typ, in, pointer string
	// schema is what the schema paths of such violations start with.
	schema string
}{
	{
		"terminal method that is an agent method", "AuthMethodTerminal",
		`{"type":"terminal","id":"device","name":"Device code","args":"--login"}`, "/args", "#/$defs/AuthMethodTerminal",
	}, {
		"boolean value that is a select value", "SetSessionConfigOptionRequest",
		`{"sessionId":"s","configId":"web","type":"boolean","value":"on"}`, "/value", "#/$defs/SetSessionConfigOptionRequest/properties/value",
	}, {
		"HTTP server that is a stdio server", "MCPServerHTTP",
		`{"type":"http","name":"stars","command":"/usr/bin/stars","args":[],"env":[]}`, "", "#/$defs/McpServerHttp",
	}, {
		"SSE server that is a stdio server", "MCPServerSSE",
		`{"type":"sse","name":"stars","command":"/usr/bin/stars","args":[],"env":[]}`, "", "#/$defs/McpServerSse",
	}, {
		"plain items that are titled items", "StringMultiSelectItems",
		`{"type":"string","enum":"mars","anyOf":[]}`, "/enum", "#/$defs/StringMultiSelectItems",
	}, {
		"text resource that is a blob resource", "TextResourceContents",
		`{"uri":"file:///a","text":null,"blob":"AAE="}`, "/text", "#/$defs/TextResourceContents",
	}, {
		"session scope that is a request scope", "ElicitationFormMode",
		`{"requestedSchema":{},"sessionId":7,"requestId":7}`, "/sessionId", "#/$defs/ElicitationSessionScope",
	}, {
		"groups that are options", "SessionConfigGroupedOptions",
		`[{"group":"g","options":[],"value":"v","name":"V"},{"value":"w","name":"W"}]`, "/1", "#/$defs/SessionConfigSelectGroup",
	}, {
		"number beyond a double", "Annotations",
		`{"priority":1e400}`, "/priority", "#/$defs/Annotations/properties/priority",
	}, {
		"number beyond a double in a form", "ElicitationAcceptAction",
		`{"content":{"distance":1e400}}`, "/content/distance", "#/$defs/ElicitationAcceptAction/properties/content",
	},
}

func isLoose(list []wire.Violation) bool {
	for _, v := range list {
		known := false
		for _, l := range loosenesses {
			known = known || strings.HasPrefix(v.Schema, l.schema)
		}
		if !known {
			return false
		}
	}
	return true
}

func TestLoosenesses(t *testing.T) {
	for _, test := range loosenesses {
		t.Run(test.name, func(t *testing.T) {
			c := codecs()[test.typ]
			if !verdict(t, c.def(t), []byte(test.in)) {
				t.Errorf("the oracle refuses %s", test.in)
			}
			v, _, err := c.decode([]byte(test.in), nil)
			if err == nil {
				t.Fatalf("decoded %+v", v)
			}
			list := violations(t, err)
			if !slices.ContainsFunc(list, func(v wire.Violation) bool { return v.Pointer == test.pointer }) || !isLoose(list) {
				t.Errorf("got\n%swant one at %q, of %s", summary(list), test.pointer, test.schema)
			}
		})
	}
}
