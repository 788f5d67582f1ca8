package derive_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpsync/internal/derive"
)

func TestBytes(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{
			name: "annotations go, everything else stays in order",
			in:   `{"title": "T", "description": "prose", "type": "object", "x-docs-ignore": true, "discriminator": {"propertyName": "k"}}`,
			want: `{"title": "T", "type": "object", "x-docs-ignore": true, "discriminator": {"propertyName": "k"}}`,
		},
		{
			name: "a property called description is no annotation",
			in: `{"description": "prose", "properties": {"description": {"description": "prose", "type": "string"}},
				"required": ["description"]}`,
			want: `{"properties": {"description": {"type": "string"}}, "required": ["description"]}`,
		},
		{
			name: "properties called like keywords are not keywords",
			in:   `{"properties": {"foo": {"type": "null"}, "properties": {"description": "prose"}, "allOf": true, "$ref": {}}}`,
			want: `{"properties": {"foo": {"type": "null"}, "properties": {}, "allOf": true, "$ref": {}}}`,
		},
		{
			name: "a definition called description",
			in:   `{"$defs": {"description": {"description": "prose"}}, "$ref": "#/$defs/description"}`,
			want: `{"$defs": {"description": {}}, "$ref": "#/$defs/description"}`,
		},
		{
			name: "data is not looked into",
			in: `{"default": {"description": "kept", "foo": [{"description": "kept"}]}, "const": {"description": "kept"},
				"enum": [{"description": "kept"}, null]}`,
			want: `{"default": {"description": "kept", "foo": [{"description": "kept"}]}, "const": {"description": "kept"},
				"enum": [{"description": "kept"}, null]}`,
		},
		{
			name: "every place a schema stands in",
			in: `{"anyOf": [{"description": "p"}], "oneOf": [{"description": "p"}, {"allOf": [{"description": "p"}]}],
				"items": {"description": "p"}, "additionalProperties": {"description": "p"}, "not": {"description": "p"},
				"unevaluatedProperties": {"description": "p"}, "$defs": {"A": {"properties": {"b": {"description": "p"}}}}}`,
			want: `{"anyOf": [{}], "oneOf": [{}, {"allOf": [{}]}], "items": {}, "additionalProperties": {}, "not": {},
				"unevaluatedProperties": {}, "$defs": {"A": {"properties": {"b": {}}}}}`,
		},
		{
			name: "numbers and strings keep their text",
			in:   `{"maximum": 18446744073709551615, "minimum": -1.50E+1, "title": "\u00e9\/", "default": 9007199254740993.0}`,
			want: `{"maximum": 18446744073709551615, "minimum": -1.50E+1, "title": "\u00e9\/", "default": 9007199254740993.0}`,
		},
		{name: "boolean schemas", in: `{"additionalProperties": false, "items": true}`, want: `{"additionalProperties": false, "items": true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := derive.Bytes([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(squeeze(tt.want), squeeze(string(got))); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			wantDerived(t, got)
		})
	}
}

// wantDerived checks that deriving a derived schema gives it back.
func wantDerived(t *testing.T, schema []byte) {
	t.Helper()
	again, err := derive.Bytes(schema)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(schema), "\n"), strings.Split(string(again), "\n")); diff != "" {
		t.Errorf("deriving twice: mismatch (-want +got):\n%s", diff)
	}
}

// squeeze drops layout; none of the test strings has a blank that matters.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

func TestFaults(t *testing.T) {
	tests := []struct {
		name, in string
		cause    error
		want     []string // messages, one per fault
	}{
		{
			name: "unknown keyword", cause: derive.ErrKeyword,
			in:   "{\n\"$defs\": {\"A/B\": {\n\"properties\": {\"x\": {\"foo\": 1}}}}}",
			want: []string{`line 3: #/$defs/A~1B/properties/x/foo: unknown keyword "foo"`},
		},
		{
			name: "keywords are case-sensitive", cause: derive.ErrKeyword,
			in: `{"Type": "string"}`, want: []string{`line 1: #/Type: unknown keyword "Type"`},
		},
		{
			name: "definitions below the root", cause: derive.ErrKeyword,
			in: `{"items": {"$defs": {}}}`, want: []string{`line 1: #/items/$defs: unknown keyword "$defs"`},
		},
		{
			name: "all faults at once", cause: derive.ErrKeyword,
			in: "{\"foo\": 1,\n\"anyOf\": [{\"bar\": 1}, {}, 5]}",
			want: []string{`line 1: #/foo: unknown keyword "foo"`, `line 2: #/anyOf/0/bar: unknown keyword "bar"`,
				`line 2: #/anyOf/2: wrong value: a schema expected`},
		},
		{
			name: "a description that is no text", cause: derive.ErrValue,
			in: `{"description": {"type": "string"}}`, want: []string{`line 1: #/description: "description": wrong value: a string expected`},
		},
		{name: "an unknown type", cause: derive.ErrValue, in: `{"type": ["string", "text"]}`,
			want: []string{`line 1: #/type: "type": wrong value: a type name or an array of type names expected`}},
		{name: "an empty union", cause: derive.ErrValue, in: `{"anyOf": []}`,
			want: []string{`line 1: #/anyOf: "anyOf": wrong value: a non-empty array of schemas expected`}},
		{name: "properties as a list", cause: derive.ErrValue, in: `{"properties": []}`,
			want: []string{`line 1: #/properties: "properties": wrong value: an object of schemas expected`}},
		{name: "a foreign reference", cause: derive.ErrValue, in: `{"$ref": "other.json#/$defs/A"}`,
			want: []string{`line 1: #/$ref: "$ref": wrong value: a reference of the form "#/$defs/NAME" expected`}},
		{name: "a dangling reference", cause: derive.ErrReference, in: `{"$ref": "#/$defs/A", "$defs": {"B": {}}}`,
			want: []string{`line 1: #/$ref: unresolved reference "#/$defs/A"`}},
		{name: "no schema at all", cause: derive.ErrValue, in: `[]`, want: []string{`line 1: #: wrong value: a schema expected`}},
		{name: "a boolean at the root", cause: derive.ErrValue, in: `true`, want: []string{`line 1: #: wrong value: a schema expected`}},
		{name: "a discriminator with a mapping", cause: derive.ErrValue, in: `{"discriminator": {"propertyName": "k", "mapping": {}}}`,
			want: []string{`line 1: #/discriminator: "discriminator": wrong value: an object with the one string member "propertyName" expected`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := derive.Bytes([]byte(tt.in))
			if got != nil {
				t.Errorf("output in spite of faults: %s", got)
			}
			var fault *derive.Error
			if !errors.As(err, &fault) || !errors.Is(err, tt.cause) {
				t.Fatalf("error %v is no *Error caused by %v", err, tt.cause)
			}
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), err.Error()); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// The committed schemas are free of prose, so deriving them must give them back.
func TestCommittedSchemasAreDerived(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "schema", "v*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range files {
		if filepath.Base(name) == "source.json" {
			continue
		}
		checked++
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		wantDerived(t, data)
	}
	if checked != 4 {
		t.Errorf("%d schemas found, 4 expected", checked)
	}
}
