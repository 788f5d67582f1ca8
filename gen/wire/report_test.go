package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const validBody = `"body":{"type":"text","text":""}`

func TestLenient(t *testing.T) {
	tests := []struct {
		name, in string
		keep     bool
		want     note
		repairs  []string
	}{
		{"nothing to repair", `{"title":"a",` + validBody + `}`, true, note{Title: "a", Body: &text{}}, nil},
		{"defaulted", `{"title":"a","level":"x",` + validBody + `}`, false, note{Title: "a", Body: &text{}}, []string{`/level: defaulted: expected integer`}},
		{"defaulted _meta", `{"title":"a","_meta":7,` + validBody + `}`, false, note{Title: "a", Body: &text{}}, []string{`/_meta: defaulted: expected object`}},
		{"skipped", `{"title":"a","tags":["x", 1,null,"y",[2]],` + validBody + `}`, false, note{Title: "a", Tags: []string{"x", "y"}, Body: &text{}},
			[]string{`/tags/1: skipped: expected string`, `/tags/2: skipped: expected string`, `/tags/4: skipped: expected string`}},
		{"all skipped", `{"title":"a","tags":[1],` + validBody + `}`, false, note{Title: "a", Tags: []string{}, Body: &text{}}, []string{`/tags/0: skipped: expected string`}},
		{"defaulted list", `{"title":"a","tags" : {},` + validBody + `}`, false, note{Title: "a", Body: &text{}}, []string{`/tags: defaulted: expected array`}},
		{"emptied", `{"title":"a","tags":null,` + validBody + `}`, false, note{Title: "a", Tags: []string{}, Body: &text{}}, []string{`/tags: emptied: null where an empty value was expected`}},
		{"replaced", `{"title":"a\ud800b\ude00\ud83d\ude00","tags":["\udfff"],` + validBody + `}`, false, note{Title: "a\ufffdb\ufffd😀", Tags: []string{"\ufffd"}, Body: &text{}}, []string{
			`/title: replaced: lone surrogate in a string, replaced by U+FFFD`, `/title: replaced: lone surrogate in a string, replaced by U+FFFD`, `/tags/0: replaced: lone surrogate in a string, replaced by U+FFFD`}},
		{"replaced in bytes that are kept", `{"title":"a","_meta":{"\uDFFF":"\\ud800\ud800\\\ud83d\ude00\udc00"},` + validBody + `}`, false,
			note{Title: "a", Body: &text{}, Meta: Meta(`{"\ufffd":"\\ud800\ufffd\\\ud83d\ude00\ufffd"}`)}, []string{
				"/_meta/\ufffd: replaced: lone surrogate in a string, replaced by U+FFFD", "/_meta/\ufffd: replaced: lone surrogate in a string, replaced by U+FFFD", "/_meta/\ufffd: replaced: lone surrogate in a string, replaced by U+FFFD"}},
		{"inner repairs are forgotten with their value", `{"title":"a","tags":["x",{"a":"\ud800"}],` + validBody + `}`, false, note{Title: "a", Tags: []string{"x"}, Body: &text{}},
			[]string{`/tags/1: skipped: expected string`}},
		{"kept", `{"title":"a","body":{"x":1,"type":"new"}}`, true, note{Title: "a", Body: &unknown{"new", Raw(`{"x":1,"type":"new"}`)}}, []string{`/body: kept: unknown "type" (Body)`}},
		{"kept in a list", `{"title":"a","body":{"type":"list","items":[{"type":"new","x":{"type":"text"}}, {"type":"text","text":"b"}]}}`, true,
			note{Title: "a", Body: &list{[]body{&unknown{"new", Raw(`{"type":"new","x":{"type":"text"}}`)}, &text{Text: "b"}}}}, []string{`/body/items/0: kept: unknown "type" (Body)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got note
			r, err := Decode([]byte(tt.in), &got, &DecodeOptions{Lenient: true, KeepUnknownVariants: tt.keep})
			if err != nil || len(r.Violations) > 0 || r.Omitted != 0 {
				t.Fatalf("%v, report %+v", err, r)
			}
			if diff := cmp.Diff(tt.want, got, noteOptions); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			var repairs []string
			for _, repair := range r.Repairs {
				repairs = append(repairs, repair.String())
			}
			if diff := cmp.Diff(tt.repairs, repairs); diff != "" {
				t.Errorf("repairs: mismatch (-want +got):\n%s", diff)
			}
			// A strict decode refuses what a lenient one has to repair, whatever the other option says.
			if _, err := Decode([]byte(tt.in), &got, &DecodeOptions{KeepUnknownVariants: true}); (err == nil) != (len(tt.repairs) == 0) {
				t.Errorf("strict: %v", err)
			}
		})
	}
}

func TestLenientIsNotLax(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
		repairs  int
	}{
		{"required", `{"level":"x"}`, []string{`missing required "title" (Note)`, `missing required "body" (Note)`}, 1},
		{"no leniency for the member", `{"title":7,"due":"x",` + validBody + `}`, []string{`/title: expected string, got 7`, `/due: expected integer, got "x"`}, 0},
		{"no leniency for null", `{"title":"a","labels":null,` + validBody + `}`, []string{`/labels: expected object, got null`}, 0},
		{"unknown variant", `{"title":"a","body":{"type":"new"}}`, []string{`/body/type: unknown "type" (Body), expected one of "text", "list", got "new"`}, 0},
		{"duplicate in a value that is repaired", `{"title":"a","tags":[{"x":1,"x":2}],` + validBody + `}`, []string{`/tags/0/x: duplicate member name`}, 1},
		{"invalid UTF-8 in a value that is repaired", "{\"title\":\"a\",\"tags\":{\"x\":\"\xff\"}," + validBody + "}", []string{`/tags/x: invalid UTF-8 in a string`}, 1},
		{"syntax error in a value that could be repaired", `{"title":"a","tags":[1,tru],` + validBody + `}`, []string{`/tags/1: invalid literal, expected true, got tru],"body":{"type":"text","text":""}}`}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := reportOf(t, tt.in, &DecodeOptions{Lenient: true}, func(d *Decoder) { new(note).UnmarshalWire(d) })
			var got []string
			for _, v := range r.Violations {
				got = append(got, v.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if len(r.Repairs) != tt.repairs {
				t.Errorf("repairs %v, want %d", r.Repairs, tt.repairs)
			}
		})
	}
}

func TestReportCounts(t *testing.T) {
	tests := []struct {
		name, in       string
		unknown, nulls int
		pointers       []string
	}{
		{"none", `{"title":"a",` + validBody + `}`, 0, 0, nil},
		{"unknown", `{"x":null,"title":"a",` + `"body":{"y/":{"z":1},"type":"text","text":"","Text":0}}`, 3, 0, []string{"/x", "/body/y~1", "/body/Text"}},
		{"nulls", `{"level":null,"title":"a",` + validBody + `,"_meta":null,"due":null}`, 0, 2, nil},
		{"names in free objects are not unknown", `{"title":"a","labels":{"x":""},"_meta":{"x":null},` + validBody + `}`, 0, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := reportOf(t, tt.in, nil, func(d *Decoder) { new(note).UnmarshalWire(d) })
			if diff := cmp.Diff(Report{Unknown: tt.unknown, Nulls: tt.nulls, UnknownPointers: tt.pointers}, r); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("limit", func(t *testing.T) {
		r := reportOf(t, `{"title":"a",`+validBody+`,`+strings.Trim(manyNamesJSON(10), "{}")+`}`, &DecodeOptions{MaxViolations: 3}, func(d *Decoder) { new(note).UnmarshalWire(d) })
		if diff := cmp.Diff(Report{Unknown: 10, UnknownPointers: []string{"/n0", "/n1", "/n2"}}, r); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
}

// counts is what a report says about the limit.
type counts struct{ Violations, Repairs, Omitted, ErrorOmitted int }

func countsOf(t *testing.T, in string, opts *DecodeOptions, read func(d *Decoder)) (counts, Report) {
	t.Helper()
	d := NewDecoder([]byte(in), opts)
	defer d.Release()
	read(d)
	d.EOF()
	r, err := d.Finish()
	c := counts{Violations: len(r.Violations), Repairs: len(r.Repairs), Omitted: r.Omitted}
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		c.ErrorOmitted = invalid.Omitted
	}
	return c, r
}

func TestLimit(t *testing.T) {
	numbers := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }
	tags := func(d *Decoder) { decodeTags(d) }
	labels := func(d *Decoder) { decodeLabels(d) }
	skip := func(d *Decoder) { d.Skip() }
	duplicates := `{"a":"","a":1,"a":1,"a":1,"a":1,"a":1}`
	tests := []struct {
		name, in string
		opts     DecodeOptions
		read     func(d *Decoder)
		want     counts
	}{
		{"default", numbers(100), DecodeOptions{}, tags, counts{64, 0, 36, 36}},
		{"at the limit", numbers(5), DecodeOptions{MaxViolations: 5}, tags, counts{5, 0, 0, 0}},
		{"beyond", numbers(6), DecodeOptions{MaxViolations: 5}, tags, counts{5, 0, 1, 1}},
		{"repairs", numbers(100), DecodeOptions{Lenient: true}, tags, counts{0, 64, 36, 0}},
		{"faults", `["\ud800\ud800\ud800"]`, DecodeOptions{MaxViolations: 2}, tags, counts{2, 0, 1, 1}},
		{"faults and issues share the limit", duplicates, DecodeOptions{MaxViolations: 7}, labels, counts{7, 0, 3, 3}},
		{"more faults than the limit, and issues", duplicates, DecodeOptions{MaxViolations: 3}, labels, counts{3, 0, 7, 7}},
		{"a syntax error behind faults", `["\ud800\ud800\ud800",?]`, DecodeOptions{MaxViolations: 3}, skip, counts{3, 0, 1, 1}},
		{"a syntax error behind more faults", `["\ud800\ud800\ud800\ud800",?]`, DecodeOptions{MaxViolations: 2}, skip, counts{2, 0, 3, 3}},
		{"only the syntax error", `["\ud800\ud800",?]`, DecodeOptions{MaxViolations: 1}, skip, counts{1, 0, 2, 2}},
		{"a syntax error behind issues", `[1,1,1,?]`, DecodeOptions{MaxViolations: 2}, tags, counts{1, 0, 0, 0}},
		{"a syntax error behind repairs", `[1,1,1,?]`, DecodeOptions{Lenient: true, MaxViolations: 2}, tags, counts{1, 0, 0, 0}},
		{"repairs of surrogates and items", `["\ud800","\ud800",1,1,1]`, DecodeOptions{Lenient: true, MaxViolations: 3}, tags, counts{0, 3, 2, 0}},
		{"faults in items that are repaired beyond the limit", `[{"a":1,"a":1},{"a":1,"a":1},{"a":1,"a":1}]`, DecodeOptions{Lenient: true, MaxViolations: 1}, tags, counts{1, 1, 4, 2}},
		{"repairs do not count as violations", `[1,1,1]`, DecodeOptions{Lenient: true, MaxViolations: 1}, func(d *Decoder) { decodeTags(d); d.NotOneOf(0, "X", "y"); d.NotOneOf(0, "X", "z") }, counts{1, 1, 3, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, r := countsOf(t, tt.in, &tt.opts, tt.read)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if strings.Contains(tt.in, "?") {
				if last := r.Violations[len(r.Violations)-1]; last.Message != "unexpected character, expected a value" || last.Got != "?]" {
					t.Errorf("the last violation is %v", last)
				}
			}
		})
	}
}

// TestRepairRollsBack lets values fail inside each other, below and beyond the limit, and repairs the outermost.
func TestRepairRollsBack(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 64} {
		for before := range 4 {
			for inside := 1; inside < 5; inside++ {
				t.Run(fmt.Sprintf("limit %d, %d before, %d inside", limit, before, inside), func(t *testing.T) {
					in := "[" + strings.Repeat("1,", before) + `[` + strings.TrimSuffix(strings.Repeat(`{"x":null,"title":"a","level":null,"body":{"type":"text","text":"\ud800","kind":"no"}},`, inside), ",") + "]]"
					got, r := countsOf(t, in, &DecodeOptions{Lenient: true, MaxViolations: limit}, func(d *Decoder) {
						l, _ := d.List()
						for range before {
							d.Next(&l)
							_ = d.String()
						}
						d.Next(&l)
						m := d.Mark()
						decodeList(d, func() (v note) {
							v.UnmarshalWire(d)
							return v
						})
						if !d.Repair(m, Defaulted) {
							t.Error("nothing to repair")
						}
						if d.Repair(m, Defaulted) {
							t.Error("repaired twice")
						}
						d.Next(&l)
					})
					kept := min(before, limit)
					if diff := cmp.Diff(counts{kept, 1, before - kept, before - kept}, got); diff != "" {
						t.Errorf("mismatch (-want +got):\n%s", diff)
					}
					want := Repair{Pointer: fmt.Sprintf("/%d", before), Action: Defaulted, Message: `unknown Kind, expected one of "plain", "rich"`}
					if kept == limit {
						want.Message = "invalid value" // there was no room for the reason
					}
					if diff := cmp.Diff([]Repair{want}, r.Repairs); diff != "" {
						t.Errorf("mismatch (-want +got):\n%s", diff)
					}
					if r.Unknown != 0 || r.Nulls != 0 || len(r.UnknownPointers) != 0 {
						t.Errorf("what was dropped is counted: %+v", r)
					}
				})
			}
		}
	}
}

// TestSeek reads a part twice: what is wrong with it as JSON is reported once, what is wrong by its schema where it is decoded.
func TestSeek(t *testing.T) {
	in := "{\"params\":{\"title\":\"\\ud800\",\"title\":1,\"\xff\":2,\"_meta\":{\"k\":\"\\udc00\",\"k\":1}," + validBody + "},\"x\":\"\\udfff\"}"
	read := func(lenient bool) (*note, Report) {
		d := NewDecoder([]byte(in), &DecodeOptions{Lenient: lenient})
		defer d.Release()
		o, _ := d.Object("Frame")
		at := 0
		for d.Key(&o) {
			if string(o.Name) == "params" {
				d.Field(&o, 0)
				at = d.Start()
				d.Skip()
			} else {
				d.Unknown(&o)
			}
		}
		d.End(&o)
		d.EOF()
		end := d.Offset()
		d.Seek(at)
		v := new(note)
		v.UnmarshalWire(d)
		if d.Offset() != at+len(in[at:strings.Index(in, `,"x"`)]) {
			t.Errorf("the value ends at %d", d.Offset())
		}
		d.Seek(end)
		d.EOF()
		r, _ := d.Finish()
		return v, r
	}
	_, r := read(false)
	var got []string
	for _, v := range r.Violations {
		got = append(got, v.String())
	}
	want := []string{"/params/title: lone surrogate in a string", "/params/title: duplicate member name", "/params/\ufffd: invalid UTF-8 in a string",
		"/params/_meta/k: lone surrogate in a string", "/params/_meta/k: duplicate member name", "/x: lone surrogate in a string", "/params/title: expected string, got 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	v, r := read(true)
	got = nil
	for _, f := range r.Repairs {
		got = append(got, f.String())
	}
	const replaced = "replaced: lone surrogate in a string, replaced by U+FFFD"
	if diff := cmp.Diff([]string{"/params/title: " + replaced, "/params/_meta/k: " + replaced, "/x: " + replaced}, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if want := `{"k":"\ufffd","k":1}`; string(v.Meta) != want {
		t.Errorf("_meta is %s, want %s", v.Meta, want)
	}
}

func TestViolationsAreInInputOrder(t *testing.T) {
	r := reportOf(t, `{"due":"x","body":{"kind":1,"type":"text"},"labels":{"a":1}}`, nil, func(d *Decoder) { new(note).UnmarshalWire(d) })
	last := -1
	for _, v := range r.Violations {
		if v.Offset < last {
			t.Errorf("%v at %d behind %d", v, v.Offset, last)
		}
		last = v.Offset
	}
	if len(r.Violations) != 5 {
		t.Errorf("violations %v, want 5", r.Violations)
	}
}

func TestInvalidError(t *testing.T) {
	_, err := Decode([]byte("{\"title\":\"\xff\",\"due\":\"x\"}"), new(note), nil)
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	if got, want := err.Error(), `/title: invalid UTF-8 in a string (and 2 more)`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if invalid.Rule() != RuleJSON {
		t.Errorf("rule %q", invalid.Rule())
	}
	_, err = Decode([]byte(`{"title":"a"}`), new(note), nil)
	if got, want := err.Error(), `missing required "body" (Note)`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if errors.As(err, &invalid); invalid.Rule() != RuleSchema {
		t.Errorf("rule %q", invalid.Rule())
	}
}
