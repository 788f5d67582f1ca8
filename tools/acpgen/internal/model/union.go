package model

import (
	"slices"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// unionOptions say where a union stands.
type unionOptions struct {
	// allowed are the keywords that the caller has taken.
	allowed []string
	// flattened means the variants' properties stand beside those of a struct, which has checked the keywords.
	flattened bool
}

// union reads a choice of shapes and decides how a value tells its variant.
func (b *builder) union(n *load.Node, o unionOptions) *Union {
	if !o.flattened {
		b.only(n, "a union", o.allowed, "type", "anyOf", "oneOf", "discriminator")
	}
	b.oneChoice(n)
	u := &Union{Pointer: n.Pointer, Exclusive: isExclusive(n)}
	branches := make([]*branch, 0, len(branchesOf(n)))
	for _, br := range branchesOf(n) {
		branches = append(branches, b.branch(br))
	}
	switch {
	case anyIs(branches, tagged):
		b.tagUnion(u, branches)
	case allAre(branches, array):
		b.elementUnion(u, branches)
	case allAre(branches, scalar, array, free):
		b.kindUnion(u, branches)
	case allAre(branches, reference, inline, free):
		b.keyUnion(u, branches)
	default:
		b.errorf(n.Pointer, "no way to tell the variants apart: %s", describe(branches))
	}
	b.unionKeywords(n, u, o)
	return u
}

// unionKeywords checks the keywords beside the branches against what the branches turned out to be.
func (b *builder) unionKeywords(n *load.Node, u *Union, o unionOptions) {
	if n.Discriminator != "" && n.Discriminator != u.Tag {
		b.errorf(n.Pointer+"/discriminator", "the discriminator is %q, but the branches differ in %q", n.Discriminator, u.Tag)
	}
	objects := u.Strategy != ByKind && u.Strategy != ByElementKey
	if !objects && (o.flattened || n.Has("type")) {
		b.errorf(n.Pointer, "a choice of values that are no objects on an object")
	}
	if !o.flattened && n.Has("type") && !slices.Equal(n.Types, []string{"object"}) {
		b.errorf(n.Pointer, "a union of type %v", n.Types)
	}
}

// tagUnion reads a union that a const property decides.
func (b *builder) tagUnion(u *Union, branches []*branch) {
	for _, br := range branches {
		if br.kind == tagged {
			u.Tag = br.tag
			break
		}
	}
	known := map[string]bool{}
	count := map[branchKind]int{}
	for _, br := range branches {
		v := &Variant{Pointer: br.node.Pointer, Title: br.node.Title}
		u.Variants = append(u.Variants, v)
		switch br.kind {
		case tagged:
			if br.tag != u.Tag {
				b.errorf(br.node.Pointer, "the tag is %q, but %q in the branches before", br.tag, u.Tag)
			}
			if known[br.value] {
				b.errorf(br.node.Pointer, "a second branch with the tag %q", br.value)
			}
			known[br.value] = true
			v.Tag, v.Payload = br.value, b.taggedPayload(br)
		case catchAll:
			v.CatchAll, v.Payload = true, b.catchAllPayload(br.node, u.Tag)
		case absent:
			if br.tag != u.Tag {
				b.errorf(br.node.Pointer, "the property %q is null, but the tag is %q", br.tag, u.Tag)
			}
			v.Absent, v.Payload = true, b.absentPayload(br)
		case reference, inline:
			v.Payload = b.payload(br)
			count[reference]++
			continue
		case scalar, array, free, unknown:
			b.errorf(br.node.Pointer, "%s beside branches with the tag %q", br.kind, u.Tag)
		}
		count[br.kind]++
	}
	b.knownTags(u, branches, known)
	u.Strategy = b.tagStrategy(u, count)
}

// tagStrategy decides by which kinds of branches stand beside the tagged ones.
func (b *builder) tagStrategy(u *Union, count map[branchKind]int) Strategy {
	if count[catchAll] > 1 || count[absent] > 1 || count[reference] > 1 || count[absent]+count[reference] > 1 {
		b.errorf(u.Pointer, "more than one branch for a value without a known %q", u.Tag)
	}
	switch {
	case count[reference] > 0 && count[catchAll] > 0:
		return ByOpenTagOrDefault
	case count[reference] > 0:
		return ByTagOrDefault
	case count[catchAll] > 0:
		return ByOpenTag
	}
	return ByTag
}

// kindUnion reads a union that the JSON kind of the value decides.
func (b *builder) kindUnion(u *Union, branches []*branch) {
	u.Strategy = ByKind
	seen := map[string]bool{}
	for _, br := range branches {
		v := &Variant{Pointer: br.node.Pointer, Title: br.node.Title}
		u.Variants = append(u.Variants, v)
		name := "any"
		switch {
		case br.kind == free:
			v.CatchAll, v.Payload = true, b.freePayload(br, u)
		case isNull(br.node):
			b.only(br.node, "null", nil, "type")
			name, v.Payload = "null", &Scalar{Kind: Null}
		default:
			var nullable bool
			v.Payload, nullable = b.value(br.node, nil)
			if nullable {
				b.errorf(br.node.Pointer, "a nullable branch of a union by kind")
			}
			name = br.node.Types[0]
		}
		if seen[name] {
			b.errorf(br.node.Pointer, "a second branch of kind %s", name)
		}
		seen[name] = true
	}
	if u.Exclusive && seen["integer"] && seen["number"] {
		b.errorf(u.Pointer, "an integer is a number too, so no integer can match exactly one branch of oneOf")
	}
}

// freePayload reads a branch that takes everything.
func (b *builder) freePayload(br *branch, u *Union) Type {
	if u.Exclusive {
		b.errorf(br.node.Pointer, "the branch matches everything, so no other can match exactly one branch of oneOf")
	}
	t, _ := b.value(br.node, nil)
	return t
}

// keyUnion reads a union of objects that their required keys decide.
func (b *builder) keyUnion(u *Union, branches []*branch) {
	u.Strategy = ByKey
	var required [][]string
	for _, br := range branches {
		v := &Variant{Pointer: br.node.Pointer, Title: br.node.Title}
		u.Variants = append(u.Variants, v)
		if br.kind == free {
			v.CatchAll, v.Payload = true, b.freePayload(br, u)
			required = append(required, nil)
			continue
		}
		v.Payload = b.payload(br)
		required = append(required, b.requiredKeys(br.node))
	}
	b.keys(u, required)
}

// elementUnion reads a union of arrays that the required keys of their elements decide.
func (b *builder) elementUnion(u *Union, branches []*branch) {
	u.Strategy = ByElementKey
	var required [][]string
	for _, br := range branches {
		l := b.list(br.node, nil)
		if _, ref := l.Elem.(*Ref); !ref || l.Nullable {
			b.errorf(br.node.Pointer, "the elements must be a definition for their keys to decide")
			required = append(required, nil)
		} else {
			required = append(required, b.requiredKeys(br.node.Items))
		}
		u.Variants = append(u.Variants, &Variant{Pointer: br.node.Pointer, Title: br.node.Title, Payload: l})
	}
	b.keys(u, required)
}

// keys gives each variant the required keys that no other variant requires.
func (b *builder) keys(u *Union, required [][]string) {
	catchAlls := 0
	for i, v := range u.Variants {
		if v.CatchAll {
			catchAlls++
			continue
		}
		for _, key := range required[i] {
			if !requiredElsewhere(required, i, key) {
				v.Keys = append(v.Keys, key)
			}
		}
		if len(v.Keys) == 0 {
			b.errorf(v.Pointer, "no required key tells this variant from the others")
		}
	}
	if catchAlls > 1 {
		b.errorf(u.Pointer, "more than one branch takes everything")
	}
}

func requiredElsewhere(required [][]string, self int, key string) bool {
	for i, keys := range required {
		if i != self && slices.Contains(keys, key) {
			return true
		}
	}
	return false
}

// requiredKeys returns the required properties of the object that n is or refers to.
func (b *builder) requiredKeys(n *load.Node) []string {
	for range b.in.Defs {
		next := n.Ref
		if next == "" && len(n.AllOf) == 1 {
			next = n.AllOf[0].Ref
		}
		if next == "" {
			break
		}
		n = b.in.Def(next)
	}
	return n.Required
}
