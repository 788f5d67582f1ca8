package acpv1

import (
	"testing"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/google/go-cmp/cmp"
)

// A number that a double rounds to an integer is one, because it is written like one. acpdiff found 1e-400 and -1e-400.
func TestNumbersThatRoundToIntegers(t *testing.T) {
	tests := []struct {
		name, number string
		want         ElicitationContentValue
	}{
		{"integer", "7", ElicitationInteger(7)},
		{"integer with an exponent", "7e3", ElicitationInteger(7000)},
		{"fraction", "0.5", ElicitationNumber(0.5)},
		{"too small for a double", "1e-400", ElicitationInteger(0)},
		{"too small for a double, negative", "-1e-400", ElicitationInteger(0)},
		{"exponent beyond an int", "1e-9999999999999999999", ElicitationInteger(0)},
		{"finer than a double", "9007199254740993.5", ElicitationInteger(9007199254740994)},
		{"beyond 64 bits", "1e30", ElicitationNumber(1e30)},
		{"at the edge", "9223372036854775808", ElicitationNumber(9223372036854775808)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := UnmarshalElicitationContentValue([]byte(tt.number))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			once, err := wire.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			again, err := UnmarshalElicitationContentValue(once)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("encoded as %s and decoded, mismatch (-want +got):\n%s", once, diff)
			}
		})
	}
}
