package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// A branchKind is what a branch of a choice looks like by itself.
type branchKind int

const (
	unknown   branchKind = iota
	tagged               // an object with a const property
	catchAll             // an object that is not one of the tagged ones
	absent               // an object whose only property is null
	reference            // a definition
	inline               // an object without a const property
	scalar
	array
	free // everything
)

// String names the kind for an error.
func (k branchKind) String() string {
	return [...]string{"an unknown shape", "a tagged object", "a catch-all", "an absent tag", "a definition", "an untagged object", "a scalar", "an array", "anything"}[k]
}

// A branch is one schema of a choice.
type branch struct {
	node *load.Node
	kind branchKind
	// tag is the property that decides and value its const, for tagged; absent has the tag only.
	tag, value string
}

// branch classifies one schema of a choice.
func (b *builder) branch(n *load.Node) *branch {
	br := &branch{node: n}
	object := slices.Equal(n.Types, []string{"object"})
	consts := constProperties(n)
	switch {
	case anything(n):
		br.kind = free
	case n.Not != nil:
		br.kind = catchAll
	case len(consts) == 1:
		br.kind, br.tag = tagged, consts[0]
		br.value = b.tagValue(n, consts[0])
	case len(consts) > 1:
		b.errorf(n.Pointer, "cannot tell the tag among the const properties %s", strings.Join(consts, ", "))
	case len(n.Properties) == 1 && isNull(n.Properties[0].Node):
		br.kind, br.tag = absent, n.Properties[0].Name
	case n.Ref != "" || len(n.AllOf) > 0 && len(n.Properties) == 0:
		br.kind = reference
	case object && len(n.AllOf) == 0:
		br.kind = inline
	case slices.Contains(n.Types, "array"):
		br.kind = array
	case len(n.Types) == 1 && !object:
		br.kind = scalar
	}
	return br
}

// constProperties returns the names of the properties with a const.
func constProperties(n *load.Node) []string {
	var names []string
	for _, p := range n.Properties {
		if p.Node.Const != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// tagValue checks that the tag of a tagged object is a required const string and returns the string.
func (b *builder) tagValue(n *load.Node, tag string) string {
	p := n.Property(tag)
	b.only(p, "a tag", nil, "type", "const")
	if !slices.Equal(p.Types, []string{"string"}) {
		b.errorf(p.Pointer, "a tag is of type string, not %v", p.Types)
	}
	text, ok := unquote(p.Const)
	if !ok {
		b.errorf(p.Pointer+"/const", "a tag is a string, not %s", p.Const)
	}
	if !n.Requires(tag) {
		b.errorf(n.Pointer, "the tag %q is not required", tag)
	}
	return text
}

// taggedPayload reads a tagged object without its tag.
func (b *builder) taggedPayload(br *branch) Type {
	n := br.node
	if len(n.AllOf) == 0 {
		return b.structType(n, structOptions{tag: br.tag})
	}
	b.only(n, "a tagged reference", nil, "type", "allOf", "properties", "required", "additionalProperties", "unevaluatedProperties")
	b.openObject(n)
	if len(n.Properties) > 1 || len(n.Required) > 1 {
		b.errorf(n.Pointer, "a tagged reference with properties of its own besides the tag")
	}
	if len(n.AllOf) != 1 || n.AllOf[0].Ref == "" {
		b.errorf(n.Pointer+"/allOf", "expected one $ref")
		return &Struct{}
	}
	t, _ := b.value(n.AllOf[0], nil)
	return t
}

// payload reads an untagged object: a definition or an inline one.
func (b *builder) payload(br *branch) Type {
	if br.kind == inline {
		return b.structType(br.node, structOptions{})
	}
	name, ok := b.ref(br.node, nil)
	if !ok {
		b.errorf(br.node.Pointer, "expected one $ref")
		return &Struct{}
	}
	return &Ref{Name: name}
}

// absentPayload reads the branch of a null or missing tag: it says nothing else.
func (b *builder) absentPayload(br *branch) Type {
	n := br.node
	b.only(n, "an absent tag", nil, "type", "properties", "additionalProperties", "unevaluatedProperties")
	b.openObject(n)
	b.only(n.Properties[0].Node, "an absent tag", nil, "type")
	return &Struct{}
}

func anyIs(branches []*branch, kind branchKind) bool {
	return slices.ContainsFunc(branches, func(br *branch) bool { return br.kind == kind })
}

func allAre(branches []*branch, kinds ...branchKind) bool {
	for _, br := range branches {
		if !slices.Contains(kinds, br.kind) {
			return false
		}
	}
	return true
}

// describe lists the branches for an error.
func describe(branches []*branch) string {
	var list []string
	for i, br := range branches {
		list = append(list, fmt.Sprintf("%d is %s", i, br.kind))
	}
	return strings.Join(list, ", ")
}
