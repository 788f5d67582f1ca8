package diff

import (
	"fmt"
	"slices"
)

// unions compares all alternatives of two schemas; a schema seldom has more than one set of them.
func (c *comparer) unions(s site, a, b *node) {
	for i := range max(len(a.unions), len(b.unions)) {
		switch {
		case i >= len(a.unions):
			c.emit(s, Change{Subject: SubjectCombination, Name: b.unions[i].keyword, Action: Added, Effect: Tightened,
				New: b.unions[i].describe(), Pointer: b.unions[i].pointer})
		case i >= len(b.unions):
			c.emit(s, Change{Subject: SubjectCombination, Name: a.unions[i].keyword, Action: Removed, Effect: Loosened,
				Old: a.unions[i].describe(), Pointer: a.unions[i].pointer})
		default:
			c.union(s, a, b, a.unions[i], b.unions[i])
		}
	}
}

// union compares two sets of alternatives, pairing the variants by key first and by what they are second.
func (c *comparer) union(s site, a, b *node, was, is *union) {
	if was.keyword != is.keyword && was.keyword != "" && is.keyword != "" {
		c.emit(s, Change{Subject: SubjectCombination, Action: Changed, Effect: direction(is.keyword == "oneOf", was.keyword == "oneOf"),
			Old: was.keyword, New: is.keyword, Pointer: is.pointer})
	}
	shared := merge(was.sharedTags(), is.sharedTags())
	before, after := was.byKey(first(a.tag, b.tag), shared), is.byKey(first(b.tag, a.tag), shared)
	c.pair(before, after)
	for _, key := range bothKeys(before, after) {
		x, y := before[key], after[key]
		subject, text := SubjectVariant, (*node).describe
		if _, ok := firstNode(y, x).single(); ok {
			subject, text = SubjectEnumValue, func(*node) string { return "" }
		}
		switch {
		case x == nil:
			effect := Loosened
			if was.accepts(y) {
				effect = None
			}
			c.emit(s, Change{Subject: subject, Name: key, Action: Added, Effect: effect, New: text(y), Pointer: y.pointer})
		case y == nil:
			effect := Tightened
			if is.accepts(x) {
				effect = None
			}
			c.emit(s, Change{Subject: subject, Name: key, Action: Removed, Effect: effect, Old: text(x), Pointer: x.pointer})
		default:
			c.node(s.at(placeOf(key)), x, y)
		}
	}
}

// pair moves variants that have lost their partner to the key of what is plainly the same variant under a new name: the
// only one left, on both sides, with that payload, or that differs in nothing but its title.
func (c *comparer) pair(before, after map[string]*node) {
	matches := func(key string) (found []string) {
		for _, other := range sortedKeys(after) {
			if before[other] == nil && c.sameVariant(before[key], after[other]) {
				found = append(found, other)
			}
		}
		return found
	}
	partner, claims := map[string]string{}, map[string]int{}
	for _, key := range sortedKeys(before) {
		if after[key] != nil {
			continue
		}
		found := matches(key)
		for _, other := range found {
			claims[other]++
		}
		if len(found) == 1 {
			partner[key] = found[0]
		}
	}
	for key, other := range partner {
		if claims[other] == 1 {
			before[other] = before[key]
			delete(before, key)
		}
	}
}

func (c *comparer) sameVariant(a, b *node) bool {
	if a.ref != "" || b.ref != "" {
		return a.ref == b.ref
	}
	pair := [2]string{a.pointer, b.pointer}
	same, known := c.same[pair]
	if !known {
		same = !slices.ContainsFunc(c.silently(a, b), func(ch Change) bool { return ch.Subject != SubjectTitle })
		c.same[pair] = same
	}
	return same
}

// byKey names each variant by what sets it apart: its only value, its tag, its title, its payload, its type.
// Tag is the discriminator, if there is one.
func (u *union) byKey(tag string, shared map[string]bool) map[string]*node {
	m := map[string]*node{}
	for _, v := range u.variants {
		name := v.variantKey(tag, shared)
		key := name
		for i := 2; m[key] != nil; i++ {
			key = fmt.Sprintf("%s #%d", name, i)
		}
		m[key] = v
	}
	return m
}

// sharedTags returns the properties that have the same single value in several variants and no other value in any:
// they tell nothing apart, as "jsonrpc" does not.
func (u *union) sharedTags() map[string]bool {
	values, times := map[string]map[string]bool{}, map[string]int{}
	for _, v := range u.variants {
		for _, p := range v.properties {
			if text, ok := p.schema.single(); ok {
				values[p.name] = setKey(values[p.name], text)
				times[p.name]++
			}
		}
	}
	shared := map[string]bool{}
	for name, texts := range values {
		if len(texts) == 1 && times[name] > 1 {
			shared[name] = true
		}
	}
	return shared
}

// single returns the only value n accepts.
func (n *node) single() (text string, ok bool) {
	if n.form() != formValues || len(n.values) != 1 || n.nullable {
		return "", false
	}
	return n.values[0].text, true
}

func (n *node) variantKey(tag string, shared map[string]bool) string {
	if text, ok := n.single(); ok {
		return text
	}
	if name, text := n.tagValue(tag, shared); name != "" {
		return name + "=" + text
	}
	if n.title != "" {
		return n.title
	}
	return n.describe()
}

// tagValue returns the property that tells n from its siblings, and its value: the one called tag if that has a single
// value, else the first required one that has and is not shared by the siblings.
func (n *node) tagValue(tag string, shared map[string]bool) (name, text string) {
	for _, p := range n.properties {
		value, ok := p.schema.single()
		if !ok {
			continue
		}
		if p.name == tag {
			return p.name, value
		}
		if name == "" && n.required[p.name] && !shared[p.name] {
			name, text = p.name, value
		}
	}
	return name, text
}

// accepts reports whether u has a catch-all variant that takes what v describes: an object of any other tag, or any
// value of v's type.
func (u *union) accepts(v *node) bool {
	return slices.ContainsFunc(u.variants, func(w *node) bool {
		if w == v || w.ref != "" || len(w.unions) > 0 {
			return false
		}
		if v.values != nil && w.form() == formMixed && !w.hasStructure() && w.pattern == "" && len(w.bounds) == 0 {
			return !slices.ContainsFunc(v.values, func(val value) bool { return !covers(w.types, val.typ) })
		}
		name, _ := v.tagValue("", nil)
		return name != "" && w.not != nil && w.property(name) != nil
	})
}

// alternatives returns an enumeration as a union of consts.
func (n *node) alternatives() *union {
	u := &union{pointer: n.pointer}
	for _, v := range n.values {
		u.variants = append(u.variants, &node{pointer: v.pointer, title: v.title, values: []value{v}})
	}
	return u
}

// alternatives compares a union with a schema that is none: the schema may be one of the variants.
func (c *comparer) alternatives(s site, a, b *node) {
	single, u, wider := a, b.unions, Loosened
	if a.form() == formUnion {
		single, u, wider = b, a.unions, Tightened
	}
	effect := Unknown
	bare := single.unwrapped()
	for _, v := range u[0].variants {
		changes := c.silently(bare, v.unwrapped())
		if wider == Tightened {
			changes = c.silently(v.unwrapped(), bare)
		}
		if join(changes) == None {
			effect = wider
		}
	}
	c.emit(s, Change{Subject: SubjectType, Action: Changed, Effect: effect, Old: a.describe(), New: b.describe(), Pointer: b.pointer})
}
