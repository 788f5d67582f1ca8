package mutate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseKeeps holds Parse and Append to keep what JSON text says beyond its values.
func TestParseKeeps(t *testing.T) {
	tests := []struct{ name, text string }{
		{"scalars", `[null,true,false,0,"a"]`},
		{"order", `{"b":1,"a":2}`},
		{"duplicate names", `{"a":1,"a":2,"\u0061":3}`},
		{"spelling of numbers", `[-0,1.0,7E+3,1e400,0.10]`},
		{"spelling of strings", `["\u00e9","é","\/","\ud83d\ude00"]`},
		{"lone surrogate", `["\ud800"]`},
		{"invalid UTF-8", "[\"\xff\"]"},
		{"empty", `{"":[],"a":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := Parse([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.text, v.String()); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.text, v.Clone().String()); diff != "" {
				t.Errorf("clone: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{``, ` `, `{`, `[1,]`, `{"a"}`, `nul`, `01`, `"\x"`, "\"\n\"", `1 2`, `{"a":}`, `]`} {
		if v, err := Parse([]byte(text)); err == nil {
			t.Errorf("Parse(%q) = %s, want an error", text, v)
		}
	}
}

func TestAppendSpace(t *testing.T) {
	v := &Value{Kind: Object, Space: "\t", Members: []Member{{Name: `"a"`, Space: " ", Value: &Value{Kind: Raw, Text: "x", Space: "\n"}}}}
	if got, want := v.String(), "\t{ \"a\" :\nx}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGet(t *testing.T) {
	v, err := Parse([]byte(`{"a":1,"\u0062":2,"a":3}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "1", "b": "2"} {
		if got := v.Get(name); got == nil || got.Text != want {
			t.Errorf("Get(%q) = %v, want %s", name, got, want)
		}
	}
	if got := v.Get("A"); got != nil {
		t.Errorf("Get(%q) = %v, want nil", "A", got)
	}
	if got := v.Clone(); got.Members[0].Value == v.Members[0].Value {
		t.Error("a clone shares a member with the original")
	}
}
