package model

import (
	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// structOptions say what the place of a struct gives meaning to.
type structOptions struct {
	// allowed are the keywords that the caller has taken.
	allowed []string
	// tag is a property that the caller has taken; empty for none.
	tag string
}

// structType reads an object with known properties and the choices flattened into it.
func (b *builder) structType(n *load.Node, o structOptions) *Struct {
	keywords := []string{"type", "properties", "required", "additionalProperties", "unevaluatedProperties"}
	if branchesOf(n) != nil {
		keywords = append(keywords, "anyOf", "oneOf", "discriminator")
	}
	b.only(n, "an object", o.allowed, keywords...)
	b.openObject(n)
	s := &Struct{}
	if branchesOf(n) != nil {
		u := b.union(n, unionOptions{flattened: true})
		s.Unions = append(s.Unions, u)
		if u.Tag != "" {
			b.ownTag(n, u)
		}
	}
	for _, p := range n.Properties {
		if p.Name == o.tag || len(s.Unions) > 0 && p.Name == s.Unions[0].Tag {
			continue
		}
		s.Fields = append(s.Fields, b.field(n, p))
	}
	for i, name := range n.Required {
		if n.Property(name) == nil {
			b.errorf(n.Pointer+"/required/"+itoa(i), "%q is required but is no property", name)
		}
	}
	return s
}

// openObject checks that n is an object that takes further members, as every object of the protocol does.
func (b *builder) openObject(n *load.Node) {
	if len(n.Types) != 1 || n.Types[0] != "object" {
		b.errorf(n.Pointer, "properties without type object")
	}
	if n.AdditionalProperties != nil && !anything(n.AdditionalProperties) {
		b.errorf(n.Pointer+"/additionalProperties", "only true is allowed beside properties")
	}
	if n.UnevaluatedProperties != nil && !anything(n.UnevaluatedProperties) {
		b.errorf(n.Pointer+"/unevaluatedProperties", "only true is allowed")
	}
}

// ownTag checks a tag that the object declares itself, besides its variants. It is dropped from the fields, so it must say no more
// than the union says: a string, or null where a variant stands for a tag that is absent.
func (b *builder) ownTag(n *load.Node, u *Union) {
	p := n.Property(u.Tag)
	if p == nil {
		return
	}
	t, nullable := b.value(p, fieldAnnotations)
	s, ok := t.(*Scalar)
	if !ok || s.Kind != String || s.Format != "" || s.MinLength > 0 {
		b.errorf(p.Pointer, "the property is the tag of the union and must be a plain string")
	}
	absent := false
	for _, v := range u.Variants {
		absent = absent || v.Absent
	}
	switch {
	case !absent:
		b.errorf(p.Pointer, "the property is the tag of the union too, and no variant stands for its absence")
	case !nullable || n.Requires(u.Tag):
		b.errorf(p.Pointer, "the tag must be optional and nullable, as a variant stands for its absence")
	}
	if p.Default != nil || p.DefaultOnNull || p.SkipInvalidItems {
		b.errorf(p.Pointer, "the annotations on a tag cannot be expressed")
	}
	u.TagDefaultOnError = p.DefaultOnError
}

// field reads one property.
func (b *builder) field(owner *load.Node, p *load.Property) *Field {
	n := p.Node
	f := &Field{
		Name: p.Name, Pointer: n.Pointer, Required: owner.Requires(p.Name),
		DefaultOnError: n.DefaultOnError, DefaultOnNull: n.DefaultOnNull, SkipInvalidItems: n.SkipInvalidItems,
	}
	f.Type, f.Nullable = b.value(n, fieldAnnotations)
	if n.Has("default") {
		f.Default = b.compact(n.Pointer+"/default", n.Default)
	}
	if _, list := f.Type.(*List); f.SkipInvalidItems && !list {
		b.errorf(n.Pointer, "x-deserialize-skip-invalid-items on a property that is no array")
	}
	return f
}
