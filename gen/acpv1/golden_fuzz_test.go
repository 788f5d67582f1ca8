package acpv1

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
)

// meaning compares values that may have lost what Go's types do not keep: white space within raw values, and whether a number was an integer before it was
// rounded to a double.
var meaning = cmp.Options{
	exactly,
	cmp.Comparer(func(a, b wire.Raw) bool { return (a == nil) == (b == nil) && sameRaw(a, b) }),
	cmp.FilterValues(isNumber, cmp.Comparer(func(a, b ElicitationContentValue) bool { return double(a) == double(b) })),
}

// isNumber reports whether a and b are numbers of which one is a double.
func isNumber(a, b ElicitationContentValue) bool {
	_, first := a.(ElicitationInteger)
	_, second := b.(ElicitationInteger)
	return !(first && second) && !math.IsNaN(double(a)) && !math.IsNaN(double(b))
}

// double returns a number as a double, and NaN for anything else.
func double(v ElicitationContentValue) float64 {
	switch v := v.(type) {
	case ElicitationNumber:
		return float64(v)
	case ElicitationInteger:
		return float64(v)
	case ElicitationString, ElicitationBoolean, ElicitationStrings:
	}
	return math.NaN()
}

func sameRaw(a, b wire.Raw) bool {
	one, err1 := json.Marshal(json.RawMessage(a))
	other, err2 := json.Marshal(json.RawMessage(b))
	return a == nil || err1 == nil && err2 == nil && string(one) == string(other)
}

// sameDouble passes numbers that are the same double, where the type is a double.
func sameDouble(member string, want, got json.Number) bool {
	a, err1 := want.Float64()
	b, err2 := got.Float64()
	if err1 != nil || err2 != nil || a != b {
		return false
	}
	if slices.Contains([]string{"amount", "priority", "minimum", "maximum", "default"}, member) {
		return true
	}
	_, err := strconv.ParseInt(string(want), 10, 64)
	return err != nil // not what an integer member holds
}

// FuzzRoundTrip takes what the strict decoder accepts through the encoder and back. The first argument chooses the type.
func FuzzRoundTrip(f *testing.F) {
	names := madeTypes(f)
	for _, g := range goldens(f) {
		if i := slices.Index(names, g.typ); i >= 0 {
			f.Add(uint16(i), g.wire)
			f.Add(uint16(i), g.pretty)
		}
	}
	for _, m := range Surface.Methods { // an invalid seed for each message, to find the way from there
		f.Add(uint16(slices.Index(names, typeName(m.NewParams()))), []byte(`{"_meta":{"a":1e2},"x":null}`))
	}
	f.Fuzz(func(t *testing.T, which uint16, b []byte) {
		c := codecs()[names[int(which)%len(names)]]
		v, report, err := c.decode(b, nil)
		if err != nil {
			if len(violations(t, err)) == 0 {
				t.Error("an error without a violation")
			}
			return
		}
		checkRoundTrip(t, c, v, report, b)
	})
}

func checkRoundTrip(t *testing.T, c codec, v any, report wire.Report, b []byte) {
	t.Helper()
	def := c.def(t)
	if err := newOracle(t).Def(def, b); err != nil {
		if tooMany := (*validate.LimitError)(nil); errors.As(err, &tooMany) {
			t.Skip("more than the oracle judges")
		}
		t.Errorf("accepted, but the oracle says %v: %q", err, b)
	}
	out, err := c.encode(v)
	if err != nil {
		t.Fatalf("accepted %q, but refuses to encode it: %v", b, err)
	}
	if strings.ContainsAny(string(out), "\r\n") {
		t.Errorf("more than a line: %q", out)
	}
	if !verdict(t, def, out) {
		t.Errorf("the oracle refuses %q, made of %q", out, b)
	}
	if n, ok := v.(ElicitationNumber); !ok || float64(n) != math.Trunc(float64(n)) { // a whole number by itself comes back as an integer
		checkSame(t, c, out, v, meaning)
	}
	if report.Unknown == 0 && report.Nulls == 0 {
		checkSameJSON(t, b, out, sameDouble)
	}
	again, _, err := c.decode(out, nil)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := c.encode(again)
	if err != nil {
		t.Fatal(err)
	}
	checkSameJSON(t, out, twice, nil)
	if std, err := json.Marshal(v); err != nil {
		t.Errorf("encoding/json: %v", err)
	} else if reflect.TypeOf(v).Kind() == reflect.Pointer {
		checkSameJSON(t, out, std, nil)
	}
}

// FuzzEncode encodes values made at random; see checkMade.
func FuzzEncode(f *testing.F) {
	names := madeTypes(f)
	for i := range names {
		f.Add(uint16(i), uint64(100+i), false)
		f.Add(uint16(i), uint64(100+i), true)
	}
	f.Fuzz(func(t *testing.T, which uint16, seed uint64, faults bool) {
		checkMade(t, codecs()[names[int(which)%len(names)]], seed, faults)
	})
}
