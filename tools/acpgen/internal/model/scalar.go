package model

import (
	"math/big"
	"slices"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// scalarKinds are the JSON Schema types of the scalars that a value can be.
var scalarKinds = map[string]Kind{"string": String, "boolean": Boolean, "integer": Integer, "number": Number}

// scalarKeywords are the keywords that mean something for each kind.
var scalarKeywords = map[Kind][]string{
	String:  {"type", "format", "minLength", "contentEncoding"},
	Boolean: {"type"},
	Integer: {"type", "format", "minimum", "maximum"},
	Number:  {"type", "format", "minimum", "maximum"},
}

// scalarFormats are the formats that mean something for each kind.
var scalarFormats = map[Kind][]string{
	String:  {"uri", "date-time", "regex"},
	Integer: {"uint16", "uint32", "uint64", "int32", "int64"},
	Number:  {"double"},
}

// A bound is the range of an integer format.
type bound struct{ min, max *big.Int }

var formatBounds = map[string]bound{
	"uint16": unsigned(16), "uint32": unsigned(32), "uint64": unsigned(64),
	"int32": signed(32), "int64": signed(64),
}

func unsigned(bits uint) bound { return bound{new(big.Int), below(bits)} }

func signed(bits uint) bound {
	return bound{new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), bits-1)), below(bits - 1)}
}

// below returns 2^bits - 1.
func below(bits uint) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), bits)
	return n.Sub(n, big.NewInt(1))
}

func (b *builder) scalar(n *load.Node, typeName string, allowed []string) Type {
	kind, ok := scalarKinds[typeName]
	if !ok {
		b.errorf(n.Pointer, "type %q cannot stand alone", typeName)
		return &Any{}
	}
	b.only(n, "type "+typeName, allowed, scalarKeywords[kind]...)
	s := &Scalar{Kind: kind, Format: n.Format, MinLength: n.MinLength, ContentEncoding: n.ContentEncoding}
	if n.Format != "" && !slices.Contains(scalarFormats[kind], n.Format) {
		b.errorf(n.Pointer, "format %q does not fit type %q", n.Format, typeName)
	}
	s.Min, s.Max = b.bounds(n)
	return s
}

// bounds intersects minimum and maximum with the range of the format.
func (b *builder) bounds(n *load.Node) (lo, hi *big.Int) {
	format := formatBounds[n.Format]
	lo, hi = format.min, format.max
	if m := b.whole(n, "minimum", n.Minimum); m != nil && (lo == nil || m.Cmp(lo) > 0) {
		lo = m
	}
	if m := b.whole(n, "maximum", n.Maximum); m != nil && (hi == nil || m.Cmp(hi) < 0) {
		hi = m
	}
	if lo != nil && hi != nil && lo.Cmp(hi) > 0 {
		b.errorf(n.Pointer, "no number is in the range from %s to %s", lo, hi)
	}
	return lo, hi
}

func (b *builder) whole(n *load.Node, keyword string, m *big.Rat) *big.Int {
	if m == nil {
		return nil
	}
	if !m.IsInt() {
		b.errorf(n.Pointer+"/"+keyword, "a bound must be a whole number")
		return nil
	}
	return m.Num()
}
