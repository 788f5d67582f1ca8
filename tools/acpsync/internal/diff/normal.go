package diff

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/acpwire/acpwire/tools/acpsync/internal/derive"
	"github.com/acpwire/acpwire/tools/acpsync/internal/jsontree"
)

// A Schema is a protocol schema in normal form, ready to be compared.
type Schema struct {
	root    *node
	dialect string
	defs    map[string]*node
	methods map[string][]string // definition names by side and method
}

// Parse reads a schema, upstream or derived. Whatever it does not know is an error with a JSON pointer.
func Parse(data []byte) (*Schema, error) {
	tree, err := jsontree.Parse(data)
	if err != nil {
		return nil, err
	}
	if tree, err = derive.Schema(tree); err != nil {
		return nil, err
	}
	s := &Schema{defs: map[string]*node{}, methods: map[string][]string{}}
	if dialect := tree.Get("$schema"); dialect != nil {
		s.dialect = dialect.Text
	}
	if s.root, err = normalise(tree, "#"); err != nil {
		return nil, err
	}
	if defs := tree.Get("$defs"); defs != nil {
		for _, m := range defs.Members {
			if s.defs[m.Name], err = normalise(m.Value, "#/$defs/"+jsontree.EscapePointer(m.Name)); err != nil {
				return nil, err
			}
			if method := m.Value.Get("x-method"); method != nil {
				key := method.Text
				if side := m.Value.Get("x-side"); side != nil {
					key = side.Text + " " + key
				}
				s.methods[key] = append(s.methods[key], m.Name)
			}
		}
	}
	return s, nil
}

// normalise brings a schema that package derive has accepted into normal form.
func normalise(t *jsontree.Node, pointer string) (*node, error) {
	n := &node{pointer: pointer}
	if t.IsBool() {
		n.never = t.Kind == 'f'
		return n, nil
	}
	var all []*node
	for _, m := range t.Members {
		at := pointer + "/" + jsontree.EscapePointer(m.Name)
		if m.Name == "allOf" {
			var err error
			if all, err = normaliseList(m.Value, at); err != nil {
				return nil, err
			}
			continue
		}
		if err := n.set(m.Name, m.Value, at); err != nil {
			return nil, err
		}
	}
	n.foldNull()
	n.foldEnums()
	for _, part := range all {
		if !n.absorb(part) {
			n.all = append(n.all, part)
		}
	}
	n.foldTypes()
	return n, nil
}

func normaliseList(t *jsontree.Node, pointer string) ([]*node, error) {
	var out []*node
	for i, item := range t.Items {
		n, err := normalise(item, fmt.Sprintf("%s/%d", pointer, i))
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// set takes over one keyword.
func (n *node) set(keyword string, v *jsontree.Node, at string) error {
	switch keyword {
	case "$schema", "$defs", "x-side", "x-method":
		// Compared for the schema as a whole.
	case "$ref":
		n.ref = derive.RefName(v.Text)
	case "title":
		n.title = v.Text
	case "type":
		n.setTypes(v)
	case "const":
		n.values = append(n.values, newValue(v, at))
	case "enum":
		for i, item := range v.Items {
			n.values = append(n.values, newValue(item, fmt.Sprintf("%s/%d", at, i)))
		}
	case "default":
		n.hasDefault, n.fallback = true, v.Canonical()
	case "format":
		n.format = v.Text
	case "pattern":
		n.pattern = v.Text
	case "contentEncoding":
		n.encoding = v.Text
	case "discriminator":
		n.tag = v.Get("propertyName").Text
	case "x-docs-ignore":
		n.docsIgnore = v.Kind == 't'
	case "x-deserialize-default-on-error", "x-deserialize-default-on-null", "x-deserialize-skip-invalid-items":
		if v.Kind == 't' {
			n.lenient = setKey(n.lenient, keyword)
		}
	case "required":
		for _, item := range v.Items {
			n.required = setKey(n.required, item.Text)
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems":
		return n.setBound(keyword, v, at)
	default:
		return n.setNested(keyword, v, at)
	}
	return nil
}

// setNested takes over a keyword that has schemas below it.
func (n *node) setNested(keyword string, v *jsontree.Node, at string) (err error) {
	switch keyword {
	case "items":
		n.items, err = normaliseOpen(v, at)
	case "additionalProperties":
		n.additional, err = normaliseOpen(v, at)
	case "unevaluatedProperties":
		n.unevaluated, err = normaliseOpen(v, at)
	case "not":
		n.not, err = normalise(v, at)
	case "properties":
		for _, m := range v.Members {
			schema, err := normalise(m.Value, at+"/"+jsontree.EscapePointer(m.Name))
			if err != nil {
				return err
			}
			n.properties = append(n.properties, property{name: m.Name, schema: schema})
		}
	case "anyOf", "oneOf":
		u := &union{keyword: keyword, pointer: at}
		u.variants, err = normaliseList(v, at)
		n.unions = append(n.unions, u)
	default:
		err = fmt.Errorf("%s: keyword %q cannot be compared", at, keyword)
	}
	return err
}

// normaliseOpen is normalise where a schema that accepts everything says as much as none at all.
func normaliseOpen(t *jsontree.Node, pointer string) (*node, error) {
	n, err := normalise(t, pointer)
	if err != nil || n.form() == formAny && n.title == "" && !n.hasDefault && len(n.lenient) == 0 {
		return nil, err
	}
	return n, nil
}

func (n *node) setTypes(v *jsontree.Node) {
	items := v.Items
	if v.IsString() {
		items = []*jsontree.Node{v}
	}
	n.types = []string{}
	for _, item := range items {
		if item.Text == "null" {
			n.nullable = true
		} else if !slices.Contains(n.types, item.Text) {
			n.types = append(n.types, item.Text)
		}
	}
	slices.Sort(n.types)
}

func (n *node) setBound(keyword string, v *jsontree.Node, at string) error {
	bound, ok := v.Rat()
	if !ok {
		return fmt.Errorf("line %d: %s: %s is too large to compare", v.Line, at, keyword)
	}
	if n.bounds == nil {
		n.bounds = map[string]*big.Rat{}
	}
	n.bounds[keyword] = bound
	return nil
}

func newValue(v *jsontree.Node, at string) value {
	return value{text: v.Canonical(), typ: valueType(v), pointer: at}
}

func valueType(v *jsontree.Node) string {
	switch {
	case v.IsObject():
		return "object"
	case v.IsArray():
		return "array"
	case v.IsString():
		return "string"
	case v.IsBool():
		return "boolean"
	case v.IsNumber():
		if r, ok := v.Rat(); ok && r.IsInt() {
			return "integer"
		}
		return "number"
	}
	return "null"
}

func setKey(m map[string]bool, key string) map[string]bool {
	if m == nil {
		m = map[string]bool{}
	}
	m[key] = true
	return m
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
