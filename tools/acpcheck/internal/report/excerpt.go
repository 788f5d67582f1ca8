package report

import (
	"strings"
	"unicode/utf8"

	"github.com/acpwire/acpwire/gen/wire"
)

// before is how many bytes of a long frame are shown before the fault.
const before = 30

// A span is a part of a frame, by offsets.
type span struct{ start, end int }

// excerpt returns the part of the frame around the fault at an offset, in one line, and the line of marks below it. What is shown is the object or array that the faulty
// value stands in, or as much of it as fits.
func excerpt(frame []byte, offset int, rule wire.Rule) (shown, marks string) {
	offset = min(offset, len(frame))
	fault := span{offset, faultEnd(frame, offset, rule)}
	part := span{0, len(frame)}
	if start := enclosing(frame, offset); start >= 0 {
		part = span{start, valueEnd(frame, start)}
	}
	if part.end <= offset { // the fault is where something is missing
		part.end = len(frame)
	}
	if part.end-part.start > width && fault.start-part.start > before {
		part.start = fault.start - before
		for part.start > 0 && !utf8.RuneStart(frame[part.start]) {
			part.start--
		}
	}
	return draw(frame, part, fault)
}

// draw returns a part of the frame, cut to the width, and marks below the fault in it.
func draw(frame []byte, part, fault span) (shown, marks string) {
	var text, under strings.Builder
	used := 0
	put := func(r rune, marked bool) {
		n := columns(r)
		used += n
		text.WriteRune(r)
		mark := " "
		if marked {
			mark = "^"
		}
		under.WriteString(strings.Repeat(mark, n))
	}
	if part.start > 0 && frame[part.start] != '{' && frame[part.start] != '[' {
		put('…', false)
	}
	i := part.start
	// Marks that combine with the character before them take no column, but not without end.
	for n := 0; i < part.end && used < width && n < 2*width; n++ {
		r, size := utf8.DecodeRune(frame[i:])
		put(visible(r), i >= fault.start && i < fault.end)
		i += size
	}
	switch {
	case i < part.end:
		put('…', false)
	case fault.start >= i:
		under.WriteByte('^')
	}
	return strings.TrimRight(text.String(), " "), strings.TrimRight(under.String(), " ")
}

// faultEnd returns where the fault at an offset ends: with the value that starts there, or with the character if the fault is of the JSON itself.
func faultEnd(frame []byte, offset int, rule wire.Rule) int {
	if offset >= len(frame) {
		return offset
	}
	if rule == wire.RuleJSON && frame[offset] != '"' {
		if frame[offset] == '\\' {
			return min(offset+6, len(frame))
		}
		_, n := utf8.DecodeRune(frame[offset:])
		return offset + n
	}
	return valueEnd(frame, offset)
}

// valueEnd returns the end of the value at an offset; of what is left if it is malformed.
func valueEnd(frame []byte, offset int) int {
	d := wire.NewDecoder(frame[offset:], nil)
	defer d.Release()
	if d.Skip(); d.Fatal() {
		return len(frame)
	}
	return offset + d.Offset()
}

// enclosing returns where the innermost object or array starts that is open at an offset, or -1 if none is.
func enclosing(frame []byte, offset int) int {
	var open []int
	quoted := false
	for i := 0; i < offset; i++ {
		switch c := frame[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open = append(open, i)
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}
