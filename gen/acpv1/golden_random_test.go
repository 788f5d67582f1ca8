package acpv1

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
)

// A maker fills values of this package at random, and plants faults on request: what the schema forbids, and Go's types do not.
type maker struct {
	t      testing.TB
	r      *rand.Rand
	faults bool
	// planted are the pointers of the faults.
	planted []string
}

// partVariants are the variants of the unions that are part of an object; the others have codecs.
var partVariants = map[string][]any{
	"ElicitationMode":         {new(ElicitationFormMode), new(ElicitationURLMode), new(UnknownElicitationMode)},
	"ElicitationScope":        {new(ElicitationSessionScope), new(ElicitationRequestScope)},
	"ElicitationAction":       {new(ElicitationAcceptAction), new(ElicitationDeclineAction), new(ElicitationCancelAction), new(UnknownElicitationAction)},
	"SessionConfigOptionType": {new(SessionConfigSelect), new(SessionConfigBoolean), new(UnknownSessionConfigOptionType)},
	"SessionConfigValue":      {new(SessionConfigBooleanValue), new(SessionConfigSelectValue)},
}

func variantsOf(union string) []any {
	if part, ok := partVariants[union]; ok {
		return part
	}
	var all []any
	for _, list := range unions {
		for _, c := range list {
			if c.union == union {
				all = append(all, c.empty)
			}
		}
	}
	return all
}

const maxDepth = 6

// deep ends recursion.
func deep(pointer string) bool { return strings.Count(pointer, "/") >= maxDepth }

// plant decides whether to plant a fault, and notes it.
func (m *maker) plant(pointer string) bool {
	if !m.faults || m.r.IntN(15) > 0 {
		return false
	}
	m.planted = append(m.planted, pointer)
	return true
}

func pick[T any](m *maker, from ...T) T { return from[m.r.IntN(len(from))] }

// fill sets v, which stands at pointer, as the value of the member of that name if it is one.
func (m *maker) fill(v reflect.Value, pointer, member string) {
	m.t.Helper()
	switch x := v.Addr().Interface().(type) {
	case *wire.Raw:
		*x = m.raw(pointer, member)
		return
	case *wire.RequestID:
		*x = pick(m, wire.RequestID{}, wire.IntID(math.MinInt64), wire.IntID(7))
		if m.r.IntN(2) == 0 {
			*x = wire.StringID(m.text(pointer))
		}
		return
	case *wire.Nullable[string]:
		*x = pick(m, wire.Nullable[string]{}, wire.Null[string](), wire.Value(""), wire.Value("Leap years"))
		return
	case *wire.Nullable[[]ContentBlock]:
		*x = pick(m, wire.Nullable[[]ContentBlock]{}, wire.Null[[]ContentBlock](), wire.Value([]ContentBlock{}), wire.Value(Text("so far")))
		return
	case *[]wire.Member:
		*x = pick(m, nil, []wire.Member{{Name: "", Value: wire.Raw("null")}, {Name: "_x/y", Value: wire.Raw("[1.0]")}})
		return
	case *ElicitationNumber:
		*x = pick[ElicitationNumber](m, 0.5, -1e-7, 1e300)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		m.object(v, pointer)
	case reflect.Interface:
		m.union(v, pointer, false)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		m.fill(v.Elem(), pointer, member)
	case reflect.Slice:
		m.list(v, pointer)
	case reflect.Map:
		m.dictionary(v, pointer)
	default:
		m.scalar(v, pointer)
	}
}

func (m *maker) object(v reflect.Value, pointer string) {
	typ := v.Type()
	if strings.HasPrefix(typ.Name(), "Unknown") && v.FieldByName("Tag").IsValid() {
		m.unknown(v, pointer)
		return
	}
	for i := range typ.NumField() {
		tag := typ.Field(i).Tag.Get("json")
		name, optional := strings.CutSuffix(tag, ",omitzero")
		switch {
		case tag == "-":
			m.fill(v.Field(i), pointer, "")
		case optional && (deep(pointer) || m.r.IntN(2) == 0): // absent
		case optional && typ.Field(i).Type.Kind() == reflect.Interface:
			m.union(v.Field(i), pointer+"/"+name, true)
		default:
			m.fill(v.Field(i), pointer+"/"+name, name)
		}
	}
	if n, ok := v.Addr().Interface().(*Notice); ok && n.Title == "" {
		if !m.plant(pointer + "/title") {
			n.Title = "!"
		}
	}
}

// unknown fills a variant that the schema does not know, but whose union is open.
func (m *maker) unknown(v reflect.Value, pointer string) {
	v.FieldByName("Tag").SetString("_other")
	if raw := v.FieldByName("Raw"); raw.IsValid() {
		raw.SetBytes([]byte(`{"n":1.0,"type":"_other"}`))
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Name != "Tag" {
			m.fill(v.Field(i), pointer, "")
		}
	}
}

// union chooses a variant, or plants what is none: a typed nil, one that a closed union does not know, or nil where that is not the absence of a member.
func (m *maker) union(v reflect.Value, pointer string, optional bool) {
	name := v.Type().Name()
	variants := variantsOf(name)
	if len(variants) == 0 {
		m.t.Fatalf("no variants of %s are known", name)
	}
	closed := slices.Contains([]string{"ToolCallContent", "ContentBlock", "SessionUpdate", "RequestPermissionOutcome", "SessionConfigOptionType"}, name)
	isUnknown := func(x any) bool { return strings.HasPrefix(typeName(x), "Unknown") }
	if m.plant(pointer) {
		wrong := reflect.TypeOf(pick(m, variants...))
		switch {
		case !optional && (wrong.Kind() != reflect.Pointer || m.r.IntN(2) == 0): // nil
		case closed && m.r.IntN(2) == 0:
			unknown := variants[slices.IndexFunc(variants, isUnknown)]
			v.Set(reflect.New(reflect.TypeOf(unknown).Elem()))
			m.unknown(v.Elem().Elem(), pointer)
		default:
			v.Set(reflect.Zero(wrong)) // a typed nil
		}
		if _, ok := v.Interface().(*UnknownSessionConfigOptionType); ok {
			m.planted[len(m.planted)-1] += "/type"
		}
		return
	}
	typ := reflect.TypeOf(pick(m, slices.DeleteFunc(slices.Clone(variants), func(x any) bool { return closed && isUnknown(x) })...))
	if typ.Kind() == reflect.Pointer {
		variant := reflect.New(typ.Elem())
		m.fill(variant.Elem(), pointer, "")
		v.Set(variant)
		return
	}
	variant := reflect.New(typ)
	m.fill(variant.Elem(), pointer, "")
	v.Set(variant.Elem())
}

func (m *maker) list(v reflect.Value, pointer string) {
	n := m.r.IntN(3)
	if deep(pointer) {
		n = 0
	}
	if _, grouped := v.Interface().(SessionConfigGroupedOptions); grouped {
		n = 1 + m.r.IntN(2) // an empty list is one of options
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		m.fill(v.Index(i), pointer+"/"+strconv.Itoa(i), "")
	}
}

func (m *maker) dictionary(v reflect.Value, pointer string) {
	v.Set(reflect.MakeMap(v.Type()))
	if deep(pointer) {
		return
	}
	for _, key := range []struct{ name, token string }{{"", ""}, {"a/b", "a~1b"}, {"~", "~0"}, {"ü\"\n", "ü\"\n"}, {"type", "type"}} {
		if m.r.IntN(3) == 0 {
			value := reflect.New(v.Type().Elem()).Elem()
			m.fill(value, pointer+"/"+key.token, "")
			v.SetMapIndex(reflect.ValueOf(key.name), value)
		}
	}
}

func (m *maker) scalar(v reflect.Value, pointer string) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(m.r.IntN(2) == 0)
	case reflect.String:
		i := slices.IndexFunc(enums, func(e enumCodec) bool { return e.typ == v.Type() && e.closed })
		switch {
		case i < 0:
			v.SetString(m.text(pointer))
		case m.plant(pointer):
			v.SetString("_other")
		default:
			values, _ := schemaValues(m.t, definition(m.t, v.Type().Name()))
			value, err := strconv.Unquote(pick(m, values...))
			if err != nil {
				m.t.Fatal(err)
			}
			v.SetString(value)
		}
	case reflect.Int32, reflect.Int64:
		bits := v.Type().Bits()
		v.SetInt(pick(m, 0, -1, int64(-1)<<(bits-1), int64(1)<<(bits-1)-1))
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(pick(m, 0, 1, uint64(math.MaxUint64)>>(64-v.Type().Bits())))
	case reflect.Float64:
		if m.plant(pointer) {
			v.SetFloat(pick(m, math.NaN(), math.Inf(1), math.Inf(-1)))
			return
		}
		v.SetFloat(pick(m, 0, 0.1, -2, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64))
	default:
		m.t.Fatalf("%s: cannot make a %s", pointer, v.Type())
	}
}

func (m *maker) text(pointer string) string {
	if m.plant(pointer) {
		return pick(m, "\xff", "Mars\xc3", "\xed\xa0\x80")
	}
	return pick(m, "", "Mars", "<&>\u2028", "tab\tquote\"\\", "\x00\x1f\x7f", "火星 🪐", strings.Repeat("x", 9000))
}

func (m *maker) raw(pointer, member string) wire.Raw {
	object := member == "_meta"
	if m.plant(pointer) {
		bad := pick(m, "", "{", `{"a":1,"a":2}`, `{"a":"\ud800"}`, "{}{}", "{\"a\":\"\xff\"}", "nul")
		if object {
			bad = pick(m, bad, "[]", "1", `"{}"`)
		}
		return wire.Raw(bad)
	}
	if object {
		return wire.Raw(pick(m, "{}", `{ "trace" : [1.0, 1E2] }`))
	}
	return wire.Raw(pick(m, "null", "false", "1.0", `"\u00fc"`, `{"b":1,"a":[{}]}`, "[ ]"))
}

// made returns a value of the codec's type, and what was planted in it.
func made(t testing.TB, c codec, seed uint64, faults bool) (v any, planted []string) {
	t.Helper()
	m := &maker{t: t, r: rand.New(rand.NewPCG(seed, 1)), faults: faults}
	typ := reflect.TypeOf(c.empty)
	isPointer := typ.Kind() == reflect.Pointer
	if isPointer {
		typ = typ.Elem()
	}
	p := reflect.New(typ)
	m.fill(p.Elem(), "", "")
	if isPointer {
		return p.Interface(), m.planted
	}
	return p.Elem().Interface(), m.planted
}

// checkMade encodes a value. If nothing was planted in it, the result is valid and means the value; otherwise the error points to exactly what was planted.
// It returns how many faults there were.
func checkMade(t testing.TB, c codec, seed uint64, faults bool) int {
	t.Helper()
	v, planted := made(t, c, seed, faults)
	at := fmt.Sprintf("%s, seed %d, faults %v", typeName(c.empty), seed, faults)
	b, err := c.encode(v)
	if len(planted) > 0 {
		if err == nil {
			t.Fatalf("%s: encoded as %s, want faults at %q", at, b, planted)
		}
		if b != nil {
			t.Errorf("%s: returned %d bytes with the error", at, len(b))
		}
		var got []string
		for _, violation := range violations(t, err) {
			got = append(got, violation.Pointer)
		}
		slices.Sort(planted)
		slices.Sort(got)
		if diff := cmp.Diff(planted, got); diff != "" && len(planted) <= wire.DefaultMaxViolations {
			t.Errorf("%s: pointers: mismatch (-want +got)\n%s%s", at, diff, summary(violations(t, err)))
		}
		return len(planted)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%+v", at, err, v)
	}
	if def := c.def(t); def != "" && !verdict(t, def, b) {
		t.Errorf("%s: the oracle refuses %s", at, b)
	}
	checkSame(t, c, b, v, exactly)
	return 0
}

// madeTypes are the types to make values of: those with a codec that decodes what it encodes.
func madeTypes(t testing.TB) []string {
	t.Helper()
	var names []string
	for name, c := range codecs() {
		standsAlone := c.def(t) != "" && !slices.Contains(scalars, c.empty)
		if standsAlone && !(strings.HasPrefix(name, "Unknown") && isClosed(t, c.def(t))) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestMadeValues(t *testing.T) {
	faulty := 0
	for _, name := range madeTypes(t) {
		t.Run(name, func(t *testing.T) {
			c := codecs()[name]
			for seed := range uint64(16) {
				checkMade(t, c, seed, false)
				if checkMade(t, c, seed, true) > 0 {
					faulty++
				}
			}
		})
	}
	if faulty < 300 {
		t.Errorf("only %d values had faults", faulty)
	}
}
