package transcript

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// A got is a Line that can be compared.
type got struct {
	Number    int
	Frame     string
	Direction string
	Fault     string
}

func readAll(t *testing.T, src io.Reader, longest int) []got {
	t.Helper()
	var lines []got
	r := NewReader(src, longest)
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		lines = append(lines, got{l.Number, string(l.Frame), l.Direction.String(), l.Fault})
	}
}

const frame = `{"jsonrpc":"2.0","method":"_x","params":{}}`

func TestLines(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  []got
	}{
		{"empty", "", nil},
		{"one", frame + "\n", []got{{1, frame, "", ""}}},
		{"no line end", frame, []got{{1, frame, "", ""}}},
		{"CRLF", frame + "\r\n" + frame + "\r\n", []got{{1, frame + "\r", "", ""}, {2, frame + "\r", "", ""}}},
		{"blank lines count", "\n \t\r\n" + frame + "\n\n" + frame, []got{{3, frame, "", ""}, {5, frame, "", ""}}},
		{"noise", "starting up\n" + frame, []got{{1, "starting up", "", ""}, {2, frame, "", ""}}},
		{"byte order mark before a frame", "\ufeff" + frame, []got{{1, "\ufeff" + frame, "", ""}}},
		{"byte order mark before a record", "\ufeff" + `{"dir":"c2a","raw":"{}"}`, []got{{1, "{}", "c2a", ""}}},
		{"byte order mark in the middle", frame + "\n\ufeff" + `{"dir":"c2a","raw":"{}"}`,
			[]got{{1, frame, "", ""}, {2, "\ufeff" + `{"dir":"c2a","raw":"{}"}`, "", ""}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, src := range map[string]io.Reader{
				"whole": strings.NewReader(test.input), "bytewise": iotest.OneByteReader(strings.NewReader(test.input)),
				"with EOF": iotest.DataErrReader(strings.NewReader(test.input)),
			} {
				if diff := cmp.Diff(test.want, readAll(t, src, 1<<20)); diff != "" {
					t.Errorf("%s: mismatch (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestRecords(t *testing.T) {
	tests := []struct {
		name string
		line string
		want got
	}{
		{"raw", `{"t":3,"dir":"a2c","raw":"{\"id\":1}"}`, got{1, `{"id":1}`, "a2c", ""}},
		{"raw before dir", `{"raw":"x","dir":"c2a"}`, got{1, "x", "c2a", ""}},
		{"white space", " { \"dir\" : \"c2a\" , \"raw\" : \"x\" } \r", got{1, "x", "c2a", ""}},
		{"no direction", `{"raw":"x"}`, got{1, "x", "", ""}},
		{"null direction", `{"dir":null,"raw":"x"}`, got{1, "x", "", ""}},
		{"message", `{"dir":"c2a","message":{"jsonrpc": "2.0", "a":[1,{"b":"}"}]},"n":1}`, got{1, `{"jsonrpc": "2.0", "a":[1,{"b":"}"}]}`, "c2a", ""}},
		{"message is bytes as they are", `{"message": "a\u0062" }`, got{1, `"a\u0062" `, "", ""}},
		{"raw wins over message", `{"message":{},"raw":"x"}`, got{1, "x", "", ""}},
		{"escapes", `{"raw":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00"}`, got{1, "", "", `the record's "raw" holds a line break; a frame is one line`}},
		{"all escapes but line breaks", `{"raw":"\"\\\/\b\f\t\u0041\u00e9\u20ac\ud83d\ude00"}`, got{1, "\"\\/\b\f\tAé€😀", "", ""}},
		{"line end kept in raw", `{"raw":"x\r\n"}`, got{1, "x", "", ""}},
		{"zero byte", `{"raw":"a\u0000"}`, got{1, "a\x00", "", ""}},
		{"lone surrogate", `{"raw":"a\ud800\u0041"}`, got{1, "a\xed\xa0\x80A", "", ""}},
		{"low surrogate first", `{"raw":"\udc00\ud800"}`, got{1, "\xed\xb0\x80\xed\xa0\x80", "", ""}},
		{"unknown escapes are kept", `{"raw":"\q\u12"}`, got{1, `\q\u12`, "", ""}},
		{"escaped name", `{"\u0072aw":"x"}`, got{1, "x", "", ""}},
		{"a frame with a member raw", `{"raw":"x","jsonrpc":"2.0"}`, got{1, `{"raw":"x","jsonrpc":"2.0"}`, "", ""}},
		{"a frame with a member message", `{"message":{},"\u006asonrpc":"2.0"}`, got{1, `{"message":{},"\u006asonrpc":"2.0"}`, "", ""}},
		{"jsonrpc inside is not on top", `{"x":{"jsonrpc":1},"raw":"x"}`, got{1, "x", "", ""}},
		{"an object without either is a frame", `{"dir":"c2a"}`, got{1, `{"dir":"c2a"}`, "c2a", ""}},
		{"case matters", `{"Raw":"x"}`, got{1, `{"Raw":"x"}`, "", ""}},
		{"array", `["raw"]`, got{1, `["raw"]`, "", ""}},
		{"malformed frame", `{"id":1,"method"`, got{1, `{"id":1,"method"`, "", ""}},
		{"cut off in raw", `{"dir":"a2c","raw":"{\"id`, got{1, "", "a2c", "the record is cut off"}},
		{"cut off in an escape", `{"raw":"\`, got{1, "", "", "the record is cut off"}},
		{"cut off in message", `{"message":{"a":[1`, got{1, "", "", "the record is cut off"}},
		{"cut off behind raw", `{"raw":"x"`, got{1, "", "", "the record is cut off"}},
		{"malformed", `{"raw":"x";}`, got{1, "", "", "malformed record"}},
		{"trailing data", `{"raw":"x"}{"raw":"y"}`, got{1, "", "", "malformed record"}},
		{"raw is no string", `{"raw":{"a":1}}`, got{1, "", "", `the record's "raw" is no string`}},
		{"bad direction", `{"dir":"client","raw":"x"}`, got{1, "", "", `the record's "dir" is neither "c2a" nor "a2c"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff([]got{test.want}, readAll(t, strings.NewReader(test.line), 1<<20)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlankRecordIsSkipped(t *testing.T) {
	lines := readAll(t, strings.NewReader(`{"dir":"c2a","raw":" \r"}`+"\n"+`{"dir":"c2a","raw":""}`), 100)
	if len(lines) != 0 {
		t.Errorf("got %v, want no lines", lines)
	}
}

func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", 1000)
	input := long + "\n" + long[:99] + "\n" + long[:100] + "\r\n" + long[:100] + "\n" + long[:101]
	want := []got{
		{1, "", "", "line of 1000 bytes, more than the 100 that are read"},
		{2, long[:99], "", ""},
		{3, "", "", "line of 101 bytes, more than the 100 that are read"},
		{4, long[:100], "", ""},
		{5, "", "", "line of 101 bytes, more than the 100 that are read"},
	}
	for name, src := range map[string]io.Reader{
		"whole": strings.NewReader(input), "bytewise": iotest.OneByteReader(strings.NewReader(input)), "half": iotest.HalfReader(strings.NewReader(input)),
	} {
		if diff := cmp.Diff(want, readAll(t, src, 100)); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", name, diff)
		}
	}
}

func TestBinary(t *testing.T) {
	tests := []struct {
		name   string
		input  string
		binary bool
	}{
		{"compressed", "\x1f\x8b\x08\x00\x00", true},
		{"UTF-16 with a byte order mark", "\xff\xfe{\x00\"\x00", true},
		{"zero byte in a frame", "{\"a\":\"\x00\"}", false},
		{"zero byte behind a byte order mark and white space", "\ufeff \n{\x00", false},
		{"invalid UTF-8", "\xc3\x28\n", false},
		{"zero byte far behind", strings.Repeat("noise ", 200) + "\x00", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := NewReader(strings.NewReader(test.input), 1000).Next()
			if got := errors.Is(err, ErrBinary); got != test.binary {
				t.Errorf("error %v, want ErrBinary: %v", err, test.binary)
			}
		})
	}
}

func TestSourceError(t *testing.T) {
	broken := errors.New("disk on fire")
	r := NewReader(io.MultiReader(strings.NewReader(frame+"\nhalf"), iotest.ErrReader(broken)), 1000)
	for _, want := range []string{frame, "half"} {
		l, err := r.Next()
		if err != nil || string(l.Frame) != want {
			t.Fatalf("Next = %q, %v, want %q", l.Frame, err, want)
		}
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("Next after the last line = %v, want the error of the source", err)
	}
}

// A garbage source is n bytes of one line.
type garbage struct{ left int64 }

func (g *garbage) Read(b []byte) (int, error) {
	if g.left == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(int64(len(b)), g.left)], filler)
	g.left -= int64(n)
	return n, nil
}

var filler = bytes.Repeat([]byte("g"), 1<<20)

func TestLongGarbageInBoundedMemory(t *testing.T) {
	size, longest := int64(1<<30), 64<<20
	if testing.Short() {
		size, longest = 64<<20, 1<<20
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := NewReader(io.MultiReader(&garbage{size}, strings.NewReader("\n"+frame)), longest)
	l, err := r.Next()
	if err != nil || !l.TooLong {
		t.Fatalf("Next = %+v, %v, want a line that is too long", l, err)
	}
	if l, err = r.Next(); err != nil || string(l.Frame) != frame || l.Number != 2 {
		t.Errorf("Next = %+v, %v, want the frame behind it", l, err)
	}
	runtime.ReadMemStats(&after)
	// Doubling up to the limit allocates twice the limit in all.
	if used, limit := after.TotalAlloc-before.TotalAlloc, uint64(2*longest+1<<20); used > limit {
		t.Errorf("%d bytes allocated for a line of %d, want at most %d", used, size, limit)
	}
}

func TestManyEscapesTakeLinearTime(t *testing.T) {
	// Looking for the closing quote once an escape would take hours.
	line := `{"raw":"` + strings.Repeat(`\t`, 2<<20) + `x"}`
	r := NewReader(strings.NewReader(line), len(line))
	l, err := r.Next()
	if err != nil || len(l.Frame) != 2<<20+1 {
		t.Errorf("Next = %d bytes, %v", len(l.Frame), err)
	}
}

func TestSteadyReadingDoesNotAllocate(t *testing.T) {
	record := `{"t":1,"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\"}"}` + "\n"
	input := []byte(strings.Repeat(record+frame+"\n", 5000))
	r := NewReader(bytes.NewReader(input), 1<<20)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(5000, func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations a line, want 0", allocs)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(frame+"\n"), 100)
	f.Add([]byte(`{"dir":"a2c","raw":"{\"id\":\ud800 1}"}`), 50)
	f.Add([]byte(`{"message":[{]`), 7)
	f.Fuzz(func(t *testing.T, input []byte, longest int) {
		longest = max(1, min(longest, 1<<16))
		r := NewReader(iotest.HalfReader(bytes.NewReader(input)), longest)
		for {
			l, err := r.Next()
			if err != nil {
				return
			}
			if (l.Frame == nil) == (l.Fault == "") {
				t.Fatalf("line %d has frame %q and fault %q", l.Number, l.Frame, l.Fault)
			}
			if len(l.Frame) > longest {
				t.Fatalf("line %d has a frame of %d bytes, more than %d", l.Number, len(l.Frame), longest)
			}
		}
	})
}
