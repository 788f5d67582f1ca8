package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// TestCorpusRoundTrip decodes and encodes every valid frame of the corpus. What comes out must be the same JSON, but for the members that the decoder says it dropped:
// those that the schema does not name, and nulls that mean absence.
func TestCorpusRoundTrip(t *testing.T) {
	dir := shared(t, "CORPUS", "corpus")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s", dir)
	}
	var c tripCounts
	for _, name := range files {
		roundTripFile(t, name, &c)
	}
	t.Logf("%d values of %d frames come back; %d unknown members and %d nulls were dropped, as reported", c.values, c.frames, c.unknown, c.nulls)
	if c.values == 0 {
		t.Error("no value was decoded and encoded")
	}
}

type tripCounts struct{ frames, values, unknown, nulls int }

// roundTripFile keeps track of the requests in a transcript whose lines all carry their direction.
func roundTripFile(t *testing.T, name string, c *tripCounts) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	open := map[transcript.Direction]map[wire.RequestID]*wire.Method{transcript.ClientToAgent: {}, transcript.AgentToClient: {}}
	parsers := map[transcript.Direction]*acp.Parser{
		transcript.ClientToAgent: acp.NewParser(acpv1.Surface, wire.ClientSide), transcript.AgentToClient: acp.NewParser(acpv1.Surface, wire.AgentSide),
	}
	for d, p := range parsers {
		p.Pending = func(id wire.RequestID) (acp.Pending, bool) {
			m, ok := open[d.Reverse()][id.Key()]
			return acp.Pending{Method: m}, ok
		}
	}
	for r := transcript.NewReader(f, 64<<20); ; {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || line.Fault != "" {
			t.Fatalf("%s:%d: %v %s", name, line.Number, err, line.Fault)
		}
		var frame acp.Frame
		parsers[line.Direction].Parse(line.Frame, &frame)
		if frame.IsResponse() {
			delete(open[line.Direction.Reverse()], frame.ID.Key())
		}
		if frame.AwaitsAnswer() {
			open[line.Direction][frame.ID.Key()] = frame.Spec
		}
		if !frame.Valid() {
			continue
		}
		c.frames++
		for _, problem := range roundTrip(t, line.Frame, &frame, c) {
			t.Errorf("%s:%d: %s", name, line.Number, problem)
		}
	}
}

// roundTrip returns what is wrong with the frame's value after it has been encoded again.
func roundTrip(t *testing.T, line []byte, f *acp.Frame, c *tripCounts) []string {
	t.Helper()
	base, value, raw := "/params", wire.Marshaler(f.Value), f.Raw
	switch f.Kind {
	case acp.KindResponse:
		base = "/result"
	case acp.KindError:
		var whole struct {
			Error json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &whole); err != nil {
			t.Fatal(err)
		}
		base, value, raw = "/error", f.Error, whole.Error
	case acp.KindRequest, acp.KindNotification, acp.KindUnknown:
	}
	if f.Value == nil && f.Error == nil {
		return nil // the params or result of an extension, whose bytes are kept
	}
	if raw == nil {
		raw = []byte("{}")
	}
	encoded, err := wire.Marshal(value)
	if err != nil {
		return []string{"valid, and refused by the encoder: " + err.Error()}
	}
	c.values++
	d := difference{unknown: map[string]bool{}}
	for _, pointer := range f.UnknownPointers {
		if strings.HasPrefix(pointer, base+"/") {
			d.unknown[pointer] = true
		}
	}
	c.unknown += len(d.unknown)
	c.nulls += f.Nulls
	d.compare(base, tree(t, raw), tree(t, encoded))
	for pointer := range d.unknown {
		d.wrong = append(d.wrong, pointer+" is reported as dropped, and still there")
	}
	if d.nulls != f.Nulls {
		d.wrong = append(d.wrong, strconv.Itoa(d.nulls)+" nulls are lost, "+strconv.Itoa(f.Nulls)+" reported")
	}
	return d.wrong
}

func tree(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// A difference is what became of a value.
type difference struct {
	unknown map[string]bool // pointers of members that are reported as dropped, until they are found missing
	nulls   int             // how many other members that were null are gone
	wrong   []string
}

func (d *difference) compare(pointer string, was, is any) {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			d.wrong = append(d.wrong, pointer+" was an object")
			return
		}
		d.compareMembers(pointer, was, is)
	case []any:
		is, ok := is.([]any)
		if !ok || len(is) != len(was) {
			d.wrong = append(d.wrong, pointer+" was an array of "+strconv.Itoa(len(was)))
			return
		}
		for i := range was {
			d.compare(pointer+"/"+strconv.Itoa(i), was[i], is[i])
		}
	case json.Number:
		if is, ok := is.(json.Number); !ok || decimal(was.String()) != decimal(is.String()) {
			d.wrong = append(d.wrong, pointer+" was the number "+was.String())
		}
	default:
		if was != is {
			d.wrong = append(d.wrong, pointer+" was another value")
		}
	}
}

func (d *difference) compareMembers(pointer string, was, is map[string]any) {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for name, value := range was {
		at := pointer + "/" + escape.Replace(name)
		other, ok := is[name]
		switch {
		case ok:
			d.compare(at, value, other)
		case d.unknown[at]:
			delete(d.unknown, at)
		case value == nil:
			d.nulls++
		default:
			d.wrong = append(d.wrong, at+" is lost without a word")
		}
	}
	for name := range is {
		if _, ok := was[name]; !ok {
			d.wrong = append(d.wrong, pointer+"/"+name+" was not there")
		}
	}
}

// decimal returns the one way to write a number: its digits without zeros at either end, and the power of ten of the last of them.
func decimal(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	power, err := strconv.Atoi(exponent)
	if exponent != "" && err != nil {
		return sign + s // beyond any number that is not text
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	power -= len(fraction)
	short := strings.TrimRight(digits, "0")
	power += len(digits) - len(short)
	short = strings.TrimLeft(short, "0")
	if short == "" {
		return "0"
	}
	return sign + short + "e" + strconv.Itoa(power)
}

func TestDecimal(t *testing.T) {
	for _, same := range [][]string{
		{"0", "-0", "0.0", "0e5"}, {"1", "1.0", "10e-1", "0.1e1"}, {"7e3", "7000", "7000.00", "7E+3"}, {"-12.5", "-1250e-2"}, {"9007199254740993"}, {"9007199254740992"},
	} {
		for _, s := range same {
			if decimal(s) != decimal(same[0]) {
				t.Errorf("decimal(%s) = %s, and decimal(%s) = %s", s, decimal(s), same[0], decimal(same[0]))
			}
		}
	}
	if decimal("9007199254740993") == decimal("9007199254740992") {
		t.Error("two numbers are one")
	}
}
