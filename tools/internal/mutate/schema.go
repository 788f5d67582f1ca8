package mutate

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/schema"
)

// A Schema is a schema of package schema, prepared for making instances. It is immutable and safe for concurrent use.
type Schema struct {
	defs   map[string]*node
	names  []string // of the definitions, in schema order
	nodes  []*node  // by id
	places map[string]*Place
	roots  map[string]*Place // by definition
	// members and consts are those of the whole schema, without repetition.
	members []string
	consts  []*Value
}

// A node is one subschema.
type node struct {
	id      int
	pointer string
	ref     string
	types   []string
	consts  []*Value // of const or enum
	format  string
	title   string

	minimum, maximum               string
	minLength, maxLength           int // maxLength and maxItems are negative if there is none
	minItems, maxItems             int
	properties                     []property
	required                       []string
	items, values                  *node // values is additionalProperties if that is more than true
	closed                         bool  // additionalProperties is false
	allOf, anyOf, oneOf, negations []*node

	numbers []string // valid spellings, if the node is for numbers
}

type property struct {
	name string
	node *node
}

// Load prepares a surface of package schema, such as "v1". The error wraps schema.ErrSurface if there is none of that name, or names the JSON pointer of a
// keyword that this package does not know.
func Load(surface string) (*Schema, error) {
	raw, err := schema.JSON(surface)
	if err != nil {
		return nil, err
	}
	s, err := Read(raw)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", surface, err)
	}
	return s, nil
}

// Read is [Load] for a schema given as JSON, with all its definitions in $defs.
func Read(raw []byte) (*Schema, error) {
	tree, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	defs := tree.Get("$defs")
	if defs == nil || defs.Kind != Object {
		return nil, fmt.Errorf("/$defs: expected an object of definitions")
	}
	s := &Schema{defs: map[string]*node{}, places: map[string]*Place{}, roots: map[string]*Place{}}
	for _, m := range defs.Members {
		n, err := s.read(m.Value, "/$defs/"+m.Key())
		if err != nil {
			return nil, err
		}
		s.defs[m.Key()] = n
		s.names = append(s.names, m.Key())
	}
	for _, n := range s.nodes {
		if n.ref != "" && s.defs[n.ref] == nil {
			return nil, fmt.Errorf("%s/$ref: no definition %q", n.pointer, n.ref)
		}
	}
	for _, name := range s.names {
		s.roots[name] = s.place([]*node{s.defs[name]})
	}
	return s, nil
}

// Defs returns the names of the definitions, in schema order. The caller owns the slice.
func (s *Schema) Defs() []string { return slices.Clone(s.names) }

func (s *Schema) read(v *Value, pointer string) (*node, error) {
	n := &node{id: len(s.nodes), pointer: pointer, maxLength: -1, maxItems: -1}
	s.nodes = append(s.nodes, n)
	if v.Kind == Bool && v.Text == "true" {
		return n, nil
	}
	if v.Kind != Object {
		return nil, fmt.Errorf("%s: expected a schema", pointer)
	}
	for _, m := range v.Members {
		at := pointer + "/" + m.Key()
		if err := s.keyword(n, m.Key(), m.Value, at); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(n.types, func(t string) bool { return t == "integer" || t == "number" }) {
		n.numbers = validNumbers(n)
	}
	return n, nil
}

func (s *Schema) keyword(n *node, name string, v *Value, at string) (err error) {
	switch name {
	case "$ref":
		n.ref = strings.TrimPrefix(v.Content(), "#/$defs/")
	case "title":
		n.title = v.Content()
	case "type":
		n.types = contents(v)
	case "const":
		n.consts = []*Value{v}
		s.addConst(v)
	case "enum":
		n.consts = v.Items
		for _, c := range v.Items {
			s.addConst(c)
		}
	case "format":
		n.format = v.Content()
	case "minimum":
		n.minimum = v.Text
	case "maximum":
		n.maximum = v.Text
	case "minLength":
		n.minLength, err = count(v, at)
	case "maxLength":
		n.maxLength, err = count(v, at)
	case "minItems":
		n.minItems, err = count(v, at)
	case "maxItems":
		n.maxItems, err = count(v, at)
	case "required":
		n.required = contents(v)
	case "x-side", "x-method", "x-docs-ignore", "x-deserialize-default-on-error", "x-deserialize-default-on-null", "x-deserialize-skip-invalid-items",
		"default", "discriminator", "description", "contentEncoding":
	default:
		err = s.subschemas(n, name, v, at)
	}
	return err
}

func (s *Schema) subschemas(n *node, name string, v *Value, at string) (err error) {
	switch name {
	case "properties":
		for _, m := range v.Members {
			p := property{name: m.Key()}
			if p.node, err = s.read(m.Value, at+"/"+p.name); err != nil {
				return err
			}
			n.properties = append(n.properties, p)
			if !slices.Contains(s.members, p.name) {
				s.members = append(s.members, p.name)
			}
		}
	case "items":
		n.items, err = s.read(v, at)
	case "additionalProperties", "unevaluatedProperties":
		switch {
		case v.Kind == Bool && v.Text == "true":
		case v.Kind == Bool:
			n.closed = true
		case name == "unevaluatedProperties":
			return fmt.Errorf("%s: expected true or false", at)
		default:
			n.values, err = s.read(v, at)
		}
	case "allOf":
		n.allOf, err = s.list(v, at)
	case "anyOf":
		n.anyOf, err = s.list(v, at)
	case "oneOf":
		n.oneOf, err = s.list(v, at)
	case "not":
		n.negations = make([]*node, 1)
		n.negations[0], err = s.read(v, at)
	default:
		return fmt.Errorf("%s: unknown keyword", at)
	}
	return err
}

func (s *Schema) list(v *Value, at string) (list []*node, err error) {
	for i, item := range v.Items {
		n, err := s.read(item, at+"/"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func (s *Schema) addConst(v *Value) {
	if !slices.ContainsFunc(s.consts, func(c *Value) bool { return c.Text == v.Text }) {
		s.consts = append(s.consts, v)
	}
}

// contents returns a string, or an array of strings, as a list.
func contents(v *Value) []string {
	if v.Kind == String {
		return []string{v.Content()}
	}
	var list []string
	for _, item := range v.Items {
		list = append(list, item.Content())
	}
	return list
}

func count(v *Value, at string) (int, error) {
	n, err := strconv.Atoi(v.Text)
	if err != nil {
		return 0, fmt.Errorf("%s: expected a count: %w", at, err)
	}
	return n, nil
}

// validNumbers returns the spellings of numbers that a node allows.
func validNumbers(n *node) []string {
	low, high := n.minimum, n.maximum
	if bounds, ok := integerFormats[n.format]; ok {
		low, high = tighter(low, bounds[0], 1), tighter(high, bounds[1], -1)
	}
	integer := slices.Contains(n.types, "integer") && !slices.Contains(n.types, "number")
	var valid []string
	for _, t := range numberTexts {
		if _, err := strconv.ParseFloat(t, 64); err != nil || !cheap(t) {
			continue
		}
		x, ok := new(big.Rat).SetString(t)
		if !ok || integer && !x.IsInt() || low != "" && compare(t, low) < 0 || high != "" && compare(t, high) > 0 {
			continue
		}
		valid = append(valid, t)
	}
	return valid
}

// cheap reports whether a number is not costly as a rational, because its exponent is small.
func cheap(number string) bool {
	i := strings.IndexAny(number, "eE")
	return i < 0 || len(number)-i <= len("e-400")
}

// tighter returns the greater of two bounds if sign is 1, and the smaller if it is -1. An empty bound is none.
func tighter(a, b string, sign int) string {
	if a == "" || compare(a, b)*sign < 0 {
		return b
	}
	return a
}

func compare(a, b string) int {
	x, _ := new(big.Rat).SetString(a)
	y, _ := new(big.Rat).SetString(b)
	return x.Cmp(y)
}

// Unions returns the names of the definitions that are unions, in schema order.
func (s *Schema) Unions() []string {
	return slices.DeleteFunc(s.Defs(), func(name string) bool { return len(s.defs[name].anyOf)+len(s.defs[name].oneOf) == 0 })
}
