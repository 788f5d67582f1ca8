package interop

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// A divergence is something in an instance on which the SDK and our lenient decoder differ, with a reason to leave it so. The claim is that the two agree
// once it is out of the instance.
type divergence struct {
	name   string
	reason string
	// example is a minimal instance, on which the two say ours and sdk: the value, the pointer and the keyword or rule of a violation of ours, or the
	// path of an issue of the SDK's.
	example   instance
	ours, sdk string
	// without returns the instance without what they differ on, or nil if it is not there.
	without func(f *finding) []byte
}

// A finding is an instance on which the two disagree.
type finding struct {
	instance
	ours   *result
	sdk    verdict
	faults []string
}

// divergences lists all that must differ. They are taken out in this order, one after the other, until the two agree.
var divergences = []divergence{
	{
		name: "nesting",
		reason: "We bound how deep a value may nest (wire.DefaultMaxDepth), because what a peer sends must not decide how much memory and stack is used. JSON.parse has no " +
			"bound, and the SDK leaves that to whoever uses the value.",
		example: instance{"LogoutRequest", []byte(`{"_meta":{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}}`)},
		ours:    "/_meta/a" + strings.Repeat("/0", 2044) + ": json",
		sdk:     `{"_meta":{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}}`,
		without: func(f *finding) []byte { return shallow(f.Text, wire.DefaultMaxDepth/2) },
	},
	{
		name: "invalid UTF-8",
		reason: "The SDK's TextDecoder replaces each invalid byte by U+FFFD before JSON is parsed, and nobody learns of it. JSON is UTF-8; what is not is damaged data, " +
			"and we refuse it in both verdicts.",
		example: instance{"AuthenticateRequest", []byte("{\"methodId\":\"\xff\"}")},
		ours:    "/methodId: json",
		sdk:     `{"methodId":"` + "\ufffd" + `"}`,
		without: func(f *finding) []byte {
			if utf8.Valid(f.Text) {
				return nil
			}
			return bytes.ToValidUTF8(f.Text, []byte("\ufffd"))
		},
	},
	{
		name:    "lone surrogate",
		reason:  "A JavaScript string holds half a surrogate pair, a Go string cannot. We read U+FFFD and report that as a repair, which is no difference for the SDK.",
		example: instance{"AuthenticateRequest", []byte(`{"methodId":"\ud800"}`)},
		ours:    `{"methodId":"` + "\ufffd" + `"} [/methodId replaced]`,
		sdk:     `{"methodId":"\ud800"}`,
		without: everywhere(func(_ *finding, _ string, _ *mutate.Place, v *mutate.Value) bool {
			changed := v.Kind == mutate.String && replaceSurrogates(&v.Text)
			for i := range v.Members {
				changed = replaceSurrogates(&v.Members[i].Name) || changed
			}
			return changed
		}),
	},
	{
		name:    "duplicate name",
		reason:  "JSON.parse keeps the last member of a name and drops the others. Which one a peer means is anyone's guess, so we refuse it in both verdicts.",
		example: instance{"AuthenticateRequest", []byte(`{"methodId":"a","methodId":"b"}`)},
		ours:    "/methodId: json",
		sdk:     `{"methodId":"b"}`,
		without: everywhere(func(_ *finding, _ string, _ *mutate.Place, v *mutate.Value) bool {
			last := map[string]int{}
			for i, m := range v.Members {
				last[content(m.Name)] = i
			}
			i := -1
			all := len(v.Members)
			v.Members = slices.DeleteFunc(v.Members, func(m mutate.Member) bool { i++; return last[content(m.Name)] != i })
			return len(v.Members) < all
		}),
	},
	{
		name: "__proto__",
		reason: "zod leaves a member __proto__ out of _meta and of maps, because assigning it would set the prototype of a JavaScript object. Go has no such trap, and " +
			"_meta is kept byte for byte.",
		example: instance{"LogoutRequest", []byte(`{"_meta":{"__proto__":1,"a":2}}`)},
		ours:    `{"_meta":{"__proto__":1,"a":2}}`,
		sdk:     `{"_meta":{"a":2}}`,
		without: everywhere(func(_ *finding, _ string, _ *mutate.Place, v *mutate.Value) bool { return remove(v, "__proto__") }),
	},
	{
		name:    "infinite number",
		reason:  "JSON.parse makes Infinity of a number beyond double, which JSON.stringify would write as null. Where any value is allowed we keep the number's text.",
		example: instance{"LogoutRequest", []byte(`{"_meta":{"a":1e400}}`)},
		ours:    `{"_meta":{"a":1e400}}`,
		sdk:     `{"_meta":{"a":1e999}}`,
		without: everywhere(func(_ *finding, _ string, _ *mutate.Place, v *mutate.Value) bool {
			return v.Kind == mutate.Number && math.IsInf(double(v), 0) && setNumber(v, "0")
		}),
	},
	{
		name:    "integer beyond 64 bits",
		reason:  "The schema's formats int64 and uint64 are ranges (design, section 5). The SDK's wideInt has no bounds, because a JavaScript number is too coarse to tell.",
		example: instance{"CreateTerminalRequest", []byte(`{"sessionId":"s","command":"c","outputByteLimit":18446744073709551616}`)},
		ours:    "/outputByteLimit: maximum",
		sdk:     `{"sessionId":"s","command":"c","outputByteLimit":18446744073709552000}`,
		without: everywhere(func(f *finding, at string, p *mutate.Place, v *mutate.Value) bool {
			return isLarge(v) && p.Admits("integer") && f.rangeBroken(at) && setNumber(v, clamped(v))
		}),
	},
	{
		name:    "integer beyond 53 bits",
		reason:  "JSON.parse rounds an integer to the nearest double; we keep 64 bits exactly, and any number in _meta and other free members as it is written.",
		example: instance{"SessionNotification", []byte(`{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":9007199254740993,"size":0}}`)},
		ours:    `{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":9007199254740993,"size":0}}`,
		sdk:     `{"sessionId":"s","update":{"used":9007199254740992,"size":0,"sessionUpdate":"usage_update"}}`,
		without: everywhere(func(_ *finding, _ string, _ *mutate.Place, v *mutate.Value) bool {
			return isLarge(v) && setNumber(v, clamped(v))
		}),
	},
	{
		name: "fraction finer than a double",
		reason: "JSON.parse rounds a number next to an integer to that integer, and zod then takes it for one. We look at the number as it is written: it has a fraction, so it " +
			"is not of type integer.",
		example: instance{"InitializeRequest", []byte(`{"protocolVersion":1e-400}`)},
		ours:    "/protocolVersion: type",
		sdk: `{"protocolVersion":0,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},` +
			`"terminal":false,"auth":{"terminal":false}}}`,
		without: everywhere(func(_ *finding, _ string, p *mutate.Place, v *mutate.Value) bool {
			return v.Kind == mutate.Number && p.Admits("integer") && hidesFraction(v) && setNumber(v, "0.5")
		}),
	},
	{
		name:    "url",
		reason:  "The SDK asks of a format uri that the WHATWG URL parser takes it. Formats of strings are annotations in JSON Schema, and so they are for us (design, section 5).",
		example: instance{"CreateElicitationRequest", []byte(`{"mode":"url","sessionId":"s","elicitationId":"e","url":"a b","message":"m"}`)},
		ours:    `{"mode":"url","sessionId":"s","elicitationId":"e","url":"a b","message":"m"}`,
		sdk:     "invalid_union",
		without: everywhere(func(f *finding, at string, _ *mutate.Place, v *mutate.Value) bool {
			if f.Def != "CreateElicitationRequest" || at != "/url" || v.Kind != mutate.String {
				return false
			}
			v.Text = `"https://example.com/"`
			return true
		}),
	},
	{
		name: "tag of an MCP server",
		reason: "zod tries the variants of a union one after the other, so what says http or sse but is none counts as a stdio server, without its tag. We decide by the tag " +
			"(design, section 4): the peer said which it is, and a wrong command is worse than an error.",
		example: instance{"NewSessionRequest", []byte(`{"cwd":"/","mcpServers":[{"type":"http","name":"n","command":"c","args":[],"env":[]}]}`)},
		ours:    "/mcpServers/0: required",
		sdk:     `{"cwd":"/","mcpServers":[{"name":"n","command":"c","args":[],"env":[]}]}`,
		without: everywhere(func(_ *finding, _ string, p *mutate.Place, v *mutate.Value) bool {
			return p.Is("McpServer") && has(v, "command", "args", "env") && says(v, "type", "http", "sse") && remove(v, "type")
		}),
	},
	{
		name: "tag of an auth method",
		reason: "Likewise: a terminal method with a fault in args or env counts as an agent method for the SDK, which drops both. We skip the method, as the schema's tolerance " +
			"says, and report it.",
		example: instance{"InitializeResponse", []byte(`{"protocolVersion":1,"authMethods":[{"type":"terminal","id":"i","name":"n","args":1}]}`)},
		ours:    `{"protocolVersion":1,"authMethods":[]} [/authMethods/0 skipped]`,
		sdk: `{"protocolVersion":1,"agentCapabilities":{"loadSession":false,"promptCapabilities":{"image":false,"audio":false,"embeddedContext":false},` +
			`"mcpCapabilities":{"http":false,"sse":false},"sessionCapabilities":{},"auth":{}},"authMethods":[{"id":"i","name":"n"}]}`,
		without: everywhere(func(_ *finding, _ string, p *mutate.Place, v *mutate.Value) bool {
			return p.Is("AuthMethod") && (has(v, "args") || has(v, "env")) && says(v, "type", "terminal") && remove(v, "type")
		}),
	},
	{
		name:    "tag of a config value",
		reason:  "Likewise: with the tag boolean and a string as the value, the SDK takes the request for one that picks from a list. We decide by the tag and refuse it.",
		example: instance{"SetSessionConfigOptionRequest", []byte(`{"sessionId":"s","configId":"c","type":"boolean","value":"v"}`)},
		ours:    "/value: type",
		sdk:     `{"value":"v","sessionId":"s","configId":"c"}`,
		without: everywhere(func(f *finding, at string, _ *mutate.Place, v *mutate.Value) bool {
			return f.Def == "SetSessionConfigOptionRequest" && at == "" && says(v, "type", "boolean") && remove(v, "type")
		}),
	},
	{
		name:   "tag of multi-select items",
		reason: "Likewise: what says string but has titled options only, or has a fault in enum, is titled for the SDK, without its tag. We decide by the tag.",
		example: instance{"CreateElicitationRequest", []byte(`{"mode":"form","sessionId":"s","message":"m","requestedSchema":{"properties":{"p":` +
			`{"type":"array","items":{"type":"string","anyOf":[]}}}}}`)},
		ours: "/requestedSchema/properties/p/items: required",
		sdk: `{"sessionId":"s","requestedSchema":{"type":"object","properties":{"p":{"items":{"anyOf":[]},"type":"array"}}},"mode":"form",` +
			`"message":"m"}`,
		without: everywhere(func(_ *finding, _ string, p *mutate.Place, v *mutate.Value) bool {
			return p.Is("MultiSelectItems") && has(v, "anyOf") && says(v, "type", "string") && remove(v, "type")
		}),
	},
	{
		name: "text and blob",
		reason: "An embedded resource has no tag. We decide by the required members, text before blob, and then hold it to that variant; the SDK goes on to the next variant " +
			"when one fails, and so reads a broken text resource as a blob.",
		example: instance{"PromptRequest", []byte(`{"sessionId":"s","prompt":[{"type":"resource","resource":{"uri":"u","text":1,"blob":"b"}}]}`)},
		ours:    "/prompt/0/resource/text: type",
		sdk:     `{"sessionId":"s","prompt":[{"resource":{"blob":"b","uri":"u"},"type":"resource"}]}`,
		without: everywhere(func(_ *finding, _ string, p *mutate.Place, v *mutate.Value) bool {
			return p.Is("EmbeddedResourceResource") && has(v, "text", "blob") && remove(v, "text")
		}),
	},
	{
		name: "groups and options",
		reason: "A list of config options has no tag, either. We decide by its first element: with group and options it is one of groups. The SDK tries plain options first, so " +
			"elements that are both are plain ones.",
		example: instance{"SetSessionConfigOptionResponse", []byte(`{"configOptions":[{"type":"select","id":"i","name":"n","currentValue":"v","options":` +
			`[{"group":"g","name":"n","options":[],"value":"v"}]}]}`)},
		ours: `{"configOptions":[{"type":"select","currentValue":"v","options":[{"group":"g","name":"n","options":[]}],"id":"i","name":"n"}]}`,
		sdk:  `{"configOptions":[{"currentValue":"v","options":[{"value":"v","name":"n"}],"type":"select","id":"i","name":"n"}]}`,
		without: everywhere(func(_ *finding, _ string, p *mutate.Place, v *mutate.Value) bool {
			return p.Is("SessionConfigSelectOptions") && len(v.Items) > 0 && has(v.Items[0], "group", "options", "value") && remove(v.Items[0], "group")
		}),
	},
	{
		name:    "scope of an elicitation",
		reason:  "Nor has a scope. We decide by the required members, sessionId before requestId; the SDK goes on to requestId when there is a sessionId that is no string.",
		example: instance{"CreateElicitationRequest", []byte(`{"mode":"url","sessionId":1,"requestId":2,"elicitationId":"e","url":"https://example.com/","message":"m"}`)},
		ours:    "/sessionId: type",
		sdk:     `{"requestId":2,"elicitationId":"e","url":"https://example.com/","mode":"url","message":"m"}`,
		without: everywhere(func(f *finding, at string, _ *mutate.Place, v *mutate.Value) bool {
			return f.Def == "CreateElicitationRequest" && at == "" && has(v, "sessionId", "requestId") && remove(v, "sessionId")
		}),
	},
	{
		name: "members of an object that names none",
		reason: "The schema says of two capabilities no more than that they are objects. The SDK makes open records of them. To us a member that the schema does not name is " +
			"an unknown one, here as everywhere: allowed, counted and reported, but not kept.",
		example: instance{"InitializeRequest", []byte(`{"protocolVersion":1,"clientCapabilities":{"session":{"notices":{"a":1}}}}`)},
		ours:    `{"protocolVersion":1,"clientCapabilities":{"session":{"notices":{}}}}`,
		sdk: `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,` +
			`"session":{"notices":{"a":1}},"auth":{"terminal":false}}}`,
		without: everywhere(func(_ *finding, _ string, p *mutate.Place, v *mutate.Value) bool {
			if !p.Is("CompactionCapabilities") && !p.Is("NoticeCapabilities") || len(v.Members) == 0 {
				return false
			}
			v.Members = nil
			return true
		}),
	},
}
