package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// seeds are inputs for every fuzz target that takes JSON: each token, each way to get it wrong.
var seeds = []string{
	`{"a":1,"b":[true,false,null,"x"],"c":{"d":-0.5e+10}}`, ` [ 1 , 2 ] `, "\t\r\n{ }\n", `[]`, `""`, `0`, `-0`, `-1.25E-7`,
	`{"a":1,}`, `[1,]`, `{,}`, `[,]`, `[,1]`, `[1 2]`, `{"a" 1}`, `{"a":}`, `{"a"}`, `{1:2}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1]`, `[1}`, `}`, `]`, `,`, `:`, ``, ` `,
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `[{"a":1},{"a":1}]`, `{"a":{"a":1},"b":{"a":1}}`, `{"~/":{"":0}}`,
	`"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\ud83d\ud83d\ude00"`, `"\ud83d\u0061"`, `"\ud83dx"`, `"\u00zz"`, `"\x"`, `"\`, `"\u12`, `"\"\\\/\b\f\n\r\t\u001f"`,
	"\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"\xc3\"", "\"\xe2\x82\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe0\x80\xaf\"", "\"\xc0\x80\"", "\"é € 😀\"",
	`01`, `-`, `+1`, `1.`, `.5`, `1e`, `1e+`, `0x1`, `1_0`, `tru`, `truex`, `nul`, `NaN`, `Infinity`, "\ufeff1", `1 2`, `{} {}`, "1\x00", `//`, `'a'`,
	"\"Кадр — это строка\"", "\"" + strings.Repeat("0123456", 5) + "\\n" + strings.Repeat("7", 9) + "\"",
	`{` + strings.Repeat(`"k":0,`, 30) + `"k":0}`, manyNamesJSON(30), `[` + manyNamesJSON(25) + `,` + manyNamesJSON(26) + `]`, `{"x":` + manyNamesJSON(25) + `,` + manyNamesJSON(40)[1:],
}

// manyNamesJSON returns an object of n members with different names.
func manyNamesJSON(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"n%d":%d`, i, i)
	}
	return "{" + b.String()[1:] + "}"
}

func addSeeds(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
}

// FuzzScannerAgainstJSONText holds the scanner to jsontext: both accept the same inputs, without exception, and find the same strings and numbers in them.
func FuzzScannerAgainstJSONText(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		original := bytes.Clone(b)
		want, judge := referenceTokens(b)
		err := skipAll(b)
		if (err == nil) != (judge == nil) {
			t.Fatalf("Skip of %q: %v; jsontext: %v", b, err, judge)
		}
		if !bytes.Equal(b, original) {
			t.Fatalf("the input has become %q", b)
		}
		if err != nil {
			var invalid *InvalidError
			if !errors.As(err, &invalid) || len(invalid.Violations) == 0 || invalid.Rule() != RuleJSON {
				t.Fatalf("Skip of %q: error %#v", b, err)
			}
		}
		d := NewDecoder(b, nil)
		defer d.Release()
		var got []string
		walk(d, &got)
		d.EOF()
		_, err = d.Finish()
		if (err == nil) != (judge == nil) {
			t.Fatalf("walk over %q: %v; jsontext: %v", b, err, judge)
		}
		if judge != nil {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("tokens of %q: mismatch (-want +got):\n%s", b, diff)
		}
	})
}

// referenceTokens returns the strings, names, numbers and literals of one JSON value as jsontext reads them.
func referenceTokens(b []byte) (tokens []string, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(b))
	for {
		t, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		switch t.Kind() {
		case '{', '}', '[', ']':
			tokens = append(tokens, string(t.Kind()))
		default:
			tokens = append(tokens, t.String())
		}
		if dec.StackDepth() == 0 {
			break
		}
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return tokens, nil
}

// walk reads a value of any kind by the methods that generated code uses.
func walk(d *Decoder, tokens *[]string) {
	switch d.Peek() {
	case '{':
		m, ok := d.Map()
		if !ok {
			return
		}
		*tokens = append(*tokens, "{")
		for d.NextMember(&m) {
			*tokens = append(*tokens, string(m.Name))
			walk(d, tokens)
		}
		*tokens = append(*tokens, "}")
	case '[':
		l, ok := d.List()
		if !ok {
			return
		}
		*tokens = append(*tokens, "[")
		for d.Next(&l) {
			walk(d, tokens)
		}
		*tokens = append(*tokens, "]")
	case '"':
		*tokens = append(*tokens, d.String())
	case '0':
		*tokens = append(*tokens, string(d.Raw()))
	case 't', 'f':
		*tokens = append(*tokens, fmt.Sprint(d.Bool()))
	case 'n':
		d.ExplicitNull()
		*tokens = append(*tokens, "null")
	default:
		d.Skip()
	}
}

// TestSeeds runs the scanner over the seeds in every position where a value may stand, so that what follows a token is checked as well.
func TestSeeds(t *testing.T) {
	for _, s := range seeds {
		for _, format := range []string{"%s", "[%s]", "[0,%s,0]", `{"k":%s}`, `{"k":%s,"l":0}`, `{%s:0}`, "%s\n"} {
			b := []byte(fmt.Sprintf(format, s))
			_, judge := referenceTokens(b)
			if err := skipAll(b); (err == nil) != (judge == nil) {
				t.Errorf("Skip of %q: %v; jsontext: %v", b, err, judge)
			}
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	type finding struct {
		Pointer string
		Offset  int
		Message string
	}
	tests := []struct {
		name, in string
		want     finding
	}{
		{"nothing", ``, finding{"", 0, "unexpected end of input, expected a value"}},
		{"white space", "\n", finding{"", 1, "unexpected end of input, expected a value"}},
		{"byte order mark", "\ufeff{}", finding{"", 0, "unexpected character, expected a value"}},
		{"NUL", "\x00", finding{"", 0, "unexpected character, expected a value"}},
		{"two values", `1 2`, finding{"", 2, "unexpected data after the value"}},
		{"comma before }", `{"a":1,}`, finding{"", 7, "unexpected character, expected a member name"}},
		{"only a comma in an object", `{,}`, finding{"", 1, "unexpected character, expected a member name"}},
		{"comma before ]", `[1,]`, finding{"/1", 3, "unexpected character, expected a value"}},
		{"only a comma in an array", `[,]`, finding{"/0", 1, "unexpected character, expected a value"}},
		{"no comma in an array", `[1 2]`, finding{"/0", 3, `unexpected character, expected "," or "]"`}},
		{"no comma in an object", `{"a":1 "b":2}`, finding{"/a", 7, `unexpected character, expected "," or "}"`}},
		{"no colon", `{"a" 1}`, finding{"/a", 5, `unexpected character, expected ":"`}},
		{"no value", `{"a":}`, finding{"/a", 5, "unexpected character, expected a value"}},
		{"name without value", `{"a"}`, finding{"/a", 4, `unexpected character, expected ":"`}},
		{"name that is no string", `{1:2}`, finding{"", 1, "unexpected character, expected a member name"}},
		{"wrong bracket in an object", `{"a":[1]]`, finding{"/a", 8, `unexpected character, expected "," or "}"`}},
		{"wrong bracket in an array", `[{"a":1}}`, finding{"/0", 8, `unexpected character, expected "," or "]"`}},
		{"open object", `{"a":{`, finding{"/a", 6, "unexpected end of input, expected a member name"}},
		{"open array", `{"a":[1`, finding{"/a/0", 7, `unexpected end of input, expected "," or "]"`}},
		{"open string", `["x","abcdefghijk`, finding{"/1", 17, "unexpected end of input in a string"}},
		{"open name", `{"a":{"bcd`, finding{"/a", 10, "unexpected end of input in a string"}},
		{"open escape", `"\`, finding{"", 2, "unexpected end of input in a string"}},
		{"open hexadecimal escape", `"\u12`, finding{"", 1, "invalid escape sequence in a string"}},
		{"unknown escape", `["\x"]`, finding{"/0", 2, "invalid escape sequence in a string"}},
		{"unknown escape in a name", `{"a\x":1}`, finding{"", 3, "invalid escape sequence in a string"}},
		{"bad hexadecimal digit", `"\u00g0"`, finding{"", 1, "invalid escape sequence in a string"}},
		{"bad digit in a second escape", `"\u0041\ude0g"`, finding{"", 7, "invalid escape sequence in a string"}},
		{"line break in a string", "[\"a\nb\"]", finding{"/0", 3, "control character in a string"}},
		{"line break after an escape", "[\"\\t\nb\"]", finding{"/0", 4, "control character in a string"}},
		{"leading zero", `{"a":01}`, finding{"/a", 6, `unexpected character, expected "," or "}"`}},
		{"leading plus", `+1`, finding{"", 0, "unexpected character, expected a value"}},
		{"lone minus", `[-]`, finding{"/0", 2, "unexpected character, expected a digit"}},
		{"minus at the end", `-`, finding{"", 1, "unexpected end of input, expected a digit"}},
		{"no fraction", `[1.]`, finding{"/0", 3, "unexpected character, expected a digit"}},
		{"no exponent", `[1e+]`, finding{"/0", 4, "unexpected character, expected a digit"}},
		{"fraction only", `.5`, finding{"", 0, "unexpected character, expected a value"}},
		{"short literal", `[nul]`, finding{"/0", 1, "invalid literal, expected null"}},
		{"literal at the end", `tru`, finding{"", 0, "invalid literal, expected true"}},
		{"long literal", `falsey`, finding{"", 5, "unexpected data after the value"}},
		{"upper case", `[True]`, finding{"/0", 1, "unexpected character, expected a value"}},
		{"comment", `/**/1`, finding{"", 0, "unexpected character, expected a value"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, read := range readers {
				got := reportOf(t, tt.in, nil, read).Violations
				if len(got) != 1 || got[0].Rule != RuleJSON || got[0].Keyword != "" || got[0].Schema != "" {
					t.Fatalf("%s: violations %v, want one of rule json", name, got)
				}
				if diff := cmp.Diff(tt.want, finding{got[0].Pointer, got[0].Offset, got[0].Message}); diff != "" {
					t.Errorf("%s: mismatch (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// readers read a value of any kind in two ways that share little code.
var readers = map[string]func(d *Decoder){
	"Skip": func(d *Decoder) { d.Skip() },
	"walk": func(d *Decoder) { walk(d, new([]string)) },
}

// reportOf reads in and returns what Finish says. It fails the test if report and error do not agree.
func reportOf(t *testing.T, in string, opts *DecodeOptions, read func(d *Decoder)) Report {
	t.Helper()
	report, err := Decode([]byte(in), UnmarshalFunc(read), opts)
	if err == nil {
		if len(report.Violations) > 0 {
			t.Fatalf("no error, but violations %v", report.Violations)
		}
		return report
	}
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("error %v, want an InvalidError", err)
	}
	if diff := cmp.Diff(report.Violations, invalid.Violations); diff != "" {
		t.Errorf("report and error: mismatch (-report +error):\n%s", diff)
	}
	return report
}

func TestFaultsDoNotStopTheScan(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"invalid UTF-8", "[\"a\xffb\",\"\xc3\"]", []string{"/0: invalid UTF-8 in a string", "/1: invalid UTF-8 in a string"}},
		{"every byte of a surrogate in UTF-8", "\"\xed\xa0\x80\"", []string{"invalid UTF-8 in a string", "invalid UTF-8 in a string", "invalid UTF-8 in a string"}},
		{"beyond Unicode", "\"\xf4\x90\x80\x80\"", slicesRepeat("invalid UTF-8 in a string", 4)},
		{"overlong", "\"\xc0\x80 \xe0\x80\x80\"", slicesRepeat("invalid UTF-8 in a string", 5)},
		{"invalid UTF-8 behind an escape", "[\"\\n\xff\"]", []string{"/0: invalid UTF-8 in a string"}},
		{"invalid UTF-8 in a name", "{\"a\xff\":1}", []string{"/a\ufffd: invalid UTF-8 in a string"}},
		{"lone surrogates", `{"a":"\ud800","b":"\udfff","c":"\ud83d\ude00"}`, []string{"/a: lone surrogate in a string", "/b: lone surrogate in a string"}},
		{"first half twice", `"\ud83d\ud83d\ude00"`, []string{"lone surrogate in a string"}},
		{"halves the wrong way round", `"\ude00\ud83d"`, slicesRepeat("lone surrogate in a string", 2)},
		{"first half and a letter", `"\ud83d\u0061"`, []string{"lone surrogate in a string"}},
		{"duplicate", `{"a":1,"b":2,"a":3}`, []string{"/a: duplicate member name"}},
		{"duplicate three times", `{"a":1,"a":2,"a":3}`, slicesRepeat("/a: duplicate member name", 2)},
		{"duplicate with an escape", `{"ab":1,"\u0061b":2}`, []string{"/ab: duplicate member name"}},
		{"duplicate that is empty", `{"":1,"":2}`, []string{"/: duplicate member name"}},
		{"duplicate that needs escapes in a pointer", `{"~/":1,"~/":2}`, []string{"/~0~1: duplicate member name"}},
		{"same name in siblings", `[{"a":1},{"a":1,"b":{"a":1}}]`, nil},
		{"same name inside", `{"a":{"a":{"a":1}}}`, nil},
		{"case matters", `{"a":1,"A":2}`, nil},
		{"duplicate after a nested object", `{"a":{"b":1},"b":{"a":1},"a":2}`, []string{"/a: duplicate member name"}},
		{"duplicate name that is invalid, in input order", "{\"\xff\":1,\"\xff\":2}", []string{"/\ufffd: invalid UTF-8 in a string", "/\ufffd: duplicate member name", "/\ufffd: invalid UTF-8 in a string"}},
		{"duplicates inside and outside", `{"a":{"b":1,"b":2},"a":3}`, []string{"/a/b: duplicate member name", "/a: duplicate member name"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, read := range readers {
				var got []string
				for _, v := range reportOf(t, tt.in, nil, read).Violations {
					got = append(got, v.String())
					if v.Rule != RuleJSON {
						t.Errorf("%s: rule %q, want json", name, v.Rule)
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s: mismatch (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func slicesRepeat(s string, n int) []string {
	return strings.Split(strings.Repeat(s+"\x00", n-1)+s, "\x00")
}

// TestDuplicateNames looks for every duplicate in objects around the size from which names are kept in a map.
func TestDuplicateNames(t *testing.T) {
	for _, n := range []int{2, 3, manyNames - 2, manyNames - 1, manyNames, manyNames + 1, manyNames + 2, 2 * manyNames} {
		for first := range n - 1 {
			for _, wrap := range []string{"%s", `{"x":%s,"y":` + manyNamesJSON(n) + `}`, `[` + manyNamesJSON(n) + `,%s,` + manyNamesJSON(n) + `]`} {
				dup := fmt.Sprintf(`{%s,"n%d":0}`, strings.Trim(manyNamesJSON(n), "{}"), first)
				for name, read := range readers {
					d := NewDecoder([]byte(fmt.Sprintf(wrap, dup)), nil)
					read(d)
					d.EOF()
					r, _ := d.Finish()
					d.Release()
					if len(r.Violations) != 1 || !strings.HasSuffix(r.Violations[0].Pointer, fmt.Sprintf("/n%d", first)) {
						t.Fatalf("%s of %d names, the one at %d twice, in %s: %v", name, n, first, wrap, r.Violations)
					}
				}
			}
		}
	}
}

// TestNamesOfManyObjects goes into an object with many names and comes back to one: each has its own names.
func TestNamesOfManyObjects(t *testing.T) {
	for _, n := range []int{1, manyNames - 1, manyNames, manyNames + 1, 2 * manyNames} {
		for _, m := range []int{1, manyNames, manyNames + 1, 2 * manyNames} {
			outer, inner := strings.TrimSuffix(manyNamesJSON(n), "}"), strings.ReplaceAll(manyNamesJSON(m), `"n`, `"m`)
			for last, want := range map[string]int{`"n0":0`: 1, fmt.Sprintf(`"n%d":0`, n-1): 1, fmt.Sprintf(`"n%d":0`, n): 0, `"m0":0`: 0, fmt.Sprintf(`"m%d":0`, m-1): 0} {
				in := outer + `,"x":[` + inner + `,` + inner + `],` + last + `}`
				for name, read := range readers {
					if got := reportOf(t, in, nil, read).Violations; len(got) != want {
						t.Errorf("%s of %d names around %d, then %s: %v, want %d", name, n, m, last, got, want)
					}
				}
			}
		}
	}
}

// TestNoFalseDuplicates nests objects of many sizes in each other, for the names of all open objects share a stack.
func TestNoFalseDuplicates(t *testing.T) {
	for _, outer := range []int{1, 23, 24, 25, 40} {
		for _, inner := range []int{1, 23, 24, 25, 40} {
			object := strings.TrimSuffix(manyNamesJSON(outer), "}")
			for i := range 3 {
				object += fmt.Sprintf(`,"o%d":[%s,%s]`, i, manyNamesJSON(inner), manyNamesJSON(inner))
			}
			for i := range outer {
				object += fmt.Sprintf(`,"p%d":%s`, i, manyNamesJSON(inner))
			}
			for name, read := range readers {
				if r := reportOf(t, object+"}", nil, read); len(r.Violations) > 0 {
					t.Errorf("%s of %d around %d names: %v", name, outer, inner, r.Violations)
				}
			}
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "0" + strings.Repeat("}", n) }
	tests := []struct {
		name string
		in   string
		max  int
		at   int // offset of the violation; -1 if there is none
	}{
		{"10,000 arrays", nested(10000), 0, -1},
		{"10,001 arrays", nested(10001), 0, 10000},
		{"10,000 objects", objects(10000), 0, -1},
		{"10,001 objects", objects(10001), 0, 50000},
		{"a million that are never closed", strings.Repeat("[", 1000000), 0, 10000},
		{"siblings do not add up", "[" + strings.Repeat("[[]],", 20000) + "[[]]]", 3, -1},
		{"three", `[{"a":[]}]`, 3, -1},
		{"four", `[{"a":[{}]}]`, 3, 7},
		{"after siblings", `[{"a":[]},[[]],[{"a":{"b":0}}]]`, 3, 21},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, read := range readers {
				got := reportOf(t, tt.in, &DecodeOptions{MaxDepth: tt.max}, read).Violations
				switch {
				case tt.at < 0 && len(got) == 0:
				case tt.at >= 0 && len(got) == 1 && got[0].Offset == tt.at && got[0].Message == "nested too deep":
				default:
					t.Errorf("%s: violations %v, want one at %d", name, got, tt.at)
				}
			}
		})
	}
}

// sample has every kind of token.
const sample = ` {"name" : "Wörld 😀 \ud83d\ude00 \n\\", "list":[ 1,-2.5e+10 , true,false,null,[],{} ], "nested": {"a~/b":{"":"x"},"n":0}, "id":"\u0041"} `

// TestTruncated cuts the sample everywhere: all that is missing is noticed, nothing panics.
func TestTruncated(t *testing.T) {
	end := len(strings.TrimRight(sample, " "))
	for n := range len(sample) {
		for name, read := range readers {
			_, err := Decode([]byte(sample[:n]), UnmarshalFunc(read), nil)
			if (err == nil) != (n >= end) {
				t.Errorf("%s of %q: error %v", name, sample[:n], err)
			}
		}
	}
}

// TestDamaged replaces each byte of the sample by others, and holds the verdict to jsontext's.
func TestDamaged(t *testing.T) {
	for i := range len(sample) {
		b := []byte(sample)
		for _, c := range []byte("\x00\x01\t\n\r\x1f !\"#,-./019:;@AEF[\\]^`abefnrtuz{|}~\x7f\x80\xbf\xc0\xc2\xdf\xe0\xe2\xed\xef\xf0\xf4\xf5\xff") {
			b[i] = c
			_, judge := referenceTokens(b)
			if err := skipAll(b); (err == nil) != (judge == nil) {
				t.Errorf("Skip of %q: %v; jsontext: %v", b, err, judge)
			}
		}
	}
}
