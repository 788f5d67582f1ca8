package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes text that comes from a transcript safe to print on a terminal, in one line. Each character stays one character, so that marks below it fit.
func printable(s string) string {
	return strings.Map(visible, s)
}

// visible returns the symbol of a control character, and U+FFFD for whatever else does not show, such as the marks that reverse the direction of text.
func visible(r rune) rune {
	switch {
	case r < ' ':
		return '\u2400' + r
	case r == 0x7f:
		return '\u2421'
	case r == ' ' || unicode.IsPrint(r):
		return r
	}
	return utf8.RuneError
}

// wide are the ranges of characters that take two columns.
var wide = []struct{ lo, hi rune }{
	{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6},
	{0x1f300, 0x1faff}, {0x20000, 0x3fffd},
}

// columns returns how many columns a visible character takes.
func columns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	for _, w := range wide {
		if r >= w.lo && r <= w.hi {
			return 2
		}
	}
	return 1
}

// cut shortens text to a number of characters.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
