package wire

import (
	"strings"
	"unicode"
)

// maxGot is how much of a value a violation shows.
const maxGot = 48

// excerpt returns the value at offset at in one line, cut. It reads no more of b than it may show.
func excerpt(b []byte, at int) string {
	if at >= len(b) {
		return ""
	}
	b = b[at:]
	window := b[:min(len(b), maxGot+1)]
	d := NewDecoder(window, nil)
	defer d.Release()
	if d.Skip(); d.fatal == nil {
		window = window[:d.pos]
	}
	if len(window) <= maxGot {
		return oneLine(strings.ToValidUTF8(string(window), "\uFFFD"))
	}
	return oneLine(strings.ToValidUTF8(string(window[:maxGot]), "")) + "…"
}

// oneLine returns s with white space for line breaks and without other control characters, which might drive a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
