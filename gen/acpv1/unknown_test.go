package acpv1_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// keepUnknown is the decode of a reader that has to survive a newer peer.
var keepUnknown = &wire.DecodeOptions{Lenient: true, KeepUnknownVariants: true}

// TestUnknownInObject covers the one closed union that is part of an object: the members of an option of a newer type stand beside those that every option
// has.
func TestUnknownInObject(t *testing.T) {
	const frame = `{"min":1,"id":"volume","type":"slider","name":"Volume","marks":[ {"at":1.50} ],"_meta":{"k":1},"":null}`
	want := acpv1.SessionConfigOption{
		ID: "volume", Name: "Volume", Meta: wire.Meta(`{"k":1}`),
		Type: &acpv1.UnknownSessionConfigOptionType{Tag: "slider", Extra: []wire.Member{
			{Name: "min", Value: wire.Raw("1")}, {Name: "marks", Value: wire.Raw(`[ {"at":1.50} ]`)}, {Name: "", Value: wire.Raw("null")},
		}},
	}
	tests := []struct {
		name       string
		opts       *wire.DecodeOptions
		want       *acpv1.SessionConfigOption // nil if the frame is refused
		violations []string
		repairs    []wire.Repair
	}{
		{"strict", nil, nil, []string{"/type"}, nil},
		{"lenient", &wire.DecodeOptions{Lenient: true}, nil, []string{"/type"}, nil},
		{"keeping without lenience", &wire.DecodeOptions{KeepUnknownVariants: true}, nil, []string{"/type"}, nil},
		{"keeping", keepUnknown, &want, nil, []wire.Repair{{Action: wire.Kept, Message: `unknown "type" (SessionConfigOption)`}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got acpv1.SessionConfigOption
			report, err := wire.Decode([]byte(frame), &got, tt.opts)
			if diff := cmp.Diff(tt.violations, pointers(report.Violations)); diff != "" {
				t.Errorf("violations mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.repairs, report.Repairs); diff != "" {
				t.Errorf("repairs mismatch (-want +got):\n%s", diff)
			}
			if report.Unknown != 0 && err == nil {
				t.Errorf("%d members are lost: %v", report.Unknown, report.UnknownPointers)
			}
			if tt.want == nil {
				if err == nil {
					t.Errorf("no error, but %+v", got)
				}
				return
			}
			if diff := cmp.Diff(*tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnknownInObjectIsChecked checks that a kept variant hides no fault of the object that it is part of.
func TestUnknownInObjectIsChecked(t *testing.T) {
	tests := []struct{ name, frame, want string }{
		{"missing member", `{"type":"slider","id":"i"}`, `missing required "name" (SessionConfigOption)`},
		{"wrong member", `{"type":"slider","id":1,"name":"n"}`, `/id: expected string, got 1`},
		{"member twice", `{"type":"slider","id":"i","name":"n","x":1,"x":2}`, `/x: duplicate member name`},
		{"tag twice", `{"type":"slider","id":"i","name":"n","type":"slider"}`, `/type: duplicate member name`},
		{"duplicate inside", `{"type":"slider","id":"i","name":"n","x":{"a":1,"a":1}}`, `/x/a: duplicate member name`},
		{"no string", `{"type":7,"id":"i","name":"n"}`, `/type: expected string (tag of SessionConfigOption), got 7`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := wire.Decode([]byte(tt.frame), new(acpv1.SessionConfigOption), keepUnknown)
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// TestUnknownInList checks both ways to read a list with one element of a newer type: left out and reported, or kept and reported.
func TestUnknownInList(t *testing.T) {
	const frame = `{"configOptions":[{"id":"a","name":"A","type":"slider","max":3},{"id":"b","name":"B","type":"boolean","currentValue":true}]}`
	known := acpv1.SessionConfigOption{ID: "b", Name: "B", Type: &acpv1.SessionConfigBoolean{CurrentValue: true}}
	slider := acpv1.SessionConfigOption{ID: "a", Name: "A", Type: &acpv1.UnknownSessionConfigOptionType{
		Tag: "slider", Extra: []wire.Member{{Name: "max", Value: wire.Raw("3")}},
	}}
	tests := []struct {
		name   string
		opts   *wire.DecodeOptions
		want   []acpv1.SessionConfigOption
		action wire.Action
	}{
		{"left out", &wire.DecodeOptions{Lenient: true}, []acpv1.SessionConfigOption{known}, wire.Skipped},
		{"kept", keepUnknown, []acpv1.SessionConfigOption{slider, known}, wire.Kept},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got acpv1.ConfigOptionUpdate
			report, err := wire.Decode([]byte(frame), &got, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.ConfigOptions); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if len(report.Repairs) != 1 || report.Repairs[0].Action != tt.action || report.Repairs[0].Pointer != "/configOptions/0" {
				t.Errorf("repairs %v, want one of /configOptions/0: %s", report.Repairs, tt.action)
			}
		})
	}
}

// closedUnions has a frame with an unknown variant for each closed union that is a value of its own.
var closedUnions = []struct {
	name, frame string
	value       wire.Message
	unknown     func(v wire.Message) any
	want        any
	at          string // pointer of the variant
}{
	{
		"ContentBlock", `{"content":{"type":"video", "uri" : "u","n":1.50}}`, new(acpv1.ContentChunk),
		func(v wire.Message) any { return v.(*acpv1.ContentChunk).Content },
		&acpv1.UnknownContentBlock{Tag: "video", Raw: wire.Raw(`{"type":"video", "uri" : "u","n":1.50}`)}, "/content",
	},
	{
		"ToolCallContent", `{"toolCallId":"t","content":[{"a":[ ],"type":"table"}]}`, new(acpv1.ToolCallUpdate),
		func(v wire.Message) any { return v.(*acpv1.ToolCallUpdate).Content[0] },
		&acpv1.UnknownToolCallContent{Tag: "table", Raw: wire.Raw(`{"a":[ ],"type":"table"}`)}, "/content/0",
	},
	{
		"SessionUpdate", `{"sessionId":"s","update":{"sessionUpdate":"mood","mood":"good"}}`, new(acpv1.SessionNotification),
		func(v wire.Message) any { return v.(*acpv1.SessionNotification).Update },
		&acpv1.UnknownSessionUpdate{Tag: "mood", Raw: wire.Raw(`{"sessionUpdate":"mood","mood":"good"}`)}, "/update",
	},
	{
		"RequestPermissionOutcome", `{"outcome":{"outcome":"deferred"}}`, new(acpv1.RequestPermissionResponse),
		func(v wire.Message) any { return v.(*acpv1.RequestPermissionResponse).Outcome },
		&acpv1.UnknownRequestPermissionOutcome{Tag: "deferred", Raw: wire.Raw(`{"outcome":"deferred"}`)}, "/outcome",
	},
	{
		"SessionConfigOptionType", `{"id":"i","name":"n","type":"slider","max":3}`, new(acpv1.SessionConfigOption),
		func(v wire.Message) any { return v.(*acpv1.SessionConfigOption).Type },
		&acpv1.UnknownSessionConfigOptionType{Tag: "slider", Extra: []wire.Member{{Name: "max", Value: wire.Raw("3")}}}, "",
	},
}

// TestKeptIsRefusedByEncoder checks for every closed union that an unknown variant is kept as it came, and cannot be sent on: the union stays closed.
func TestKeptIsRefusedByEncoder(t *testing.T) {
	for _, tt := range closedUnions {
		t.Run(tt.name, func(t *testing.T) {
			report, err := wire.Decode([]byte(tt.frame), tt.value, keepUnknown)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, tt.unknown(tt.value)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if len(report.Repairs) != 1 || report.Repairs[0].Action != wire.Kept || report.Repairs[0].Pointer != tt.at {
				t.Errorf("repairs %v, want one at %q", report.Repairs, tt.at)
			}
			prefix := []byte("before")
			out, err := wire.Append(prefix, tt.value)
			var invalid *wire.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Violations) != 1 {
				t.Fatalf("encoding gave %s and the error %v, want one violation", out, err)
			}
			v := invalid.Violations[0]
			if v.Keyword != "discriminator" || !strings.HasPrefix(v.Pointer, tt.at) || v.Message != "unknown variant of the closed union "+tt.name {
				t.Errorf("violation %+v", v)
			}
			if string(out) != "before" {
				t.Errorf("something was written: %s", out)
			}
		})
	}
}

// TestUnknownOfOpenUnion checks that unknown variants of open unions are ordinary values, also for encoding/json.
func TestUnknownOfOpenUnion(t *testing.T) {
	const field = `{"depth": 8,"type":"_color"}`
	var got acpv1.UnknownElicitationPropertySchema
	if err := json.Unmarshal([]byte(field), &got); err != nil {
		t.Fatal(err)
	}
	want := acpv1.UnknownElicitationPropertySchema{Tag: "_color", Raw: wire.Raw(field)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	b, err := json.Marshal(acpv1.ElicitationSchema{Properties: map[string]acpv1.ElicitationPropertySchema{"c": &got}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"properties":{"c":{"depth":8,"type":"_color"}}}`; string(b) != want { // json.Marshal compacts
		t.Errorf("encoded as %s, want %s", b, want)
	}

	const frame = `{"mode":"_voice","requestId":7,"message":"m","language":"en"}`
	var request acpv1.CreateElicitationRequest
	if err := json.Unmarshal([]byte(frame), &request); err != nil {
		t.Fatal(err)
	}
	mode, ok := request.Mode.(*acpv1.UnknownElicitationMode)
	if !ok || mode.Tag != "_voice" {
		t.Fatalf("mode %#v", request.Mode)
	}
	if diff := cmp.Diff([]wire.Member{{Name: "language", Value: wire.Raw(`"en"`)}}, mode.Extra); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if scope, ok := mode.Scope.(*acpv1.ElicitationRequestScope); !ok || scope.RequestID.String() != "7" {
		t.Errorf("scope %#v", mode.Scope)
	}
}

// TestUnknownUnmarshalJSON checks that what is no object with the tag is refused.
func TestUnknownUnmarshalJSON(t *testing.T) {
	for _, input := range []string{`{}`, `{"type":1}`, `[]`, `"x"`, `null`} {
		var u acpv1.UnknownMultiSelectItems
		if err := u.UnmarshalJSON([]byte(input)); err == nil {
			t.Errorf("%s: no error, but %+v", input, u)
		}
	}
}

// ourText is a type that is a ContentBlock only because it embeds one.
type ourText struct {
	*acpv1.TextContent
	ours bool
}

// ourSelect is the same for a union that is part of an object.
type ourSelect struct{ *acpv1.SessionConfigSelect }

// TestEmbeddedVariantIsRefused checks that the encoder does not write a hole for a type it cannot know.
func TestEmbeddedVariantIsRefused(t *testing.T) {
	text := ourText{&acpv1.TextContent{Text: "t"}, true}
	_, err := json.Marshal(acpv1.ContentChunk{Content: text})
	if err == nil || !strings.Contains(err.Error(), "/content: expected a variant of ContentBlock, not a type that embeds one") {
		t.Errorf("content with ours=%t: error %v", text.ours, err)
	}
	option := acpv1.SessionConfigOption{ID: "i", Name: "n", Type: ourSelect{&acpv1.SessionConfigSelect{CurrentValue: "v", Options: acpv1.SessionConfigUngroupedOptions{}}}}
	if _, err := json.Marshal(option); err == nil || !strings.Contains(err.Error(), `missing required "type" (SessionConfigOption)`) {
		t.Errorf("option: error %v", err)
	}
}

// TestClosedEnumJSON checks that a closed enum is closed for encoding/json, too.
func TestClosedEnumJSON(t *testing.T) {
	b, err := json.Marshal(acpv1.ToolKindRead)
	if err != nil || string(b) != `"read"` {
		t.Errorf("encoded as %s, %v", b, err)
	}
	if _, err := json.Marshal(acpv1.ToolKind("dig")); err == nil {
		t.Error("an unknown value is encoded")
	}
	var k acpv1.ToolKind
	if err := json.Unmarshal([]byte(`"edit"`), &k); err != nil || k != acpv1.ToolKindEdit {
		t.Errorf("decoded as %q, %v", k, err)
	}
	for _, input := range []string{`"dig"`, `""`, `"Edit"`, `1`} {
		if err := json.Unmarshal([]byte(input), &k); err == nil {
			t.Errorf("%s is decoded as %q", input, k)
		}
	}
}

func pointers(violations []wire.Violation) []string {
	var out []string
	for _, v := range violations {
		out = append(out, v.Pointer)
	}
	return out
}
