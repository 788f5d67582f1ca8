package acpv1

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
)

// Values that Go's types allow and the schema does not.
var refused = []struct {
	name  string
	value wire.Marshaler
	// pointers are those of the violations, in order; says is part of the first one's message.
	pointers []string
	says     string
}{
	{"nil message", (*PromptRequest)(nil), []string{""}, "nil"},
	{"nil union", &SessionNotification{SessionID: "s"}, []string{"/update"}, "SessionUpdate"},
	{"typed nil variant", &SessionNotification{Update: (*Plan)(nil)}, []string{"/update"}, "nil"},
	{"nil union in a list", &PromptRequest{Prompt: []ContentBlock{&TextContent{}, nil}}, []string{"/prompt/1"}, "ContentBlock"},
	{"typed nil variant in a list", &PromptRequest{Prompt: []ContentBlock{(*ImageContent)(nil), &TextContent{}}}, []string{"/prompt/0"}, "ImageContent"},
	{
		"nil union deep down", &SessionNotification{Update: &ToolCall{Content: []ToolCallContent{&Content{Content: &EmbeddedResource{}}}}},
		[]string{"/update/content/0/content/resource"}, "EmbeddedResourceResource",
	},
	{
		"nil union in a map", &ElicitationSchema{Properties: map[string]ElicitationPropertySchema{"a/b": nil, "c": &BooleanPropertySchema{}}},
		[]string{"/properties/a~1b"}, "ElicitationPropertySchema",
	},
	{
		"nil value in a map", &CreateElicitationResponse{Action: &ElicitationAcceptAction{Content: map[string]ElicitationContentValue{"~": nil}}},
		[]string{"/content/~0"}, "ElicitationContentValue",
	},
	{"nil part", &CreateElicitationRequest{Message: "m"}, []string{""}, `"mode"`},
	{"nil part in a list", &ConfigOptionUpdate{ConfigOptions: []SessionConfigOption{{ID: "a", Name: "A"}}}, []string{"/configOptions/0"}, `"type"`},
	{"typed nil part", &CreateElicitationResponse{Action: (*ElicitationAcceptAction)(nil)}, []string{""}, `"action"`},
	{"nil part of a part", &CreateElicitationRequest{Mode: &ElicitationURLMode{}}, []string{""}, "sessionId"},
	{"nil part by itself", &SetSessionConfigOptionRequest{}, []string{""}, "type"},
	{"nil list as a union", &SessionConfigSelect{}, []string{"/options"}, "SessionConfigSelectOptions"},

	{"closed enum", &PromptResponse{StopReason: "tired"}, []string{"/stopReason"}, "StopReason"},
	{"no value of a closed enum", &PromptResponse{}, []string{"/stopReason"}, "StopReason"},
	{"optional closed enum", &ToolCallUpdate{Kind: new(ToolKind(""))}, []string{"/kind"}, "ToolKind"},
	{
		"closed enum in lists", &Plan{Entries: []PlanEntry{{Priority: "high", Status: "pending"}, {Priority: "urgent", Status: "started"}}},
		[]string{"/entries/1/priority", "/entries/1/status"}, "PlanEntryPriority",
	},
	{"closed enum as an element", &Annotations{Audience: []Role{RoleUser, "nobody"}}, []string{"/audience/1"}, "Role"},

	{"string", &ReadTextFileResponse{Content: "Mars\xff"}, []string{"/content"}, "UTF-8"},
	{"surrogate", &ReadTextFileResponse{Content: "\xed\xa0\xbd\xed\xb8\x80"}, []string{"/content"}, "UTF-8"},
	{"optional string", &Implementation{Title: new("\xc3")}, []string{"/title"}, "UTF-8"},
	{"id", &CancelNotification{SessionID: "\x80"}, []string{"/sessionId"}, "UTF-8"},
	{"request id", &CancelRequestNotification{RequestID: wire.StringID("\xff")}, []string{"/requestId"}, "UTF-8"},
	{"string as an element", &NewSessionRequest{AdditionalDirectories: []string{"/a", "/\xff"}}, []string{"/additionalDirectories/1"}, "UTF-8"},
	{"string in a map", &AuthMethodTerminal{Env: map[string]string{"A": "1", "B": "\xff"}}, []string{"/env/B"}, "UTF-8"},
	{"open enum", &Notice{Severity: "\xff", Title: "t"}, []string{"/severity"}, "UTF-8"},
	{"three-state string", &SessionInfoUpdate{Title: wire.Value("\xff")}, []string{"/title"}, "UTF-8"},
	{"tag", &CreateElicitationResponse{Action: &UnknownElicitationAction{Tag: "\xff"}}, []string{"/action"}, "UTF-8"},

	{"minLength", &Notice{Severity: NoticeSeverityInfo}, []string{"/title"}, "1"},
	{"NaN", &Cost{Amount: math.NaN()}, []string{"/amount"}, "finite"},
	{"infinity", &NumberPropertySchema{Minimum: new(math.Inf(-1)), Maximum: new(math.Inf(1))}, []string{"/minimum", "/maximum"}, "finite"},
	{
		"NaN in a map", &ElicitationAcceptAction{Content: map[string]ElicitationContentValue{"x": ElicitationNumber(math.NaN())}},
		[]string{"/content/x"}, "finite",
	},

	{"raw that is no JSON", &ToolCall{RawInput: wire.Raw("{")}, []string{"/rawInput"}, "JSON"},
	{"raw that is empty", &ToolCall{RawOutput: wire.Raw{}}, []string{"/rawOutput"}, "JSON"},
	{"raw that is two values", &Error{Data: wire.Raw("1 2")}, []string{"/data"}, "JSON"},
	{"raw with a duplicate name", &Error{Data: wire.Raw(`{"a":1,"a":2}`)}, []string{"/data"}, "JSON"},
	{"raw with a lone surrogate", &Error{Data: wire.Raw(`"\ud83e"`)}, []string{"/data"}, "JSON"},
	{"raw in bad UTF-8", &Error{Data: wire.Raw("\"\xff\"")}, []string{"/data"}, "JSON"},
	{"meta that is an array", &LogoutRequest{Meta: wire.Meta("[]")}, []string{"/_meta"}, "object"},
	{"meta that is a string", &LogoutRequest{Meta: wire.Meta(`"{}"`)}, []string{"/_meta"}, "object"},
	{"meta that is no JSON", &LogoutRequest{Meta: wire.Meta("{]")}, []string{"/_meta"}, "JSON"},
	{
		"meta deep down", &SessionNotification{Update: &Plan{Entries: []PlanEntry{{Priority: "low", Status: "pending", Meta: wire.Meta("1")}}}},
		[]string{"/update/entries/0/_meta"}, "object",
	},

	{
		"unknown variant of a closed union", &PromptRequest{Prompt: []ContentBlock{&UnknownContentBlock{Tag: "video", Raw: wire.Raw(`{"type":"video"}`)}}},
		[]string{"/prompt/0"}, "ContentBlock",
	},
	{
		"unknown variant as a known one", &SessionNotification{Update: &UnknownSessionUpdate{Tag: "plan", Raw: wire.Raw(`{"sessionUpdate":"plan","entries":[]}`)}},
		[]string{"/update"}, "SessionUpdate",
	},
	{
		"unknown part of a closed union", &NewSessionResponse{ConfigOptions: []SessionConfigOption{{Type: &UnknownSessionConfigOptionType{Tag: "slider"}}}},
		[]string{"/configOptions/0/type"}, "SessionConfigOptionType",
	},
	{
		"known tag in an open union", &MultiSelectPropertySchema{Items: &UnknownMultiSelectItems{Tag: "string", Raw: wire.Raw(`{"type":"string","enum":[]}`)}},
		[]string{"/items"}, "known",
	},
	{"known tag of an open part", &CreateElicitationResponse{Action: &UnknownElicitationAction{Tag: "accept"}}, []string{"/action"}, "known"},
	{
		"unknown variant without a value", &MultiSelectPropertySchema{Items: &UnknownMultiSelectItems{Tag: "_tree"}},
		[]string{"/items"}, "type",
	},
	{
		"unknown variant of another tag", &MultiSelectPropertySchema{Items: &UnknownMultiSelectItems{Tag: "_tree", Raw: wire.Raw(`{"type":"_list"}`)}},
		[]string{"/items"}, "type",
	},
	{
		"unknown variant that is no object", &MultiSelectPropertySchema{Items: &UnknownMultiSelectItems{Tag: "_tree", Raw: wire.Raw(`["_tree"]`)}},
		[]string{"/items"}, "type",
	},
	{
		"unknown variant that is no JSON",
		&ElicitationSchema{Properties: map[string]ElicitationPropertySchema{"c": &UnknownElicitationPropertySchema{Tag: "_c", Raw: wire.Raw(`{"type":"_c"`)}}},
		[]string{"/properties/c"}, "JSON",
	},
	{
		"extra member that is no JSON", &CreateElicitationResponse{Action: &UnknownElicitationAction{Tag: "_x", Extra: []wire.Member{{Name: "n", Value: wire.Raw("nul")}}}},
		[]string{"/n"}, "JSON",
	},
	{
		"extra member twice",
		&CreateElicitationResponse{Action: &UnknownElicitationAction{Tag: "_x", Extra: []wire.Member{{Name: "n", Value: wire.Raw("1")}, {Name: "n", Value: wire.Raw("2")}}}},
		[]string{"/n"}, "duplicate",
	},
	{
		"extra member that the object has", &CreateElicitationRequest{Mode: &UnknownElicitationMode{
			Tag: "_x", Scope: &ElicitationSessionScope{SessionID: "s"}, Extra: []wire.Member{{Name: "message", Value: wire.Raw(`"n"`)}},
		}, Message: "m"},
		[]string{"/message"}, "duplicate",
	},
	{
		"extra member that is the tag", &CreateElicitationResponse{Action: &UnknownElicitationAction{Tag: "_x", Extra: []wire.Member{{Name: "action", Value: wire.Raw(`"cancel"`)}}}},
		[]string{"/action"}, "duplicate",
	},
	{
		"extra member that is in the scope", &CreateElicitationRequest{Mode: &UnknownElicitationMode{
			Tag: "_x", Scope: &ElicitationRequestScope{}, Extra: []wire.Member{{Name: "requestId", Value: wire.Raw("7")}},
		}},
		[]string{"/requestId"}, "duplicate",
	},

	{
		"many at once", &RequestPermissionRequest{
			SessionID: "\xff", ToolCall: ToolCallUpdate{Status: new(ToolCallStatus("done")), Content: []ToolCallContent{nil}},
			Options: []PermissionOption{{Kind: "maybe"}}, Meta: wire.Meta("0"),
		},
		[]string{"/sessionId", "/toolCall/status", "/toolCall/content/0", "/options/0/kind", "/_meta"}, "UTF-8",
	},
}

// TestRefused encodes what must not be sent, by the encoder and by encoding/json.
func TestRefused(t *testing.T) {
	for _, test := range refused {
		t.Run(test.name, func(t *testing.T) {
			const before = `{"jsonrpc":"2.0","result":`
			b, err := wire.Append([]byte(before), test.value)
			if err == nil {
				t.Fatalf("encoded as %s", b)
			}
			if string(b) != before {
				t.Errorf("left %q behind", b)
			}
			list := violations(t, err)
			var got []string
			for _, v := range list {
				got = append(got, v.Pointer)
				if v.Rule != wire.RuleSchema || v.Message == "" {
					t.Errorf("an incomplete violation: %+v", v)
				}
			}
			if diff := cmp.Diff(test.pointers, got); diff != "" {
				t.Errorf("pointers: mismatch (-want +got)\n%s%s", diff, summary(list))
			}
			if !strings.Contains(list[0].Message, test.says) {
				t.Errorf("got %q, want something about %s", list[0].Message, test.says)
			}
			if !strings.Contains(err.Error(), test.pointers[0]) {
				t.Errorf("the error %q does not name %q", err, test.pointers[0])
			}
		})
	}
}

func TestRefusedJSON(t *testing.T) {
	for _, test := range refused {
		if test.name == "nil message" { // encoding/json writes null for any nil pointer and asks no method
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			b, err := json.Marshal(test.value)
			var invalid *wire.InvalidError
			if !errors.As(err, &invalid) {
				t.Fatalf("got %s, %v, want a *wire.InvalidError", b, err)
			}
			if !slices.ContainsFunc(invalid.Violations, func(v wire.Violation) bool { return v.Pointer == test.pointers[0] }) {
				t.Errorf("got\n%swant one at %q", summary(invalid.Violations), test.pointers[0])
			}
		})
	}
}

// An invalid name of a map's member has no pointer of its own in JSON. It is refused all the same.
func TestRefusedMapKey(t *testing.T) {
	for name, value := range map[string]wire.Marshaler{
		"env":        &AuthMethodTerminal{Env: map[string]string{"A\xff": "1"}},
		"properties": &ElicitationSchema{Properties: map[string]ElicitationPropertySchema{"\xff": &BooleanPropertySchema{}}},
		"content":    &ElicitationAcceptAction{Content: map[string]ElicitationContentValue{"\xff": ElicitationBoolean(true)}},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := wire.Marshal(value)
			if err == nil {
				t.Fatalf("encoded as %s", b)
			}
			list := violations(t, err)
			if len(list) != 1 || !related("/"+name, list[0].Pointer) || !strings.Contains(list[0].Message, "UTF-8") {
				t.Errorf("got\n%swant one about UTF-8 in /%s", summary(list), name)
			}
		})
	}
}

// A value may break the schema in more places than an error lists.
func TestRefusedBeyondLimit(t *testing.T) {
	n := wire.DefaultMaxViolations + 10
	_, err := wire.Marshal(&PromptRequest{Prompt: make([]ContentBlock, n)})
	var invalid *wire.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	if len(invalid.Violations) != wire.DefaultMaxViolations || invalid.Omitted != 10 {
		t.Errorf("got %d violations and %d omitted, want %d and 10", len(invalid.Violations), invalid.Omitted, wire.DefaultMaxViolations)
	}
}
