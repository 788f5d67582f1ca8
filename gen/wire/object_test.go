package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noteOptions compare notes. Raw values are compared as text, which is faster and reads better.
var noteOptions = cmp.Options{
	cmp.AllowUnexported(Nullable[int64]{}),
	cmp.Transformer("text", func(r Raw) []string {
		if r == nil {
			return nil
		}
		return []string{string(r)}
	}),
}

func TestDecodeObject(t *testing.T) {
	tests := []struct {
		name, in string
		want     note
	}{
		{"minimal", `{"title":"a","body":{"type":"text","text":""}}`, note{Title: "a", Body: &text{}}},
		{"all", ` { "title" : "a" , "level":9,"tags":["x","y"],"due":-5,"labels":{"a":"b","":"c"},"body":{"type":"list","items":[{"type":"text","text":"t","kind":"rich"},{"items":[],"type":"list"}]},"_meta":{ "k":1 } } `,
			note{Title: "a", Level: new(uint64(9)), Tags: []string{"x", "y"}, Due: Value[int64](-5), Labels: map[string]string{"a": "b", "": "c"},
				Body: &list{[]body{&text{"t", "rich"}, &list{[]body{}}}}, Meta: Meta(`{ "k":1 }`)}},
		{"nulls", `{"title":"a","level":null,"due":null,"_meta":null,"body":{"type":"text","text":""}}`, note{Title: "a", Due: Null[int64](), Body: &text{}}},
		{"empty lists and maps", `{"title":"a","tags":[],"labels":{},"_meta":{},"body":{"type":"list","items":[]}}`,
			note{Title: "a", Tags: []string{}, Labels: map[string]string{}, Meta: Meta(`{}`), Body: &list{[]body{}}}},
		{"escaped names and tags", `{"\u0074itle":"a","bod\u0079":{"t\u0079pe":"te\u0078t","text":"b"}}`, note{Title: "a", Body: &text{Text: "b"}}},
		{"integers in other spellings", `{"title":"a","level":0.7e1,"due":-1.0,"body":{"type":"text","text":""}}`, note{Title: "a", Level: new(uint64(7)), Due: Value[int64](-1), Body: &text{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, opts := range []*DecodeOptions{nil, {Lenient: true}} {
				got := note{Title: "what was there before"}
				r, err := Decode([]byte(tt.in), &got, opts)
				if err != nil || len(r.Repairs) > 0 {
					t.Fatalf("%v, repairs %v", err, r.Repairs)
				}
				if diff := cmp.Diff(tt.want, got, noteOptions); diff != "" {
					t.Errorf("mismatch (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestDecodeViolations(t *testing.T) {
	const b = `"body":{"type":"text","text":""}`
	tests := []struct {
		name, in string
		want     []string // pointer, schema: message, got
	}{
		{"no object", `[1]`, []string{` #/$defs/Note/type: expected object (Note), got [1]`}},
		{"all missing", `{}`, []string{` #/$defs/Note/required: missing required "title" (Note)`, ` #/$defs/Note/required: missing required "body" (Note)`}},
		{"several, in input order", `{"level":"x","tags":7,` + b + `,"labels":{"a/b":1}}`, []string{
			` #/$defs/Note/required: missing required "title" (Note)`,
			`/level #/$defs/Note/properties/level/type: expected integer, got "x"`,
			`/tags #/$defs/Note/properties/tags/type: expected array, got 7`,
			`/labels/a~1b #/$defs/Note/properties/labels/properties/a~1b/type: expected string, got 1`}},
		{"element", `{"title":"a","tags":["x",[],"y",null],` + b + `}`, []string{
			`/tags/1 #/$defs/Note/properties/tags/items/type: expected string, got []`, `/tags/3 #/$defs/Note/properties/tags/items/type: expected string, got null`}},
		{"null that is no value", `{"title":null,"tags":null,"labels":null,` + b + `}`, []string{
			`/title #/$defs/Note/properties/title/type: expected string, got null`, `/tags #/$defs/Note/properties/tags/type: expected array, got null`,
			`/labels #/$defs/Note/properties/labels/type: expected object, got null`}},
		{"short", `{"title":"",` + b + `}`, []string{`/title #/$defs/Note/properties/title/minLength: expected at least 1 characters, got ""`}},
		{"range", `{"title":"a","level":10,"due":2147483648,` + b + `}`, []string{
			`/level #/$defs/Note/properties/level/maximum: expected uint4, from 0 to 9, got 10`,
			`/due #/$defs/Note/properties/due/maximum: expected int32, from -2147483648 to 2147483647, got 2147483648`}},
		{"no union", `{"title":"a","body":"text"}`, []string{`/body #/$defs/Body/type: expected object (Body), got "text"`}},
		{"no tag", `{"title":"a","body":{"text":"b"}}`, []string{`/body #/$defs/Body/required: missing required "type" (Body)`}},
		{"tag that is no string", `{"title":"a","body":{"text":"b","type":1}}`, []string{`/body/type #/$defs/Body: expected string (tag of Body), got 1`}},
		{"unknown tag", `{"title":"a","body":{"text":"b","type":"Text"}}`, []string{`/body/type #/$defs/Body: unknown "type" (Body), expected one of "text", "list", got "Text"`}},
		{"variant", `{"title":"a","body":{"type":"text","kind":"x"}}`, []string{`/body #/$defs/Text/required: missing required "text" (Text)`, `/body/kind #/$defs/Kind: unknown Kind, expected one of "plain", "rich", got "x"`}},
		{"nested variants", `{"title":"a","body":{"type":"list","items":[{"type":"text"},{"type":"list","items":[{"type":"no"}]},3]}}`, []string{
			`/body/items/0 #/$defs/Text/required: missing required "text" (Text)`, `/body/items/1/items/0/type #/$defs/Body: unknown "type" (Body), expected one of "text", "list", got "no"`,
			`/body/items/2 #/$defs/Body/type: expected object (Body), got 3`}},
		{"schema path behind a nested value", `{"title":"a",` + b + `,"level":false}`, []string{`/level #/$defs/Note/properties/level/type: expected integer, got false`}},
		{"_meta", `{"title":"a",` + b + `,"_meta":[]}`, []string{`/_meta #/$defs/Note/properties/_meta/type: expected object, got []`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, v := range reportOf(t, tt.in, nil, func(d *Decoder) { new(note).UnmarshalWire(d) }).Violations {
				line := v.Pointer + " " + v.Schema + ": " + v.Message
				if v.Got != "" {
					line += ", got " + v.Got
				}
				if v.Rule != RuleSchema {
					t.Errorf("rule %q", v.Rule)
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDuplicateMembers has duplicates of all kinds of names: known, unknown, the tag, each with and without escapes.
func TestDuplicateMembers(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"known", `{"title":"a","body":{"type":"text","text":""},"title":"b"}`, "/title"},
		{"known, escaped", `{"title":"a","body":{"type":"text","text":""},"\u0074itle":"b"}`, "/title"},
		{"unknown", `{"x":1,"title":"a","body":{"type":"text","text":""},"x":1}`, "/x"},
		{"unknown, escaped", `{"\u0078":1,"title":"a","x":1,"body":{"type":"text","text":""}}`, "/x"},
		{"tag", `{"title":"a","body":{"type":"text","text":"","type":"text"}}`, "/body/type"},
		{"tag, escaped", `{"title":"a","body":{"t\u0079pe":"text","text":"","type":"text"}}`, "/body/type"},
		{"tag with another value", `{"title":"a","body":{"type":"text","text":"","type":"list"}}`, "/body/type"},
		{"tag that is no string the second time", `{"title":"a","body":{"type":"text","type":7,"text":""}}`, "/body/type"},
		{"unknown in a variant", `{"title":"a","body":{"type":"text","text":"","y":1,"y":2}}`, "/body/y"},
		{"unknown around a variant", `{"y":0,"title":"a","body":{"y":0,"type":"text","text":""},"y":1}`, "/y"},
		{"in a map", `{"title":"a","body":{"type":"text","text":""},"labels":{"":"","":""}}`, "/labels/"},
		{"in _meta", `{"title":"a","body":{"type":"text","text":""},"_meta":{"a":{"b":1,"b":1}}}`, "/_meta/a/b"},
		{"in an unknown member", `{"title":"a","body":{"type":"text","text":""},"x":[{"b":1,"b":1}]}`, "/x/0/b"},
		{"many unknown", `{"title":"a","body":{"type":"text","text":""},` + strings.Trim(manyNamesJSON(40), "{}") + `,"n39":1}`, "/n39"},
		{"many unknown around a variant", `{` + strings.Trim(manyNamesJSON(40), "{}") + `,"title":"a","body":{"type":"text","text":"",` + strings.Trim(manyNamesJSON(40), "{}") + `},"n3":1}`, "/n3"},
		{"many unknown in a variant", `{"n1":0,"title":"a","body":{"type":"text","text":"",` + strings.Trim(manyNamesJSON(40), "{}") + `,"n1":0},"n2":1}`, "/body/n1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, lenient := range []bool{false, true} { // leniency does not extend to JSON
				got := reportOf(t, tt.in, &DecodeOptions{Lenient: lenient}, func(d *Decoder) { new(note).UnmarshalWire(d) }).Violations
				if len(got) != 1 || got[0].Rule != RuleJSON || got[0].Message != "duplicate member name" || got[0].Pointer != tt.want {
					t.Errorf("lenient %t: %v, want a duplicate at %s", lenient, got, tt.want)
				}
			}
		})
	}
}

// TestTruncatedObject cuts and damages a message everywhere: the decoder of a type must notice whatever the scanner notices.
func TestTruncatedObject(t *testing.T) {
	const in = `{"title":"a","level":9,"tags":["x"],"due":-5,"labels":{"a":"b"},"x":[1],"body":{"type":"list","items":[{"type":"text","text":"t\n","kind":"rich"}]},"_meta":{"k":1}}`
	if _, err := Decode([]byte(in), new(note), nil); err != nil {
		t.Fatal(err)
	}
	for _, opts := range []*DecodeOptions{nil, {Lenient: true, KeepUnknownVariants: true}} {
		for n := range len(in) {
			if _, err := Decode([]byte(in[:n]), new(note), opts); err == nil {
				t.Errorf("%s: no error", in[:n])
			}
		}
		for i := range len(in) {
			for _, c := range []byte("{}[],:\"\\ 0a\x00\x80\xff") {
				b := []byte(in)
				b[i] = c
				_, judge := referenceTokens(b)
				_, err := Decode(b, new(note), opts)
				if judge != nil && err == nil {
					t.Errorf("%s: no error; jsontext: %v", b, judge)
				}
				if isJSON := !brokenJSON(err); isJSON != (judge == nil) {
					t.Errorf("%s: %v; jsontext: %v", b, err, judge)
				}
			}
		}
	}
}

// brokenJSON reports whether err says that a value is no JSON.
func brokenJSON(err error) bool {
	var invalid *InvalidError
	return errors.As(err, &invalid) && invalid.Rule() == RuleJSON
}

// FuzzDecode holds the decoder of a message to jsontext: it says that something is not JSON exactly when jsontext says so, strict and lenient.
func FuzzDecode(f *testing.F) {
	addSeeds(f)
	f.Add([]byte(`{"title":"a","level":9,"tags":["x",1],"due":-5,"labels":{"a":"b"},"x":[1],"body":{"type":"list","items":[{"type":"text","text":"t\n","kind":"rich"},{"type":"no"}]},"_meta":{"k":1}}`))
	f.Add([]byte(`{"level":-1,"tags":null,"body":{"text":"t","text":"u","type":"text"},"labels":{"a":1,"a":{}},"_meta":{"k":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, judge := referenceTokens(b)
		_, strict := Decode(b, new(note), nil)
		if isJSON := !brokenJSON(strict); isJSON != (judge == nil) {
			t.Fatalf("%q: %v; jsontext: %v", b, strict, judge)
		}
		for _, opts := range []*DecodeOptions{{Lenient: true}, {Lenient: true, KeepUnknownVariants: true}, {Lenient: true, MaxViolations: 1}, {MaxViolations: 1}} {
			var v note
			r, err := Decode(b, &v, opts)
			if err != nil && strict == nil || err == nil && opts.Lenient && strict != nil && len(r.Repairs) == 0 {
				t.Fatalf("%q: strict %v, %+v %v, repairs %v", b, strict, *opts, err, r.Repairs)
			}
			if err == nil && (len(r.Violations) > 0 || judge != nil && !strings.Contains(fmt.Sprint(r.Repairs), string(Replaced)+": lone surrogate") && r.Omitted == 0) {
				t.Fatalf("%q: accepted with %+v; jsontext: %v", b, r, judge)
			}
			if len(r.Violations) > max(opts.MaxViolations, DefaultMaxViolations*(1-opts.MaxViolations)) {
				t.Fatalf("%q: %d violations", b, len(r.Violations))
			}
			if err == nil && v.Meta != nil && skipAll(v.Meta) != nil {
				t.Fatalf("%q: _meta is %q, which cannot be written", b, v.Meta)
			}
		}
	})
}

func TestMapAndList(t *testing.T) {
	for in, want := range map[string]string{`{}`: "expected array, got {}", `7`: "expected array, got 7"} {
		got := read(t, in, func(d *Decoder) bool { _, ok := d.List(); return ok })
		if diff := cmp.Diff(reading{false, []string{"schema type: " + want}}, got); diff != "" {
			t.Errorf("List of %s: mismatch (-want +got):\n%s", in, diff)
		}
	}
	for in, want := range map[string]string{`[]`: "expected object, got []", `null`: "expected object, got null"} {
		got := read(t, in, func(d *Decoder) bool { _, ok := d.Map(); return ok })
		if diff := cmp.Diff(reading{false, []string{"schema type: " + want}}, got); diff != "" {
			t.Errorf("Map of %s: mismatch (-want +got):\n%s", in, diff)
		}
	}
}

// TestDepthOfMethods counts levels across Object, List, Map and Skip, before and behind siblings.
func TestDepthOfMethods(t *testing.T) {
	in := `{"rows":[[1],[2]],"x":[[[]],{"a":{}}],"inner":[{"rows":[[3]]},{"rows":[],"y":[[1]]}]}`
	for depth, valid := range map[int]bool{4: false, 5: true, 6: true} {
		_, err := Decode([]byte(in), new(table), &DecodeOptions{MaxDepth: depth})
		if (err == nil) != valid {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
	d := NewDecoder([]byte(in), nil)
	defer d.Release()
	new(table).UnmarshalWire(d)
	if d.depth != 0 || len(d.names) != 0 || len(d.bases) != 0 || len(d.stack) != 0 {
		t.Errorf("left over: depth %d, %d names, %d bases, %d containers", d.depth, len(d.names), len(d.bases), len(d.stack))
	}
}

func TestFlattened(t *testing.T) {
	// The members of a definition that is part of another are counted from a base and named by Within.
	read := func(d *Decoder) {
		o, ok := d.Object("Outer")
		if !ok {
			return
		}
		for d.Key(&o) {
			switch string(o.Name) {
			case "a":
				d.Field(&o, 0)
				d.Bool()
			case "b":
				d.Field(&o, 1)
				outer := d.Within("Inner")
				d.Bool()
				d.Back(outer)
			default:
				d.Unknown(&o)
			}
		}
		if !o.Has(1) && o.Has(0) {
			d.Skip()
		}
		d.Require(&o, 1, 0, "Outer", []string{"a"})
		d.Require(&o, 3, 1, "Inner", []string{"b", "c"})
		d.End(&o)
	}
	var got []string
	for _, v := range reportOf(t, `{"b":1}`, nil, read).Violations {
		got = append(got, v.Pointer+" "+v.Schema+": "+v.Message)
	}
	want := []string{` #/$defs/Outer/required: missing required "a" (Outer)`, ` #/$defs/Inner/required: missing required "c" (Inner)`, `/b #/$defs/Inner/properties/b/type: expected boolean`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestTagsAreForOneObject reads objects within a variant: a member named like its tag is nothing special there.
func TestTagsAreForOneObject(t *testing.T) {
	in := `{"type":"text","kind":"a","inner":{"type":1,"rows":[]},"list":[{"kind":2,"rows":[]}]}`
	r := reportOf(t, in, nil, func(d *Decoder) {
		d.Tag("Union", "type")
		if _, found, ok := d.OptionalTag("Union", "kind"); !found || !ok {
			t.Error("no second tag")
		}
		d.Tagged("kind")
		o, _ := d.Object("Variant")
		for d.Key(&o) {
			switch string(o.Name) {
			case "inner":
				d.Field(&o, 0)
				new(table).UnmarshalWire(d)
			case "list":
				d.Field(&o, 1)
				decodeList(d, func() (v table) {
					v.UnmarshalWire(d)
					return v
				})
			default:
				d.Unknown(&o)
			}
		}
		d.End(&o)
	})
	if diff := cmp.Diff(Report{Unknown: 2, UnknownPointers: []string{"/inner/type", "/list/0/kind"}}, r); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestUnmarshalVariant(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"text":"a","type":"text"}`, ""},
		{`{"text":"a","type":"list"}`, `/type: unknown "type" (Body), expected "text", got "list"`},
		{`{"text":"a"}`, `missing required "type" (Body)`},
		{`"text"`, `expected object (Body), got "text"`},
		{`{"type":"text"}`, `missing required "text" (Text)`},
		{`{"type":"text","text":"a"}]`, `unexpected data after the value, got ]`},
	}
	for _, tt := range tests {
		var v text
		got := ""
		if err := UnmarshalVariant([]byte(tt.in), "Body", "type", "text", &v); err != nil {
			got = err.Error()
		}
		if got != tt.want || got == "" && v.Text != "a" {
			t.Errorf("%s: %+v, %q, want %q", tt.in, v, got, tt.want)
		}
	}
}
