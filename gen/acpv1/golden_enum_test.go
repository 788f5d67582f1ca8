package acpv1

import (
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
)

// An enumCodec decodes, encodes and names an enum, given its values as JSON.
type enumCodec struct {
	typ    reflect.Type
	closed bool
	// known reports whether the type's own method takes a value for one of the schema's.
	known func(value string) bool
	// decode and encode are what the codecs of other types call; the JSON ones are by encoding/json.
	decode     func(value string) error
	encode     func(value string) (string, error)
	decodeJSON func(value string) error
	encodeJSON func(value string) (string, error)
}

func enumOf[E any](decode func(*wire.Decoder) E, encode func(*wire.Encoder, E), known func(E) bool) enumCodec {
	_, closed := reflect.TypeFor[E]().MethodByName("Valid")
	return enumCodec{
		typ: reflect.TypeFor[E](), closed: closed,
		known: func(value string) bool { return known(literal[E](value)) },
		decode: func(value string) error {
			return wire.Unmarshal([]byte(value), &wire.Box[E]{Decode: decode})
		},
		encode: func(value string) (string, error) {
			b, err := wire.Marshal(&wire.Box[E]{Value: literal[E](value), Encode: encode})
			return string(b), err
		},
		decodeJSON: func(value string) error { return json.Unmarshal([]byte(value), new(E)) },
		encodeJSON: func(value string) (string, error) {
			b, err := json.Marshal(literal[E](value))
			return string(b), err
		},
	}
}

// literal converts a JSON string or integer without asking whether it is one of the enum's values.
func literal[E any](value string) E {
	var e E
	v := reflect.ValueOf(&e).Elem()
	if text, err := strconv.Unquote(value); err == nil {
		v.SetString(text)
		return e
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		panic(err)
	}
	v.SetInt(n)
	return e
}

var enums = []enumCodec{
	enumOf(decodeToolKind, encodeToolKind, ToolKind.Valid),
	enumOf(decodeToolCallStatus, encodeToolCallStatus, ToolCallStatus.Valid),
	enumOf(decodeRole, encodeRole, Role.Valid),
	enumOf(decodePermissionOptionKind, encodePermissionOptionKind, PermissionOptionKind.Valid),
	enumOf(decodeElicitationSchemaType, encodeElicitationSchemaType, ElicitationSchemaType.Valid),
	enumOf(decodeStringFormat, encodeStringFormat, StringFormat.Valid),
	enumOf(decodeSessionConfigOptionCategory, encodeSessionConfigOptionCategory, SessionConfigOptionCategory.Known),
	enumOf(decodeStopReason, encodeStopReason, StopReason.Valid),
	enumOf(decodeErrorCode, encodeErrorCode, ErrorCode.Known),
	enumOf(decodePlanEntryPriority, encodePlanEntryPriority, PlanEntryPriority.Valid),
	enumOf(decodePlanEntryStatus, encodePlanEntryStatus, PlanEntryStatus.Valid),
	enumOf(decodeNoticeSeverity, encodeNoticeSeverity, NoticeSeverity.Known),
	enumOf(decodeCompactionStatus, encodeCompactionStatus, CompactionStatus.Known),
}

// schemaValues returns the values that the schema names for an enum, as JSON, sorted, and whether it allows others.
func schemaValues(t testing.TB, def string) (values []string, open bool) {
	t.Helper()
	defs, err := schemaDefs()
	if err != nil {
		t.Fatal(err)
	}
	branches, ok := defs[def]["oneOf"].([]any)
	if !ok {
		branches, open = defs[def]["anyOf"].([]any)
	}
	for _, b := range branches {
		if value, ok := b.(map[string]any)["const"]; ok {
			values = append(values, string(render(t, value)))
		}
	}
	slices.Sort(values)
	return values, open
}

// goValues returns the values of the constants of a type, as JSON, sorted.
func goValues(t *testing.T, consts []ast.Expr) []string {
	t.Helper()
	var values []string
	for _, expr := range consts {
		sign := ""
		if minus, ok := expr.(*ast.UnaryExpr); ok && minus.Op == token.SUB {
			sign, expr = "-", minus.X
		}
		lit, ok := expr.(*ast.BasicLit)
		if !ok {
			t.Fatalf("a constant is %T", expr)
		}
		values = append(values, sign+constant.MakeFromLiteral(lit.Value, lit.Kind, 0).ExactString())
	}
	slices.Sort(values)
	return values
}

// TestEnums compares the constants of each enum with the schema, and takes each through the codec.
func TestEnums(t *testing.T) {
	s := parseSource(t)
	covered := map[string]bool{}
	for _, e := range enums {
		name := e.typ.Name()
		covered[name] = true
		t.Run(name, func(t *testing.T) {
			def := definition(t, name)
			want, open := schemaValues(t, def)
			if diff := cmp.Diff(want, goValues(t, s.consts[name])); diff != "" {
				t.Errorf("constants: mismatch (-want +got)\n%s", diff)
			}
			if open == e.closed {
				t.Errorf("open is %v in the schema, closed is %v in Go", open, e.closed)
			}
			for _, value := range want {
				checkEnumValue(t, e, def, value, true)
			}
			other := `"_other"`
			if e.typ.Kind() != reflect.String {
				other = "-1"
			}
			checkEnumValue(t, e, def, other, false)
		})
	}
	for typ := range s.types {
		if s.isEnum(typ) && !covered[typ] {
			t.Errorf("%s is not tested", typ)
		}
	}
}

func checkEnumValue(t *testing.T, e enumCodec, def, value string, known bool) {
	t.Helper()
	valid := known || !e.closed
	if got := verdict(t, def, []byte(value)); got != valid {
		t.Errorf("the oracle says of %s that valid is %v, want %v", value, got, valid)
	}
	if got := e.known(value); got != known {
		t.Errorf("%s: known is %v, want %v", value, got, known)
	}
	for _, decode := range []func(string) error{e.decode, e.decodeJSON} {
		if err := decode(value); (err == nil) != valid {
			t.Errorf("%s: decoding says %v, want valid to be %v", value, err, valid)
		}
	}
	for _, encode := range []func(string) (string, error){e.encode, e.encodeJSON} {
		got, err := encode(value)
		if (err == nil) != valid {
			t.Errorf("%s: encoding says %v, want valid to be %v", value, err, valid)
		}
		if err == nil && got != value {
			t.Errorf("%s was encoded as %s", value, got)
		}
	}
}
