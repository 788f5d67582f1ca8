package mutate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is from how deep on an instance has no optional parts, so that recursive schemas end.
const maxDepth = 12

// A Generator makes valid instances of definitions. It is not safe for concurrent use.
type Generator struct {
	schema *Schema
	rand   *rand.Rand
	// Coverage, if not nil, counts what is produced.
	Coverage *Coverage
}

// NewGenerator returns a generator that draws from r.
func NewGenerator(s *Schema, r *rand.Rand) *Generator { return &Generator{schema: s, rand: r} }

// Def returns a valid instance of a definition, or null if the schema has none of that name.
func (g *Generator) Def(name string) *Value {
	n := g.schema.defs[name]
	if n == nil {
		return null()
	}
	return g.value([]*node{n}, nil, 0)
}

func (g *Generator) chance(percent int) bool { return g.rand.IntN(100) < percent }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// A demand is all that one value must satisfy, after a branch of every union was chosen.
type demand struct {
	nodes    []*node
	excluded map[string][]string // constants that members must not have, as literals
}

func (g *Generator) collect(d *demand, n *node) {
	g.Coverage.node(n)
	d.nodes = append(d.nodes, n)
	for _, not := range n.negations {
		d.exclude(not)
	}
	if n.ref != "" {
		g.collect(d, g.schema.defs[n.ref])
	}
	for _, part := range n.allOf {
		g.collect(d, part)
	}
	for _, branches := range [][]*node{n.anyOf, n.oneOf} {
		if len(branches) > 0 {
			g.collect(d, pick(g.rand, branches))
		}
	}
}

// exclude notes the tags that a negation names. A negation of any other form is not understood; the tests hold every instance to the schema.
func (d *demand) exclude(not *node) {
	for _, alternative := range append(slices.Clone(not.anyOf), not) {
		for _, p := range alternative.properties {
			for _, c := range p.node.consts {
				if d.excluded == nil {
					d.excluded = map[string][]string{}
				}
				d.excluded[p.name] = append(d.excluded[p.name], c.Text)
			}
		}
	}
}

// value returns a value that satisfies all nodes and is none of some literals.
func (g *Generator) value(nodes []*node, not []string, depth int) *Value {
	var d demand
	for _, n := range nodes {
		g.collect(&d, n)
	}
	for _, n := range d.nodes {
		if len(n.consts) > 0 {
			return pick(g.rand, n.consts).Clone()
		}
	}
	switch typ := g.typ(&d); typ {
	case "null":
		return null()
	case "boolean":
		return text(Bool, strconv.FormatBool(g.chance(50)))
	case "integer", "number":
		return g.number(&d, typ)
	case "string":
		return g.string(&d, not)
	case "array":
		return g.array(&d, depth)
	case "object":
		return g.object(&d, depth)
	default:
		return g.anything(depth)
	}
}

// typ chooses a type that all nodes allow, or "" if none of them says anything.
func (g *Generator) typ(d *demand) string {
	var types []string
	for _, n := range d.nodes {
		switch {
		case n.types == nil:
		case types == nil:
			types = slices.Clone(n.types)
		default:
			types = slices.DeleteFunc(types, func(t string) bool { return !slices.Contains(n.types, t) })
		}
	}
	if len(types) == 0 {
		return ""
	}
	typ := pick(g.rand, types)
	for _, n := range d.nodes {
		if i := slices.Index(n.types, typ); i >= 0 {
			g.Coverage.typ(n, i)
		}
	}
	return typ
}

func (g *Generator) number(d *demand, typ string) *Value {
	for _, n := range d.nodes {
		if slices.Contains(n.types, typ) && len(n.numbers) > 0 {
			if g.chance(50) && slices.Contains(n.numbers, "7") {
				return text(Number, strconv.Itoa(g.rand.IntN(1000)+bottom(n)))
			}
			return text(Number, pick(g.rand, n.numbers))
		}
	}
	return text(Number, "0")
}

// bottom keeps a small random number above a small minimum.
func bottom(n *node) int {
	low, err := strconv.Atoi(n.minimum)
	if err != nil || low < 0 {
		return 0
	}
	return low
}

func (g *Generator) string(d *demand, not []string) *Value {
	low, high := 0, 1<<30
	for _, n := range d.nodes {
		low = max(low, n.minLength)
		if n.maxLength >= 0 {
			high = min(high, n.maxLength)
		}
	}
	for {
		t := pick(g.rand, plainTexts)
		if g.chance(20) {
			t = quote(strings.Repeat(pick(g.rand, []string{"a", "é", "word ", "\n"}), max(low, g.rand.IntN(60))))
		}
		length := utf8.RuneCountInString(unquote(t))
		if !slices.Contains(not, t) && length >= low && length <= high {
			return text(String, t)
		}
		if high < 1 || low > 40 {
			return str(strings.Repeat("a", low))
		}
	}
}

func (g *Generator) array(d *demand, depth int) *Value {
	v := &Value{Kind: Array}
	low, high := 0, 1<<30
	var items []*node
	for _, n := range d.nodes {
		low = max(low, n.minItems)
		if n.maxItems >= 0 {
			high = min(high, n.maxItems)
		}
		if n.items != nil {
			items = append(items, n.items)
		}
	}
	length := low
	if depth < maxDepth {
		length = min(high, low+pick(g.rand, []int{0, 0, 1, 1, 1, 2, 3}))
	}
	for range length {
		v.Items = append(v.Items, g.value(items, nil, depth+1))
	}
	return v
}

func (g *Generator) object(d *demand, depth int) *Value {
	v := &Value{Kind: Object}
	nodes := map[string][]*node{}
	var names, required []string
	var values []*node
	for _, n := range d.nodes {
		required = append(required, n.required...)
		for _, p := range n.properties {
			if nodes[p.name] == nil {
				names = append(names, p.name)
			}
			nodes[p.name] = append(nodes[p.name], p.node)
		}
		if n.values != nil {
			values = append(values, n.values)
		}
	}
	for _, name := range required {
		if nodes[name] == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if slices.Contains(required, name) || depth < maxDepth && g.chance(40) {
			v.set(name, g.value(nodes[name], d.excluded[name], depth+1))
		}
	}
	if len(names) == 0 || values != nil {
		for range g.rand.IntN(3) {
			v.set(unquote(pick(g.rand, unknownNames)), g.value(values, nil, depth+1))
		}
	}
	return v
}

// anything returns a small value of any kind.
func (g *Generator) anything(depth int) *Value {
	kinds := 9
	if depth > maxDepth {
		kinds = 6
	}
	switch g.rand.IntN(kinds) {
	case 0:
		return null()
	case 1:
		return text(Bool, strconv.FormatBool(g.chance(50)))
	case 2, 3:
		return text(Number, pick(g.rand, numberTexts))
	case 4:
		return text(String, pick(g.rand, plainTexts))
	case 5:
		if len(g.schema.consts) > 0 {
			return pick(g.rand, g.schema.consts).Clone()
		}
		return null()
	case 6:
		v := &Value{Kind: Array}
		for range g.rand.IntN(3) {
			v.Items = append(v.Items, g.anything(depth+3))
		}
		return v
	default:
		v := &Value{Kind: Object}
		for range g.rand.IntN(3) {
			v.set(unquote(pick(g.rand, unknownNames)), g.anything(depth+3))
		}
		return v
	}
}
