package interop

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// everywhere makes a divergence's without from a function that changes a value that an instance holds, which may be all of it, and reports whether it did.
func everywhere(change func(f *finding, at string, p *mutate.Place, v *mutate.Value) bool) func(*finding) []byte {
	return func(f *finding) []byte {
		root, err := mutate.Parse(f.Text)
		if err != nil {
			return nil
		}
		changed := false
		visit("", protocol.Place(f.Def), root, func(at string, p *mutate.Place, v *mutate.Value) {
			changed = change(f, at, p, v) || changed
		})
		if !changed {
			return nil
		}
		return root.Append(nil)
	}
}

// visit calls see for a value and all that it holds, with pointers and places.
func visit(at string, p *mutate.Place, v *mutate.Value, see func(at string, p *mutate.Place, v *mutate.Value)) {
	see(at, p, v)
	for i, item := range v.Items {
		visit(elementAt(at, i), p.Item(), item, see)
	}
	for _, m := range v.Members {
		visit(memberAt(at, m.Key()), p.Member(m.Key()), m.Value, see)
	}
}

// rangeBroken reports whether we refuse or repair the number at a pointer because of the range of its format.
func (f *finding) rangeBroken(at string) bool {
	for _, v := range f.ours.report.Violations {
		if v.Pointer == at && (v.Keyword == "minimum" || v.Keyword == "maximum") {
			return true
		}
	}
	return slices.ContainsFunc(f.ours.report.Repairs, func(r wire.Repair) bool {
		return strings.HasPrefix(at, r.Pointer) && (strings.HasPrefix(r.Message, "expected int64, from") || strings.HasPrefix(r.Message, "expected uint64, from"))
	})
}

func setNumber(v *mutate.Value, text string) bool {
	v.Text = text
	return true
}

// clamped is the safe integer that is nearest to a number that is larger than any.
func clamped(v *mutate.Value) string {
	if double(v) < 0 {
		return "-9007199254740991"
	}
	return "9007199254740991"
}

// replaceSurrogates writes a literal anew with U+FFFD for each lone surrogate, and reports whether it has any.
func replaceSurrogates(literal *string) bool {
	if !utf8.ValidString(*literal) || utf8.ValidString(content(*literal)) {
		return false
	}
	s, _ := jsontext.AppendUnquote(nil, *literal) // the error is for the surrogates, which it replaces
	b, err := jsontext.AppendQuote(nil, s)
	*literal = string(b)
	return err == nil
}

// remove takes a member out of an object, if it has it.
func remove(v *mutate.Value, name string) bool {
	all := len(v.Members)
	v.Members = slices.DeleteFunc(v.Members, func(m mutate.Member) bool { return m.Key() == name })
	return len(v.Members) < all
}

// has reports whether a value is an object with all of the members.
func has(v *mutate.Value, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return v.Get(name) == nil })
}

// says reports whether a member of an object is one of some strings.
func says(v *mutate.Value, name string, values ...string) bool {
	m := v.Get(name)
	return m != nil && m.Kind == mutate.String && slices.Contains(values, m.Content())
}

// isLarge reports whether a value is a number whose neighbours a double cannot all hold.
func isLarge(v *mutate.Value) bool {
	return v.Kind == mutate.Number && math.Abs(double(v)) > maxSafe
}

// hidesFraction reports whether a number has a fraction that is lost in a double.
func hidesFraction(v *mutate.Value) bool {
	if f := double(v); f != math.Trunc(f) {
		return false
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(v.Text), "e")
	if n, err := strconv.Atoi(exponent); exponent != "" && (err != nil || n < -10000 || n > 10000) {
		return strings.HasPrefix(exponent, "-") && strings.ContainsAny(mantissa, "123456789")
	}
	x, ok := new(big.Rat).SetString(v.Text)
	return ok && !x.IsInt()
}

// shallow replaces each object and array at a depth by null; the outermost is at depth one. It returns nil if there is none.
func shallow(text []byte, bound int) []byte {
	var out []byte
	depth, changed, inString := 0, false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if depth < bound {
			out = append(out, c)
		}
		switch {
		case inString && c == '\\' && i+1 < len(text):
			i++
			if depth < bound {
				out = append(out, text[i])
			}
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth == bound {
				out, changed = append(out[:len(out)-1], "null"...), true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	if !changed {
		return nil
	}
	return out
}
