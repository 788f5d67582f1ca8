package diff

import (
	"math/big"

	"github.com/acpwire/acpwire/tools/acpsync/internal/jsontree"
)

// An interval is a range of numbers; nil bounds are open.
type interval struct {
	low, high                   *big.Rat
	lowExclusive, highExclusive bool
}

// formatRange returns the range of an integer format. Such formats are asserted; all others are annotations.
func formatRange(format string) (low, high *big.Rat, ok bool) {
	var bits uint
	signed := true
	switch format {
	case "uint8":
		bits, signed = 8, false
	case "uint16":
		bits, signed = 16, false
	case "uint32":
		bits, signed = 32, false
	case "uint64":
		bits, signed = 64, false
	case "int8":
		bits = 8
	case "int16":
		bits = 16
	case "int32":
		bits = 32
	case "int64":
		bits = 64
	default:
		return nil, nil, false
	}
	minimum, maximum := new(big.Int), new(big.Int)
	if signed {
		bits--
		minimum.Neg(minimum.Lsh(big.NewInt(1), bits))
	}
	maximum.Sub(maximum.Lsh(big.NewInt(1), bits), big.NewInt(1))
	return new(big.Rat).SetInt(minimum), new(big.Rat).SetInt(maximum), true
}

// interval returns the range that format and bounds leave together.
func (n *node) interval() interval {
	var i interval
	if low, high, ok := formatRange(n.format); ok {
		i.low, i.high = low, high
	}
	i.raise(n.bounds["minimum"], false)
	i.raise(n.bounds["exclusiveMinimum"], true)
	i.lower(n.bounds["maximum"], false)
	i.lower(n.bounds["exclusiveMaximum"], true)
	return i
}

func (i *interval) raise(bound *big.Rat, exclusive bool) {
	if bound == nil {
		return
	}
	if i.low == nil || bound.Cmp(i.low) > 0 || bound.Cmp(i.low) == 0 && exclusive {
		i.low, i.lowExclusive = bound, exclusive
	}
}

func (i *interval) lower(bound *big.Rat, exclusive bool) {
	if bound == nil {
		return
	}
	if i.high == nil || bound.Cmp(i.high) < 0 || bound.Cmp(i.high) == 0 && exclusive {
		i.high, i.highExclusive = bound, exclusive
	}
}

// compareLow returns how b's lower bound lies to a's: negative if b reaches further down.
func compareLow(a, b interval) int {
	return compareBound(a.low, b.low, a.lowExclusive, b.lowExclusive)
}

// compareHigh returns how b's upper bound lies to a's: negative if b reaches further up.
func compareHigh(a, b interval) int {
	return compareBound(negate(a.high), negate(b.high), a.highExclusive, b.highExclusive)
}

// compareBound compares lower bounds: positive if b is the stricter one.
func compareBound(a, b *big.Rat, aExclusive, bExclusive bool) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	if c := b.Cmp(a); c != 0 {
		return c
	}
	switch {
	case bExclusive && !aExclusive:
		return 1
	case aExclusive && !bExclusive:
		return -1
	}
	return 0
}

func negate(r *big.Rat) *big.Rat {
	if r == nil {
		return nil
	}
	return new(big.Rat).Neg(r)
}

// numbers compares formats and ranges. What a keyword's change does is judged by the range that results from all of
// them: a maximum of 65535 beside uint16 refuses nothing new.
func (c *comparer) numbers(s site, a, b *node) {
	was, is := a.interval(), b.interval()
	low, high := compareLow(was, is), compareHigh(was, is)
	if a.format != b.format {
		change := Change{Subject: SubjectFormat, Action: Changed, Old: a.format, New: b.format, Pointer: b.pointer,
			Effect: direction(low > 0 || high > 0, low < 0 || high < 0)}
		switch {
		case a.format == "":
			change.Action = Added
		case b.format == "":
			change.Action, change.Pointer = Removed, a.pointer
		}
		c.emit(s, change)
	}
	c.bound(s, SubjectRange, "minimum", a, b, direction(low > 0, low < 0))
	c.bound(s, SubjectRange, "exclusiveMinimum", a, b, direction(low > 0, low < 0))
	c.bound(s, SubjectRange, "maximum", a, b, direction(high > 0, high < 0))
	c.bound(s, SubjectRange, "exclusiveMaximum", a, b, direction(high > 0, high < 0))
}

// lengths compares the bounds on the length of strings and arrays.
func (c *comparer) lengths(s site, a, b *node) {
	for _, keyword := range []string{"minLength", "minItems"} {
		d := compareBound(orZero(a.bounds[keyword]), orZero(b.bounds[keyword]), false, false)
		c.bound(s, SubjectLength, keyword, a, b, direction(d > 0, d < 0))
	}
	for _, keyword := range []string{"maxLength", "maxItems"} {
		d := compareBound(negate(a.bounds[keyword]), negate(b.bounds[keyword]), false, false)
		c.bound(s, SubjectLength, keyword, a, b, direction(d > 0, d < 0))
	}
}

func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

// bound records a change of one keyword.
func (c *comparer) bound(s site, subject Subject, keyword string, a, b *node, effect Effect) {
	was, is := a.bounds[keyword], b.bounds[keyword]
	if was == nil && is == nil || was != nil && is != nil && was.Cmp(is) == 0 {
		return
	}
	change := Change{Subject: subject, Name: keyword, Action: Changed, Effect: effect, Old: boundText(was), New: boundText(is), Pointer: b.pointer}
	switch {
	case was == nil:
		change.Action = Added
	case is == nil:
		change.Action, change.Pointer = Removed, a.pointer
	}
	c.emit(s, change)
}

func boundText(r *big.Rat) string {
	if r == nil {
		return ""
	}
	return jsontree.RatText(r)
}
