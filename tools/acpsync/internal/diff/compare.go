package diff

import (
	"slices"
	"strings"
)

// Compare returns every difference between two schemas, sorted; none if they say the same.
func Compare(before, after *Schema) []Change {
	c := &comparer{before: before, after: after, effects: map[[2]string]Effect{}, same: map[[2]string]bool{}}
	c.methods()
	if before.dialect != after.dialect {
		c.add(Change{Subject: SubjectDialect, Action: Changed, Effect: Unknown, Old: before.dialect, New: after.dialect, Pointer: "#/$schema"})
	}
	c.node(site{}, before.root, after.root)
	c.definitions()
	sortChanges(c.changes)
	return c.changes
}

type comparer struct {
	before, after *Schema
	changes       []Change
	// What has been found out about pairs of places, by their pointers. A pair under comparison counts as equal, so that
	// recursive definitions end; and no pair is compared twice, so that nested unions do not take exponential time.
	effects map[[2]string]Effect
	same    map[[2]string]bool
}

// A site is where in the schemas a comparison stands.
type site struct {
	definition string
	place      string
	goName     string
	negated    bool // below an odd number of "not"
}

func (s site) at(step string) site {
	s.place += step
	return s
}

// emit records a change at the site, with the effect turned round below a "not".
func (c *comparer) emit(s site, change Change) {
	change.Definition, change.Place, change.Go = s.definition, s.place, first(change.Go, s.goName)
	if s.negated {
		change.Effect = change.Effect.inverse()
	}
	c.add(change)
}

func (c *comparer) add(change Change) {
	change.Class = change.class()
	c.changes = append(c.changes, change)
}

// silently returns what comparing a and b would record, without recording it.
func (c *comparer) silently(a, b *node) []Change {
	inner := &comparer{before: c.before, after: c.after, effects: c.effects, same: c.same}
	inner.node(site{}, a, b)
	return inner.changes
}

func (c *comparer) methods() {
	for _, key := range bothKeys(c.before.methods, c.after.methods) {
		was, is := slices.Sorted(slices.Values(c.before.methods[key])), slices.Sorted(slices.Values(c.after.methods[key]))
		change := Change{Subject: SubjectMethod, Name: key, Effect: None, Old: strings.Join(was, ", "), New: strings.Join(is, ", ")}
		switch {
		case was == nil:
			change.Action = Added
		case is == nil:
			change.Action = Removed
		case !slices.Equal(was, is):
			change.Action, change.Effect = Changed, Unknown
		default:
			continue
		}
		c.add(change)
	}
}

func (c *comparer) definitions() {
	for _, name := range bothKeys(c.before.defs, c.after.defs) {
		was, is := c.before.defs[name], c.after.defs[name]
		s := site{definition: name, goName: typeName(name, firstNode(is, was))}
		switch {
		case was == nil:
			c.emit(s, Change{Subject: SubjectDefinition, Action: Added, Effect: None, New: is.describe(), Pointer: is.pointer})
		case is == nil:
			c.emit(s, Change{Subject: SubjectDefinition, Action: Removed, Effect: None, Old: was.describe(), Pointer: was.pointer})
		default:
			c.node(s, was, is)
		}
	}
}

// node compares two schemas that stand in the same place.
func (c *comparer) node(s site, a, b *node) {
	c.annotations(s, a, b)
	if a.never || b.never {
		if a.never != b.never {
			c.emit(s, Change{Subject: SubjectType, Action: Changed, Effect: direction(b.never, a.never),
				Old: a.describe(), New: b.describe(), Pointer: b.pointer})
		}
		return
	}
	af, bf := a.form(), b.form()
	switch {
	case af == formAny && bf == formAny:
	case af == formAny || bf == formAny:
		c.emit(s, Change{Subject: SubjectType, Action: Changed, Effect: direction(af == formAny, bf == formAny),
			Old: a.describe(), New: b.describe(), Pointer: b.pointer})
	case af == formRef && bf == formRef:
		c.references(s, a, b)
	case (af == formRef || bf == formRef) && a.ref != b.ref:
		c.replacement(s, SubjectType, a, b)
	default:
		c.nullability(s, a, b)
		c.constraints(s, a, b, af, bf)
	}
}

// constraints compares two schemas neither of which is a mere reference or accepts everything.
func (c *comparer) constraints(s site, a, b *node, af, bf form) {
	switch {
	case af == formValues && bf == formValues:
		c.values(s, a, b)
	case af == formUnion && bf == formUnion:
		c.union(s, a, b, a.unions[0], b.unions[0])
	case af == formValues && bf == formUnion:
		c.union(s, a, b, a.alternatives(), b.unions[0])
	case af == formUnion && bf == formValues:
		c.union(s, a, b, a.unions[0], b.alternatives())
	case af == formUnion || bf == formUnion:
		c.alternatives(s, a, b)
	case af == formValues || bf == formValues:
		c.enumerated(s, a, b)
	default:
		c.fields(s, a, b)
	}
}

func (c *comparer) nullability(s site, a, b *node) {
	if a.nullable == b.nullable || a.typeless() || b.typeless() {
		return
	}
	c.emit(s, Change{Subject: SubjectNullability, Action: Changed, Effect: direction(a.nullable, b.nullable),
		Old: a.describe(), New: b.describe(), Pointer: b.pointer})
}

func (c *comparer) references(s site, a, b *node) {
	c.nullability(s, a, b)
	if a.ref != b.ref {
		c.replacement(s, SubjectReference, a, b)
	}
}

// replacement records that a definition, or something spelled out, has taken the place of another. Its effect is that
// of everything that differs between the two.
func (c *comparer) replacement(s site, subject Subject, a, b *node) {
	x, y := *a, *b
	if subject == SubjectReference {
		// That null is accepted beside the reference is a change of its own.
		x.nullable, y.nullable = false, false
	}
	pair := [2]string{a.pointer, b.pointer}
	effect, known := c.effects[pair]
	if !known {
		c.effects[pair] = None
		effect = join(c.silently(c.before.resolve(&x), c.after.resolve(&y)))
		c.effects[pair] = effect
	}
	c.emit(s, Change{Subject: subject, Action: Changed, Effect: effect, Old: x.describe(), New: y.describe(), Pointer: b.pointer})
}

// resolve returns what n stands for: n itself, or a copy of what its reference leads to in the end.
func (s *Schema) resolve(n *node) *node {
	nullable := n.nullable
	for seen := map[string]bool{}; n.form() == formRef && !seen[n.ref]; {
		seen[n.ref] = true
		next := s.defs[n.ref]
		if next == nil {
			break
		}
		n = next
		nullable = nullable || n.nullable
	}
	out := n.unwrapped()
	out.nullable = nullable
	return out
}

// bothKeys returns the keys of both maps, sorted, each once.
func bothKeys[V any](a, b map[string]V) []string {
	return sortedKeys(merge(a, b))
}
