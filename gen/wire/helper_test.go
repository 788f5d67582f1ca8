package wire

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBoxAndReply(t *testing.T) {
	box := &Box[string]{Decode: (*Decoder).String, Encode: (*Encoder).String}
	if err := Unmarshal([]byte(`"a\n"`), box); err != nil || box.Value != "a\n" {
		t.Errorf("got %q, %v", box.Value, err)
	}
	if out, err := Marshal(box); string(out) != `"a\n"` || err != nil {
		t.Errorf("got %s, %v", out, err)
	}
	if m, err := Reply(box, nil); m != box || err != nil {
		t.Errorf("got %v, %v", m, err)
	}
	failed := errors.New("failed")
	if m, err := Reply(box, failed); m != nil || !errors.Is(err, failed) {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestTooShortAndViolate(t *testing.T) {
	r := reportOf(t, `{"title":"a",`+validBody+`,"tags":[]}`, nil, func(d *Decoder) {
		o, _ := d.Object("Note")
		for d.Key(&o) {
			at := d.Start()
			d.Skip()
			switch string(o.Name) {
			case "tags":
				d.TooShort(at, "at least 1 items")
			case "title":
				d.Violate(at, "pattern", "expected b")
			}
		}
		d.End(&o)
	})
	want := []Violation{
		{Rule: RuleSchema, Pointer: "/title", Offset: 9, Keyword: "pattern", Schema: "#", Message: "expected b", Got: `"a"`},
		{Rule: RuleSchema, Pointer: "/tags", Offset: 53, Keyword: "minItems", Schema: "#/$defs/Note/properties/tags/minItems", Message: "expected at least 1 items", Got: `[]`},
	}
	if diff := cmp.Diff(want, r.Violations); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if got := Excerpt([]byte(`[1,"x"]`), 3); got != `"x"` {
		t.Errorf("got %s", got)
	}
}

// TestExtra keeps the members of an unknown variant, but not its tag.
func TestExtra(t *testing.T) {
	var got []Member
	r := reportOf(t, `{"a":[1, 2],"type":"new","\u0062":"\ud800","a":0}`, &DecodeOptions{Lenient: true}, func(d *Decoder) {
		d.Tag("Union", "type")
		o, _ := d.Object("Unknown")
		for d.Key(&o) {
			got = append(got, d.Extra(&o))
		}
		d.End(&o)
	})
	want := []Member{{"a", Raw(`[1, 2]`)}, {}, {"b", Raw(`"\ufffd"`)}, {"a", Raw("0")}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if len(r.Violations) != 1 || r.Violations[0].String() != "/a: duplicate member name" || r.Unknown != 0 {
		t.Errorf("report %+v", r)
	}
	// Untag: the next object is no variant any more.
	r = reportOf(t, `[{"type":"new"},{"type":"new"}]`, nil, func(d *Decoder) {
		l, _ := d.List()
		for d.Next(&l) {
			d.Tag("Union", "type")
			d.Untag()
			new(table).UnmarshalWire(d)
		}
	})
	if r.Unknown != 2 {
		t.Errorf("%d unknown members, want 2", r.Unknown)
	}
}

func TestTagAbsent(t *testing.T) {
	tests := []struct {
		in              string
		repair, lenient bool
		want            bool
		repairs         int
	}{
		{`{"x":1}`, false, false, true, 0},
		{`{"type":null}`, false, false, true, 0},
		{`{"type":"a"}`, true, true, false, 0},
		{`{"type":1}`, true, false, false, 0},
		{`{"type":1}`, false, true, false, 0},
		{`{"type":1}`, true, true, true, 1},
		{`[]`, true, true, false, 0},
	}
	for _, tt := range tests {
		d := NewDecoder([]byte(tt.in), &DecodeOptions{Lenient: tt.lenient})
		got := d.TagAbsent("type", tt.repair)
		r, err := d.Finish()
		if got != tt.want || len(r.Repairs) != tt.repairs || err != nil || d.Offset() != 0 {
			t.Errorf("%s, repair %t, lenient %t: %t, %v, %v", tt.in, tt.repair, tt.lenient, got, r.Repairs, err)
		}
		d.Release()
	}
}
