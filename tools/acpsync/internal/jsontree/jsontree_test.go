package jsontree_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpsync/internal/jsontree"
)

func TestParseKeepsOrderTextAndLines(t *testing.T) {
	root, err := jsontree.Parse([]byte("{\n  \"z\": 1.50e+2,\n  \"a\": [\"\\u0041\\/\", 12345678901234567890],\n  \"\\u006d\": null\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name, RawName, Raw string
		Line               int
	}
	var got []row
	for _, m := range root.Members {
		got = append(got, row{m.Name, m.RawName, m.Value.Raw, m.Value.Line})
	}
	want := []row{{"z", `"z"`, "1.50e+2", 2}, {"a", `"a"`, "", 3}, {"m", `"\u006d"`, "null", 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	items := root.Get("a").Items
	if diff := cmp.Diff([]string{`"\u0041\/"`, "A/", "12345678901234567890"}, []string{items[0].Raw, items[0].Text, items[1].Raw}); diff != "" {
		t.Errorf("items mismatch (-want +got):\n%s", diff)
	}
	if root.Get("absent") != nil || items[0].Get("a") != nil || (*jsontree.Node)(nil).Get("a") != nil {
		t.Error("Get finds a member that is not there")
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, in string
		want     string // substring of the error
	}{
		{"empty", "", "line 1: #: unexpected EOF"},
		{"truncated object", "{\n\"a\": [1,", "line 2: #/a"},
		{"duplicate name", "{\"a\": {\n\"b\": 1,\n\"b\": 2}}", "line 3: #/a/b: duplicate"},
		{"duplicate name in another spelling", `{"a": 1, "\u0061": 2}`, "duplicate"},
		{"trailing value", "{}\n{}", "line 2: #: trailing data"},
		{"trailing junk", "{} x", "invalid character"},
		{"invalid UTF-8", "{\"a\": \"\xff\"}", "invalid UTF-8"},
		{"lone surrogate", `{"a": "\ud800"}`, "invalid surrogate"},
		{"byte order mark", "\ufeff{}", "invalid character"},
		{"comment", "{} // c", "invalid character"},
		{"trailing comma", `[1,]`, "invalid character"},
		{"leading zero", `[01]`, "invalid character"},
		{"too deep", strings.Repeat("[", 10001), "depth"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := jsontree.Parse([]byte(tt.in))
			var syntax *jsontree.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error %v (%T) is no *SyntaxError", err, err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not contain %q", err, tt.want)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	in := `{"b":[ ],"a":{},"c":[1.0,"\u00e9",null],"d":[{},[]],"e":[{"x":1},2],"f":true}`
	want := `{
  "b": [],
  "a": {},
  "c": [1.0, "\u00e9", null],
  "d": [{}, []],
  "e": [
    {
      "x": 1
    },
    2
  ],
  "f": true
}
`
	root, err := jsontree.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(root.Format())); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestCanonical(t *testing.T) {
	tests := []struct {
		name, a, b string
		equal      bool
	}{
		{"member order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"element order", `[1,2]`, `[2,1]`, false},
		{"number spelling", `[1, 100, -0]`, `[1.0, 1e2, 0]`, true},
		{"fractions", `0.5`, `5e-1`, true},
		{"64-bit integers are exact", `9007199254740993`, `9007199254740992`, false},
		{"string escapes", `"\u0041\/"`, `"A/"`, true},
		{"a number is no string", `1`, `"1"`, false},
		{"null is no empty object", `null`, `{}`, false},
		{"huge exponents stay text", `1e999999999`, `1e999999998`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a).Canonical(), parse(t, tt.b).Canonical()
			if (a == b) != tt.equal {
				t.Errorf("%s and %s: equal = %t, want %t", a, b, a == b, tt.equal)
			}
		})
	}
}

func TestRatRefusesHugeNumbers(t *testing.T) {
	for _, in := range []string{"1e1001", "1e-1001", "1e99999999999999999999", strings.Repeat("1", 1001), `"1"`, "null"} {
		if _, ok := parse(t, in).Rat(); ok {
			t.Errorf("Rat(%.20s) is expanded", in)
		}
	}
	if r, ok := parse(t, "1e3").Rat(); !ok || r.String() != "1000/1" {
		t.Errorf("Rat(1e3) = %v, %t", r, ok)
	}
}

// What Format writes reads back as the same value, and formatting it again changes nothing.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":null}],"c":"\u0000"}`, `[]`, `1e5`, `"\ud83d\ude00"`, `{"":{"":[[]]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := jsontree.Parse(data)
		if err != nil {
			return
		}
		text := root.Format()
		again, err := jsontree.Parse(text)
		if err != nil {
			t.Fatalf("Format wrote %q: %v", text, err)
		}
		if diff := cmp.Diff(root.Canonical(), again.Canonical()); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(string(text), string(again.Format())); diff != "" {
			t.Errorf("formatting twice: mismatch (-want +got):\n%s", diff)
		}
	})
}

func parse(t *testing.T, in string) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
