package validate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/schema"
)

// judge returns whether a value is valid, and fails the test if the verdict is anything but valid or wrong data.
func judge(t *testing.T, v *Validator, def string, raw []byte) (*DataError, bool) {
	t.Helper()
	err := v.Def(def, raw)
	if err == nil {
		return nil, true
	}
	var wrong *DataError
	if !errors.As(err, &wrong) {
		t.Fatalf("%s: %s\n%v", def, raw, err)
	}
	return wrong, false
}

// pairOf returns a surface's validator, and one that leaves the schema as it is but for the integer formats.
func pairOf(t *testing.T, raw []byte) (rewritten, plain *Validator) {
	t.Helper()
	rewritten, err := newValidator(raw, false)
	if err != nil {
		t.Fatal(err)
	}
	plain, err = newValidator(raw, true)
	if err != nil {
		t.Fatal(err)
	}
	return rewritten, plain
}

// unionDefs returns the definitions in which a union was rewritten.
func unionDefs(v *Validator) []string {
	names := map[string]bool{}
	for pointer := range v.rules.origins {
		if strings.HasSuffix(pointer, "/then") || strings.HasSuffix(pointer, "/else") {
			name, _ := cutToken(strings.TrimPrefix(pointer, "/$defs"))
			names[name] = true
		}
	}
	return sortedKeys(names)
}

// The rewrite must not change a verdict. Instances are built from the schema, damaged, and judged with and without it:
// those of every method's params and result, and of every definition with a rewritten union, where the density is highest.
func TestRewriteKeepsVerdicts(t *testing.T) {
	for _, test := range []struct {
		surface             string
		perMethod, perUnion int
		atLeast             int
	}{
		{"v1", 400, 400, 20000},
		{"v1-unstable", 50, 80, 4000},
		{"v2", 60, 120, 4000},
		{"v2-unstable", 40, 80, 3000},
	} {
		t.Run(test.surface, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				test.perMethod, test.perUnion, test.atLeast = 20, 20, 500
			}
			raw, err := schema.JSON(test.surface)
			if err != nil {
				t.Fatal(err)
			}
			c := newComparison(t, raw)
			counts := map[string]int{}
			for _, m := range c.rewritten.Methods() {
				counts[m.Params] = test.perMethod
				if m.Kind == KindRequest {
					counts[m.Result] = test.perMethod
				}
			}
			unions := unionDefs(c.rewritten)
			if len(unions) < 10 {
				t.Errorf("only %d definitions with a rewritten union", len(unions))
			}
			for _, name := range unions {
				counts[name] = max(counts[name], test.perUnion)
			}
			accepted, total := 0, 0
			for _, name := range sortedKeys(counts) {
				accepted += c.definition(t, name, counts[name])
				total += counts[name]
			}
			t.Logf("%d instances of %d definitions, %d valid", total, len(counts), accepted)
			if total < test.atLeast || accepted < total/5 || accepted > total*4/5 {
				t.Errorf("%d instances, %d valid: not enough of each verdict", total, accepted)
			}
		})
	}
}

// A comparison judges generated instances with and without the rewrite.
type comparison struct {
	rewritten, plain *Validator
	instances        *generator
	published        any
}

func newComparison(t *testing.T, raw []byte) *comparison {
	t.Helper()
	c := &comparison{instances: newGenerator(t, raw, 1)}
	c.rewritten, c.plain = pairOf(t, raw)
	var err error
	if c.published, err = decode(raw, exactNumber); err != nil {
		t.Fatal(err)
	}
	return c
}

// definition compares n instances of a definition and returns how many are valid.
func (c *comparison) definition(t *testing.T, name string, n int) (accepted int) {
	t.Helper()
	for range n {
		instance := c.instances.instance(name)
		_, want := judge(t, c.plain, name, instance)
		wrong, got := judge(t, c.rewritten, name, instance)
		if got != want {
			t.Fatalf("%s: valid is %t, but %t after the rewrite (%v)\n%s", name, want, got, wrong, instance)
		}
		if got {
			accepted++
		} else {
			checkViolations(t, wrong, instance, c.published)
		}
	}
	def, _ := c.instances.defs[name].(map[string]any)
	if unconstrained := onlyKeys(def, "x-side", "x-method"); !unconstrained && (accepted == 0 || accepted == n) {
		t.Errorf("%s: %d of %d instances are valid: too few of one verdict", name, accepted, n)
	}
	return accepted
}

// checkViolations checks what holds for every error: both pointers lead somewhere, and the order is the promised one.
func checkViolations(t *testing.T, wrong *DataError, instance []byte, published any) {
	t.Helper()
	value, err := decode(instance, exactNumber)
	if err != nil {
		t.Fatal(err)
	}
	if len(wrong.Violations) == 0 {
		t.Fatalf("no violations\n%s", instance)
	}
	for i, v := range wrong.Violations {
		if !exists(value, v.Pointer) {
			t.Fatalf("%+v: no such value\n%s", v, instance)
		}
		path, ok := strings.CutPrefix(v.SchemaPath, "#")
		if !ok || !exists(published, path) {
			t.Fatalf("%+v: no such place in the schema\n%s", v, instance)
		}
		if v.Keyword == "" || v.Expected == "" || !strings.HasPrefix(v.Message, strings.SplitN(v.Expected, ";", 2)[0]) {
			t.Fatalf("%+v: not filled in\n%s", v, instance)
		}
		if i > 0 && depth(v.Pointer) > depth(wrong.Violations[i-1].Pointer) {
			t.Fatalf("not sorted: %v\n%s", wrong.Violations, instance)
		}
	}
}

// exists reports whether a pointer leads to a value, null included.
func exists(value any, pointer string) bool {
	for pointer != "" {
		var token string
		token, pointer = cutToken(pointer)
		switch v := value.(type) {
		case map[string]any:
			name := tokenUnescaper.Replace(token)
			if name == "" {
				name = emptyName
			}
			member, ok := v[name]
			if !ok {
				return false
			}
			value = member
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return false
			}
			value = v[i]
		default:
			return false
		}
	}
	return true
}

// The comparison would be worth nothing if it missed a wrong rewrite. Here each rewrite of a union is made wrong in turn:
// a known tag forgets the other branches that may accept it, an unknown tag is refused, and one tag gets another's branch.
func TestWrongRewriteIsFound(t *testing.T) {
	for _, surface := range []string{"v1", "v2"} {
		t.Run(surface, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				t.Skip("compiles a schema for every union of the protocol")
			}
			raw, err := schema.JSON(surface)
			if err != nil {
				t.Fatal(err)
			}
			rewritten, plain := pairOf(t, raw)
			sabotages := map[string]func(parent map[string]any, keyword string){}
			for pointer, own := range rewritten.rules.own {
				sabotages[pointer] = func(parent map[string]any, keyword string) {
					list := parent[keyword].([]any)
					parent[keyword] = []any{list[own]}
				}
			}
			for pointer := range rewritten.rules.defaults {
				sabotages[pointer] = func(parent map[string]any, keyword string) { parent[keyword] = false }
			}
			for pointer := range rewritten.rules.origins {
				if strings.HasSuffix(pointer, "/then") {
					sabotages[pointer] = func(parent map[string]any, keyword string) { parent[keyword] = parent["else"] }
				}
			}
			if len(sabotages) < 20 {
				t.Errorf("only %d places to make wrong", len(sabotages))
			}
			for _, pointer := range sortedKeys(sabotages) {
				broken, err := newValidator(raw, false)
				if err != nil {
					t.Fatal(err)
				}
				i := strings.LastIndexByte(pointer, '/')
				parent := lookup(broken.defs, strings.TrimPrefix(pointer[:i], "/$defs")).(map[string]any)
				sabotages[pointer](parent, pointer[i+1:])
				def, _ := cutToken(strings.TrimPrefix(pointer, "/$defs"))
				if err := findDifference(t, newGenerator(t, raw, 2), plain, broken, def); err != nil {
					t.Errorf("%s: %v", pointer, err)
				}
			}
		})
	}
}

func findDifference(t *testing.T, g *generator, plain, broken *Validator, def string) error {
	const tries = 4000
	for range tries {
		instance := g.instance(def)
		_, want := judge(t, plain, def, instance)
		if _, got := judge(t, broken, def, instance); got != want {
			return nil
		}
	}
	return fmt.Errorf("made wrong, and %d instances of %s did not show it", tries, def)
}
