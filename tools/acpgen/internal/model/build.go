package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// Build normalises a schema. The error joins everything it cannot express, each with the JSON pointer of its place; nothing is
// dropped or widened silently.
//
// Field.Nullable and List.Nullable say that the schema names null beside the type. [Any], and a [Ref] to a union with a null variant,
// take null by themselves and do not set it.
func Build(s *load.Schema) (*Schema, error) {
	b := &builder{in: s, out: &Schema{}}
	for _, d := range s.Defs {
		if leftOut(d) {
			continue
		}
		b.out.Defs = append(b.out.Defs, &Def{Name: d.Name, Pointer: d.Node.Pointer, Type: b.def(d.Node)})
	}
	b.methods()
	b.check()
	if len(b.errs) > 0 {
		return nil, errors.Join(b.errs...)
	}
	return b.out, nil
}

// A builder holds the schema being read, the model being made, and the faults found so far.
type builder struct {
	in   *load.Schema
	out  *Schema
	errs []error
}

func (b *builder) errorf(pointer, format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf("%s: %s", pointer, fmt.Sprintf(format, args...)))
}

// leftOut reports whether a definition makes no type: an envelope, or an extension point without a shape.
func leftOut(d *load.Property) bool { return d.Node.DocsIgnore || isExt(d) }

// extNames are the definitions of the protocol's extension points.
var extNames = []string{"ExtRequest", "ExtResponse", "ExtNotification"}

// isExt reports whether a definition is an extension point that takes everything.
func isExt(d *load.Property) bool {
	return slices.Contains(extNames, d.Name) && anything(d.Node)
}

// annotations say nothing about the shape of a value and may stand on every schema.
var annotations = []string{"title"}

// defAnnotations may stand on a definition besides.
var defAnnotations = []string{"x-side", "x-method"}

// fieldAnnotations may stand on a property besides. The field takes them, not the type.
var fieldAnnotations = []string{"default", "x-deserialize-default-on-error", "x-deserialize-default-on-null", "x-deserialize-skip-invalid-items"}

// anything reports whether a schema accepts every value.
func anything(n *load.Node) bool {
	if n.Bool != nil {
		return *n.Bool
	}
	for _, k := range n.Keywords {
		if !slices.Contains(annotations, k) && !slices.Contains(defAnnotations, k) && !slices.Contains(fieldAnnotations, k) {
			return false
		}
	}
	return true
}

// only reports the keywords of n that are neither in allowed nor annotations: the shape that was recognised gives them no meaning.
func (b *builder) only(n *load.Node, what string, allowed []string, keywords ...string) {
	for _, k := range n.Keywords {
		if !slices.Contains(keywords, k) && !slices.Contains(allowed, k) && !slices.Contains(annotations, k) {
			b.errorf(n.Pointer, "keyword %q has no meaning on %s", k, what)
		}
	}
}

// def reads a definition, the only place where structs, unions and enums may stand.
func (b *builder) def(n *load.Node) Type {
	branches := branchesOf(n)
	switch {
	case n.Has("enum") || branches != nil && isEnum(branches):
		return b.enum(n, defAnnotations)
	case len(n.Properties) > 0 || emptyObject(n):
		return b.structType(n, structOptions{allowed: defAnnotations})
	case branches != nil:
		return b.union(n, unionOptions{allowed: defAnnotations})
	}
	t, nullable := b.value(n, defAnnotations)
	if nullable {
		b.errorf(n.Pointer, "a definition cannot be null: the place that refers to it says so")
	}
	return t
}

// emptyObject reports whether n is an object that names no properties and no others either.
func emptyObject(n *load.Node) bool {
	return slices.Equal(n.Types, []string{"object"}) && branchesOf(n) == nil && n.AdditionalProperties == nil
}

// branchesOf returns the branches of anyOf or oneOf.
func branchesOf(n *load.Node) []*load.Node {
	if len(n.AnyOf) > 0 {
		return n.AnyOf
	}
	return n.OneOf
}

// oneChoice checks that n has one list of branches, so that branchesOf has them all.
func (b *builder) oneChoice(n *load.Node) {
	if len(n.AnyOf) > 0 && len(n.OneOf) > 0 {
		b.errorf(n.Pointer, "anyOf and oneOf on one schema")
	}
}

// isExclusive reports whether exactly one branch may match and no tag sees to that.
func isExclusive(n *load.Node) bool { return len(n.OneOf) > 0 && n.Discriminator == "" }
