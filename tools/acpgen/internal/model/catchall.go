package model

import (
	"slices"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// catchAllPayload reads the object of an unknown tag without the tag.
func (b *builder) catchAllPayload(n *load.Node, tag string) Type {
	p := n.Property(tag)
	switch {
	case p == nil:
		b.errorf(n.Pointer, "the catch-all does not declare the tag %q", tag)
	case !slices.Equal(p.Types, []string{"string"}):
		b.errorf(p.Pointer, "a tag is of type string, not %v", p.Types)
	default:
		b.only(p, "the tag of a catch-all", nil, "type")
	}
	if p != nil && !n.Requires(tag) {
		b.errorf(n.Pointer, "the tag %q is not required", tag)
	}
	return b.structType(n, structOptions{allowed: []string{"not"}, tag: tag})
}

// knownTags checks that each catch-all excludes exactly the tags of the other branches: a tag too few makes a value match twice, and
// one too many makes it match nothing.
func (b *builder) knownTags(u *Union, branches []*branch, known map[string]bool) {
	for _, br := range branches {
		if br.kind != catchAll {
			continue
		}
		excluded := map[string]bool{}
		not := br.node.Not
		b.only(not, "the not of a catch-all", nil, "anyOf")
		if len(not.AnyOf) == 0 {
			b.errorf(not.Pointer, "expected anyOf with the known tags")
		}
		for _, e := range not.AnyOf {
			value, ok := b.excludedTag(e, u.Tag)
			if !ok {
				continue
			}
			if excluded[value] {
				b.errorf(e.Pointer, "the tag %q is excluded twice", value)
			}
			excluded[value] = true
			if !known[value] {
				b.errorf(e.Pointer, "the tag %q is excluded, but no branch has it", value)
			}
		}
		for _, other := range branches {
			if other.kind == tagged && !excluded[other.value] {
				b.errorf(not.Pointer, "the tag %q of another branch is not excluded", other.value)
			}
		}
	}
}

// excludedTag reads one entry of the not: an object with the tag and nothing else.
func (b *builder) excludedTag(n *load.Node, tag string) (string, bool) {
	b.only(n, "an excluded tag", nil, "type", "properties", "required")
	if !slices.Equal(n.Types, []string{"object"}) || len(n.Properties) != 1 || n.Properties[0].Name != tag || n.Properties[0].Node.Const == nil {
		b.errorf(n.Pointer, "expected an object with a const %q and nothing else", tag)
		return "", false
	}
	return b.tagValue(n, tag), true
}
