package server

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// TestFieldBounds shows what becomes of the bounds of each kind of field, and which values are in them.
func TestFieldBounds(t *testing.T) {
	choices := []ConfigChoice{{Value: "a"}, {Value: "b"}}
	text := func(s string) acpv1.ElicitationContentValue { return acpv1.ElicitationString(s) }
	integer := func(n int64) acpv1.ElicitationContentValue { return acpv1.ElicitationInteger(n) }
	tests := []struct {
		name    string
		field   Field
		want    string // its schema; empty if it is refused
		in, out acpv1.ElicitationContentValue
	}{
		{"text", Field{Min: new(1.0), Max: new(2.0)}, `{"minLength":1,"maxLength":2,"type":"string"}`, text("\u00f6\u00f6"), text("")},
		{"integer", Field{Kind: IntegerField, Min: new(-1.0), Max: new(3.0)}, `{"minimum":-1,"maximum":3,"type":"integer"}`, integer(-1), integer(4)},
		{"number", Field{Kind: NumberField, Min: new(0.5)}, `{"minimum":0.5,"type":"number"}`, integer(1), integer(0)},
		{"choices", Field{Kind: ChoicesField, Max: new(1.0), Choices: choices},
			`{"maxItems":1,"items":{"anyOf":[{"const":"a","title":"a"},{"const":"b","title":"b"}]},"type":"array"}`, acpv1.ElicitationStrings{"a"}, acpv1.ElicitationStrings{"a", "b"}},
		{"half a character", Field{Min: new(0.5)}, "", nil, nil},
		{"less than nothing", Field{Max: new(-1.0)}, "", nil, nil},
		{"nothing to count", Field{Kind: BooleanField, Min: new(1.0)}, "", nil, nil},
		{"a default beyond", Field{Kind: IntegerField, Max: new(1.0), Default: int64(2)}, "", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.field.Name = "f"
			form := Form{Message: "?", Fields: []Field{tt.field}}
			schema, err := form.schema()
			if tt.want == "" {
				if failure := (*Error)(nil); !errors.As(err, &failure) || failure.Kind != ErrorInvalid {
					t.Errorf("got %v, want an error of the kind %s", err, ErrorInvalid)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(schema.Properties["f"])
			if err != nil {
				t.Fatal(err)
			}
			var wantValue, gotValue any
			if err := errors.Join(json.Unmarshal([]byte(tt.want), &wantValue), json.Unmarshal(got, &gotValue)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(wantValue, gotValue); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if _, err := form.values(map[string]acpv1.ElicitationContentValue{"f": tt.in}); err != nil {
				t.Errorf("%v is refused: %v", tt.in, err)
			}
			if _, err := form.values(map[string]acpv1.ElicitationContentValue{"f": tt.out}); !errors.Is(err, ErrInvalidAnswer) {
				t.Errorf("%v: got %v, want %v", tt.out, err, ErrInvalidAnswer)
			}
		})
	}
}
