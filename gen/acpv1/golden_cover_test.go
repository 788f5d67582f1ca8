package acpv1

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
)

var schemaDefs = sync.OnceValues(func() (map[string]map[string]any, error) {
	raw, err := schema.JSON("v1")
	if err != nil {
		return nil, err
	}
	var root struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	return root.Defs, json.Unmarshal(raw, &root)
})

// isClosed reports whether the union def allows no variants but its own: those that the schema decides by a discriminator do not.
func isClosed(t testing.TB, def string) bool {
	t.Helper()
	defs, err := schemaDefs()
	if err != nil {
		t.Fatal(err)
	}
	return defs[def]["discriminator"] != nil
}

// A source is what the generated files declare.
type source struct {
	types    map[string]ast.Expr
	variants map[string][]string // by union
	consts   map[string][]ast.Expr
}

func parseSource(t *testing.T) source {
	t.Helper()
	s := source{types: map[string]ast.Expr{}, variants: map[string][]string{}, consts: map[string][]ast.Expr{}}
	files, err := filepath.Glob("*_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.GenDecl:
				s.declaration(decl, file)
			case *ast.FuncDecl:
				s.method(decl)
			}
		}
	}
	return s
}

func (s source) declaration(decl *ast.GenDecl, file string) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if file == "types_gen.go" || file == "unions_gen.go" || file == "enums_gen.go" {
				s.types[spec.Name.Name] = spec.Type
			}
		case *ast.ValueSpec:
			if typ, ok := spec.Type.(*ast.Ident); ok && decl.Tok == token.CONST {
				s.consts[typ.Name] = append(s.consts[typ.Name], spec.Values...)
			}
		}
	}
}

func (s source) method(decl *ast.FuncDecl) {
	if decl.Recv == nil {
		return
	}
	typ := decl.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	receiver := typ.(*ast.Ident).Name
	if union, ok := strings.CutPrefix(decl.Name.Name, "is"); ok {
		s.variants[union] = append(s.variants[union], receiver)
	}
}

// parts returns the unions that are part of a struct: their members stand beside its own.
func (s source) parts(typ string) []string {
	object, ok := s.types[typ].(*ast.StructType)
	if !ok {
		return nil
	}
	var unions []string
	for _, field := range object.Fields.List {
		if field.Tag != nil && strings.Contains(field.Tag.Value, `json:"-"`) {
			unions = append(unions, field.Type.(*ast.Ident).Name)
		}
	}
	return unions
}

// forms returns the names that goldens of the type have: one for each choice of variants.
func (s source) forms(typ string) []string {
	names := []string{typ}
	for _, union := range s.parts(typ) {
		var longer []string
		for _, name := range names {
			for _, variant := range s.variants[union] {
				for _, form := range s.forms(variant) {
					longer = append(longer, name+"."+form)
				}
			}
		}
		names = longer
	}
	return names
}

func (s source) isEnum(typ string) bool { return len(s.consts[typ]) > 0 }

// TestGoldenOfEveryType fails if a type or a variant of the package has no golden, or is not decoded by the tests.
func TestGoldenOfEveryType(t *testing.T) {
	s := parseSource(t)
	var want []string
	for typ, expr := range s.types {
		if _, isUnion := expr.(*ast.InterfaceType); isUnion || s.isEnum(typ) {
			continue
		}
		for _, form := range s.forms(typ) {
			want = append(want, form+".full", form+".min")
		}
	}
	var got []string
	for _, g := range goldens(t) {
		got = append(got, g.String())
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 300 {
		t.Errorf("found only %d goldens to be expected", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("testdata/golden: mismatch (-want +got)\n%s", diff)
	}
}

// TestCodecOfEveryVariant fails if the tests do not take each variant for one of its union.
func TestCodecOfEveryVariant(t *testing.T) {
	s := parseSource(t)
	got := map[string][]string{}
	for name, c := range codecs() {
		if c.union != "" {
			got[c.union] = append(got[c.union], name)
		}
	}
	want := maps.Clone(s.variants)
	for typ := range s.types {
		for _, union := range s.parts(typ) {
			delete(want, union) // TestGoldensForm sees their variants
		}
	}
	for _, m := range []map[string][]string{want, got} {
		for union := range m {
			slices.Sort(m[union])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got)\n%s", diff)
	}
}

// hostOnly are the types that stand for no definition of the schema, but for a part of one. The goldens of the object they are part of are judged.
var hostOnly = map[string]string{
	"UnknownElicitationMode":         "CreateElicitationRequest",
	"UnknownElicitationAction":       "CreateElicitationResponse",
	"UnknownSessionConfigOptionType": "SessionConfigOption",
	"SessionConfigBooleanValue":      "SetSessionConfigOptionRequest",
	"SessionConfigSelectValue":       "SetSessionConfigOptionRequest",
	"ElicitationDeclineAction":       "CreateElicitationResponse",
	"ElicitationCancelAction":        "CreateElicitationResponse",
}

func TestDefinitionOfEveryType(t *testing.T) {
	for name, c := range codecs() {
		if _, partial := hostOnly[name]; (c.def(t) == "") != partial {
			t.Errorf("%s is judged as %q, but being part of %q only is %v", name, c.def(t), hostOnly[name], partial)
		}
	}
}
