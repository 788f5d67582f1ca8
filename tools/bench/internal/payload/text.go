package payload

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// source returns random numbers that are always the same, because payloads must be. Random, because a branch predictor learns what repeats.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x5eed)) }

var words = strings.Fields(`the a of and to in is that it was for on with as by at from this which or an be are one two line frame value object member
name string number list reader writer buffer agent client session prompt turn update request answer error schema rule test file path table row column
returns holds keeps reads writes checks names rejects accepts once twice never always first last`)

// prose returns n bytes of Markdown as models write it: paragraphs of some lines, quotes, code spans, now and then a letter or a sign beyond ASCII.
func prose(n int) string {
	r := source(3)
	var b strings.Builder
	b.Grow(n + 32)
	column := 0
	for b.Len() < n {
		word := words[r.IntN(len(words))]
		switch r.IntN(40) {
		case 0:
			word = "`" + word + "`"
		case 1:
			word = `"` + word + `"`
		case 2:
			word += " — naïve"
		case 3:
			word += ","
		}
		b.WriteString(word)
		switch column += len(word) + 1; {
		case column < 100:
			b.WriteByte(' ')
		case r.IntN(5) == 0:
			b.WriteString(".\n\n")
			column = 0
		default:
			b.WriteByte('\n')
			column = 0
		}
	}
	return cut(b.String(), n)
}

// code returns n bytes of source code.
func code(n int, seed uint64) string {
	lines := []string{
		"func (t *Table) Row(i int) []string {", "\treturn t.rows[i]", "}", "", "\tif err := w.Flush(); err != nil {", "\t\treturn fmt.Errorf(\"flush: %w\", err)", "\t}",
		"// Column returns the cells of one column, from top to bottom.", "var widths = map[string]int{", "\t\"name\": 24,", "\t\"size\": 8,", "\tfor i := range t.rows {",
		"\t\tfmt.Fprintf(w, \"%s\\t%d\\n\", t.rows[i][0], i)", "\t\t\ttotal += len(cell) + 1", "import \"strings\"", "\tcase width < 0 && len(cells) > 1:",
	}
	r := source(seed)
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(lines[r.IntN(len(lines))])
		b.WriteByte('\n')
	}
	return b.String()[:n]
}

// base64Noise returns n bytes in base64, as compressed pictures look.
func base64Noise(n int) string {
	r := source(4)
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return base64.StdEncoding.EncodeToString(b)
}

// cut returns at most n bytes of s that are whole characters.
func cut(s string, n int) string { return strings.ToValidUTF8(s[:n], "") }

// Chunks returns n pieces of text as models stream them, from one to a dozen words.
func Chunks(n int) []string {
	r := source(5)
	pieces := make([]string, n)
	for i := range pieces {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(" \n"[r.IntN(20)/19])
		}
		pieces[i] = b.String()
	}
	return pieces
}
