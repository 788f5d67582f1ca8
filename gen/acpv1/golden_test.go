package acpv1

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
)

// A golden is one file of testdata/golden, TYPE.full.json or TYPE.min.json. Where the type is an object with a union as a part of it, the name goes on
// with the variant: SessionConfigOption.SessionConfigBoolean.full.json.
type golden struct {
	// name is the file's name without its form.
	name string
	// typ is the type, variants are those of the unions that are part of it, from the outside in.
	typ      string
	variants []string
	full     bool
	pretty   []byte
	// wire is the same without white space.
	wire []byte
}

func (g golden) String() string {
	if g.full {
		return g.name + ".full"
	}
	return g.name + ".min"
}

// isUnknown reports whether the golden is a variant that a closed union does not know.
func (g golden) isUnknown(t testing.TB) bool {
	t.Helper()
	last := g.typ
	if len(g.variants) > 0 {
		last = g.variants[0]
	}
	return strings.HasPrefix(last, "Unknown") && isClosed(t, codecs()[g.typ].def(t))
}

func goldens(t testing.TB) []golden {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	for _, file := range files {
		pretty, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, full := strings.CutSuffix(filepath.Base(file), ".full.json")
		if !full {
			var ok bool
			if name, ok = strings.CutSuffix(name, ".min.json"); !ok {
				t.Fatalf("%s is neither .full.json nor .min.json", file)
			}
		}
		parts := strings.Split(name, ".")
		if _, ok := codecs()[parts[0]]; !ok {
			t.Fatalf("%s: there is no type %s", file, parts[0])
		}
		all = append(all, golden{name: name, typ: parts[0], variants: parts[1:], full: full, pretty: pretty, wire: compact(t, pretty)})
	}
	return all
}

// eachGolden runs test for every golden of the form that the schema knows.
func eachGolden(t *testing.T, test func(t *testing.T, g golden, c codec)) {
	for _, g := range goldens(t) {
		if !g.isUnknown(t) {
			t.Run(g.String(), func(t *testing.T) { test(t, g, codecs()[g.typ]) })
		}
	}
}

// TestGoldens decodes each file, encodes the value, and decodes that again.
func TestGoldens(t *testing.T) {
	eachGolden(t, func(t *testing.T, g golden, c codec) {
		v, report, err := c.decode(g.wire, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wire.Report{}, report); diff != "" {
			t.Errorf("report mismatch (-want +got)\n%s", diff)
		}
		if got := typeName(v); got != g.typ {
			t.Fatalf("decoded a %s", got)
		}
		b, err := c.encode(v)
		if err != nil {
			t.Fatal(err)
		}
		checkSameJSON(t, g.wire, b, nil)
		checkSame(t, c, b, v, exactly)
		if def := c.def(t); def != "" && !verdict(t, def, b) {
			t.Errorf("the oracle refuses what was encoded as %s: %s", def, b)
		}
		if def := definition(t, g.typ); def != "" && !verdict(t, def, b) {
			t.Errorf("the oracle refuses what was encoded as %s: %s", def, b)
		}

		spread, _, err := c.decode(g.pretty, nil)
		if err != nil {
			t.Fatal(err)
		}
		line, err := c.encode(spread)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(b), string(line)); diff != "" {
			t.Errorf("white space in the input changed the output: mismatch (-want +got)\n%s", diff)
		}
	})
}

// TestGoldensJSON does the same by encoding/json.
func TestGoldensJSON(t *testing.T) {
	eachGolden(t, func(t *testing.T, g golden, c codec) {
		want, _, err := c.decode(g.wire, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.unmarshal(g.wire)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, exactly); diff != "" {
			t.Errorf("mismatch (-want +got)\n%s", diff)
		}
		checkSameJSON(t, g.wire, render(t, got), nil)
		if value := reflect.ValueOf(got); value.Kind() == reflect.Pointer {
			checkSameJSON(t, g.wire, render(t, value.Elem().Interface()), nil)
		}
	})
}

// TestGoldensForm holds the files to their names: full has every member, with a value that is not the default; min has no optional one. That min has the
// required ones only is shown by TestMissing.
func TestGoldensForm(t *testing.T) {
	eachGolden(t, func(t *testing.T, g golden, c codec) {
		v, _, err := c.decode(g.wire, nil)
		if err != nil {
			t.Fatal(err)
		}
		value := reflect.Indirect(reflect.ValueOf(v))
		if value.Kind() != reflect.Struct || value.Type() == reflect.TypeFor[wire.RequestID]() {
			if g.full && value.IsZero() { // what has no members has no minimal form either
				t.Error("the full form is a zero value")
			}
			return
		}
		checkForm(t, value, g.full, g.variants)
	})
}

// onlyDefault are members whose default is the only value that the schema allows.
var onlyDefault = map[string]bool{"ElicitationSchema.Type": true}

func checkForm(t *testing.T, value reflect.Value, full bool, variants []string) {
	t.Helper()
	typ := value.Type()
	for i := range typ.NumField() {
		field := typ.Field(i)
		name := typ.Name() + "." + field.Name
		tag := field.Tag.Get("json")
		switch {
		case tag == "-":
			variant := value.Field(i).Elem().Elem()
			if len(variants) == 0 || variant.Type().Name() != variants[0] {
				t.Fatalf("%s is a %s, the file's name says %v", name, variant.Type().Name(), variants)
			}
			checkForm(t, variant, full, variants[1:])
			variants = variants[1:]
		case tag == "" && field.Name == "Tag": // it stands in the object that the variant is part of
		case full && value.Field(i).IsZero():
			t.Errorf("%s is not there", name)
		case full && !onlyDefault[name] && isDefault(value, field.Name):
			t.Errorf("%s has its default", name)
		case !full && strings.HasSuffix(tag, ",omitzero") && !value.Field(i).IsZero():
			t.Errorf("%s is there", name)
		}
	}
}

// isDefault reports whether the accessor of a field, if there is one, returns the same for the value as for no value at all.
func isDefault(value reflect.Value, field string) bool {
	get := value.Addr().MethodByName("Get" + field)
	if !get.IsValid() {
		return false
	}
	absent := reflect.Zero(value.Addr().Type()).MethodByName("Get" + field)
	return cmp.Equal(get.Call(nil)[0].Interface(), absent.Call(nil)[0].Interface(), exactly)
}

// TestGoldensUnknown shows what becomes of a variant that a closed union does not know.
func TestGoldensUnknown(t *testing.T) {
	n := 0
	for _, g := range goldens(t) {
		if !g.isUnknown(t) {
			continue
		}
		n++
		t.Run(g.String(), func(t *testing.T) { checkUnknown(t, g, codecs()[g.typ]) })
	}
	if n == 0 {
		t.Error("there is none")
	}
}

func checkUnknown(t *testing.T, g golden, c codec) {
	if verdict(t, c.def(t), g.wire) {
		t.Errorf("the oracle accepts %s", g.wire)
	}
	for name, opts := range map[string]*wire.DecodeOptions{
		"strict": nil, "strict with keep": {KeepUnknownVariants: true}, "lenient": {Lenient: true},
	} {
		_, _, err := c.decode(g.wire, opts)
		if err == nil {
			t.Errorf("%s: accepted", name)
		} else if list := violations(t, err); len(list) != 1 || list[0].Keyword != "discriminator" {
			t.Errorf("%s: got\n%swant one of keyword discriminator", name, summary(list))
		}
	}
	v, report, err := c.decode(g.wire, &wire.DecodeOptions{Lenient: true, KeepUnknownVariants: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Repairs) != 1 || report.Repairs[0].Action != wire.Kept || report.Repairs[0].Pointer != "" {
		t.Errorf("got the repairs %v, want one, kept", report.Repairs)
	}
	members := parse(t, g.wire).(map[string]any)
	switch v := reflect.ValueOf(v).Elem(); len(g.variants) {
	case 0:
		if raw := v.FieldByName("Raw").Bytes(); !bytes.Equal(raw, g.wire) {
			t.Errorf("got %s, want %s", raw, g.wire)
		}
	default:
		kept := v.FieldByName("Type").Elem().Elem()
		if tag := kept.FieldByName("Tag").String(); tag != members["type"] {
			t.Errorf("got the tag %q, want %q", tag, members["type"])
		}
	}
	b, err := c.encode(v)
	if err == nil {
		t.Fatalf("encoded as %s", b)
	}
	if list := violations(t, err); len(list) != 1 || !slices.Contains([]string{"", "/type"}, list[0].Pointer) {
		t.Errorf("got\n%swant one violation, of the whole or its tag", summary(list))
	}
}

// TestSurface judges the goldens of each method's params and result as such.
func TestSurface(t *testing.T) {
	byType := map[string][]golden{}
	for _, g := range goldens(t) {
		byType[g.typ] = append(byType[g.typ], g)
	}
	v := newOracle(t)
	for _, m := range Surface.Methods {
		t.Run(m.Name, func(t *testing.T) {
			check := func(msg wire.Message, def string, judge func(string, []byte) error) {
				t.Helper()
				if got := definition(t, typeName(msg)); got != def {
					t.Errorf("%s stands for %q, not for %s", typeName(msg), got, def)
				}
				if len(byType[typeName(msg)]) == 0 {
					t.Errorf("%s has no golden", typeName(msg))
				}
				for _, g := range byType[typeName(msg)] {
					if err := judge(m.Name, g.wire); err != nil {
						t.Errorf("%s: %v", g, err)
					}
				}
			}
			check(m.NewParams(), m.Params, v.Params)
			if !m.IsNotification() {
				check(m.NewResult(), m.Result, v.Result)
			}
		})
	}
	if len(v.Methods()) != len(Surface.Methods) {
		t.Errorf("%d methods, the schema has %d", len(Surface.Methods), len(v.Methods()))
	}
}
