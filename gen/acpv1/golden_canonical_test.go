package acpv1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parse returns b as maps, slices and numbers that keep their text.
func parse(t testing.TB, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

// render is the inverse of parse. Members are sorted.
func render(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func compact(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return out.Bytes()
}

// checkSameJSON fails if a and b differ in more than the order of members, white space, escapes, and how a number is written. If same is not nil, it says
// which unequal numbers pass as equal, given the name of the innermost member they stand in.
func checkSameJSON(t testing.TB, want, got []byte, same func(member string, want, got json.Number) bool) {
	t.Helper()
	if err := sameJSON(parse(t, want), parse(t, got), "", same); err != nil {
		t.Errorf("%v\nwant %s\ngot  %s", err, want, got)
	}
}

func sameJSON(want, got any, member string, same func(string, json.Number, json.Number) bool) error {
	switch want := want.(type) {
	case json.Number:
		n, ok := got.(json.Number)
		if !ok || decimal(want) != decimal(n) && (same == nil || !same(member, want, n)) {
			return fmt.Errorf("%s: number %v became %v", member, want, got)
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s: array %v became %v", member, want, got)
		}
		for i := range want {
			if err := sameJSON(want[i], list[i], member, same); err != nil {
				return err
			}
		}
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: object %v became %v", member, want, got)
		}
		names, others := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(object))
		if !slices.Equal(names, others) {
			return fmt.Errorf("%s: members %q became %q", member, names, others)
		}
		for _, name := range names {
			if err := sameJSON(want[name], object[name], name, same); err != nil {
				return err
			}
		}
	default: // null, a boolean or a string
		if want != got {
			return fmt.Errorf("%s: %v became %v", member, want, got)
		}
	}
	return nil
}

// decimal returns the same text for equal numbers, however they are written, and different texts for others. Minus zero is zero.
func decimal(n json.Number) string {
	text, negative := strings.CutPrefix(string(n), "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	point := 0
	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		if errors.Is(err, strconv.ErrRange) {
			return string(n)
		}
		point = e
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	point -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	point += len(digits) - len(trimmed)
	if trimmed == "" {
		return "0"
	}
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + strconv.Itoa(point)
}

func TestDecimal(t *testing.T) {
	for _, test := range []struct {
		a, b  json.Number
		equal bool
	}{
		{"1", "1.0", true},
		{"1", "10e-1", true},
		{"7e3", "7000", true},
		{"-0.0", "0", true},
		{"0e5", "0", true},
		{"0.10", "1E-1", true},
		{"9007199254740993", "9007199254740992", false},
		{"18446744073709551615", "18446744073709551615.0", true},
		{"1", "-1", false},
		{"1e99999999999999999999", "1e99999999999999999998", false},
	} {
		if got := decimal(test.a) == decimal(test.b); got != test.equal {
			t.Errorf("%s and %s: equal is %v, want %v", test.a, test.b, got, test.equal)
		}
	}
}
