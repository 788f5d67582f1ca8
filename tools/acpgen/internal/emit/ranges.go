package emit

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
)

// hasRange reports whether a number has bounds that its Go type does not have.
func hasRange(s *model.Scalar) bool {
	switch s.Kind {
	case model.Number:
		return s.Min != nil || s.Max != nil
	case model.Integer:
		lo, hi := bounds(s)
		tlo, thi := formatRange(scalarType(s))
		return lo.Cmp(tlo) != 0 || hi.Cmp(thi) != 0
	case model.String, model.Boolean, model.Null:
	}
	return false
}

// rangeText says which numbers a bounded scalar takes, such as "from 0 to 1".
func rangeText(s *model.Scalar) string {
	lo, hi := s.Min, s.Max
	if s.Kind == model.Integer {
		lo, hi = bounds(s)
	}
	switch {
	case hi == nil:
		return fmt.Sprintf("of at least %s", lo)
	case lo == nil:
		return fmt.Sprintf("of at most %s", hi)
	}
	return fmt.Sprintf("from %s to %s", lo, hi)
}

// rangeTest is the condition under which x is out of the range, without what its Go type rules out.
func rangeTest(x string, s *model.Scalar) string {
	lo, hi := s.Min, s.Max
	if s.Kind == model.Integer {
		lo, hi = bounds(s)
		tlo, thi := formatRange(scalarType(s))
		if lo.Cmp(tlo) == 0 {
			lo = nil
		}
		if hi.Cmp(thi) == 0 {
			hi = nil
		}
	}
	var tests []string
	if lo != nil {
		tests = append(tests, fmt.Sprintf("%s < %s", x, lo))
	}
	if hi != nil {
		tests = append(tests, fmt.Sprintf("%s > %s", x, hi))
	}
	return strings.Join(tests, " || ")
}

// rangeName makes the range of a scalar part of a Go name; it is empty for one that has none.
func rangeName(s *model.Scalar) string {
	if !hasRange(s) {
		return ""
	}
	lo, hi := s.Min, s.Max
	if s.Kind == model.Integer {
		lo, hi = bounds(s)
	}
	name := ""
	if lo != nil {
		name += "From" + strings.Replace(lo.String(), "-", "Minus", 1)
	}
	if hi != nil {
		name += "To" + strings.Replace(hi.String(), "-", "Minus", 1)
	}
	return name
}

// floatExpr returns the expression that decodes a number. One with bounds has a function, which it asks for.
func (g *emitter) floatExpr(s *model.Scalar) string {
	if !hasRange(s) {
		return "d.Float()"
	}
	name := "decodeFloat" + rangeName(s)
	if g.floats[name] == nil {
		g.floats[name] = s
		g.floatOrder = append(g.floatOrder, name)
	}
	return name + "(d)"
}

// decodeFloats prints the functions that decode bounded numbers. What is out of range is gone back to and refused as a value of the wrong kind is.
func (g *emitter) decodeFloats(p *printer) {
	for _, name := range g.floatOrder {
		s := g.floats[name]
		p.P("func ", name, "(d *wire.Decoder) float64 {")
		p.P("if d.Peek() != '0' { return d.Float() }")
		p.P("at := d.Offset()")
		p.P("v := d.Float()")
		p.P("if ", rangeTest("v", s), " {")
		p.P("d.Seek(at)")
		p.P(fmt.Sprintf("d.Mismatch(%q)", "number "+rangeText(s)))
		p.P("return 0")
		p.P("}")
		p.P("return v")
		p.P("}")
		p.P()
	}
}
