package validate

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A generator builds instances of a published schema, and damages them. It is seeded, and knows nothing of the rewrite.
type generator struct {
	rand   *rand.Rand
	defs   map[string]any
	names  []string // of every property in the schema
	consts []any    // every constant in the schema
	spare  any      // an earlier instance, to take pieces of
}

func newGenerator(t testing.TB, raw []byte, seed uint64) *generator {
	t.Helper()
	tree, err := decode(raw, exactNumber)
	if err != nil {
		t.Fatal(err)
	}
	g := &generator{rand: rand.New(rand.NewPCG(1, seed)), defs: tree.(map[string]any)["$defs"].(map[string]any)}
	names, consts := map[string]bool{}, map[string]any{}
	var walk func(node any)
	walk = func(node any) {
		switch n := node.(type) {
		case map[string]any:
			if properties, ok := n["properties"].(map[string]any); ok {
				for name := range properties {
					names[name] = true
				}
			}
			if c, ok := n["const"]; ok {
				consts[show(c)] = c
			}
			for _, value := range n {
				walk(value)
			}
		case []any:
			for _, item := range n {
				walk(item)
			}
		}
	}
	walk(g.defs)
	g.names = sortedKeys(names)
	for _, key := range sortedKeys(consts) {
		g.consts = append(g.consts, consts[key])
	}
	return g
}

func (g *generator) chance(percent int) bool {
	return g.rand.IntN(100) < percent
}

func pick[T any](g *generator, from []T) T {
	return from[g.rand.IntN(len(from))]
}

// instance returns an instance of a definition, damaged in up to three places.
func (g *generator) instance(def string) []byte {
	value := g.value(g.defs[def], 0)
	for range g.rand.IntN(4) {
		value = g.damage(value)
	}
	g.spare = value
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}

var (
	strings0 = []any{"", "a", "x/y~z", "terminal", "http", "_own", strings.Repeat("é", 50)}
	numbers  = []any{
		json.Number("0"), json.Number("-0"), json.Number("1"), json.Number("-1"), json.Number("1.0"), json.Number("7e3"), json.Number("1.5"),
		json.Number("65535"), json.Number("65536"), json.Number("4294967295"), json.Number("4294967296"), json.Number("2147483648"),
		json.Number("-2147483649"), json.Number("9223372036854775807"), json.Number("9223372036854775808"), json.Number("-9223372036854775809"),
		json.Number("18446744073709551615"), json.Number("18446744073709551616"), json.Number("1e400"), json.Number("1e-400"), json.Number("0e999999999"),
	}
)

// anything returns a JSON value of any type, mostly small.
func (g *generator) anything() any {
	switch g.rand.IntN(9) {
	case 0:
		return nil
	case 1:
		return g.chance(50)
	case 2, 3:
		return pick(g, numbers)
	case 4:
		return pick(g, strings0)
	case 5:
		return pick(g, g.consts)
	case 6:
		return []any{}
	case 7:
		return []any{pick(g, strings0)}
	default:
		return map[string]any{pick(g, g.names): pick(g, strings0)}
	}
}

// value returns a value that fits a schema, "not" and integer formats aside.
func (g *generator) value(node any, depth int) any {
	n, ok := node.(map[string]any)
	if !ok || len(n) == 0 {
		return g.anything()
	}
	if name, ok := refName(n["$ref"]); ok {
		return g.value(g.defs[name], depth)
	}
	if c, ok := n["const"]; ok {
		return c
	}
	var parts []any
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if list, ok := n[keyword].([]any); ok {
			parts = append(parts, g.value(pick(g, list), depth))
			if g.chance(15) {
				parts = append(parts, g.some(g.value(pick(g, list), depth)))
			}
		}
	}
	all, _ := n["allOf"].([]any)
	for _, part := range all {
		parts = append(parts, g.value(part, depth))
	}
	if types := typesOf(n["type"]); len(types) > 0 {
		parts = append(parts, g.typed(pick(g, types), n, depth))
	}
	if len(parts) == 0 {
		return g.anything()
	}
	return merge(parts)
}

// some leaves out about half of an object's members: a piece of one variant to put into another.
func (g *generator) some(value any) any {
	object, _ := value.(map[string]any)
	out := map[string]any{}
	for _, name := range sortedKeys(object) {
		if g.chance(50) {
			out[name] = object[name]
		}
	}
	return out
}

// merge joins objects; of anything else, the first wins.
func merge(parts []any) any {
	out, ok := parts[0].(map[string]any)
	if !ok {
		return parts[0]
	}
	out = maps.Clone(out)
	for _, part := range parts[1:] {
		m, _ := part.(map[string]any)
		for name, value := range m {
			if _, ok := out[name]; !ok {
				out[name] = value
			}
		}
	}
	return out
}

func (g *generator) typed(name string, n map[string]any, depth int) any {
	switch name {
	case "null":
		return nil
	case "boolean":
		return g.chance(50)
	case "integer", "number":
		if g.chance(60) {
			return json.Number("7")
		}
		return pick(g, numbers)
	case "string":
		return pick(g, strings0)
	case "array":
		items := []any{}
		for range g.rand.IntN(3) {
			if depth < 8 && n["items"] != nil {
				items = append(items, g.value(n["items"], depth+1))
			}
		}
		return items
	default:
		return g.object(n, depth)
	}
}

func (g *generator) object(n map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := n["properties"].(map[string]any)
	required := stringsOf(n["required"])
	for _, name := range sortedKeys(properties) {
		if slices.Contains(required, name) || depth < 8 && g.chance(30) {
			out[name] = g.value(properties[name], depth+1)
		}
	}
	if values, ok := n["additionalProperties"].(map[string]any); ok && g.chance(60) {
		out[pick(g, []string{"k", "", "type", "a/b"})] = g.value(values, depth+1)
	}
	return out
}
