package diff_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpsync/internal/diff"
)

// defs holds definitions the cases refer to.
const defs = `"Name": {"type": "string"}, "Label": {"type": "string"}, "Count": {"type": "integer", "format": "uint32"},
	"Maybe": {"type": ["string", "null"]}, "Loop": {"type": "array", "items": {"$ref": "#/$defs/Loop"}},
	"Ring": {"type": "array", "items": {"$ref": "#/$defs/Ring"}},
	"Knot": {"type": "array", "items": {"$ref": "#/$defs/Knot"}, "maxItems": 1}`

// schemaOf wraps the schema of a definition T.
func schemaOf(t *testing.T, body string) *diff.Schema {
	t.Helper()
	s, err := diff.Parse(fmt.Appendf(nil, `{"$defs": {"T": %s, %s}}`, body, defs))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type pair struct {
	name, before, after string
	want                []string
}

func (p pair) run(t *testing.T) {
	t.Run(p.name, func(t *testing.T) {
		before, after := schemaOf(t, p.before), schemaOf(t, p.after)
		forth := diff.Compare(before, after)
		var got []string
		for _, c := range forth {
			got = append(got, c.String())
		}
		if diff := cmp.Diff(p.want, got); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		wantMirrored(t, forth, diff.Compare(after, before))
		for _, s := range []*diff.Schema{before, after} {
			if same := diff.Compare(s, s); same != nil {
				t.Errorf("a schema differs from itself: %v", same)
			}
		}
	})
}

// wantMirrored checks that going back undoes going forth: as many changes, with opposite effects.
func wantMirrored(t *testing.T, forth, back []diff.Change) {
	t.Helper()
	mirror := map[diff.Effect]diff.Effect{
		diff.Tightened: diff.Loosened, diff.Loosened: diff.Tightened, diff.None: diff.None, diff.Mixed: diff.Mixed, diff.Unknown: diff.Unknown,
	}
	want, got := map[diff.Effect]int{}, map[diff.Effect]int{}
	for _, c := range forth {
		want[mirror[c.Effect]]++
	}
	for _, c := range back {
		got[c.Effect]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("effects of the way back: mismatch (-want +got):\n%s", diff)
	}
}

func TestCompareProperties(t *testing.T) {
	object := func(properties, rest string) string {
		return `{"type": "object", "properties": {` + properties + `}` + rest + `}`
	}
	for _, p := range []pair{
		{"optional added", object(``, ``), object(`"sessionId": {"type": "string"}`, ``),
			[]string{"+ property sessionId: string, optional (Go: T.SessionID)"}},
		{"required added", object(``, ``), object(`"a": {"$ref": "#/$defs/Name"}`, `, "required": ["a"]`),
			[]string{"+ property a: Name, required [tightened] (Go: T.A)"}},
		{"optional removed", object(`"a": {"type": "string"}`, ``), object(``, ``),
			[]string{"- property a: string, optional (Go: T.A)"}},
		{"required removed", object(`"a": {"type": "string"}`, `, "required": ["a"]`), object(``, ``),
			[]string{"- property a: string, required [loosened] (Go: T.A)"}},
		{"optional added to a closed object", object(``, `, "additionalProperties": false`),
			object(`"a": {"type": "string"}`, `, "additionalProperties": false`),
			[]string{"+ property a: string, optional [loosened] (Go: T.A)"}},
		{"required added to a closed object", object(``, `, "additionalProperties": false`),
			object(`"a": {"type": "string"}`, `, "required": ["a"], "additionalProperties": false`),
			[]string{"+ property a: string, required [mixed] (Go: T.A)"}},
		{"now required", object(`"a": {}`, ``), object(`"a": {}`, `, "required": ["a"]`),
			[]string{"+ .a required a [tightened] (Go: T.A)"}},
		{"no longer required", object(`"a": {}`, `, "required": ["a"]`), object(`"a": {}`, ``),
			[]string{"- .a required a [loosened] (Go: T.A)"}},
		{"required without a schema", object(``, ``), object(``, `, "required": ["a"]`),
			[]string{"+ .a required a [tightened] (Go: T.A)"}},
		{"closed", object(`"a": {}`, ``), object(`"a": {}`, `, "additionalProperties": false`),
			[]string{"+ {} further properties: nothing [tightened] (Go: T)"}},
		{"open said and not said", object(`"a": {}`, ``), object(`"a": {}`, `, "additionalProperties": true, "unevaluatedProperties": {}`), nil},
		{"map values", object(``, `, "additionalProperties": {"type": "string"}`), object(``, `, "additionalProperties": {"type": ["string", "null"]}`),
			[]string{"~ {} nullability: string -> string|null [loosened] (Go: T)"}},
		{"nested", object(`"a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}}`, ``),
			object(`"a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "boolean"}}}}`, ``),
			[]string{"~ .a[].b type: string -> boolean [mixed] (Go: T.A)"}},
		{"order of properties and of required", object(`"a": {}, "b": {}`, `, "required": ["a", "b"]`),
			object(`"b": {}, "a": {}`, `, "required": ["b", "a"]`), nil},
	} {
		p.run(t)
	}
}

func TestCompareTypes(t *testing.T) {
	for _, p := range []pair{
		{"nullable", `{"type": "string"}`, `{"type": ["string", "null"]}`,
			[]string{"~ nullability: string -> string|null [loosened] (Go: T)"}},
		{"nullable by a branch", `{"type": "string"}`, `{"anyOf": [{"type": "string"}, {"type": "null"}]}`,
			[]string{"~ nullability: string -> string|null [loosened] (Go: T)"}},
		{"both spellings of nullable", `{"type": ["null", "string"]}`, `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, nil},
		{"nullable reference", `{"$ref": "#/$defs/Name"}`, `{"anyOf": [{"$ref": "#/$defs/Name"}, {"type": "null"}]}`,
			[]string{"~ nullability: Name -> Name|null [loosened] (Go: T)"}},
		{"another type", `{"type": "string"}`, `{"type": "integer"}`, []string{"~ type: string -> integer [mixed] (Go: T)"}},
		{"more types", `{"type": "string"}`, `{"type": ["string", "boolean"]}`, []string{"~ type: string -> boolean|string [loosened] (Go: T)"}},
		{"integer to number", `{"type": "integer"}`, `{"type": "number"}`, []string{"~ type: integer -> number [loosened] (Go: T)"}},
		{"anything to something", `{}`, `{"type": "string"}`, []string{"~ type: any -> string [tightened] (Go: T)"}},
		{"anything to nullable", `{}`, `{"type": ["string", "null"]}`, []string{"~ type: any -> string|null [tightened] (Go: T)"}},
		{"something to nothing", `{"type": "string"}`, `false`, []string{"~ type: string -> nothing [tightened] (Go: T)"}},
		{"anything to nothing", `true`, `false`, []string{"~ type: any -> nothing [tightened] (Go: T)"}},
		{"empty and true", `{}`, `true`, nil},
		{"a lone allOf and its reference", `{"allOf": [{"$ref": "#/$defs/Name"}]}`, `{"$ref": "#/$defs/Name"}`, nil},
		{"a union of one and what it holds", `{"anyOf": [{"type": "string"}]}`, `{"type": "string"}`, nil},
		{"another reference, same shape", `{"$ref": "#/$defs/Name"}`, `{"$ref": "#/$defs/Label"}`,
			[]string{"~ reference: Name -> Label (Go: T)"}},
		{"another reference, another shape", `{"$ref": "#/$defs/Name"}`, `{"$ref": "#/$defs/Count"}`,
			[]string{"~ reference: Name -> Count [mixed] (Go: T)"}},
		{"another reference, wider", `{"$ref": "#/$defs/Name"}`, `{"$ref": "#/$defs/Maybe"}`,
			[]string{"~ reference: Name -> Maybe [loosened] (Go: T)"}},
		{"references that lead to themselves", `{"$ref": "#/$defs/Loop"}`, `{"$ref": "#/$defs/Ring"}`,
			[]string{"~ reference: Loop -> Ring (Go: T)"}},
		{"references that lead to themselves, one narrower", `{"$ref": "#/$defs/Loop"}`, `{"$ref": "#/$defs/Knot"}`,
			[]string{"~ reference: Loop -> Knot [tightened] (Go: T)"}},
		{"spelled out, then a definition", `{"type": "string"}`, `{"$ref": "#/$defs/Name"}`, []string{"~ type: string -> Name (Go: T)"}},
		{"spelled out, then a wider definition", `{"type": "string"}`, `{"$ref": "#/$defs/Maybe"}`,
			[]string{"~ type: string -> Maybe [loosened] (Go: T)"}},
		{"items", `{"type": "array", "items": {"type": "string"}}`, `{"type": "array"}`,
			[]string{"- [] items: string [loosened] (Go: T)"}},
	} {
		p.run(t)
	}
}

func TestCompareNumbers(t *testing.T) {
	integer := func(rest string) string { return `{"type": "integer"` + rest + `}` }
	for _, p := range []pair{
		{"maximum lowered", integer(`, "maximum": 10`), integer(`, "maximum": 9`), []string{"~ range maximum: 10 -> 9 [tightened] (Go: T)"}},
		{"minimum lowered", integer(`, "minimum": 1`), integer(`, "minimum": 0`), []string{"~ range minimum: 1 -> 0 [loosened] (Go: T)"}},
		{"minimum added", integer(``), integer(`, "minimum": 0`), []string{"+ range minimum: 0 [tightened] (Go: T)"}},
		{"same number spelled otherwise", integer(`, "maximum": 10`), integer(`, "maximum": 1.0e1`), nil},
		{"beyond the exactness of doubles", integer(`, "maximum": 9007199254740992`), integer(`, "maximum": 9007199254740993`),
			[]string{"~ range maximum: 9007199254740992 -> 9007199254740993 [loosened] (Go: T)"}},
		{"exclusive at the same place", integer(`, "minimum": 1`), integer(`, "exclusiveMinimum": 1`),
			[]string{"+ range exclusiveMinimum: 1 [tightened] (Go: T)", "- range minimum: 1 [tightened] (Go: T)"}},
		{"wider format", integer(`, "format": "uint32"`), integer(`, "format": "uint64"`), []string{"~ format: uint32 -> uint64 [loosened] (Go: T)"}},
		{"signed format", integer(`, "format": "uint64"`), integer(`, "format": "int64"`), []string{"~ format: uint64 -> int64 [mixed] (Go: T)"}},
		{"format added", integer(``), integer(`, "format": "int32"`), []string{"+ format: int32 [tightened] (Go: T)"}},
		{"a maximum the format implies", integer(`, "format": "uint16"`), integer(`, "format": "uint16", "maximum": 65535`),
			[]string{"+ range maximum: 65535 (Go: T)"}},
		{"a format the range implies", integer(`, "minimum": 0, "maximum": 255`), integer(`, "minimum": 0, "maximum": 255, "format": "uint8"`),
			[]string{"+ format: uint8 (Go: T)"}},
		{"a format that asserts nothing", `{"type": "string"}`, `{"type": "string", "format": "uri"}`, []string{"+ format: uri (Go: T)"}},
		{"length", `{"type": "string", "minLength": 1}`, `{"type": "string", "minLength": 2, "maxLength": 9}`,
			[]string{"+ length maxLength: 9 [tightened] (Go: T)", "~ length minLength: 1 -> 2 [tightened] (Go: T)"}},
		{"length of nothing", `{"type": "string"}`, `{"type": "string", "minLength": 0}`, []string{"+ length minLength: 0 (Go: T)"}},
		{"items", `{"type": "array", "maxItems": 3}`, `{"type": "array", "minItems": 1}`,
			[]string{"- length maxItems: 3 [loosened] (Go: T)", "+ length minItems: 1 [tightened] (Go: T)"}},
		{"pattern added", `{"type": "string"}`, `{"type": "string", "pattern": "^a"}`, []string{"+ pattern: ^a [tightened] (Go: T)"}},
		{"pattern changed", `{"type": "string", "pattern": "^a"}`, `{"type": "string", "pattern": "^b"}`, []string{"~ pattern: ^a -> ^b [unknown] (Go: T)"}},
	} {
		p.run(t)
	}
}

func TestCompareAnnotations(t *testing.T) {
	for _, p := range []pair{
		{"prose", `{"description": "one"}`, `{"description": "two"}`, nil},
		{"title", `{"title": "A"}`, `{"title": "B"}`, []string{"~ title: A -> B (Go: T)"}},
		{"default", `{"default": {"a": 1, "b": 2}}`, `{"default": {"b": 2, "a": 1.5}}`,
			[]string{`~ default: {"a":1,"b":2} -> {"a":1.5,"b":2} (Go: T)`}},
		{"default in another order", `{"default": {"a": 1, "b": 2}}`, `{"default": {"b": 2, "a": 1}}`, nil},
		{"default null and none", `{}`, `{"default": null}`, []string{"+ default: null (Go: T)"}},
		{"leniency", `{"type": "array", "x-deserialize-skip-invalid-items": true}`, `{"type": "array", "x-deserialize-default-on-null": true}`,
			[]string{"+ leniency x-deserialize-default-on-null (Go: T)", "- leniency x-deserialize-skip-invalid-items (Go: T)"}},
		{"leniency switched off", `{"x-deserialize-default-on-error": true}`, `{"x-deserialize-default-on-error": false}`,
			[]string{"- leniency x-deserialize-default-on-error (Go: T)"}},
		{"discriminator", `{"discriminator": {"propertyName": "a"}}`, `{"discriminator": {"propertyName": "b"}}`, []string{"~ discriminator: a -> b (Go: T)"}},
		{"encoding", `{"type": "string"}`, `{"type": "string", "contentEncoding": "base64"}`, []string{"+ content encoding: base64 (Go: T)"}},
	} {
		p.run(t)
	}
}
