package diff

import "math/big"

// A node is a schema in normal form: the conjunction of everything that is set.
type node struct {
	pointer  string
	title    string
	never    bool     // the false schema
	ref      string   // definition name
	types    []string // sorted, without null; nil: not constrained
	nullable bool     // null is accepted beside what the other fields say
	values   []value  // enum or const; nil: not constrained
	format   string
	pattern  string
	encoding string
	bounds   map[string]*big.Rat // by keyword: minimum, maxLength, ...

	properties  []property // schema order
	required    map[string]bool
	additional  *node
	unevaluated *node
	items       *node
	not         *node
	all         []*node // what allOf holds beyond what could be merged
	unions      []*union

	hasDefault bool
	fallback   string // canonical default
	tag        string // discriminator property
	lenient    map[string]bool
	docsIgnore bool
}

type value struct {
	text    string // canonical JSON
	typ     string
	title   string
	pointer string
}

type property struct {
	name   string
	schema *node
}

// A union is an anyOf or a oneOf.
type union struct {
	keyword  string
	pointer  string
	variants []*node
}

func (n *node) property(name string) *node {
	for _, p := range n.properties {
		if p.name == name {
			return p.schema
		}
	}
	return nil
}

// isNull reports whether n accepts null and nothing else.
func (n *node) isNull() bool { return n.nullable && n.types != nil && len(n.types) == 0 }

// typeless reports whether n constrains values of some types only, and so accepts null without saying it.
func (n *node) typeless() bool {
	return n.types == nil && n.ref == "" && n.values == nil && len(n.unions) == 0
}

// hasStructure reports whether n constrains anything but scalars: members, items, alternatives, exclusions.
func (n *node) hasStructure() bool {
	return len(n.properties) > 0 || len(n.required) > 0 || n.additional != nil || n.unevaluated != nil ||
		n.items != nil || n.not != nil || len(n.all) > 0
}

// hasScalarRules reports whether n constrains the value of a scalar beyond its type.
func (n *node) hasScalarRules() bool { return n.format != "" || n.pattern != "" || len(n.bounds) > 0 }

// A form is what a node consists of, if it is one thing only.
type form int

const (
	formMixed  form = iota // several constraints at once
	formAny                // nothing at all
	formRef                // a reference
	formValues             // an enumeration
	formUnion              // alternatives
)

func (n *node) form() form {
	if n.types != nil || n.never || n.hasStructure() || n.hasScalarRules() {
		return formMixed
	}
	switch ref, values, unions := n.ref != "", n.values != nil, len(n.unions) > 0; {
	case !ref && !values && !unions:
		return formAny
	case ref && !values && !unions:
		return formRef
	case values && !ref && !unions:
		return formValues
	case len(n.unions) == 1 && !ref && !values:
		return formUnion
	}
	return formMixed
}

// unwrapped returns a copy of n without title, annotations and nullability: what a variant or a reference stands for.
func (n *node) unwrapped() *node {
	c := *n
	c.title, c.nullable, c.hasDefault, c.fallback, c.lenient, c.tag, c.docsIgnore = "", false, false, "", nil, "", false
	return &c
}
