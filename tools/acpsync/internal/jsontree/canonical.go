package jsontree

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns one text for all spellings of the same value: members sorted by name, no white space, strings with
// the fewest escapes, numbers compared exactly (1, 1.0 and 10e-1 are one value).
func (n *Node) Canonical() string { return string(n.appendCanonical(nil)) }

func (n *Node) appendCanonical(dst []byte) []byte {
	switch {
	case n.IsObject():
		members := slices.Clone(n.Members)
		slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.Name), ':')
			dst = m.Value.appendCanonical(dst)
		}
		return append(dst, '}')
	case n.IsArray():
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendCanonical(dst)
		}
		return append(dst, ']')
	case n.IsString():
		return appendString(dst, n.Text)
	case n.IsNumber():
		if r, ok := n.Rat(); ok {
			return append(dst, RatText(r)...)
		}
	}
	return append(dst, n.Raw...)
}

// maxExponent bounds the numbers Rat expands; 1e999999999 is a short text and a gigabyte of digits.
const maxExponent = 1000

// Rat returns the exact value of a number. It returns false if n is no number or too large to be worth expanding.
func (n *Node) Rat() (*big.Rat, bool) {
	if !n.IsNumber() || len(n.Raw) > maxExponent {
		return nil, false
	}
	if i := strings.IndexAny(n.Raw, "eE"); i >= 0 {
		if e, err := strconv.Atoi(n.Raw[i+1:]); err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(n.Raw)
}

// RatText returns r in decimal where that is exact, as a fraction otherwise.
func RatText(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	if digits, exact := r.FloatPrec(); exact {
		return r.FloatString(digits)
	}
	return r.RatString()
}

// appendString quotes s, which came out of a parsed string and so is valid UTF-8.
func appendString(dst []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		quoted = []byte(strconv.Quote(s))
	}
	return append(dst, quoted...)
}
