package diff_test

import (
	"fmt"
	"testing"
)

// tagged returns a variant with a tag and a payload.
func tagged(tag, payload string) string {
	return fmt.Sprintf(`{"type": "object", "properties": {"kind": {"type": "string", "const": %q}}, "required": ["kind"], "allOf": [{"$ref": "#/$defs/%s"}]}`, tag, payload)
}

func TestCompareEnums(t *testing.T) {
	const open = `{"anyOf": [{"type": "string", "const": "a"}, {"title": "other", "type": "string"}]}`
	for _, p := range []pair{
		{"value removed", `{"enum": ["a", "b"]}`, `{"enum": ["a"]}`, []string{`- enum value "b" [tightened] (Go: T)`}},
		{"value added", `{"oneOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}]}`,
			`{"oneOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}, {"type": "string", "const": "c"}]}`,
			[]string{`+ enum value "c" [loosened] (Go: T)`}},
		{"consts and an enum", `{"oneOf": [{"type": "string", "const": "b"}, {"const": "a"}]}`, `{"type": "string", "enum": ["a", "b"]}`, nil},
		{"another const", `{"const": "a"}`, `{"const": "b"}`, []string{`~ const: "a" -> "b" [mixed] (Go: T)`}},
		{"a number is no string", `{"enum": [1, 2]}`, `{"enum": ["1", 2]}`,
			[]string{`+ enum value "1" [loosened] (Go: T)`, `- enum value 1 [tightened] (Go: T)`}},
		{"nullable, in three spellings", `{"enum": ["a", "b", null]}`, `{"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}`, nil},
		{"nullable", `{"enum": ["a", "b"]}`, `{"enum": ["a", "b", null]}`,
			[]string{`~ nullability: "a", "b" -> ("a", "b")|null [loosened] (Go: T)`}},
		{"values with titles", `{"oneOf": [{"const": 1, "title": "One"}, {"const": 2}]}`, `{"oneOf": [{"const": 1, "title": "Uno"}, {"const": 2}]}`,
			[]string{"~ title 1: One -> Uno (Go: T)"}},
		{"free text to an enum", `{"type": "string"}`, `{"type": "string", "enum": ["a"]}`, []string{`~ type: string -> "a" [tightened] (Go: T)`}},
		{"opened", `{"oneOf": [{"type": "string", "const": "a"}]}`, open, []string{"+ variant other: string [loosened] (Go: T)"}},
		{"value added to an open enum", open, `{"anyOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}, {"title": "other", "type": "string"}]}`,
			[]string{`+ enum value "b" (Go: T)`}},
		{"a value of another type added to an open enum", open, `{"anyOf": [{"type": "string", "const": "a"}, {"const": 5}, {"title": "other", "type": "string"}]}`,
			[]string{`+ enum value 5 [loosened] (Go: T)`}},
	} {
		p.run(t)
	}
}

func TestCompareVariants(t *testing.T) {
	union := func(variants string) string { return `{"oneOf": [` + variants + `]}` }
	other := func(tags string) string {
		return `{"title": "other", "type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"], "not": {"anyOf": [` + tags + `]}}`
	}
	not := func(tag string) string {
		return fmt.Sprintf(`{"type": "object", "properties": {"kind": {"type": "string", "const": %q}}, "required": ["kind"]}`, tag)
	}
	a, b := tagged("a", "Name"), tagged("b", "Label")
	for _, p := range []pair{
		{"added", union(a), union(a + "," + b), []string{`~ type: Name -> one of kind="a", kind="b" [loosened] (Go: T)`}},
		{"third one added", union(a + "," + b), union(a + "," + b + "," + tagged("c", "Count")), []string{`+ variant kind="c": Count [loosened] (Go: T)`}},
		{"order", union(a + "," + b), union(b + "," + a), nil},
		{"payload of a tag", union(a + "," + b), union(a + "," + tagged("b", "Count")),
			[]string{`~ <kind="b"> reference: Label -> Count [mixed] (Go: T)`}},
		{"tag of a payload", union(a + "," + b), union(a + "," + tagged("z", "Label")),
			[]string{`~ <kind="z">.kind const: "b" -> "z" [mixed] (Go: T)`}},
		{"one payload, many tags", union(tagged("a", "Name") + "," + tagged("b", "Name") + "," + tagged("c", "Name")),
			union(tagged("a", "Name") + "," + tagged("c", "Name") + "," + tagged("d", "Name") + "," + tagged("e", "Name")),
			[]string{`- variant kind="b": Name [tightened] (Go: T)`, `+ variant kind="d": Name [loosened] (Go: T)`, `+ variant kind="e": Name [loosened] (Go: T)`}},
		{"a tag all variants share is none", union(`{"title": "A", "properties": {"v": {"const": 1}}, "required": ["v"]}, {"title": "B", "properties": {"v": {"const": 1}}, "required": ["v"]}`),
			union(`{"title": "A", "properties": {"v": {"const": 1}}, "required": ["v"]}, {"title": "B", "properties": {"v": {"const": 2}}, "required": ["v"]}`),
			[]string{`~ <B>.v const: 1 -> 2 [mixed] (Go: T)`}},
		{"titled", `{"anyOf": [{"title": "Num", "type": "integer"}, {"title": "Str", "type": "string"}]}`,
			`{"anyOf": [{"title": "Num", "type": "integer", "minimum": 0}, {"title": "Text", "type": "string"}]}`,
			[]string{"+ <Num> range minimum: 0 [tightened] (Go: T)", "~ <Text> title: Str -> Text (Go: T)"}},
		{"by payload", `{"anyOf": [{"$ref": "#/$defs/Name"}, {"$ref": "#/$defs/Label"}]}`, `{"anyOf": [{"$ref": "#/$defs/Name"}, {"$ref": "#/$defs/Count"}]}`,
			[]string{"+ variant Count: Count [loosened] (Go: T)", "- variant Label: Label [tightened] (Go: T)"}},
		{"null among several", `{"anyOf": [{"type": "integer"}, {"type": "string"}]}`, `{"anyOf": [{"type": "integer"}, {"type": "null", "title": "Null"}, {"type": "string"}]}`,
			[]string{"~ nullability: one of integer, string -> (one of integer, string)|null [loosened] (Go: T)"}},
		{"oneOf to anyOf", union(a + "," + b), `{"anyOf": [` + a + "," + b + `]}`, []string{"~ combination: oneOf -> anyOf [loosened] (Go: T)"}},
		{"a known tag taken out of the catch-all", `{"anyOf": [` + a + "," + other(not("a")) + `]}`, `{"anyOf": [` + a + "," + b + "," + other(not("a")+","+not("b")) + `]}`,
			[]string{`+ variant kind="b": Label (Go: T)`, `~ <other> not type: object -> one of kind="a", kind="b" [tightened] (Go: T)`}},
		{"below a not", `{"not": {"enum": ["a", "b"]}}`, `{"not": {"enum": ["a"]}}`, []string{`-  not enum value "b" [loosened] (Go: T)`}},
		{"an exclusion added", `{"type": "string"}`, `{"type": "string", "not": {"const": "a"}}`, []string{`+  not exclusion: "a" [tightened] (Go: T)`}},
		{"a scalar and a union it is part of", `{"type": "string"}`, `{"anyOf": [{"type": "string", "title": "Str"}, {"type": "integer"}]}`,
			[]string{"~ type: string -> one of Str, integer [loosened] (Go: T)"}},
		{"a scalar and a union it is no part of", `{"type": "boolean"}`, `{"anyOf": [{"type": "string"}, {"type": "integer"}]}`,
			[]string{"~ type: boolean -> one of string, integer [unknown] (Go: T)"}},
		{"a tagged variant gets its tag", `{"anyOf": [` + a + `, {"title": "b", "allOf": [{"$ref": "#/$defs/Label"}]}]}`, `{"anyOf": [` + a + "," + b + `]}`,
			[]string{`~ <kind="b"> type: string -> object [mixed] (Go: T)`, `+ <kind="b"> property kind: "b", required [tightened] (Go: T)`, `- <kind="b"> title: b (Go: T)`}},
		{"flattened beside properties", `{"type": "object", "properties": {"id": {}}, "anyOf": [` + a + "," + b + `]}`, `{"type": "object", "properties": {"id": {}}}`,
			[]string{`- combination anyOf: one of kind="a", kind="b" [loosened] (Go: T)`}},
		{"a second allOf part", `{"allOf": [{"$ref": "#/$defs/Name"}]}`, `{"allOf": [{"$ref": "#/$defs/Name"}, {"$ref": "#/$defs/Label"}]}`,
			[]string{"+  allOf 0 combination: Label [tightened] (Go: T)"}},
	} {
		p.run(t)
	}
}
