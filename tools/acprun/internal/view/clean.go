package view

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// sequences are the terminal's control sequences: colours, movements, titles.
var sequences = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)

// Clean makes text that comes from an agent or a command safe to show on a terminal. Line ends and tabs stay; control sequences go; what else does not show is
// made visible.
func Clean(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	s = sequences.ReplaceAllString(s, "")
	return Visible(strings.ReplaceAll(s, "\r\n", "\n"))
}

// Visible leaves nothing out: control characters are shown as symbols, and the marks that reverse the direction of text as U+FFFD. Line ends and tabs stay.
func Visible(s string) string { return strings.Map(visible, s) }

// OneLine is Visible for text that must not take more than one line.
func OneLine(s string) string {
	return strings.Join(strings.Fields(Visible(strings.ReplaceAll(s, "\r\n", "\n"))), " ")
}

// hidden reports whether a character other than a line end or a tab does something else than to show.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x2028 || r == 0x2029: // line and paragraph separator
		return true
	}
	return reverses(r)
}

// reverses reports whether r is one of the marks that change the direction of text.
func reverses(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

func visible(r rune) rune {
	switch {
	case !hidden(r):
		return r
	case r < ' ':
		return '\u2400' + r
	case r == 0x7f:
		return '\u2421'
	}
	return utf8.RuneError
}
