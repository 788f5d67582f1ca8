package diff

import (
	"maps"
	"slices"
)

// foldEnums turns a union of consts into an enumeration.
func (n *node) foldEnums() {
	n.unions = slices.DeleteFunc(n.unions, func(u *union) bool {
		if n.values != nil {
			return false
		}
		var values []value
		for _, v := range u.variants {
			if len(v.values) != 1 || v.form() != formValues || v.nullable || v.hasDefault || len(v.lenient) > 0 {
				return false
			}
			only := v.values[0]
			only.title, only.pointer = v.title, v.pointer
			values = append(values, only)
		}
		n.values = values
		return true
	})
}

// foldTypes drops what an enumeration makes redundant: the type of its values, a range format, a null among them.
func (n *node) foldTypes() {
	if n.values == nil {
		return
	}
	fits := func(v value) bool {
		return n.types == nil || covers(n.types, v.typ) || v.typ == "null" && n.nullable
	}
	if slices.ContainsFunc(n.values, func(v value) bool { return !fits(v) }) {
		return
	}
	hasNull := slices.ContainsFunc(n.values, func(v value) bool { return v.typ == "null" })
	if n.types != nil || hasNull {
		n.nullable = hasNull
	}
	n.types = nil
	if _, _, ranged := formatRange(n.format); ranged {
		n.format = ""
	}
	if hasNull && len(n.values) > 1 {
		n.values = slices.DeleteFunc(n.values, func(v value) bool { return v.typ == "null" })
	} else if hasNull {
		n.values, n.types = nil, []string{}
	}
}

// foldNull turns a null branch of a union into nullability, and a union of one into what it holds.
func (n *node) foldNull() {
	if len(n.unions) != 1 || n.types != nil || n.ref != "" || n.values != nil || n.hasStructure() || n.hasScalarRules() {
		return
	}
	u := n.unions[0]
	rest := slices.DeleteFunc(slices.Clone(u.variants), (*node).isNull)
	if len(rest) == 0 {
		return
	}
	nullable := len(rest) < len(u.variants)
	if len(rest) > 1 {
		n.nullable = nullable
		n.unions = []*union{{keyword: u.keyword, pointer: u.pointer, variants: rest}}
		return
	}
	n.unions = nil
	if !n.absorb(rest[0]) {
		n.unions = []*union{{keyword: u.keyword, pointer: u.pointer, variants: rest}}
	}
	n.nullable = n.nullable || nullable
}

// absorb merges part, which must hold as well, into n. It returns false, and changes nothing, where both constrain the
// same thing or where merging would change what an "additional" or "unevaluated" property is.
func (n *node) absorb(part *node) bool {
	if n.conflicts(part) {
		return false
	}
	if n.form() == formAny {
		n.nullable = part.nullable
	} else if part.form() != formAny && part.types != nil {
		n.nullable = n.nullable && part.nullable
	}
	n.title = first(n.title, part.title)
	n.ref = first(n.ref, part.ref)
	n.format = first(n.format, part.format)
	n.pattern = first(n.pattern, part.pattern)
	n.encoding = first(n.encoding, part.encoding)
	n.tag = first(n.tag, part.tag)
	if n.types == nil {
		n.types = part.types
	}
	if n.values == nil {
		n.values = part.values
	}
	if part.hasDefault {
		n.hasDefault, n.fallback = true, part.fallback
	}
	n.never = n.never || part.never
	n.docsIgnore = n.docsIgnore || part.docsIgnore
	n.bounds = merge(n.bounds, part.bounds)
	n.required = merge(n.required, part.required)
	n.lenient = merge(n.lenient, part.lenient)
	n.properties = append(n.properties, part.properties...)
	n.all = append(n.all, part.all...)
	n.unions = append(n.unions, part.unions...)
	n.additional = firstNode(n.additional, part.additional)
	n.unevaluated = firstNode(n.unevaluated, part.unevaluated)
	n.items = firstNode(n.items, part.items)
	n.not = firstNode(n.not, part.not)
	return true
}

func (n *node) conflicts(part *node) bool {
	both := func(a, b string) bool { return a != "" && b != "" }
	if both(n.title, part.title) || both(n.ref, part.ref) || both(n.format, part.format) || both(n.pattern, part.pattern) ||
		both(n.encoding, part.encoding) || both(n.tag, part.tag) {
		return true
	}
	if n.types != nil && part.types != nil || n.values != nil && part.values != nil ||
		n.items != nil && part.items != nil || n.not != nil && part.not != nil || n.hasDefault && part.hasDefault ||
		len(n.unions) > 0 && len(part.unions) > 0 || len(n.bounds) > 0 && len(part.bounds) > 0 {
		return true
	}
	closed := n.additional != nil || n.unevaluated != nil || part.additional != nil || part.unevaluated != nil
	if closed && (n.form() != formAny && part.form() != formAny) {
		return true
	}
	return slices.ContainsFunc(part.properties, func(p property) bool { return n.property(p.name) != nil })
}

// covers reports whether a value of type t is of one of types.
func covers(types []string, t string) bool {
	return slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func firstNode(a, b *node) *node {
	if a != nil {
		return a
	}
	return b
}

func merge[V any](a, b map[string]V) map[string]V {
	if len(a) == 0 {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
