package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// located returns the pointers of the offsets.
func located(b []byte, offsets ...int) []string {
	spots := make([]spot, len(offsets))
	for i, at := range offsets {
		spots[i].at = at
	}
	locate(b, spots)
	pointers := make([]string, len(offsets))
	for i, s := range spots {
		pointers[i] = s.pointer
	}
	return pointers
}

// FuzzLocate holds locate to jsontext's stack pointer at the start of every value and name. On inputs that are not JSON it only must not panic.
func FuzzLocate(f *testing.F) {
	addSeeds(f)
	f.Add([]byte(sample))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<12 {
			t.Skip("long inputs say nothing new")
		}
		offsets, want, err := referencePointers(b)
		if err != nil {
			for at := range len(b) + 2 {
				offsets = append(offsets, at)
			}
			located(b, offsets...)
			return
		}
		if diff := cmp.Diff(want, located(b, offsets...)); diff != "" {
			t.Fatalf("all at once, in %q: mismatch (-want +got):\n%s", b, diff)
		}
		for i, at := range offsets {
			if got := located(b, at)[0]; got != want[i] {
				t.Fatalf("at %d of %q: %q, want %q", at, b, got, want[i])
			}
		}
	})
}

// referencePointers returns where each value and each name of b starts and what jsontext has for its pointer.
func referencePointers(b []byte) (offsets []int, pointers []string, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		kind := dec.PeekKind()
		at := int(dec.InputOffset())
		at += len(b[at:]) - len(bytes.TrimLeft(b[at:], " \t\r\n,:"))
		if _, err := dec.ReadToken(); errors.Is(err, io.EOF) && len(offsets) > 0 {
			return offsets, pointers, nil
		} else if err != nil {
			return nil, nil, err
		}
		if kind == '}' || kind == ']' {
			continue
		}
		if dec.StackDepth() == 0 && len(offsets) > 0 {
			return nil, nil, errors.New("more than one value")
		}
		offsets = append(offsets, at)
		pointers = append(pointers, string(dec.StackPointer()))
	}
}

func TestLocateSample(t *testing.T) {
	for _, in := range append(seeds, sample) {
		offsets, want, err := referencePointers([]byte(in))
		if err != nil {
			continue
		}
		if diff := cmp.Diff(want, located([]byte(in), offsets...)); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", in, diff)
		}
	}
}

// TestLocateMalformed has offsets that are no start of a value, in inputs that are cut off or broken.
func TestLocateMalformed(t *testing.T) {
	tests := []struct {
		in   string
		at   int
		want string
	}{
		{``, 0, ""},
		{`{"a":1}`, 100, ""},
		{`{"a":[1,2]`, 10, "/a"},
		{`{"a":[1,2`, 9, "/a/1"},
		{`{"a":[1,`, 8, "/a/1"},
		{`{"a":[`, 6, "/a/0"},
		{`{"a":`, 5, "/a"},
		{`{"a"`, 4, "/a"},
		{`{"a`, 3, ""},
		{`{"a\`, 4, ""},
		{`{"a\"`, 5, ""},
		{`{"a\"b":1`, 8, `/a"b`},
		{`{"a\\":1`, 7, `/a\`},
		{`{"a\\\"":"\\","b`, 9, `/a\"`},
		{`{"a\\\"":"\\","b`, 16, ""},
		{`{"a\u00`, 7, ""},
		{`{"a":"b\u0`, 10, "/a"},
		{`{"a":"b`, 7, "/a"},
		{`["a","b`, 7, "/1"},
		{`["]","}",{"x":"{["`, 18, "/2/x"},
		{`]]]{"a":1`, 8, "/a"},
		{`}}`, 1, ""},
		{`,,[1`, 3, "/0"},
		{`{"a":1]`, 6, "/a"},
		{`{"a":"x""b":1}`, 8, "/a"},
		{"{\"\xff\xfe\":1}", 6, "/\ufffd\ufffd"},
		{`{"\ud800":1}`, 10, "/\ufffd"},
	}
	for _, tt := range tests {
		if got := located([]byte(tt.in), tt.at)[0]; got != tt.want {
			t.Errorf("at %d of %s: %q, want %q", tt.at, tt.in, got, tt.want)
		}
	}
}

func TestPointerIsBounded(t *testing.T) {
	long := strings.Repeat("x", maxPointer-len("/a/b/"))
	tests := []struct {
		name, in string
		at       int
		want     string
	}{
		{"fits", `{"a":{"b":{"` + long + `":0}}}`, 11, "/a/b/" + long},
		{"a name too long", `{"a":{"b":{"` + long + `y":0}}}`, 11, "/a/b"},
		{"a name too long with its escapes", `{"a":{"b":{"` + long[1:] + `~":0}}}`, 11, "/a/b"},
		{"what is within a name too long", `{"a":{"b":{"` + long + `y":[{"c":0}]}}}`, 11 + len(long) + 11, "/a/b"},
		{"deep", strings.Repeat("[", 9999) + `0`, 9999, strings.Repeat("/0", maxPointer/2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := located([]byte(tt.in), tt.at)[0]; got != tt.want {
				t.Errorf("got %d bytes %.20q..., want %d bytes %.20q...", len(got), got, len(tt.want), tt.want)
			}
		})
	}
}

// TestHostileFaultsStayCheap has frames that make every violation as expensive as it can be: deep, or in a container with an endless name.
func TestHostileFaultsStayCheap(t *testing.T) {
	duplicates := `{"a":0` + strings.Repeat(`,"a":0`, 200) + `}`
	tests := []struct{ name, in string }{
		{"deep", strings.Repeat("[", 9998) + duplicates + strings.Repeat("]", 9998)},
		{"long name", `{"` + strings.Repeat("x", 1<<20) + `":` + duplicates + `}`},
		{"many long names", strings.Repeat(`{"`+strings.Repeat("x", 1<<10)+`":`, 1000) + duplicates + strings.Repeat("}", 1000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, _ := Decode(in, UnmarshalFunc(func(d *Decoder) { d.Skip() }), nil)
			runtime.ReadMemStats(&after)
			if len(r.Violations) != DefaultMaxViolations || r.Omitted != 200-DefaultMaxViolations {
				t.Errorf("%d violations, %d omitted", len(r.Violations), r.Omitted)
			}
			size := 0
			for _, v := range r.Violations {
				size += len(v.Pointer)
			}
			if size > DefaultMaxViolations*maxPointer {
				t.Errorf("the pointers have %d bytes", size)
			}
			if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(8*len(in)+4<<20); got > limit {
				t.Errorf("%d bytes allocated for a frame of %d, want at most %d", got, len(in), limit)
			}
		})
	}
}

// TestSchemaPaths reads lists of lists of objects, each level with something wrong.
func TestSchemaPaths(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{`{"rows":[[1,2],[3,"x"]]}`, []string{"/rows/1/1 #/$defs/Table/properties/rows/items/items/type"}},
		{`{"rows":[[1],2]}`, []string{"/rows/1 #/$defs/Table/properties/rows/items/type"}},
		{`{"rows":{}}`, []string{"/rows #/$defs/Table/properties/rows/type"}},
		{`[]`, []string{" #/$defs/Table/type"}},
		{`{"inner":[{"rows":[[true]]}],"rows":[]}`, []string{"/inner/0/rows/0/0 #/$defs/Table/properties/rows/items/items/type"}},
		{`{"inner":[{"rows":[]},7],"rows":[]}`, []string{"/inner/1 #/$defs/Table/type"}},
		{`{"rows":[],"other":[[1e99]]}`, []string{}},
		{`{"inner":[{},{"rows":[[256]]}]}`, []string{" #/$defs/Table/required", "/inner/0 #/$defs/Table/required", "/inner/1/rows/0/0 #/$defs/Table/properties/rows/items/items/maximum"}},
	}
	for _, tt := range tests {
		got := []string{}
		for _, v := range reportOf(t, tt.in, nil, func(d *Decoder) { new(table).UnmarshalWire(d) }).Violations {
			got = append(got, v.Pointer+" "+v.Schema)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", tt.in, diff)
		}
	}
}

// A table is a message with lists of lists, and of itself.
type table struct {
	Rows  [][]uint64
	Inner []table
}

func (x *table) UnmarshalWire(d *Decoder) {
	*x = table{}
	o, ok := d.Object("Table")
	if !ok {
		return
	}
	for d.Key(&o) {
		switch string(o.Name) {
		case "rows":
			d.Field(&o, 0)
			x.Rows = decodeList(d, func() []uint64 {
				return decodeList(d, func() uint64 { return d.Uint(255, "uint8") })
			})
		case "inner":
			d.Field(&o, 1)
			x.Inner = decodeList(d, func() (v table) {
				v.UnmarshalWire(d)
				return v
			})
		default:
			d.Unknown(&o)
		}
	}
	d.Require(&o, 1, 0, "Table", []string{"rows", "inner"})
	d.End(&o)
}

// decodeList reads a list the way generated code does.
func decodeList[T any](d *Decoder, element func() T) []T {
	l, ok := d.List()
	if !ok {
		return nil
	}
	out := []T{}
	for d.Next(&l) {
		out = append(out, element())
	}
	return out
}

func TestExcerpt(t *testing.T) {
	word := strings.Repeat("x", 40)
	tests := []struct {
		name, in string
		at       int
		want     string
	}{
		{"number", `{"a":12 }`, 5, `12`},
		{"object", `[{"a":[1, 2]},3]`, 1, `{"a":[1, 2]}`},
		{"end", `[1]`, 3, ``},
		{"beyond the end", `[1]`, 9, ``},
		{"just fits", `["` + word + `123456",1]`, 1, `"` + word + `123456"`},
		{"one more", `["` + word + `1234567",1]`, 1, `"` + word + `1234567…`},
		{"cut in a two-byte character", `["` + word + `123456é"]`, 1, `"` + word + `123456…`},
		{"cut in a three-byte character", `["` + word + `12345€"]`, 1, `"` + word + `12345…`},
		{"cut in a four-byte character", `["` + word + `1234😀"]`, 1, `"` + word + `1234…`},
		{"cut behind a character", `["` + word + `12345é1"]`, 1, `"` + word + `12345é…`},
		{"long number", "[" + strings.Repeat("7", 60) + "]", 1, strings.Repeat("7", maxGot) + "…"},
		{"long list", "[" + strings.Repeat("0,", 60) + "0]", 0, "[" + strings.Repeat("0,", 23) + "0…"},
		{"malformed", `[1,}`, 3, `}`},
		{"invalid UTF-8", "[\"a\xff\"]", 1, "\"a\ufffd\""},
		{"line breaks", "[{\r\n\t\"a\":\n1}]", 1, `{   "a": 1}`},
		{"control characters", "[\"\x7f\u009b[31m\"]", 1, "\"\ufffd\ufffd[31m\""},
		{"escape character, which ends the value", "[\"\x1b[31m\",0]", 1, "\"\ufffd[31m\",0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := excerpt([]byte(tt.in), tt.at); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestViolationIsOneLine has line breaks in every part that comes from the input.
func TestViolationIsOneLine(t *testing.T) {
	in := "{\"a\\nb\":[\n1,\n2],\"rows\":{\n}}"
	r := reportOf(t, in, nil, func(d *Decoder) { new(table).UnmarshalWire(d) })
	if len(r.Violations) != 1 || len(r.UnknownPointers) != 1 {
		t.Fatalf("%d violations, unknown %q", len(r.Violations), r.UnknownPointers)
	}
	v := r.Violations[0]
	v.Pointer = r.UnknownPointers[0]
	if got, want := v.String(), "/a b: expected array, got { }"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (Repair{Pointer: v.Pointer, Action: Skipped, Message: "why"}).String(), "/a b: skipped: why"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if v.Pointer != "/a\nb" {
		t.Errorf("the pointer itself is %q", v.Pointer)
	}
}

// TestManySpots asks for more places than a container has, in no order.
func TestManySpots(t *testing.T) {
	var in strings.Builder
	var offsets []int
	var want []string
	in.WriteByte('[')
	for i := range 500 {
		if i > 0 {
			in.WriteByte(',')
		}
		offsets = append(offsets, in.Len(), in.Len())
		want = append(want, "/"+strconv.Itoa(i), "/"+strconv.Itoa(i))
		fmt.Fprint(&in, i)
	}
	for i := range offsets {
		j := (i * 7919) % len(offsets)
		offsets[i], offsets[j] = offsets[j], offsets[i]
		want[i], want[j] = want[j], want[i]
	}
	if diff := cmp.Diff(want, located([]byte(in.String()), offsets...)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
