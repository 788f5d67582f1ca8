package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// MarshalFunc is a function as a Marshaler.
type MarshalFunc func(e *Encoder)

// MarshalWire calls f.
func (f MarshalFunc) MarshalWire(e *Encoder) { f(e) }

// FuzzAppendString holds what is written to jsontext, byte for byte, and reads it back.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "abc", "é€😀", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "\u2028\u2029<>&'", "\xff", "a\xc3", "\xed\xa0\x80", "12345678\n", "1234567\xff8901234567890", strings.Repeat("\x01", 100), strings.Repeat("é\n", 100), "Кадр — это"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, _ := jsontext.AppendQuote(nil, s)
		for _, prefix := range []string{"", "x", strings.Repeat("x", 100)} {
			for _, spare := range []int{0, 1, len(s), 10 * len(s)} {
				dst := append(make([]byte, 0, len(prefix)+spare), prefix...)
				got, ok := appendString(dst, s)
				if string(got) != prefix+string(want) || ok != utf8.ValidString(s) {
					t.Fatalf("%q becomes %q, %t; jsontext: %q", s, got, ok, want)
				}
			}
		}
		out, err := Marshal(MarshalFunc(func(e *Encoder) { e.String(s) }))
		if (err == nil) != utf8.ValidString(s) {
			t.Fatalf("Marshal of %q: %v", s, err)
		}
		if err != nil {
			if out != nil {
				t.Fatalf("Marshal of %q: %q beside an error", s, out)
			}
			return
		}
		for _, padding := range []string{"", strings.Repeat(" ", shareLimit)} {
			got := read(t, string(out)+padding, (*Decoder).String)
			if got.Value != s || got.Found != nil {
				t.Fatalf("%q comes back as %q, %v", s, got.Value, got.Found)
			}
		}
	})
}

// TestAppendStringPositions moves what needs escapes across the positions in a word.
func TestAppendStringPositions(t *testing.T) {
	for before := range 20 {
		for after := range 20 {
			for _, s := range []string{"\n", "\x01", "é", "😀", "\"\\", "\n\n\n", "\xff", "é\n", "\n\xff"} {
				s := strings.Repeat("x", before) + s + strings.Repeat("y", after)
				want, wantErr := jsontext.AppendQuote(nil, s)
				got, ok := appendString(nil, s)
				if string(got) != string(want) || ok != (wantErr == nil) {
					t.Fatalf("%q becomes %q, %t", s, got, ok)
				}
			}
		}
	}
}

// written are values and what they are written as.
var written = []struct {
	name string
	v    MarshalFunc
	want string
}{
	{"empty object", func(e *Encoder) { e.Begin(); e.Close() }, `{}`},
	{"empty list", func(e *Encoder) { e.BeginList(); e.CloseList() }, `[]`},
	{"commas", func(e *Encoder) {
		e.Begin()
		e.Key(`"a":`)
		e.BeginList()
		for i := range 3 {
			e.Element()
			e.Int(int64(i))
		}
		e.CloseList()
		e.Key(`"b":`)
		e.Begin()
		e.Close()
		e.Key(`"c":`)
		e.BeginList()
		e.Element()
		e.BeginList()
		e.CloseList()
		e.Element()
		e.Begin()
		e.Close()
		e.CloseList()
		e.Close()
	}, `{"a":[0,1,2],"b":{},"c":[[],{}]}`},
	{"brackets at the end of strings", func(e *Encoder) {
		e.Begin()
		e.Key(`"a":`)
		e.String("{")
		e.Key(`"b":`)
		e.BeginList()
		e.Element()
		e.String("[")
		e.Element()
		e.String("")
		e.CloseList()
		e.Close()
	}, `{"a":"{","b":["[",""]}`},
	{"one tag", func(e *Encoder) {
		e.Tag(`"type":`, `"text"`)
		e.Begin()
		e.Key(`"text":`)
		e.Begin() // a tag is for one object only
		e.Close()
		e.Close()
	}, `{"type":"text","text":{}}`},
	{"two tags", func(e *Encoder) {
		e.Tag(`"type":`, `"a"`)
		e.Tag(`"kind":`, `"b"`)
		e.Begin()
		e.Close()
	}, `{"type":"a","kind":"b"}`},
	{"dropped tag", func(e *Encoder) {
		e.Tag(`"type":`, `"a"`)
		e.NoTags()
		e.Begin()
		e.Close()
	}, `{}`},
	{"map", func(e *Encoder) {
		e.BeginMap()
		for _, k := range SortedKeys(map[string]int{"b\"": 1, "": 2, "a\n": 3}) {
			e.Name(k)
			e.Null()
		}
		e.Close()
	}, `{"":null,"a\n":null,"b\"":null}`},
	{"scalars", func(e *Encoder) {
		e.BeginList()
		for _, f := range []func(){
			func() { e.Null() }, func() { e.Bool(true) }, func() { e.Bool(false) }, func() { e.Int(math.MinInt64) }, func() { e.Uint(math.MaxUint64) }, func() { e.Literal(`"x"`) }, func() { e.MinString("é", 1) },
		} {
			e.Element()
			f()
		}
		e.CloseList()
	}, `[null,true,false,-9223372036854775808,18446744073709551615,"x","é"]`},
	{"Raw", func(e *Encoder) { e.Raw(Raw(`{ "a" : 1.50 , "b":"\u0041\/" }`)) }, `{ "a" : 1.50 , "b":"\u0041\/" }`},
	{"Raw with white space around", func(e *Encoder) { e.Raw(Raw(" 1\t")) }, " 1\t"},
	{"Raw with line breaks", func(e *Encoder) { e.Raw(Raw("{\n\t\"a\" : [1.50,\r\n2],\n\"b\":\"\\u0041 \\n\"\n}\n")) }, `{"a":[1.50,2],"b":"\u0041 \n"}`},
	{"Raw that is null", func(e *Encoder) { e.Raw(Raw("null")) }, `null`},
	{"nil Raw", func(e *Encoder) { e.Raw(nil) }, `null`},
	{"RawObject", func(e *Encoder) { e.RawObject(Raw(`{ "a":1e400}`)) }, `{ "a":1e400}`},
	{"RawObject with line breaks", func(e *Encoder) { e.RawObject(Raw("\n{\n}")) }, `{}`},
	{"members", func(e *Encoder) {
		e.Begin()
		e.Members([]Member{{"a", Raw("1")}, {}, {"b\n", nil}, {"", Raw("2")}})
		e.Close()
	}, `{"a":1,"b\n":null,"":2}`},
	{"unknown variant", func(e *Encoder) {
		e.Tag(`"type":`, `"other"`)
		e.Unknown("Union", "type", "new", Raw(`{"x":1, "type":"n\u0065w"}`), "old")
	}, `{"x":1, "type":"n\u0065w"}`},
	{"tag of an unknown variant", func(e *Encoder) {
		e.Begin()
		e.UnknownTag("Union", `"type":`, "new", "old")
		e.Close()
	}, `{"type":"new"}`},
}

func TestEncoder(t *testing.T) {
	for _, tt := range written {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Marshal(tt.v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if err := skipAll(got); err != nil {
				t.Errorf("not JSON: %v", err)
			}
			appended, err := Append([]byte(`[{`), tt.v)
			if string(appended) != `[{`+tt.want || err != nil {
				t.Errorf("appended: %s, %v", appended, err)
			}
		})
	}
}

// TestFloatEncoding holds the format to encoding/json's, which is that of ECMAScript.
func TestFloatEncoding(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 0.1, 1e20, 1e21, 123456789.25, 1e-6, 1e-7, -1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, 1.0 / 3} {
		got, err := Marshal(MarshalFunc(func(e *Encoder) { e.Float(v) }))
		if err != nil {
			t.Fatal(err)
		}
		back := read(t, string(got), (*Decoder).Float)
		if back.Value != v || back.Found != nil {
			t.Errorf("%v is written as %s, which is read as %v, %v", v, got, back.Value, back.Found)
		}
		var standard float64
		if err := json.Unmarshal(got, &standard); err != nil || standard != v {
			t.Errorf("%v is written as %s, which encoding/json reads as %v, %v", v, got, standard, err)
		}
	}
}

// in writes an object {"list":[{"ok":0},{"x":<value>}],"after":true} around the value.
func in(value func(e *Encoder)) MarshalFunc {
	return func(e *Encoder) {
		e.Begin()
		e.Key(`"list":`)
		e.BeginList()
		e.Element()
		e.Begin()
		e.Key(`"ok":`)
		e.Int(0)
		e.Close()
		e.Element()
		e.Begin()
		e.Key(`"x":`)
		value(e)
		e.Close()
		e.CloseList()
		e.Key(`"after":`)
		e.Bool(true)
		e.Close()
	}
}

// invalidValues are values and the violations that each is refused for.
var invalidValues = []struct {
	name string
	v    MarshalFunc
	want []string
}{
	{"NaN", in(func(e *Encoder) { e.Float(math.NaN()) }), []string{"/list/1/x type : expected a finite number"}},
	{"infinity", in(func(e *Encoder) { e.Float(math.Inf(-1)) }), []string{"/list/1/x type : expected a finite number"}},
	{"invalid UTF-8", in(func(e *Encoder) { e.String("a\xff") }), []string{"/list/1/x type : expected valid UTF-8"}},
	{"invalid UTF-8 in a name", in(func(e *Encoder) { e.BeginMap(); e.Name("a\xff/"); e.Null(); e.Close() }), []string{"/list/1/x/a\ufffd~1 type : expected valid UTF-8"}},
	{"short string", in(func(e *Encoder) { e.MinString("é", 2) }), []string{"/list/1/x minLength : expected at least 2 characters"}},
	{"invalid", in(func(e *Encoder) { e.Invalid("enum", "Kind", "unknown Kind") }), []string{"/list/1/x enum #/$defs/Kind: unknown Kind"}},
	{"not one of", in(func(e *Encoder) { e.NotOneOf("Kind", "a", "b") }), []string{`/list/1/x enum #/$defs/Kind: unknown Kind, expected one of "a", "b"`}},
	{"too short", in(func(e *Encoder) { e.TooShort("at least 1 items"); e.BeginList(); e.CloseList() }), []string{"/list/1/x minItems : expected at least 1 items"}},
	{"out of range", in(func(e *Encoder) { e.OutOfRange("from 1 to 2"); e.Int(3) }), []string{"/list/1/x range : expected a number from 1 to 2"}},
	{"Raw that is no JSON", in(func(e *Encoder) { e.Raw(Raw(`{"a":}`)) }), []string{"/list/1/x type : expected strict JSON"}},
	{"empty Raw", in(func(e *Encoder) { e.Raw(Raw{}) }), []string{"/list/1/x type : expected strict JSON"}},
	{"Raw with a duplicate", in(func(e *Encoder) { e.Raw(Raw("{\"a\":1,\n\"a\":2}")) }), []string{"/list/1/x type : expected strict JSON"}},
	{"Raw with a lone surrogate", in(func(e *Encoder) { e.Raw(Raw(`"\ud800"`)) }), []string{"/list/1/x type : expected strict JSON"}},
	{"Raw with invalid UTF-8", in(func(e *Encoder) { e.Raw(Raw("\"\xff\"")) }), []string{"/list/1/x type : expected strict JSON"}},
	{"two values in a Raw", in(func(e *Encoder) { e.Raw(Raw(`1,"y":2`)) }), []string{"/list/1/x type : expected strict JSON"}},
	{"RawObject that is none", in(func(e *Encoder) { e.RawObject(Raw(`[]`)) }), []string{"/list/1/x type : expected object"}},
	{"RawObject that is null", in(func(e *Encoder) { e.RawObject(Raw(`null`)) }), []string{"/list/1/x type : expected object"}},
	{"RawObject that is nil", in(func(e *Encoder) { e.RawObject(nil) }), []string{"/list/1/x type : expected strict JSON"}},
	{"RawObject that is no JSON", in(func(e *Encoder) { e.RawObject(Raw(`{`)) }), []string{"/list/1/x type : expected strict JSON"}},
	{"lacks, nothing written", in(func(e *Encoder) { e.Begin(); e.Lacks("Part", "kind"); e.Close() }), []string{`/list/1/x required #/$defs/Part/required: missing required "kind" (Part)`}},
	{"lacks, first", in(func(e *Encoder) { e.Begin(); e.Lacks("Part", "kind"); e.Key(`"a":`); e.Null(); e.Close() }), []string{`/list/1/x required #/$defs/Part/required: missing required "kind" (Part)`}},
	{"lacks, last", in(func(e *Encoder) { e.Begin(); e.Key(`"a":`); e.Null(); e.Lacks("Part", "kind"); e.Close() }), []string{`/list/1/x required #/$defs/Part/required: missing required "kind" (Part)`}},
	{"lacks, between", in(func(e *Encoder) {
		e.Begin()
		e.Key(`"a":`)
		e.BeginList()
		e.CloseList()
		e.Lacks("Part", "kind")
		e.Key(`"b":`)
		e.Null()
		e.Close()
	}), []string{`/list/1/x required #/$defs/Part/required: missing required "kind" (Part)`}},
	{"lacks at the root", func(e *Encoder) { e.Begin(); e.Lacks("Part", "kind"); e.Close() }, []string{` required #/$defs/Part/required: missing required "kind" (Part)`}},
	{"known tag of an unknown variant, first", in(func(e *Encoder) { e.Begin(); e.UnknownTag("Union", `"type":`, "old", "old"); e.Close() }),
		[]string{`/list/1/x/type not #/$defs/Union: the tag of an unknown variant is known (Union)`}},
	{"known tag of an unknown variant, later", in(func(e *Encoder) {
		e.Begin()
		e.Key(`"a":`)
		e.Null()
		e.UnknownTag("Union", `"type":`, "old", "old")
		e.Close()
	}), []string{`/list/1/x/type not #/$defs/Union: the tag of an unknown variant is known (Union)`}},
	{"unknown variant with a known tag", in(func(e *Encoder) { e.Unknown("Union", "type", "old", Raw(`{"type":"old"}`), "old") }), []string{`/list/1/x not #/$defs/Union: the tag of an unknown Union is known`}},
	{"unknown variant with another tag", in(func(e *Encoder) { e.Unknown("Union", "type", "new", Raw(`{"type":"newer"}`), "old") }),
		[]string{`/list/1/x required #/$defs/Union: expected an object whose "type" is the variant's tag (Union)`}},
	{"unknown variant without bytes", in(func(e *Encoder) { e.Unknown("Union", "type", "new", nil, "old") }), []string{`/list/1/x required #/$defs/Union: expected an object whose "type" is the variant's tag (Union)`}},
	{"several", in(func(e *Encoder) {
		e.BeginList()
		e.Element()
		e.Float(math.NaN())
		e.Element()
		e.Raw(Raw("?"))
		e.Element()
		e.String("\xff")
		e.CloseList()
	}), []string{"/list/1/x/0 type : expected a finite number", "/list/1/x/1 type : expected strict JSON", "/list/1/x/2 type : expected valid UTF-8"}},
	{"duplicate member", in(func(e *Encoder) {
		e.Begin()
		e.Key(`"a":`)
		e.String("\xff")
		e.Members([]Member{{"m", Raw("1")}, {"a", Raw(`{"m":{}}`)}, {"m", Raw("?")}})
		e.Key(`"m":`)
		e.Null()
		e.Close()
	}), []string{"/list/1/x/a type : expected valid UTF-8", "/list/1/x/a propertyNames : duplicate member name", "/list/1/x/m propertyNames : duplicate member name",
		"/list/1/x/m type : expected strict JSON", "/list/1/x/m propertyNames : duplicate member name"}},
	{"at the root", func(e *Encoder) { e.String("\xff") }, []string{" type : expected valid UTF-8"}},
}

func TestEncoderViolations(t *testing.T) {
	for _, tt := range invalidValues {
		t.Run(tt.name, func(t *testing.T) {
			out, err := Marshal(tt.v)
			var invalid *InvalidError
			if out != nil || !errors.As(err, &invalid) {
				t.Fatalf("got %q, %v, want an InvalidError", out, err)
			}
			var got []string
			for _, v := range invalid.Violations {
				if v.Rule != RuleSchema {
					t.Errorf("rule %q", v.Rule)
				}
				got = append(got, fmt.Sprintf("%s %s %s: %s", v.Pointer, v.Keyword, v.Schema, v.Message))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			// Behind other bytes, and with room to write over, the result is the same and the bytes stay.
			b := slices.Grow([]byte(`{"before":[`), 1000)
			again, err := Append(b, tt.v)
			if string(again) != `{"before":[` || &again[0] != &b[0] || err == nil || err.Error() != invalid.Error() {
				t.Errorf("appended: %q, %v", again, err)
			}
		})
	}
}

func TestEncoderLimit(t *testing.T) {
	_, err := Marshal(MarshalFunc(func(e *Encoder) {
		e.BeginList()
		for range 100 {
			e.Element()
			e.String("\xff")
		}
		e.CloseList()
	}))
	var invalid *InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) != DefaultMaxViolations || invalid.Omitted != 100-DefaultMaxViolations {
		t.Fatalf("got %v", err)
	}
	if want := "/0: expected valid UTF-8 (and 99 more)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if got := invalid.Violations[DefaultMaxViolations-1].Pointer; got != "/63" {
		t.Errorf("the last pointer is %q", got)
	}
	// The encoder from the pool has forgotten all of it.
	if out, err := Marshal(IntID(1)); string(out) != "1" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestMarshalVariant(t *testing.T) {
	out, err := MarshalVariant(`"type":`, `"text"`, MarshalFunc(func(e *Encoder) { e.Begin(); e.Key(`"text":`); e.String("x"); e.Close() }))
	if want := `{"type":"text","text":"x"}`; string(out) != want || err != nil {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
}
