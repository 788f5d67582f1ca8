package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// FuzzRequestID holds the verdict on an id to jsontext and exact arithmetic, and takes each id there and back.
func FuzzRequestID(f *testing.F) {
	for _, s := range []string{`null`, `0`, `-0`, `1.0`, `7e3`, `1e0`, ` 1`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `1.5`, `1e400`, `"1"`, `"\u0041\n"`, `"\ud800"`, `true`, `[]`, `{}`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 200 {
			t.Skip("long ids say nothing new")
		}
		var id RequestID
		err := id.UnmarshalJSON(b)
		want, judged := referenceID(t, b)
		if !judged {
			return
		}
		if (err == nil) != (want != nil) {
			t.Fatalf("%q: error %v, want an id: %t", b, err, want != nil)
		}
		if err != nil {
			return
		}
		n, isInt := id.Int()
		s, isString := id.Str()
		switch want := want.(type) {
		case string:
			if !isString || s != want || isInt || id.IsNull() || !id.Equal(StringID(want)) {
				t.Fatalf("%q: %#v", b, id)
			}
		case int64:
			if !isInt || n != want || isString || id.IsNull() || !id.Equal(IntID(want)) {
				t.Fatalf("%q: %#v", b, id)
			}
		default:
			if !id.IsNull() || isInt || isString || !id.Equal(RequestID{}) {
				t.Fatalf("%q: %#v", b, id)
			}
		}
		out, err := id.MarshalJSON()
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if isInt && !bytes.Equal(out, bytes.TrimSpace(b)) {
			t.Fatalf("%q is written as %s", b, out)
		}
		if id.String() != string(out) {
			t.Fatalf("%q: String %s, MarshalJSON %s", b, id, out)
		}
		var again RequestID
		if err := again.UnmarshalJSON(out); err != nil || again != id {
			t.Fatalf("%q comes back as %#v, %v", b, again, err)
		}
	})
}

// referenceID returns the id that b is, or nil if it is none. judged is false for numbers that are too much for the judge.
func referenceID(t *testing.T, b []byte) (id any, judged bool) {
	t.Helper()
	v := jsontext.Value(b)
	if !v.IsValid() {
		return nil, true
	}
	switch text := bytes.TrimSpace(b); v.Kind() {
	case 'n':
		return struct{}{}, true
	case '"':
		s, err := jsontext.AppendUnquote(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		return string(s), true
	case '0':
		if i := bytes.IndexAny(text, "eE"); i >= 0 && len(text)-i > 5 {
			return nil, false
		}
		r, ok := new(big.Rat).SetString(string(text))
		if !ok {
			t.Fatalf("not a number: %s", text)
		}
		if r.IsInt() && r.Num().IsInt64() {
			return r.Num().Int64(), true
		}
	}
	return nil, true
}

func TestRequestID(t *testing.T) {
	type result struct {
		Text string
		Int  bool
		Err  string
	}
	tests := []struct {
		in   string
		want result
	}{
		{`null`, result{Text: `null`}},
		{`1`, result{Text: `1`, Int: true}},
		{`1.0`, result{Text: `1.0`, Int: true}},
		{`7e3`, result{Text: `7e3`, Int: true}},
		{`-0`, result{Text: `-0`, Int: true}},
		{`9223372036854775807`, result{Text: `9223372036854775807`, Int: true}},
		{`"a\u0041/\/\n"`, result{Text: `"aA//\n"`}},
		{`9223372036854775808`, result{Text: `null`, Err: "expected int64, from -9223372036854775808 to 9223372036854775807, got 9223372036854775808"}},
		{`1.5`, result{Text: `null`, Err: "expected integer, got 1.5"}},
		{`true`, result{Text: `null`, Err: "expected a string, an integer or null (RequestId), got true"}},
		{`{"a":1}`, result{Text: `null`, Err: `expected a string, an integer or null (RequestId), got {"a":1}`}},
		{``, result{Text: `null`, Err: "unexpected end of input, expected a value"}},
		{`1 2`, result{Text: `1`, Int: true, Err: "unexpected data after the value, got 2"}},
	}
	for _, tt := range tests {
		id := StringID("what was there before")
		var got result
		if err := id.UnmarshalJSON([]byte(tt.in)); err != nil {
			got.Err = err.Error()
		}
		_, got.Int = id.Int()
		got.Text = id.String()
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", tt.in, diff)
		}
	}
}

func TestRequestIDSchema(t *testing.T) {
	for in, want := range map[string]string{`1e400`: "#/$defs/RequestId/maximum", `-1e400`: "#/$defs/RequestId/minimum", `1.5`: "#/$defs/RequestId/type", `[]`: "#/$defs/RequestId"} {
		r := reportOf(t, in, nil, func(d *Decoder) { new(RequestID).UnmarshalWire(d) })
		if len(r.Violations) != 1 || r.Violations[0].Schema != want {
			t.Errorf("%s: %+v, want schema %s", in, r.Violations, want)
		}
	}
}

func TestRequestIDEqual(t *testing.T) {
	parse := func(s string) (id RequestID) {
		if err := id.UnmarshalJSON([]byte(s)); err != nil {
			t.Fatal(err)
		}
		return id
	}
	groups := [][]RequestID{
		{{}, parse("null")},
		{IntID(1), parse("1"), parse("1.0"), parse("10e-1"), parse("1e0")},
		{StringID("1"), parse(`"1"`), parse(`"\u0031"`)},
		{IntID(0), parse("0"), parse("-0"), parse("0.0")},
		{StringID(""), parse(`""`)},
		{StringID("null"), parse(`"null"`)},
		{IntID(math.MinInt64), parse("-9223372036854775808")},
	}
	for i, a := range groups {
		for j, b := range groups {
			for _, x := range a {
				for _, y := range b {
					if x.Equal(y) != (i == j) || (x.Key() == y.Key()) != (i == j) {
						t.Errorf("%s and %s: equal %t, same key %t", x, y, x.Equal(y), x.Key() == y.Key())
					}
				}
			}
		}
	}
}

func TestRequestIDInvalid(t *testing.T) {
	id := StringID("a\xff")
	if got, want := id.String(), "\"a\ufffd\""; got != want {
		t.Errorf("String: %q, want %q", got, want)
	}
	if out, err := id.MarshalJSON(); err == nil {
		t.Errorf("MarshalJSON: %q, want an error", out)
	}
	// encoding/json goes through the methods.
	out, err := json.Marshal(map[string]RequestID{"id": IntID(5), "x": StringID("\x01"), "z": {}})
	if want := `{"id":5,"x":"\u0001","z":null}`; string(out) != want || err != nil {
		t.Errorf("json.Marshal: %s, %v, want %s", out, err, want)
	}
	var back map[string]RequestID
	if err := json.Unmarshal(out, &back); err != nil || back["id"] != IntID(5) || back["x"] != StringID("\x01") || !back["z"].IsNull() {
		t.Errorf("json.Unmarshal: %v, %v", back, err)
	}
}
