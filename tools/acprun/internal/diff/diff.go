// Package diff compares two texts line by line.
package diff

import (
	"fmt"
	"slices"
	"strings"
)

// Op says what a [Line] is.
type Op byte

// The operations. They are the characters that stand at the start of a line of a unified diff.
const (
	Keep   Op = ' '
	Delete Op = '-'
	Insert Op = '+'
	Hunk   Op = '@'
	Note   Op = '\\'
)

// A Line is one line of a diff.
type Line struct {
	Op   Op
	Text string // without the line end; of a hunk and a note the whole line
}

// noNewline is the note behind a last line that has no line end.
const noNewline = `\ No newline at end of file`

// maxEdits is how many lines may differ before the rest counts as replaced. It bounds time and memory.
const maxEdits = 1000

// Unified returns the lines of a unified diff, without file names, with as many lines of context. It returns nil if the texts are the same. It is minimal unless
// more than a thousand lines differ.
func Unified(before, after string, context int) []Line {
	if before == after {
		return nil
	}
	a, b := split(before), split(after)
	ops := script(intern(a, b))
	var lines []Line
	x, y := 0, 0 // the lines that ops[done] is about
	for done := 0; done < len(ops); {
		start := next(ops, done)
		if start == len(ops) {
			break
		}
		end := hunkEnd(ops, start, context)
		from := max(start-context, done)
		x, y = x+from-done, y+from-done
		h := hunk{a: a, b: b, x: x, y: y}
		lines = append(lines, h.lines(ops[from:end])...)
		x, y, done = h.x, h.y, end
	}
	return lines
}

// split cuts a text behind its line ends.
func split(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// intern gives equal lines equal numbers.
func intern(a, b []string) (x, y []int) {
	numbers := map[string]int{}
	number := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, l := range lines {
			n, ok := numbers[l]
			if !ok {
				n = len(numbers)
				numbers[l] = n
			}
			out[i] = n
		}
		return out
	}
	return number(a), number(b)
}

// next returns where the next change is.
func next(ops []Op, from int) int {
	for from < len(ops) && ops[from] == Keep {
		from++
	}
	return from
}

// hunkEnd returns where the hunk with the change at start ends: changes whose contexts touch share one.
func hunkEnd(ops []Op, start, context int) int {
	end := start
	for end < len(ops) && ops[end] != Keep {
		end++
	}
	for {
		following := next(ops, end)
		if following == len(ops) || following-end > 2*context {
			return min(end+context, len(ops))
		}
		for end = following; end < len(ops) && ops[end] != Keep; {
			end++
		}
	}
}

// A hunk turns a part of a script into lines. Of a run of changes the deletions come first.
type hunk struct {
	a, b []string
	x, y int
}

func (h *hunk) lines(ops []Op) []Line {
	firstX, firstY := h.x, h.y
	lines := []Line{{Op: Hunk}}
	var inserted []Line
	for _, op := range ops {
		switch op {
		case Delete:
			lines = append(lines, line(Delete, h.a[h.x])...)
			h.x++
		case Insert:
			inserted = append(inserted, line(Insert, h.b[h.y])...)
			h.y++
		case Keep:
			lines, inserted = append(lines, inserted...), nil
			lines = append(lines, line(Keep, h.a[h.x])...)
			h.x, h.y = h.x+1, h.y+1
		case Hunk, Note:
		}
	}
	lines = append(lines, inserted...)
	lines[0].Text = fmt.Sprintf("@@ -%s +%s @@", span(firstX, h.x), span(firstY, h.y))
	return lines
}

func line(op Op, text string) []Line {
	text, ended := strings.CutSuffix(text, "\n")
	if ended {
		return []Line{{op, text}}
	}
	return []Line{{op, text}, {Note, noNewline}}
}

// span is a range of lines as a hunk's header has it. An empty one names the line before it.
func span(start, end int) string {
	switch end - start {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}

// script returns what turns a into b.
func script(a, b []int) []Op {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	ops := slices.Repeat([]Op{Keep}, head)
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	middle, ok := shortest(a, b)
	if !ok {
		middle = append(slices.Repeat([]Op{Delete}, len(a)), slices.Repeat([]Op{Insert}, len(b))...)
	}
	return append(append(ops, middle...), slices.Repeat([]Op{Keep}, tail)...)
}

// shortest is Myers's algorithm: paths of ever more edits, each as far as it gets on its diagonal. It gives up after maxEdits.
func shortest(a, b []int) (ops []Op, ok bool) {
	most := min(len(a)+len(b), maxEdits)
	reach := make([]int, 2*most+3) // reach[most+1+k] is how far in a the path on diagonal k gets
	var trace [][]int              // of d: the reach before step d, from diagonal -d-1 to d+1
	for d := 0; d <= most; d++ {
		trace = append(trace, slices.Clone(reach[most-d:most+d+3]))
		for k := -d; k <= d; k += 2 {
			x := step(reach[most+k:], k, d)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[most+1+k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(trace, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// step returns how far the path on diagonal k gets by one edit from its neighbours, whose reaches are near[0] and near[2].
func step(near []int, k, d int) int {
	if inserts(near, k, d) {
		return near[2]
	}
	return near[0] + 1
}

func inserts(near []int, k, d int) bool {
	return k == -d || k != d && near[0] < near[2]
}

// walkBack follows the path that reached the end back to the start.
func walkBack(trace [][]int, x, y int) []Op {
	var ops []Op
	for d := len(trace) - 1; d > 0; d-- {
		k := x - y
		near := trace[d][k+d:]
		op, from, diagonal := Delete, near[0], k-1
		if inserts(near, k, d) {
			op, from, diagonal = Insert, near[2], k+1
		}
		start := from // where on diagonal k the edit arrives
		if op == Delete {
			start++
		}
		ops = append(ops, slices.Repeat([]Op{Keep}, x-start)...)
		ops = append(ops, op)
		x, y = from, from-diagonal
	}
	ops = append(ops, slices.Repeat([]Op{Keep}, x)...)
	slices.Reverse(ops)
	return ops
}
