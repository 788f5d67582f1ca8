package acpv1

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/gen/wire"
)

// A place is a value within a parsed document, and how to change it.
type place struct {
	pointer string
	// object and member are what it is a member of; object is nil for elements and the root.
	object map[string]any
	member string
	depth  int
	set    func(any)
}

// scope returns what may be wrong if the value is: it and what is within it; all of the object, if the value is a tag.
func (p place) scope() string {
	if slices.Contains([]string{"type", "sessionUpdate", "outcome", "mode", "action"}, p.member) {
		return p.pointer[:strings.LastIndexByte(p.pointer, '/')]
	}
	return p.pointer
}

// opaque are the members whose value the schema leaves open.
var opaque = []string{"_meta", "rawInput", "rawOutput", "data"}

// eachPlace calls visit for every value of doc that the schema knows, from the outside in. doc is whole again after each call.
func eachPlace(doc any, visit func(root *any, p place)) {
	root := doc
	var walk func(v any, p place)
	walk = func(v any, p place) {
		visit(&root, p)
		p.set(v)
		if slices.Contains(opaque, p.member) {
			return
		}
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(v[i], place{pointer: p.pointer + "/" + strconv.Itoa(i), depth: p.depth + 1, set: func(x any) { v[i] = x }})
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				pointer := p.pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
				walk(v[name], place{pointer, v, name, p.depth + 1, func(x any) { v[name] = x }})
			}
		}
	}
	walk(doc, place{set: func(x any) { root = x }})
}

// A miss is what a decode says where a member is missing; nothing, if it says nothing.
type miss struct{ pointer, message string }

// elsewhere says which members are not missed by name, because without them the value is something else that the schema knows.
var elsewhere = map[string]miss{
	"AuthMethodTerminal.min /type":                                      {}, // an agent method
	"MCPServerHTTP.min /type":                                           {"", `missing required "command" (McpServerStdio)`},
	"MCPServerSSE.min /type":                                            {"", `missing required "command" (McpServerStdio)`},
	"StringMultiSelectItems.min /type":                                  {"", `missing required "anyOf" (TitledMultiSelectItems)`},
	"UnknownMultiSelectItems.min /type":                                 {"", `missing required "anyOf" (TitledMultiSelectItems)`},
	"SessionConfigGroupedOptions.min /0/group":                          {"/0", `missing required "value" (SessionConfigSelectOption)`},
	"SessionConfigGroupedOptions.min /0/options":                        {"/0", `missing required "value" (SessionConfigSelectOption)`},
	"SetSessionConfigOptionRequest.SessionConfigBooleanValue.min /type": {"/value", "expected string"},
}

// TestMissing removes each member of each minimal golden, at every level: what is left is refused, for the object that lacks the member and by its name.
func TestMissing(t *testing.T) {
	used := map[string]bool{}
	eachGolden(t, func(t *testing.T, g golden, c codec) {
		if g.full {
			return
		}
		eachPlace(parse(t, g.wire), func(root *any, p place) {
			if p.object == nil {
				return
			}
			delete(p.object, p.member)
			b := render(t, *root)
			key := g.String() + " " + p.pointer
			want, ok := elsewhere[key]
			used[key] = ok
			if !ok {
				want = miss{p.pointer[:strings.LastIndexByte(p.pointer, '/')], strconv.Quote(p.member)}
			}
			checkMissing(t, c, b, p.pointer, want)
		})
	})
	for key := range elsewhere {
		if !used[key] {
			t.Errorf("elsewhere has an entry for nothing: %s", key)
		}
	}
}

func checkMissing(t *testing.T, c codec, b []byte, without string, want miss) {
	t.Helper()
	_, _, err := c.decode(b, nil)
	if def := c.def(t); def != "" && verdict(t, def, b) != (err == nil) {
		t.Errorf("without %s: got %v, the oracle disagrees: %s", without, err, b)
	}
	switch {
	case want == miss{} && err != nil:
		t.Errorf("without %s: got %v, want a valid value: %s", without, err, b)
	case want == miss{}:
	case err == nil:
		t.Errorf("without %s: accepted %s", without, b)
	case !slices.ContainsFunc(violations(t, err), func(v wire.Violation) bool {
		return v.Pointer == want.pointer && strings.Contains(v.Message, want.message)
	}):
		t.Errorf("without %s: got\n%swant one at %q that says %s", without, summary(violations(t, err)), want.pointer, want.message)
	}
}

// wrong are values to put in the place of others. None of them is right everywhere. Below the members of a golden only the first few are used, because
// what stands there has a golden of its own.
var wrong = []any{
	nil, json.Number("1.5"), true, false, json.Number("0"), json.Number("-1"), json.Number("2.0"), json.Number("65536"), json.Number("4294967296"),
	json.Number("9223372036854775808"), json.Number("18446744073709551616"), json.Number("1e300"), "", "_other",
	map[string]any{}, []any{}, []any{nil}, []any{"_other"}, []any{map[string]any{}},
	map[string]any{"type": "_other"}, map[string]any{"_other": nil},
}

const wrongBelow = 2

// TestWrongKind puts wrong values in the place of each value of each full golden. The generated decoder and the oracle have to agree, and what is accepted
// has to survive.
func TestWrongKind(t *testing.T) {
	judged, accepted := 0, 0
	eachGolden(t, func(t *testing.T, g golden, c codec) {
		def := c.def(t)
		if !g.full || def == "" || slices.Contains(scalars, c.empty) {
			return
		}
		eachPlace(parse(t, g.wire), func(root *any, p place) {
			values := wrong
			if p.depth > 1 {
				values = wrong[:wrongBelow]
			}
			for _, v := range values {
				p.set(v)
				judged++
				if checkWrong(t, c, def, render(t, *root), p.scope()) {
					accepted++
				}
			}
		})
	})
	t.Logf("%d values judged, %d accepted", judged, accepted)
	if accepted == 0 || accepted == judged {
		t.Error("all alike")
	}
}

func checkWrong(t *testing.T, c codec, def string, b []byte, pointer string) (ok bool) {
	t.Helper()
	v, _, err := c.decode(b, nil)
	if valid := verdict(t, def, b); valid != (err == nil) {
		if !valid || !isLoose(violations(t, err)) {
			t.Errorf("%s: got %v, the oracle says valid is %v: %s", pointer, err, valid, b)
		}
		return false
	}
	if err != nil {
		if !slices.ContainsFunc(violations(t, err), func(v wire.Violation) bool { return related(v.Pointer, pointer) }) {
			t.Errorf("%s: got\n%sin %s", pointer, summary(violations(t, err)), b)
		}
		return false
	}
	out, err := c.encode(v)
	if err != nil {
		t.Errorf("%s was accepted, but is refused when encoded: %v", b, err)
		return false
	}
	if !verdict(t, def, out) {
		t.Errorf("%s was encoded as %s, which the oracle refuses", b, out)
	}
	checkSame(t, c, out, v, exactly)
	return true
}

// related reports whether one pointer leads to what the other leads to, or to something around it.
func related(a, b string) bool {
	within := func(inner, outer string) bool {
		rest, ok := strings.CutPrefix(inner, outer)
		return ok && (rest == "" || rest[0] == '/')
	}
	return within(a, b) || within(b, a)
}
