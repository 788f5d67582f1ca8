package model

import (
	"slices"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// value reads a schema that stands where a value is described without a name: a property, an item, a map's value. allowed are the
// annotations that the caller has taken. Structs, unions and enums have no name here and are errors.
func (b *builder) value(n *load.Node, allowed []string) (t Type, nullable bool) {
	if anything(n) {
		b.only(n, "a schema without a type", allowed)
		return &Any{}, false
	}
	if n.Bool != nil {
		b.errorf(n.Pointer, "the schema false has no values")
		return &Any{}, false
	}
	if target, ok := b.ref(n, allowed); ok {
		return &Ref{Name: target}, false
	}
	if branches := branchesOf(n); branches != nil {
		return b.nullOr(n, branches, allowed)
	}
	types := slices.DeleteFunc(slices.Clone(n.Types), func(t string) bool { return t == "null" })
	nullable = len(types) < len(n.Types)
	if len(types) != 1 {
		b.errorf(n.Pointer, "cannot tell the shape of a value with type %v and keywords %v", n.Types, n.Keywords)
		return &Any{}, nullable
	}
	switch types[0] {
	case "array":
		t = b.list(n, allowed)
	case "object":
		t = b.object(n, allowed)
	default:
		t = b.scalar(n, types[0], allowed)
	}
	return t, nullable
}

// ref returns the definition that n refers to. allOf with one $ref is the same as a $ref: it only makes room for annotations.
func (b *builder) ref(n *load.Node, allowed []string) (string, bool) {
	switch {
	case n.Ref != "":
		b.only(n, "a $ref", allowed, "$ref")
		return n.Ref, true
	case len(n.AllOf) == 1 && n.AllOf[0].Ref != "":
		b.only(n, "an allOf with a $ref", allowed, "allOf")
		return b.ref(n.AllOf[0], nil)
	}
	return "", false
}

// nullOr reads anyOf with a schema and null.
func (b *builder) nullOr(n *load.Node, branches []*load.Node, allowed []string) (Type, bool) {
	b.only(n, "a choice", allowed, "anyOf", "oneOf")
	b.oneChoice(n)
	rest := slices.DeleteFunc(slices.Clone(branches), isNull)
	if len(rest) != 1 || len(branches) != 2 {
		b.errorf(n.Pointer, "a choice of %d schemas has no name here: only a schema or null is allowed, a union must be a definition", len(branches))
		return &Any{}, false
	}
	t, _ := b.value(rest[0], nil)
	return t, true
}

// isNull reports whether n is the schema of null and nothing else.
func isNull(n *load.Node) bool { return slices.Equal(n.Types, []string{"null"}) }

func (b *builder) list(n *load.Node, allowed []string) *List {
	b.only(n, "an array", allowed, "type", "items", "minItems")
	l := &List{MinItems: n.MinItems}
	if n.Items == nil {
		b.errorf(n.Pointer, "an array without items")
		l.Elem = &Any{}
		return l
	}
	l.Elem, l.Nullable = b.value(n.Items, nil)
	return l
}

// object reads an object without a name: its members are all of one shape, or not described at all.
func (b *builder) object(n *load.Node, allowed []string) Type {
	b.only(n, "an object without a name", allowed, "type", "additionalProperties", "properties")
	if n.Has("properties") {
		b.errorf(n.Pointer, "an object with properties has no name here: it must be a definition")
		return &Any{Object: true}
	}
	if n.AdditionalProperties == nil {
		b.errorf(n.Pointer, "an object without properties or additionalProperties has no name here: it must be a definition")
		return &Any{Object: true}
	}
	elem, nullable := b.value(n.AdditionalProperties, nil)
	if _, free := elem.(*Any); free && anything(n.AdditionalProperties) {
		return &Any{Object: true}
	}
	if nullable {
		b.errorf(n.AdditionalProperties.Pointer, "a map with null values cannot be expressed")
	}
	return &Map{Elem: elem}
}
