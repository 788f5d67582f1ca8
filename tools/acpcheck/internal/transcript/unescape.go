package transcript

import (
	"unicode/utf16"
	"unicode/utf8"
)

// unescape reads the string at i and appends its value to raw. It keeps what it cannot read as it is, and encodes a lone surrogate as the three bytes that UTF-8
// would have for it: both are then faults of the frame, found by whoever judges it.
func (s *scanner) unescape() bool {
	if !s.take('"') {
		return false
	}
	// Escapes stand close together in a frame, so a plain loop beats looking for the next one.
	for i := s.i; i < len(s.b); i++ {
		c := s.b[i]
		if c != '"' && c != '\\' {
			continue
		}
		s.raw = append(s.raw, s.b[s.i:i]...)
		s.i = i + 1
		if c == '"' {
			return true
		}
		if s.i < len(s.b) {
			s.escape()
		}
		i = s.i - 1
	}
	s.i = len(s.b)
	return false
}

// escape reads an escape sequence, whose backslash has been read.
func (s *scanner) escape() {
	c := s.b[s.i]
	s.i++
	switch c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case '"', '\\', '/':
	case 'u':
		s.unicode()
		return
	default:
		s.raw = append(s.raw, '\\')
	}
	s.raw = append(s.raw, c)
}

// unicode reads the digits of a \u escape, and the second one of a surrogate pair.
func (s *scanner) unicode() {
	r, ok := hex4(s.b, s.i)
	if !ok {
		s.raw = append(s.raw, `\u`...)
		return
	}
	s.i += 4
	if !utf16.IsSurrogate(r) {
		s.raw = utf8.AppendRune(s.raw, r)
		return
	}
	if s.i+6 <= len(s.b) && s.b[s.i] == '\\' && s.b[s.i+1] == 'u' {
		if low, ok := hex4(s.b, s.i+2); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				s.i += 6
				s.raw = utf8.AppendRune(s.raw, pair)
				return
			}
		}
	}
	s.raw = append(s.raw, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}

// hex4 reads four hexadecimal digits at i.
func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
