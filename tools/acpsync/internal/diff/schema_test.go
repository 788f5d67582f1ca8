package diff_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpsync/internal/derive"
	"github.com/acpwire/acpwire/tools/acpsync/internal/diff"
)

// withKeyword holds one schema for each keyword, to be compared with the same schema without it.
var withKeyword = map[string]string{
	"$ref":                             `{"$ref": "#/$defs/Name"}`,
	"title":                            `{"title": "T"}`,
	"type":                             `{"type": "string"}`,
	"const":                            `{"const": 1}`,
	"enum":                             `{"enum": [1, 2]}`,
	"default":                          `{"default": 1}`,
	"format":                           `{"format": "uri"}`,
	"pattern":                          `{"pattern": "a"}`,
	"contentEncoding":                  `{"contentEncoding": "base64"}`,
	"minimum":                          `{"minimum": 1}`,
	"maximum":                          `{"maximum": 1}`,
	"exclusiveMinimum":                 `{"exclusiveMinimum": 1}`,
	"exclusiveMaximum":                 `{"exclusiveMaximum": 1}`,
	"minLength":                        `{"minLength": 1}`,
	"maxLength":                        `{"maxLength": 1}`,
	"minItems":                         `{"minItems": 1}`,
	"maxItems":                         `{"maxItems": 1}`,
	"required":                         `{"required": ["a"]}`,
	"properties":                       `{"properties": {"a": {}}}`,
	"additionalProperties":             `{"additionalProperties": false}`,
	"unevaluatedProperties":            `{"unevaluatedProperties": false}`,
	"items":                            `{"items": {"type": "string"}}`,
	"not":                              `{"not": {"type": "string"}}`,
	"allOf":                            `{"allOf": [{"type": "string"}]}`,
	"anyOf":                            `{"anyOf": [{"type": "string"}]}`,
	"oneOf":                            `{"oneOf": [{"type": "string"}]}`,
	"discriminator":                    `{"discriminator": {"propertyName": "a"}}`,
	"x-docs-ignore":                    `{"x-docs-ignore": true}`,
	"x-method":                         `{"x-method": "a/b"}`,
	"x-deserialize-default-on-error":   `{"x-deserialize-default-on-error": true}`,
	"x-deserialize-default-on-null":    `{"x-deserialize-default-on-null": true}`,
	"x-deserialize-skip-invalid-items": `{"x-deserialize-skip-invalid-items": true}`,
}

// A keyword that could come or go without a trace would make the report worthless.
func TestEveryKeywordIsCompared(t *testing.T) {
	elsewhere := map[string]bool{"description": true, "$schema": true, "$defs": true, "x-side": true}
	for _, keyword := range derive.Keywords() {
		if elsewhere[keyword] {
			continue
		}
		t.Run(keyword, func(t *testing.T) {
			with, ok := withKeyword[keyword]
			if !ok {
				t.Fatal("no schema with this keyword in withKeyword")
			}
			// The bare side constrains something, so that it is not the schema that accepts everything.
			for _, base := range []string{`{}`, `{"type": "array"}`} {
				var merged map[string]any
				if err := json.Unmarshal([]byte(base), &merged); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal([]byte(with), &merged); err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(merged)
				if err != nil {
					t.Fatal(err)
				}
				added := diff.Compare(schemaOf(t, base), schemaOf(t, string(text)))
				removed := diff.Compare(schemaOf(t, string(text)), schemaOf(t, base))
				if len(added) == 0 || len(removed) == 0 {
					t.Errorf("base %s: added gives %v, removed gives %v", base, added, removed)
				}
			}
		})
	}
	for keyword := range withKeyword {
		if !slices.Contains(derive.Keywords(), keyword) {
			t.Errorf("withKeyword has %q, which is no keyword", keyword)
		}
	}
}

func TestCompareWholeSchemas(t *testing.T) {
	before := `{"$schema": "old", "$defs": {
		"Gone": {"type": "object"},
		"OpenRequest": {"x-side": "agent", "x-method": "doc/open", "type": "object"},
		"OpenResponse": {"x-side": "agent", "x-method": "doc/open", "type": "object"},
		"MoveRequest": {"x-side": "agent", "x-method": "doc/move", "type": "object"},
		"DropRequest": {"x-side": "client", "x-method": "doc/drop", "type": "object"},
		"Envelope": {"x-docs-ignore": true, "type": "object"}}}`
	after := `{"$schema": "new", "anyOf": [{"$ref": "#/$defs/Envelope"}], "$defs": {
		"Envelope": {"x-docs-ignore": true, "type": "object", "required": ["id"]},
		"HttpUrl": {"type": "string"},
		"OpenRequest": {"x-side": "agent", "x-method": "doc/open", "type": "object"},
		"OpenResponse": {"type": "object"},
		"MoveRequest": {"x-side": "client", "x-method": "doc/move", "type": "object"},
		"DropRequest": {"type": "object"}}}`
	want := []string{
		"- method agent doc/move: MoveRequest",
		"~ method agent doc/open: OpenRequest, OpenResponse -> OpenRequest [unknown]",
		"- method client doc/drop: DropRequest",
		"+ method client doc/move: MoveRequest",
		"- Gone: object (Go: Gone)",
		"+ HttpUrl: string (Go: HTTPURL)",
		"~ type: any -> Envelope [tightened]",
		"~ dialect: old -> new [unknown]",
		"+ .id required id [tightened]",
	}
	var got []string
	for _, c := range diff.Compare(parse(t, before), parse(t, after)) {
		got = append(got, c.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestChangePointersAndClasses(t *testing.T) {
	before := schemaOf(t, `{"type": "object", "properties": {"a/b": {"type": "integer", "maximum": 5}, "c": {}}}`)
	after := schemaOf(t, `{"type": "object", "properties": {"d": {}, "a/b": {"type": "integer", "maximum": 4}}}`)
	want := []diff.Change{
		{Definition: "T", Go: "T.C", Subject: "property", Name: "c", Action: "removed", Effect: "none", Class: "removed", Old: "any, optional", Pointer: "#/$defs/T/properties/c"},
		{Definition: "T", Go: "T.D", Subject: "property", Name: "d", Action: "added", Effect: "none", Class: "added", New: "any, optional", Pointer: "#/$defs/T/properties/d"},
		{Definition: "T", Go: "T.AB", Place: ".a/b", Subject: "range", Name: "maximum", Action: "changed", Effect: "tightened", Class: "tightened",
			Old: "5", New: "4", Pointer: "#/$defs/T/properties/a~1b"},
	}
	if diff := cmp.Diff(want, diff.Compare(before, after)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		cause          error
	}{
		{"unknown keyword", `{"$defs": {"A": {"foo": 1}}}`, "#/$defs/A/foo", derive.ErrKeyword},
		{"dangling reference", `{"$ref": "#/$defs/A"}`, "#/$ref", derive.ErrReference},
		{"not JSON", `{`, "unexpected EOF", nil},
		{"a number too large to compare", `{"maximum": 1e999999999}`, "#/maximum: maximum is too large", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := diff.Parse([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("error %v; want one with %q, caused by %v", err, tt.want, tt.cause)
			}
		})
	}
}

// Unions in unions whose variants never match must not take exponential time.
func TestCompareDeepUnions(t *testing.T) {
	nest := func(leaf string) string {
		for range 200 {
			leaf = fmt.Sprintf(`{"anyOf": [{"type": "array", "items": %s}, {"type": "object", "additionalProperties": %s}]}`, leaf, `{"type":"null"}`)
		}
		return leaf
	}
	changes := diff.Compare(schemaOf(t, nest(`{"type": "string"}`)), schemaOf(t, nest(`{"type": "integer"}`)))
	if len(changes) == 0 {
		t.Error("no difference found")
	}
}

func TestCommittedSurfaces(t *testing.T) {
	stable, unstable := committed(t, "v1", "schema.json"), committed(t, "v1", "unstable.json")
	if changes := diff.Compare(stable, stable); changes != nil {
		t.Errorf("v1 differs from itself: %v", changes)
	}
	var added []string
	for _, c := range diff.Compare(stable, unstable) {
		if c.Subject == diff.SubjectMethod {
			added = append(added, string(c.Action)+" "+c.Name)
		}
		if c.Effect == diff.Tightened || c.Action == diff.Removed {
			t.Errorf("the unstable surface takes something away: %s: %s", c.Definition, c)
		}
	}
	if diff := cmp.Diff(methodsAdded(t), added); diff != "" {
		t.Errorf("methods: mismatch (-want +got):\n%s", diff)
	}
	if changes := diff.Compare(committed(t, "v1", "schema.json"), committed(t, "v2", "schema.json")); len(changes) < 100 {
		t.Errorf("v1 and v2 differ in %d places only", len(changes))
	}
}

// methodsAdded reads the methods that only the unstable surface has straight from the files.
func methodsAdded(t *testing.T) []string {
	t.Helper()
	methods := func(file string) map[string]bool {
		var root struct {
			Defs map[string]struct {
				Side   string `json:"x-side"`
				Method string `json:"x-method"`
			} `json:"$defs"`
		}
		if err := json.Unmarshal(read(t, "v1", file), &root); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, def := range root.Defs {
			if def.Method != "" {
				found["added "+def.Side+" "+def.Method] = true
			}
		}
		return found
	}
	all := methods("unstable.json")
	for method := range methods("schema.json") {
		delete(all, method)
	}
	return slices.Sorted(maps.Keys(all))
}

// Each Go type the report names for a v1 definition must be declared in the generated package.
func TestGoNamesAreGenerated(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "gen", "acpv1", "*_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("gen/acpv1 holds no generated code yet")
	}
	declared := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, spec := range d.Specs {
					declared[spec.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
	}
	for _, c := range diff.Compare(parse(t, `{}`), committed(t, "v1", "schema.json")) {
		if c.Subject == diff.SubjectDefinition && c.Go != "" && !declared[c.Go] {
			t.Errorf("definition %s: gen/acpv1 declares no type %s", c.Definition, c.Go)
		}
	}
}

// A schema never differs from itself, whatever it looks like, and comparing never fails.
func FuzzCompare(f *testing.F) {
	f.Add([]byte(`{"anyOf": [{"const": 1}, {"type": ["null", "string"]}]}`), []byte(`{"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"$ref": "#/$defs/A"}}}`))
	f.Add([]byte(`{"not": {"enum": [null]}, "oneOf": [true, false]}`), []byte(`{"type": [], "properties": {"a": {"items": {"const": "x"}}}}`))
	for _, schema := range withKeyword {
		f.Add(fmt.Appendf(nil, `{"$defs": {"Name": %s}}`, strings.ReplaceAll(schema, `"$ref": "#/$defs/Name"`, "")), []byte(`{"$defs": {"Name": {"type": "string"}}}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		before, err := diff.Parse(a)
		if err != nil {
			return
		}
		if changes := diff.Compare(before, before); changes != nil {
			t.Errorf("%s differs from itself: %v", a, changes)
		}
		after, err := diff.Parse(b)
		if err != nil {
			return
		}
		forth, back := diff.Compare(before, after), diff.Compare(after, before)
		if (len(forth) == 0) != (len(back) == 0) {
			t.Errorf("%s to %s: %v, and back: %v", a, b, forth, back)
		}
	})
}

func parse(t *testing.T, text string) *diff.Schema {
	t.Helper()
	s, err := diff.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "..", "..", "schema"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func committed(t *testing.T, elem ...string) *diff.Schema {
	t.Helper()
	return parse(t, string(read(t, elem...)))
}
