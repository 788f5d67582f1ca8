package load

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The values that are known for the keywords with a fixed set of them.
var (
	dialects  = []string{"https://json-schema.org/draft/2020-12/schema"}
	typeNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}
	formats   = []string{"uint16", "uint32", "uint64", "int32", "int64", "double", "uri", "date-time", "regex"}
	encodings = []string{"base64"}
	sides     = []string{"agent", "client", "protocol", "proxy"}
)

// rootOnly are the keywords that say something about the whole file.
var rootOnly = map[string]bool{"$schema": true, "$defs": true}

// keywords are all the keywords a schema may have, with the reader of each one's value.
var keywords map[string]func(l *loader, n *Node, v *value)

func init() {
	// Filled here because the readers reach back to the table through loader.node.
	keywords = map[string]func(l *loader, n *Node, v *value){
		"$schema":     func(l *loader, _ *Node, v *value) { l.oneOf(v, dialects) },
		"$defs":       func(l *loader, _ *Node, v *value) { l.schema.Defs = l.nodeMap(v) },
		"$ref":        (*loader).ref,
		"description": func(l *loader, _ *Node, v *value) { l.is(v, jsontext.KindString) },
		"title":       func(l *loader, n *Node, v *value) { n.Title = l.str(v) },

		"type":            func(l *loader, n *Node, v *value) { n.Types = l.types(v) },
		"const":           func(_ *loader, n *Node, v *value) { n.Const = v.raw },
		"default":         func(_ *loader, n *Node, v *value) { n.Default = v.raw },
		"enum":            func(l *loader, n *Node, v *value) { n.Enum = l.rawList(v) },
		"format":          func(l *loader, n *Node, v *value) { n.Format = l.oneOf(v, formats) },
		"contentEncoding": func(l *loader, n *Node, v *value) { n.ContentEncoding = l.oneOf(v, encodings) },
		"minimum":         func(l *loader, n *Node, v *value) { n.Minimum = l.number(v) },
		"maximum":         func(l *loader, n *Node, v *value) { n.Maximum = l.number(v) },
		"minItems":        func(l *loader, n *Node, v *value) { n.MinItems = l.count(v) },
		"minLength":       func(l *loader, n *Node, v *value) { n.MinLength = l.count(v) },

		"properties":            func(l *loader, n *Node, v *value) { n.Properties = l.nodeMap(v) },
		"required":              func(l *loader, n *Node, v *value) { n.Required = l.stringSet(v) },
		"additionalProperties":  func(l *loader, n *Node, v *value) { n.AdditionalProperties = l.node(v) },
		"unevaluatedProperties": func(l *loader, n *Node, v *value) { n.UnevaluatedProperties = l.node(v) },
		"items":                 func(l *loader, n *Node, v *value) { n.Items = l.node(v) },

		"allOf":         func(l *loader, n *Node, v *value) { n.AllOf = l.nodeList(v) },
		"anyOf":         func(l *loader, n *Node, v *value) { n.AnyOf = l.nodeList(v) },
		"oneOf":         func(l *loader, n *Node, v *value) { n.OneOf = l.nodeList(v) },
		"not":           func(l *loader, n *Node, v *value) { n.Not = l.node(v) },
		"discriminator": func(l *loader, n *Node, v *value) { n.Discriminator = l.discriminator(v) },

		"x-side":                           func(l *loader, n *Node, v *value) { n.Side = l.oneOf(v, sides) },
		"x-method":                         func(l *loader, n *Node, v *value) { n.Method = l.name(v) },
		"x-docs-ignore":                    func(l *loader, n *Node, v *value) { n.DocsIgnore = l.flag(v) },
		"x-deserialize-default-on-error":   func(l *loader, n *Node, v *value) { n.DefaultOnError = l.flag(v) },
		"x-deserialize-default-on-null":    func(l *loader, n *Node, v *value) { n.DefaultOnNull = l.flag(v) },
		"x-deserialize-skip-invalid-items": func(l *loader, n *Node, v *value) { n.SkipInvalidItems = l.flag(v) },
	}
}

// is reports whether v has the kind, and an error if not.
func (l *loader) is(v *value, kind jsontext.Kind) bool {
	if v.kind == kind {
		return true
	}
	l.errorf(v, "expected %s, got %s", kindName(&value{kind: kind}), kindName(v))
	return false
}

func (l *loader) str(v *value) string {
	l.is(v, jsontext.KindString)
	return v.text
}

func (l *loader) name(v *value) string {
	if l.is(v, jsontext.KindString) && v.text == "" {
		l.errorf(v, "expected a name, got an empty string")
	}
	return v.text
}

func (l *loader) oneOf(v *value, known []string) string {
	if l.is(v, jsontext.KindString) && !slices.Contains(known, v.text) {
		l.errorf(v, "%q is not among the known values %s", v.text, strings.Join(known, ", "))
	}
	return v.text
}

func (l *loader) flag(v *value) bool {
	if v.kind != jsontext.KindTrue && v.kind != jsontext.KindFalse {
		l.errorf(v, "expected true or false, got %s", kindName(v))
	}
	return v.kind == jsontext.KindTrue
}

func (l *loader) number(v *value) *big.Rat {
	if !l.is(v, jsontext.KindNumber) {
		return nil
	}
	// A huge exponent would take the memory of its expansion; no bound of the protocol comes near.
	if i := strings.IndexAny(string(v.raw), "eE"); i >= 0 {
		if exp, err := strconv.Atoi(string(v.raw[i+1:])); err != nil || exp < -400 || exp > 400 {
			l.errorf(v, "the bound %s is out of range", v.raw)
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(string(v.raw))
	if !ok {
		l.errorf(v, "the bound %s is not a number", v.raw)
	}
	return r
}

func (l *loader) count(v *value) int {
	n, err := strconv.ParseUint(string(v.raw), 10, 31)
	if err != nil {
		l.errorf(v, "expected a count, got %s", v.raw)
	}
	return int(n)
}

func (l *loader) types(v *value) []string {
	if v.kind == jsontext.KindString {
		return []string{l.oneOf(v, typeNames)}
	}
	if v.kind != jsontext.KindBeginArray {
		l.errorf(v, "expected a type name or a list of them, got %s", kindName(v))
		return nil
	}
	if len(v.elems) == 0 {
		l.errorf(v, "the list of types is empty")
	}
	for _, e := range v.elems {
		if e.kind == jsontext.KindString {
			l.oneOf(e, typeNames)
		}
	}
	return l.stringSet(v)
}

func (l *loader) stringSet(v *value) []string {
	if !l.is(v, jsontext.KindBeginArray) {
		return nil
	}
	var set []string
	for _, e := range v.elems {
		if !l.is(e, jsontext.KindString) {
			continue
		}
		if slices.Contains(set, e.text) {
			l.errorf(e, "%q is listed twice", e.text)
		}
		set = append(set, e.text)
	}
	return set
}

func (l *loader) rawList(v *value) [][]byte {
	if !l.is(v, jsontext.KindBeginArray) {
		return nil
	}
	if len(v.elems) == 0 {
		l.errorf(v, "the list is empty")
	}
	var list [][]byte
	for _, e := range v.elems {
		list = append(list, e.raw)
	}
	return list
}

func (l *loader) nodeList(v *value) []*Node {
	if !l.is(v, jsontext.KindBeginArray) {
		return nil
	}
	if len(v.elems) == 0 {
		l.errorf(v, "the list is empty")
	}
	var list []*Node
	for _, e := range v.elems {
		list = append(list, l.node(e))
	}
	return list
}

func (l *loader) nodeMap(v *value) []*Property {
	if !l.is(v, jsontext.KindBeginObject) {
		return nil
	}
	var list []*Property
	for _, m := range v.members {
		list = append(list, &Property{Name: m.name, Node: l.node(m.value)})
	}
	return list
}

func (l *loader) discriminator(v *value) string {
	if !l.is(v, jsontext.KindBeginObject) {
		return ""
	}
	if len(v.members) != 1 || v.members[0].name != "propertyName" {
		l.errorf(v, `expected an object with "propertyName" and nothing else`)
		return ""
	}
	return l.name(v.members[0].value)
}

// kindName names the kind of a value for an error.
func kindName(v *value) string {
	switch v.kind {
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "a boolean"
	case jsontext.KindNull:
		return "null"
	default:
		return "nothing"
	}
}
