package mutate

import (
	"slices"
	"strconv"
	"strings"
)

// A Place is what the schema says of one position in an instance, all variants together: a member that any of them has is one of the place's. A nil
// place is one of which the schema says nothing. A place is immutable.
type Place struct {
	nodes   []*node
	defs    []string // that the place is an instance of, or of one of whose variants
	names   []string
	members map[string]*Place
	items   *Place
	values  *Place // of members that have no place of their own
	consts  []*Value
	tags    []string // members that are a constant in some variant
	types   []string
}

// Is reports whether the place is one of a definition, directly or as a variant.
func (p *Place) Is(def string) bool { return p != nil && slices.Contains(p.defs, def) }

// Admits reports whether the schema names a type, such as "number", for some value of the place.
func (p *Place) Admits(typ string) bool { return p != nil && slices.Contains(p.types, typ) }

// Tags returns the names of the members that are a constant in some variant, and so tell variants apart. The caller must not change the slice.
func (p *Place) Tags() []string {
	if p == nil {
		return nil
	}
	return p.tags
}

func (p *Place) numeric() bool { return p.Admits("integer") || p.Admits("number") }

// Member returns the place of a member, or nil.
func (p *Place) Member(name string) *Place {
	if p == nil {
		return nil
	}
	if m := p.members[name]; m != nil {
		return m
	}
	return p.values
}

// Item returns the place of an array's elements, or nil.
func (p *Place) Item() *Place {
	if p == nil {
		return nil
	}
	return p.items
}

// Place returns the place of instances of a definition, or nil if there is none of that name.
func (s *Schema) Place(def string) *Place { return s.roots[def] }

// place returns the place of what any of some nodes describes.
func (s *Schema) place(nodes []*node) *Place {
	closure := s.closure(nodes)
	var key strings.Builder
	for _, n := range closure {
		key.WriteString(strconv.Itoa(n.id))
		key.WriteByte(' ')
	}
	if p, ok := s.places[key.String()]; ok {
		return p
	}
	p := &Place{nodes: closure, members: map[string]*Place{}}
	s.places[key.String()] = p // before its members, because a schema may be recursive
	below := map[string][]*node{}
	var items, values []*node
	for _, n := range closure {
		if n.ref != "" {
			p.defs = append(p.defs, n.ref)
		}
		if name, ok := strings.CutPrefix(n.pointer, "/$defs/"); ok && !strings.Contains(name, "/") && !slices.Contains(p.defs, name) {
			p.defs = append(p.defs, name)
		}
		p.types = append(p.types, n.types...)
		p.consts = append(p.consts, n.consts...)
		for _, m := range n.properties {
			if below[m.name] == nil {
				p.names = append(p.names, m.name)
			}
			below[m.name] = append(below[m.name], m.node)
		}
		if n.items != nil {
			items = append(items, n.items)
		}
		if n.values != nil {
			values = append(values, n.values)
		}
	}
	for _, name := range p.names {
		p.members[name] = s.place(below[name])
		if slices.ContainsFunc(below[name], func(n *node) bool { return len(n.consts) == 1 }) {
			p.tags = append(p.tags, name)
		}
	}
	if items != nil {
		p.items = s.place(items)
	}
	if values != nil {
		p.values = s.place(values)
	}
	return p
}

// closure adds all that the nodes refer to, all branches included.
func (s *Schema) closure(nodes []*node) []*node {
	var all []*node
	var add func(n *node)
	add = func(n *node) {
		if slices.Contains(all, n) {
			return
		}
		all = append(all, n)
		if n.ref != "" {
			add(s.defs[n.ref])
		}
		for _, list := range [][]*node{n.allOf, n.anyOf, n.oneOf} {
			for _, branch := range list {
				add(branch)
			}
		}
	}
	for _, n := range nodes {
		add(n)
	}
	return all
}

// Size returns how many different places an instance of a definition has, which measures how much there is to get wrong.
func (s *Schema) Size(def string) int {
	seen := map[*Place]bool{}
	var walk func(p *Place)
	walk = func(p *Place) {
		if p == nil || seen[p] {
			return
		}
		seen[p] = true
		for _, m := range p.members {
			walk(m)
		}
		walk(p.items)
		walk(p.values)
	}
	walk(s.roots[def])
	return len(seen)
}

// A Step is one position on the way to a value.
type Step struct {
	// Pointer is the JSON pointer from the root.
	Pointer string
	Value   *Value
	Place   *Place
}

// Path returns the positions from the root of an instance of a definition to where a JSON pointer points, both included, as far as there are any. Of members
// with the same name it follows the first.
func (s *Schema) Path(def string, root *Value, pointer string) []Step {
	path := []Step{{"", root, s.roots[def]}}
	for rest := pointer; rest != ""; {
		token := rest[1:]
		rest = ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, rest = token[:i], token[i:]
		}
		top := path[len(path)-1]
		next := Step{Pointer: top.Pointer + "/" + token}
		switch top.Value.Kind {
		case Object:
			name := tokenUnescaper.Replace(token)
			next.Value, next.Place = top.Value.Get(name), top.Place.Member(name)
		case Array:
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(top.Value.Items) {
				next.Value, next.Place = top.Value.Items[i], top.Place.Item()
			}
		case Null, Bool, Number, String, Raw:
		}
		if next.Value == nil {
			break
		}
		path = append(path, next)
	}
	return path
}

var tokenUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
