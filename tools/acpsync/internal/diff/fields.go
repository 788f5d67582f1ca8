package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/tools/internal/goname"
)

// annotations compares what does not change which values are accepted.
func (c *comparer) annotations(s site, a, b *node) {
	text := func(subject Subject, was, is string) {
		if was == is {
			return
		}
		change := Change{Subject: subject, Action: Changed, Effect: None, Old: was, New: is, Pointer: b.pointer}
		switch {
		case was == "":
			change.Action = Added
		case is == "":
			change.Action, change.Pointer = Removed, a.pointer
		}
		c.emit(s, change)
	}
	text(SubjectTitle, a.title, b.title)
	text(SubjectDiscriminator, a.tag, b.tag)
	text(SubjectEncoding, a.encoding, b.encoding)
	text(SubjectDefault, a.fallback, b.fallback)
	for _, keyword := range bothKeys(a.lenient, b.lenient) {
		switch {
		case !a.lenient[keyword]:
			c.emit(s, Change{Subject: SubjectLeniency, Name: keyword, Action: Added, Effect: None, Pointer: b.pointer})
		case !b.lenient[keyword]:
			c.emit(s, Change{Subject: SubjectLeniency, Name: keyword, Action: Removed, Effect: None, Pointer: a.pointer})
		}
	}
	if a.docsIgnore != b.docsIgnore {
		text(SubjectDocs, fmt.Sprint("ignored: ", a.docsIgnore), fmt.Sprint("ignored: ", b.docsIgnore))
	}
}

// fields compares two schemas constraint by constraint.
func (c *comparer) fields(s site, a, b *node) {
	c.types(s, a, b)
	if a.ref != b.ref {
		c.payload(s, a, b)
	}
	c.numbers(s, a, b)
	c.lengths(s, a, b)
	c.pattern(s, a, b)
	if a.values != nil || b.values != nil {
		c.values(s, a, b)
	}
	c.properties(s, a, b)
	c.optional(s.at("[]"), SubjectItems, a.items, b.items)
	c.optional(s.at("{}"), SubjectExtra, a.additional, b.additional)
	c.optional(s.at("{unevaluated}"), SubjectExtra, a.unevaluated, b.unevaluated)
	c.exclusion(s, a, b)
	c.combinations(s, a, b)
	c.unions(s, a, b)
}

func (c *comparer) types(s site, a, b *node) {
	was, is := c.before.typesOf(a), c.after.typesOf(b)
	if slices.Equal(was, is) && (was == nil) == (is == nil) {
		return
	}
	missing := func(from, in []string) bool {
		return in != nil && (from == nil || slices.ContainsFunc(from, func(t string) bool { return !covers(in, t) }))
	}
	c.emit(s, Change{Subject: SubjectType, Action: Changed, Effect: direction(missing(was, is), missing(is, was)),
		Old: describeTypes(was, a.nullable), New: describeTypes(is, b.nullable), Pointer: b.pointer})
}

// typesOf returns the types n is limited to, by itself or by what it refers to.
func (s *Schema) typesOf(n *node) []string {
	if n.types == nil && n.ref != "" {
		return s.resolve(&node{ref: n.ref}).types
	}
	return n.types
}

// payload compares a reference that stands beside other constraints, as that of a tagged variant does.
func (c *comparer) payload(s site, a, b *node) {
	switch {
	case a.ref == "":
		c.emit(s, Change{Subject: SubjectReference, Name: b.ref, Action: Added, Effect: Tightened, New: b.ref, Pointer: b.pointer})
	case b.ref == "":
		c.emit(s, Change{Subject: SubjectReference, Name: a.ref, Action: Removed, Effect: Loosened, Old: a.ref, Pointer: a.pointer})
	default:
		c.replacement(s, SubjectReference, &node{ref: a.ref, pointer: a.pointer}, &node{ref: b.ref, pointer: b.pointer})
	}
}

func (c *comparer) pattern(s site, a, b *node) {
	if a.pattern == b.pattern {
		return
	}
	change := Change{Subject: SubjectPattern, Action: Changed, Effect: Unknown, Old: a.pattern, New: b.pattern, Pointer: b.pointer}
	switch {
	case a.pattern == "":
		change.Action, change.Effect = Added, Tightened
	case b.pattern == "":
		change.Action, change.Effect, change.Pointer = Removed, Loosened, a.pointer
	}
	c.emit(s, change)
}

// values compares two enumerations, or an enumeration with the lack of one.
func (c *comparer) values(s site, a, b *node) {
	if a.values == nil || b.values == nil {
		c.emit(s, Change{Subject: SubjectEnumValue, Action: Changed, Effect: direction(a.values == nil, b.values == nil),
			Old: a.describeValues(), New: b.describeValues(), Pointer: b.pointer})
		return
	}
	if len(a.values) == 1 && len(b.values) == 1 && a.values[0].text != b.values[0].text {
		c.emit(s, Change{Subject: SubjectConst, Action: Changed, Effect: Mixed, Old: a.values[0].text, New: b.values[0].text, Pointer: b.values[0].pointer})
		return
	}
	was, is := valuesByText(a.values), valuesByText(b.values)
	for _, text := range bothKeys(was, is) {
		av, inOld := was[text]
		bv, inNew := is[text]
		switch {
		case !inOld:
			c.emit(s, Change{Subject: SubjectEnumValue, Name: text, Action: Added, Effect: Loosened, Pointer: bv.pointer})
		case !inNew:
			c.emit(s, Change{Subject: SubjectEnumValue, Name: text, Action: Removed, Effect: Tightened, Pointer: av.pointer})
		case av.title != bv.title:
			c.emit(s, Change{Subject: SubjectTitle, Name: text, Action: Changed, Effect: None, Old: av.title, New: bv.title, Pointer: bv.pointer})
		}
	}
}

func valuesByText(values []value) map[string]value {
	m := map[string]value{}
	for _, v := range values {
		m[v.text] = v
	}
	return m
}

// enumerated compares an enumeration with a schema of another form.
func (c *comparer) enumerated(s site, a, b *node) {
	effect := Unknown
	list, other := a, b
	if a.values == nil {
		list, other = b, a
	}
	if other.types != nil && other.ref == "" && len(other.unions) == 0 && !other.hasScalarRules() && !other.hasStructure() {
		inside := !slices.ContainsFunc(list.values, func(v value) bool { return !covers(other.types, v.typ) })
		effect = direction(!inside || list == b, !inside || list == a)
	}
	c.emit(s, Change{Subject: SubjectType, Action: Changed, Effect: effect, Old: a.describe(), New: b.describe(), Pointer: b.pointer})
}

func (c *comparer) properties(s site, a, b *node) {
	names := map[string]bool{}
	for _, p := range append(slices.Clone(a.properties), b.properties...) {
		names[p.name] = true
	}
	for _, name := range sortedKeys(merge(names, merge(a.required, b.required))) {
		was, is := a.property(name), b.property(name)
		inner := s.field(name)
		switch {
		case was == nil && is == nil:
			c.required(inner, name, a, b)
		case was == nil:
			needed := b.required[name] && !a.required[name]
			c.emit(inner.under(s), Change{Subject: SubjectProperty, Name: name, Action: Added, Effect: direction(needed, a.closed()),
				New: is.describe() + suffix(b.required[name]), Pointer: is.pointer})
		case is == nil:
			needed := a.required[name] && !b.required[name]
			c.emit(inner.under(s), Change{Subject: SubjectProperty, Name: name, Action: Removed, Effect: direction(b.closed(), needed),
				Old: was.describe() + suffix(a.required[name]), Pointer: was.pointer})
		default:
			c.required(inner, name, a, b)
			c.node(inner, was, is)
		}
	}
}

func suffix(required bool) string {
	if required {
		return ", required"
	}
	return ", optional"
}

func (c *comparer) required(s site, name string, a, b *node) {
	switch was, is := a.required[name], b.required[name]; {
	case is && !was:
		c.emit(s, Change{Subject: SubjectRequired, Name: name, Action: Added, Effect: Tightened, Old: "optional", New: "required", Pointer: b.pointer})
	case was && !is:
		c.emit(s, Change{Subject: SubjectRequired, Name: name, Action: Removed, Effect: Loosened, Old: "required", New: "optional", Pointer: b.pointer})
	}
}

// closed reports whether the object n describes refuses properties it does not list.
func (n *node) closed() bool {
	return n.additional != nil && n.additional.never || n.unevaluated != nil && n.unevaluated.never
}

// field returns the site of a property of s, and names the Go field if s is a definition.
func (s site) field(name string) site {
	if s.place == "" && s.goName != "" {
		s.goName += "." + goname.Of(name)
	}
	return s.at("." + name)
}

// under returns s as seen from outer: the property is the subject, so the place is that of the object.
func (s site) under(outer site) site {
	s.place = outer.place
	return s
}

// optional compares a schema that may be absent on either side, where absent accepts everything.
func (c *comparer) optional(s site, subject Subject, a, b *node) {
	switch {
	case a == nil && b == nil:
	case a == nil:
		c.emit(s, Change{Subject: subject, Action: Added, Effect: Tightened, New: b.describe(), Pointer: b.pointer})
	case b == nil:
		c.emit(s, Change{Subject: subject, Action: Removed, Effect: Loosened, Old: a.describe(), Pointer: a.pointer})
	default:
		c.node(s, a, b)
	}
}

func (c *comparer) exclusion(s site, a, b *node) {
	s = s.at(" not")
	if a.not == nil || b.not == nil {
		c.optional(s, SubjectExclusion, a.not, b.not)
		return
	}
	s.negated = !s.negated
	c.node(s, a.not, b.not)
}

// combinations compares what allOf holds beyond a single reference; the parts have no names, so they go by position.
func (c *comparer) combinations(s site, a, b *node) {
	for i := range max(len(a.all), len(b.all)) {
		var was, is *node
		if i < len(a.all) {
			was = a.all[i]
		}
		if i < len(b.all) {
			is = b.all[i]
		}
		c.optional(s.at(fmt.Sprintf(" allOf %d", i)), SubjectCombination, was, is)
	}
}

// placeOf returns the step to a variant.
func placeOf(key string) string { return "<" + strings.ReplaceAll(key, "\n", " ") + ">" }
