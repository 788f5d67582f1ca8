package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A payload is one frame to measure with.
type payload struct {
	name  string
	frame []byte
}

// payloads are the sizes that matter: the small chunk that streaming sends by the thousand, a tool call with code, and text as large as a file.
// The last ones are the strings that are hardest on a scanner.
func payloads() []payload {
	prose := "A frame is one line of text, and the scanner reads it once from left to right. "
	update := func(update string) []byte {
		return []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_0123456789abcdef","update":` + update + `}}`)
	}
	chunk := func(text string) []byte {
		return update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + quoted(text) + `}}`)
	}
	tool := `{"sessionUpdate":"tool_call","toolCallId":"call_17","title":"Edit add.go","kind":"edit","status":"pending","locations":[{"path":"/home/me/add.go","line":12},{"path":"/home/me/add_test.go"}],` +
		`"content":[{"type":"diff","path":"/home/me/add.go","oldText":` + quoted(code(1200)) + `,"newText":` + quoted(code(1900)) + `}],` +
		`"rawInput":{"path":"/home/me/add.go","edits":[{"line":1,"count":3.5e0,"force":true},{"line":9,"count":0,"force":null}]},"_meta":{"trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-01"}}`
	return []payload{
		{"Chunk", chunk("A chunk.")},
		{"ToolCall", update(tool)},
		{"Text", chunk(strings.Repeat(prose, 1<<20/len(prose)))},
		{"Escapes", chunk(code(1 << 16))},
		{"Cyrillic", chunk(strings.Repeat("Кадр — это одна строка текста. ", 1<<16/56))},
		{"Han", chunk(strings.Repeat("一帧就是一行文本。", 1<<16/27))},
		{"Numbers", update(`[` + strings.Repeat(`0,-1.5,12345678,3e8,`, 1<<10) + `0]`)},
		{"Objects", update(`[` + strings.Repeat(`{"line":1,"text":"x","on":true,"next":null,"list":[],"map":{}},`, 1<<8) + `{}]`)},
	}
}

// code returns n bytes of source text. It does not repeat itself, because a branch predictor would learn that.
func code(n int) string {
	lines := []string{
		"func add(a, b int) int {", "\treturn a + b // \"sum\" of the two", "}", "", "var table = map[string]int{", "\t\"one\": 1,", "\t\"seventeen\": 17,",
		"\tif err := w.Flush(); err != nil {", "\t\treturn fmt.Errorf(\"flush: %w\", err)", "\t}", "\tfor i := range names {", "\t\tfmt.Fprintf(w, \"%s\\n\", names[i])",
		"import \"strings\"", "// The scanner reads a frame once.", "\t\t\ttotal += len(parts[i]) + 1",
	}
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(lines[r.IntN(len(lines))])
		b.WriteByte('\n')
	}
	return b.String()[:n]
}

// quoted returns s as a JSON string.
func quoted(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// BenchmarkSkip compares a strict scan with the strictest tokenizer there is, and reports our time as a part of its time.
func BenchmarkSkip(b *testing.B) {
	for _, p := range payloads() {
		b.Run(p.name, func(b *testing.B) {
			dec := jsontext.NewDecoder(bytes.NewReader(nil))
			ratio(b, len(p.frame), func() error { return skipAll(p.frame) }, func() error { return tokens(dec, p.frame) })
		})
	}
}

// BenchmarkString compares decoding one literal into a Go string.
func BenchmarkString(b *testing.B) {
	for _, p := range payloads() {
		b.Run(p.name, func(b *testing.B) {
			literal := []byte(quoted(string(p.frame)))
			dec := jsontext.NewDecoder(bytes.NewReader(nil))
			ratio(b, len(literal), func() error {
				d := NewDecoder(literal, nil)
				_ = d.String()
				d.EOF()
				_, err := d.Finish()
				d.Release()
				return err
			}, func() error {
				dec.Reset(bytes.NewBuffer(literal))
				t, err := dec.ReadToken()
				if err == nil {
					_ = t.String()
				}
				return err
			})
		})
	}
}

// BenchmarkLookahead measures finding a tag that stands behind the text.
func BenchmarkLookahead(b *testing.B) {
	text := quoted(strings.Repeat("It may stand behind everything else.\n", 1<<20/37))
	frame := []byte(`{"text":` + text + `,"type":"text"}`)
	dec := jsontext.NewDecoder(bytes.NewReader(nil))
	ratio(b, len(frame), func() error {
		d := NewDecoder(frame, nil)
		defer d.Release()
		if tag, ok := d.Tag("ContentBlock", "type"); !ok || string(tag) != "text" {
			return errors.New("no tag")
		}
		return nil
	}, func() error { return tokens(dec, frame) })
}

// BenchmarkAppendString compares encoding a string into memory that is there already.
func BenchmarkAppendString(b *testing.B) {
	for _, p := range payloads() {
		b.Run(p.name, func(b *testing.B) {
			s := string(p.frame)
			var our, their []byte
			ratio(b, len(s), func() error {
				our, _ = appendString(our[:0], s)
				return nil
			}, func() (err error) {
				their, err = jsontext.AppendQuote(their[:0], s)
				return err
			})
		})
	}
}

// ratio reports how the time of ours relates to that of theirs. The two take turns and the best turn of each counts, so that a busy machine
// changes little.
func ratio(b *testing.B, size int, ours, theirs func() error) {
	b.Helper()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	our, their := time.Duration(1<<62), time.Duration(1<<62)
	round := max(1, 1<<18/size)
	for b.Loop() {
		start := time.Now()
		for range round {
			if err := ours(); err != nil {
				b.Fatal(err)
			}
		}
		mid := time.Now()
		for range round {
			if err := theirs(); err != nil {
				b.Fatal(err)
			}
		}
		our = min(our, mid.Sub(start))
		their = min(their, time.Since(mid))
	}
	n := float64(round)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(0, "MB/s")
	b.ReportMetric(float64(our.Nanoseconds())/n, "ns/ours")
	b.ReportMetric(float64(their.Nanoseconds())/n, "ns/jsontext")
	b.ReportMetric(float64(our)/float64(their), "ratio")
}

func skipAll(frame []byte) error {
	d := NewDecoder(frame, nil)
	defer d.Release()
	d.Skip()
	d.EOF()
	_, err := d.Finish()
	return err
}

func tokens(dec *jsontext.Decoder, frame []byte) error {
	dec.Reset(bytes.NewBuffer(frame))
	for {
		if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestPayloads keeps the payloads as large as their benchmarks say.
func TestPayloads(t *testing.T) {
	want := map[string][2]int{"Chunk": {160, 200}, "ToolCall": {3900, 4500}, "Text": {1 << 20, 1<<20 + 300}}
	for _, p := range payloads() {
		if !jsontext.Value(p.frame).IsValid() {
			t.Errorf("%s is not valid", p.name)
		}
		if bounds, ok := want[p.name]; ok && (len(p.frame) < bounds[0] || len(p.frame) > bounds[1]) {
			t.Errorf("%s has %s bytes, want %v", p.name, strconv.Itoa(len(p.frame)), bounds)
		}
	}
}
