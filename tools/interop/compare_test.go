package interop

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// disagreements says where the SDK and our lenient decoder differ on an instance: on whether they accept it, on the value, or on what was repaired. These
// steps make the two values comparable; all else must be equal.
//
//  1. A member that the schema does not name is gone from both values. Our report must name it, and nothing else.
//  2. A null that means absence is gone from ours and kept by the SDK. Our report must count exactly those.
//  3. A member with a default that the instance lacks is filled in by the SDK: it must be the schema's default. It is absent from ours, because the wire is
//     not rewritten.
//  4. An optional member whose value was invalid is absent from ours. The SDK leaves it out, or writes the schema's default, or an empty array.
//  5. Numbers are compared as values, not as text; where the SDK rounds it must be to the nearest double, and not to another integer. Strings are compared
//     by their UTF-16 code units, and members in any order.
//
// Repairs are held to differences between the instance and the SDK's value: each repair must be at one, and each must be at a repair or at an unknown
// member. Elements that were skipped are left out of the instance's array before its elements are compared.
func disagreements(in instance, ours *result, sdk verdict) []string {
	switch {
	case ours.broken != "":
		return []string{ours.broken}
	case sdk.accepted() != ours.accepted():
		return []string{fmt.Sprintf("accepted: SDK %v, ours %v", sdk.accepted(), ours.accepted())}
	case !sdk.accepted():
		return nil
	}
	var trees [3]*mutate.Value
	for i, text := range []string{string(in.Text), sdk.Value, ours.value} {
		var err error
		if trees[i], err = mutate.Parse([]byte(text)); err != nil {
			return []string{err.Error()}
		}
	}
	c := comparison{def: in.Def, repairs: map[string]wire.Action{}, unknown: map[string]bool{}}
	for _, r := range ours.report.Repairs {
		if _, ok := c.repairs[r.Pointer]; ok {
			c.fault(r.Pointer, "repaired twice")
		}
		c.repairs[r.Pointer] = r.Action
	}
	for _, p := range ours.report.UnknownPointers {
		c.unknown[p] = true
	}
	c.value("", trees[0], trees[1], trees[2])
	for p, action := range c.repairs {
		c.fault(p, fmt.Sprintf("%s, but it is no difference", action))
	}
	for p := range c.unknown {
		c.fault(p, "reported as unknown, but not left out")
	}
	if c.nulls != ours.report.Nulls {
		c.fault("", fmt.Sprintf("nulls left out: %d, reported: %d", c.nulls, ours.report.Nulls))
	}
	slices.Sort(c.faults)
	return c.faults
}

// A comparison walks over an instance, the SDK's value and ours at the same time.
type comparison struct {
	def     string
	repairs map[string]wire.Action // those not met yet, by pointer into the instance
	unknown map[string]bool        // likewise
	nulls   int
	faults  []string
}

func (c *comparison) fault(at, what string) { c.faults = append(c.faults, at+": "+what) }

func (c *comparison) value(at string, in, sdk, ours *mutate.Value) {
	switch {
	case sdk.Kind != ours.Kind:
		c.fault(at, fmt.Sprintf("SDK %s, ours %s", sdk, ours))
	case in.Kind != sdk.Kind:
		c.fault(at, fmt.Sprintf("changed to %s without a repair", sdk))
	case in.Kind == mutate.Object:
		c.object(at, in, sdk, ours)
	case in.Kind == mutate.Array:
		c.array(at, in, sdk, ours)
	case !equal(sdk, ours) || rounded(ours, sdk):
		c.fault(at, fmt.Sprintf("SDK %s, ours %s", sdk, ours))
	case !equal(in, sdk):
		c.fault(at, fmt.Sprintf("changed to %s without a repair", sdk))
	}
}

func (c *comparison) array(at string, in, sdk, ours *mutate.Value) {
	var kept []int
	for i := range in.Items {
		if p := elementAt(at, i); c.repairs[p] == wire.Skipped {
			delete(c.repairs, p)
		} else {
			kept = append(kept, i)
		}
	}
	if len(kept) != len(sdk.Items) || len(kept) != len(ours.Items) {
		c.fault(at, fmt.Sprintf("of %d elements %d are not skipped, the SDK has %d, ours %d", len(in.Items), len(kept), len(sdk.Items), len(ours.Items)))
		return
	}
	for n, i := range kept {
		c.value(elementAt(at, i), in.Items[i], sdk.Items[n], ours.Items[n])
	}
}

func elementAt(at string, i int) string { return at + "/" + strconv.Itoa(i) }

func memberAt(at, name string) string { return at + "/" + tokenEscaper.Replace(name) }

var tokenEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (c *comparison) object(at string, in, sdk, ours *mutate.Value) {
	inside, bySDK, byUs := members(in), members(sdk), members(ours)
	names := map[string]bool{}
	for _, m := range []map[string]*mutate.Value{inside, bySDK, byUs} {
		for name := range m {
			names[name] = true
		}
	}
	for name := range maps.Keys(names) {
		p := memberAt(at, name)
		i, s, o := inside[name], bySDK[name], byUs[name]
		switch action := c.repairs[p]; {
		case action == wire.Defaulted || action == wire.Emptied:
			delete(c.repairs, p)
			c.repaired(p, action, i, s, o)
		case c.unknown[p]:
			delete(c.unknown, p)
			if i == nil || s != nil || o != nil {
				c.fault(p, fmt.Sprintf("unknown, but SDK %v, ours %v", s, o))
			}
		case i != nil && s != nil && o != nil:
			c.value(p, i, s, o)
		case i != nil && s != nil && i.Kind == mutate.Null && s.Kind == mutate.Null:
			c.nulls++
		case i == nil && o == nil && isDefault(c.def, p, s):
		default:
			c.fault(p, fmt.Sprintf("instance %v, SDK %v, ours %v", i, s, o))
		}
	}
}

// repaired compares what a member became that our decoder repaired.
func (c *comparison) repaired(at string, action wire.Action, in, sdk, ours *mutate.Value) {
	switch {
	case in == nil:
		c.fault(at, "repaired, but not in the instance")
	case sdk != nil && equal(in, sdk):
		c.fault(at, "repaired, but the SDK keeps it")
	case sdk != nil && ours != nil && equal(sdk, ours):
	case action == wire.Defaulted && ours == nil && (sdk == nil || isDefault(c.def, at, sdk) || sdk.Kind == mutate.Array && len(sdk.Items) == 0):
	default:
		c.fault(at, fmt.Sprintf("%s: SDK %v, ours %v", action, sdk, ours))
	}
}

// members returns an object's members by name. Of several with the same name it has the last.
func members(v *mutate.Value) map[string]*mutate.Value {
	m := make(map[string]*mutate.Value, len(v.Members))
	for _, member := range v.Members {
		m[content(member.Name)] = member.Value
	}
	return m
}

// equal reports whether JSON.parse makes the same of two values.
func equal(a, b *mutate.Value) bool {
	if a.Kind != b.Kind || len(a.Items) != len(b.Items) {
		return false
	}
	switch a.Kind {
	case mutate.Number:
		return double(a) == double(b)
	case mutate.String:
		return content(a.Text) == content(b.Text)
	case mutate.Array:
		return slices.EqualFunc(a.Items, b.Items, equal)
	case mutate.Object:
		return maps.EqualFunc(members(a), members(b), equal)
	case mutate.Null, mutate.Bool, mutate.Raw:
	}
	return a.Text == b.Text
}

// double returns a number as JavaScript has it.
func double(v *mutate.Value) float64 {
	f, _ := strconv.ParseFloat(v.Text, 64) // the error is for a number that is too large; f is infinite then
	return f
}

// maxSafe is the largest integer below which a double can hold every other.
const maxSafe = 1<<53 - 1

// rounded reports whether a value is a number that is large enough to be another integer as a double.
func rounded(exact, rounded *mutate.Value) bool {
	if exact.Kind != mutate.Number || math.Abs(double(exact)) <= maxSafe {
		return false
	}
	if math.IsInf(double(exact), 0) {
		return true
	}
	x, ok1 := new(big.Rat).SetString(exact.Text)
	y, ok2 := new(big.Rat).SetString(rounded.Text)
	return !ok1 || !ok2 || x.Cmp(y) != 0
}

// content returns what a string literal says, as UTF-8 in which lone surrogates are encoded like other characters.
func content(literal string) string {
	s := literal[1 : len(literal)-1]
	if !strings.Contains(s, `\`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		switch {
		case s[i] != '\\':
			b = append(b, s[i])
			i++
		case s[i+1] == 'u':
			r := unit(s[i:])
			i += 6
			if low := unit(s[i:]); r>>10 == 0xd800>>10 && low>>10 == 0xdc00>>10 {
				r = 0x10000 + (r-0xd800)<<10 + low - 0xdc00
				i += 6
			}
			b = appendAny(b, r)
		default:
			b = append(b, "\"\\/\b\f\n\r\t"[strings.IndexByte(`"\/bfnrt`, s[i+1])])
			i += 2
		}
	}
	return string(b)
}

// unit returns the code unit whose escape s starts with, or 0.
func unit(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return 0
	}
	n, _ := strconv.ParseUint(s[2:6], 16, 16) // the error is for what is no escape
	return rune(n)
}

// appendAny is utf8.AppendRune that takes surrogates, too.
func appendAny(b []byte, r rune) []byte {
	if r>>11 == 0xd800>>11 {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return append(b, string(r)...)
}
