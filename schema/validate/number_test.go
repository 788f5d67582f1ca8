package validate

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// ratOf is the exact value, for numbers small enough to have one.
func ratOf(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// Bounded numbers must be integers, and compare with every number a schema may have, exactly as the original.
func TestBoundedNumberComparesAlike(t *testing.T) {
	constants := []string{"0", "1", "-1", "0.5", "65535", "4294967295", "-9223372036854775808", "9223372036854775807", "18446744073709551615",
		"1e29", "-1e29", "1e-29", "-1e-29", strings.Repeat("9", 30), "0." + strings.Repeat("1", 40)}
	for _, c := range constants {
		if !schemaNumber(c) {
			t.Fatalf("%s is not allowed in a schema", c)
		}
	}
	texts := []string{"0", "-0", "0.0", "-0.000e5", "1e29", "10e28", "0.1e30", "1e40", "1e41", "1e42", "1e-40", "1e-41", "-1e-42", "1e400", "-1e-400",
		strings.Repeat("9", 64), strings.Repeat("9", 65), strings.Repeat("9", 40) + ".5", "0." + strings.Repeat("0", 50) + "1",
		"9223372036854775807." + strings.Repeat("0", 100) + "1", "9223372036854775807." + strings.Repeat("0", 100), "123e-2", "1200e-2", "1E+2"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		if random.IntN(2) == 0 {
			b.WriteByte('-')
		}
		fmt.Fprintf(&b, "%d", random.IntN(1000))
		for _, part := range []string{".", ""}[random.IntN(2):] {
			b.WriteString(part)
			for range 1 + random.IntN(90) {
				b.WriteByte("0000123459"[random.IntN(10)])
			}
			if part == "." {
				break
			}
		}
		if random.IntN(2) == 0 {
			fmt.Fprintf(&b, "e%d", random.IntN(200)-100)
		}
		texts = append(texts, b.String())
	}
	for _, text := range texts {
		want, got := ratOf(t, text), ratOf(t, boundedNumber(text).String())
		if want.IsInt() != got.IsInt() {
			t.Errorf("%s: integer is %t, but %t when bounded to %s", text, want.IsInt(), got.IsInt(), boundedNumber(text))
		}
		for _, c := range constants {
			if want.Cmp(ratOf(t, c)) != got.Cmp(ratOf(t, c)) {
				t.Errorf("%s bounded to %s compares differently with %s", text, boundedNumber(text), c)
			}
		}
	}
}

func TestBoundedNumberIsSmall(t *testing.T) {
	long := strings.Repeat("123456789", 100000)
	for _, test := range []struct {
		name, text string
		want       json.Number
	}{
		{"huge", "1e999999999999999999999999", "1e40"},
		{"huge, negative", "-12e+999999999", "-1e40"},
		{"tiny", "1e-999999999999999999999999", "1e-40"},
		{"tiny, negative", "-0.5E-999999999", "-1e-40"},
		{"zero, huge exponent", "0.00e999999999", "0"},
		{"zero, tiny exponent", "-0e-999999999", "0"},
		{"long", long, "1e40"},
		{"long, with a fraction", long + ".5", "10000000000000000000000000000000000000000.5"},
		{"long fraction", "0." + long, json.Number("0." + long[:keptDigits] + "1e0")},
		{"zeros before a huge exponent", "0." + strings.Repeat("0", 1000) + "1e1001", "0.1e1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := boundedNumber(test.text); got != test.want {
				t.Errorf("got %.100s, want %s", got, test.want)
			}
		})
	}
}

func TestSchemaNumber(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-9223372036854775808": true, "18446744073709551615": true, "1e29": true, "0.5": true,
		"1e30": false, "1e-31": false, "1e999999999999": false, strings.Repeat("1", 41) + "e-20": false,
	} {
		if got := schemaNumber(text); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
}

func TestAddRange(t *testing.T) {
	for _, test := range []struct {
		name               string
		node               map[string]any
		minimum, maximum   json.Number
		setMinimum, setMax bool
	}{
		{"none", map[string]any{"format": "int64"}, "-9223372036854775808", "9223372036854775807", true, true},
		{"own minimum is the same", map[string]any{"format": "uint32", "minimum": json.Number("0")}, "0", "4294967295", false, true},
		{"own bounds are narrower", map[string]any{"format": "uint16", "minimum": json.Number("1"), "maximum": json.Number("9")}, "1", "9", false, false},
		{"own bounds are wider", map[string]any{"format": "int32", "minimum": json.Number("-1e20"), "maximum": json.Number("1e20")}, "-2147483648", "2147483647", true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := fmt.Sprint(addRange(test.node))
			if test.node["minimum"] != test.minimum || test.node["maximum"] != test.maximum {
				t.Errorf("got %v to %v, want %s to %s", test.node["minimum"], test.node["maximum"], test.minimum, test.maximum)
			}
			if strings.Contains(set, "minimum") != test.setMinimum || strings.Contains(set, "maximum") != test.setMax {
				t.Errorf("says it set %s", set)
			}
		})
	}
	node := map[string]any{"format": "double"}
	if set := addRange(node); set != nil || len(node) != 1 {
		t.Errorf("double became a range: %v", node)
	}
}
