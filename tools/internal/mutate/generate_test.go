package mutate

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/schema"
	"github.com/acpwire/acpwire/schema/validate"
)

func load(t testing.TB, surface string) *Schema {
	t.Helper()
	s, err := Load(surface)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGeneratorValid holds every generated instance to the reference validator.
func TestGeneratorValid(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		t.Run(surface, func(t *testing.T) {
			s := load(t, surface)
			oracle, err := validate.New(surface)
			if err != nil {
				t.Fatal(err)
			}
			g := NewGenerator(s, rand.New(rand.NewPCG(1, 1)))
			for _, def := range s.Defs() {
				for range 20 {
					raw := g.Def(def).Append(nil)
					if err := oracle.Def(def, raw); err != nil {
						t.Fatalf("%s: %v\n%s", def, err, raw)
					}
				}
			}
		})
	}
}

// TestGeneratorCoverage wants every definition, member and variant to be produced, and finds that out by looking for one that is not.
func TestGeneratorCoverage(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		t.Run(surface, func(t *testing.T) {
			s := load(t, surface)
			g := NewGenerator(s, rand.New(rand.NewPCG(1, 1)))
			g.Coverage = NewCoverage(s)
			missing := s.Defs()
			for round := 0; len(missing) > 0 && round < 40; round++ {
				for _, def := range s.Defs() {
					for range 20 {
						g.Def(def)
					}
				}
				missing = g.Coverage.Missing(s.Defs()...)
			}
			if len(missing) > 0 {
				t.Errorf("never produced, of %d:\n%s", g.Coverage.Points(s.Defs()...), strings.Join(missing, "\n"))
			}
			t.Logf("%d definitions, members, variants, types, elements and values", g.Coverage.Points(s.Defs()...))
		})
	}
}

func TestCoverageMissing(t *testing.T) {
	s, err := Read([]byte(`{"$defs": {
		"A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}, "c": {"type": ["array", "null"], "items": {"type": "string"}}}},
		"B": {"anyOf": [{"const": "x"}, {"const": "y"}]}
	}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := NewCoverage(s)
	if got, want := len(c.Missing("B")), c.Points("B"); got != want || want != 3 {
		t.Errorf("of an unused definition %d of %d points are missing, want all 3", got, want)
	}
	c.node(s.defs["B"])
	c.node(s.defs["B"].anyOf[1])
	if got, want := strings.Join(c.Missing("B"), " "), "/$defs/B/anyOf/0"; got != want {
		t.Errorf("got %q missing, want %q", got, want)
	}
	want := "/$defs/A /$defs/A/properties/b /$defs/B/anyOf/0 /$defs/A/properties/c /$defs/A/properties/c/type/array " +
		"/$defs/A/properties/c/type/null /$defs/A/properties/c/items"
	if got := strings.Join(c.Missing("A"), " "); got != want {
		t.Errorf("got %q missing, want %q", got, want)
	}
	other := NewCoverage(s)
	other.node(s.defs["B"].anyOf[0])
	c.Merge(other)
	if got := c.Missing("B"); len(got) > 0 {
		t.Errorf("after the merge %q are missing, want none", got)
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"not JSON", `{`, "unexpected EOF"},
		{"no definitions", `{}`, "/$defs: expected an object of definitions"},
		{"unknown keyword", `{"$defs": {"A": {"properties": {"b": {"pattern": "x"}}}}}`, "/$defs/A/properties/b/pattern: unknown keyword"},
		{"unknown reference", `{"$defs": {"A": {"$ref": "#/$defs/B"}}}`, `/$defs/A/$ref: no definition "B"`},
		{"no schema", `{"$defs": {"A": {"anyOf": [1]}}}`, "/$defs/A/anyOf/0: expected a schema"},
		{"no count", `{"$defs": {"A": {"minLength": 1.5}}}`, "/$defs/A/minLength: expected a count"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read([]byte(test.schema))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
	if _, err := Load("v9"); !errors.Is(err, schema.ErrSurface) {
		t.Errorf("got error %v for an unknown surface, want schema.ErrSurface", err)
	}
}
