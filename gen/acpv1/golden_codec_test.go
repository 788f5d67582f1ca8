package acpv1

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
)

// A codec is one way to decode and encode a type of this package: a struct by itself, or a variant through its union.
type codec struct {
	// union is the name of the union if the type is a variant with a codec of the union, otherwise empty.
	union string
	// empty is the zero value of what the type's decoder returns.
	empty     any
	decode    func(b []byte, opts *wire.DecodeOptions) (any, wire.Report, error)
	encode    func(v any) ([]byte, error)
	unmarshal func(b []byte) (any, error)
}

// exactly compares decoded values; a RequestID also by how it is written.
var exactly = cmp.Options{
	cmp.Exporter(func(t reflect.Type) bool { return strings.HasPrefix(t.Name(), "Nullable[") }),
	cmp.Comparer(func(a, b wire.RequestID) bool { return a.String() == b.String() }),
}

var oracle = sync.OnceValues(func() (*validate.Validator, error) { return validate.New("v1") })

func newOracle(t testing.TB) *validate.Validator {
	t.Helper()
	v, err := oracle()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// verdict reports whether the oracle accepts b as a value of def.
func verdict(t testing.TB, def string, b []byte) bool {
	t.Helper()
	err := newOracle(t).Def(def, b)
	if data := (*validate.DataError)(nil); err != nil && !errors.As(err, &data) {
		t.Fatalf("the oracle cannot judge %s as %s: %v", b, def, err)
	}
	return err == nil
}

// definition returns the definition of the schema that has the name of a type, or "".
func definition(t testing.TB, typeName string) string {
	t.Helper()
	defs := newOracle(t).Defs()
	if i := slices.IndexFunc(defs, func(def string) bool { return strings.EqualFold(def, typeName) }); i >= 0 {
		return defs[i]
	}
	return ""
}

// def is what a codec decodes: the union's definition for a variant. It is empty for what stands only within another definition.
func (c codec) def(t testing.TB) string {
	t.Helper()
	if c.union != "" {
		return definition(t, c.union)
	}
	return definition(t, typeName(c.empty))
}

func typeName(v any) string {
	typ := reflect.TypeOf(v)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ.Name()
}

// codecs returns a codec for every type that can be decoded, by the type's name.
var codecs = sync.OnceValue(func() map[string]codec {
	all := map[string]codec{}
	for _, m := range structs {
		all[typeName(m)] = messageCodec(m)
	}
	for _, s := range scalars {
		all[typeName(s)] = scalarCodec(s)
	}
	for _, u := range unions {
		for _, c := range u {
			all[typeName(c.empty)] = c
		}
	}
	return all
})

func messageCodec(m wire.Message) codec {
	fresh := func() wire.Message { return reflect.New(reflect.TypeOf(m).Elem()).Interface().(wire.Message) }
	return codec{
		empty: m,
		decode: func(b []byte, opts *wire.DecodeOptions) (any, wire.Report, error) {
			v := fresh()
			report, err := wire.Decode(b, v, opts)
			return v, report, err
		},
		encode:    func(v any) ([]byte, error) { return wire.Marshal(v.(wire.Message)) },
		unmarshal: func(b []byte) (any, error) { v := fresh(); return v, json.Unmarshal(b, v) },
	}
}

// scalarCodec is for types that have no codec of their own: their users write them as what they are defined on.
func scalarCodec(s any) codec {
	unmarshal := func(b []byte) (any, error) {
		v := reflect.New(reflect.TypeOf(s).Elem()).Interface()
		return v, json.Unmarshal(b, v)
	}
	return codec{
		empty: s, encode: json.Marshal, unmarshal: unmarshal,
		decode: func(b []byte, _ *wire.DecodeOptions) (any, wire.Report, error) {
			v, err := unmarshal(b)
			return v, wire.Report{}, err
		},
	}
}

func unionOf[U any](decode func(*wire.Decoder) U, encode func(*wire.Encoder, U), unmarshal func([]byte) (U, error), variants ...U) []codec {
	var all []codec
	for _, variant := range variants {
		all = append(all, codec{
			union: reflect.TypeFor[U]().Name(),
			empty: variant,
			decode: func(b []byte, opts *wire.DecodeOptions) (any, wire.Report, error) {
				box := wire.Box[U]{Decode: decode}
				report, err := wire.Decode(b, &box, opts)
				return box.Value, report, err
			},
			encode:    func(v any) ([]byte, error) { return wire.Marshal(&wire.Box[U]{Value: v.(U), Encode: encode}) },
			unmarshal: func(b []byte) (any, error) { return unmarshalVariant(b, variant, unmarshal) },
		})
	}
	return all
}

// unmarshalVariant decodes by encoding/json into the variant's type; what is kept as it came only has the union's function.
func unmarshalVariant[U any](b []byte, variant U, unmarshal func([]byte) (U, error)) (any, error) {
	if strings.HasPrefix(typeName(variant), "Unknown") {
		return unmarshal(b)
	}
	typ := reflect.TypeOf(variant)
	if typ.Kind() == reflect.Pointer {
		v := reflect.New(typ.Elem()).Interface()
		return v, json.Unmarshal(b, v)
	}
	v := reflect.New(typ)
	err := json.Unmarshal(b, v.Interface())
	return v.Elem().Interface(), err
}

// checkSame decodes b and fails if the value is not want.
func checkSame(t testing.TB, c codec, b []byte, want any, opts ...cmp.Option) {
	t.Helper()
	got, report, err := c.decode(b, nil)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s: mismatch (-want +got)\n%s", b, diff)
	}
	if diff := cmp.Diff(wire.Report{}, report); diff != "" {
		t.Errorf("%s: report mismatch (-want +got)\n%s", b, diff)
	}
}

// violations returns the violations of err, which must be of a decode or an encode.
func violations(t testing.TB, err error) []wire.Violation {
	t.Helper()
	var invalid *wire.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("got %v (%T), want a *wire.InvalidError", err, err)
	}
	return invalid.Violations
}

func summary(list []wire.Violation) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "%q %s: %s\n", v.Pointer, v.Keyword, v.Message)
	}
	return b.String()
}
