package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// syntax records a syntax error at offset at and makes every further read return nothing.
func (d *Decoder) syntax(at int, msg string) {
	if d.fatal == nil {
		d.fatal = &fault{at: at, msg: msg}
		d.failed++
	}
	d.pos = len(d.buf)
}

// fault records a JSON error that does not hide where the next token starts. One in what is read again has been recorded already.
func (d *Decoder) fault(at int, msg string) {
	switch {
	case at < d.read:
	case len(d.faults) >= d.limit:
		d.lost.faults++
	default:
		d.faults = append(d.faults, fault{at: at, msg: msg})
	}
}

// space skips white space.
func (d *Decoder) space() {
	for d.pos < len(d.buf) {
		switch d.buf[d.pos] {
		case ' ', '\t', '\r', '\n':
			d.pos++
		default:
			return
		}
	}
}

// peek skips white space and returns the next byte, or 0 at the end.
func (d *Decoder) peek() byte {
	if d.pos < len(d.buf) && d.buf[d.pos] > ' ' {
		return d.buf[d.pos]
	}
	d.space()
	if d.pos < len(d.buf) {
		return d.buf[d.pos]
	}
	return 0
}

// unexpected records that the input ends too early, or that the byte at pos starts no token.
func (d *Decoder) unexpected(want string) {
	if d.pos >= len(d.buf) {
		d.syntax(d.pos, "unexpected end of input, expected "+want)
		return
	}
	d.syntax(d.pos, "unexpected character, expected "+want)
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special returns a word whose high bits mark the bytes of w that are no plain string characters: quotes, backslashes, control characters and the
// bytes of multi-byte characters.
func special(w uint64) uint64 {
	const low7 = ^uint64(highBits)
	c := w & low7
	return ^((c + (0x80-' ')*lowBits) & ((c ^ '"'*lowBits) + low7) & ((c ^ '\\'*lowBits) + low7) &^ w) & highBits
}

// text reads the string at pos, which is at its opening quote, and returns what stands between the quotes. plain means that this is the
// string's value; otherwise it has escapes or faults and must go through [Decoder.unquote].
func (d *Decoder) text() (s []byte, plain bool) {
	b, start := d.buf, d.pos+1
	i := start
	plain = true
	for {
	words:
		for i+9 <= len(b) {
			word := b[i : i+9] // and what an escape sequence at its end goes on with
			i += 8
			for m := special(binary.LittleEndian.Uint64(word)); m != 0; {
				n := bits.TrailingZeros64(m) >> 3
				if word[n] != '\\' || unescaped[word[n+1]] == 0 {
					i += n - 8
					break words
				}
				plain = false
				m &= ^uint64(0) << (8*n + 16)
				if n == 7 {
					i++
				}
			}
		}
		if i >= len(b) {
			d.syntax(len(b), "unexpected end of input in a string")
			return nil, true
		}
		switch c := b[i]; {
		case c == '"':
			d.pos = i + 1
			return b[start:i:i], plain
		case c == '\\':
			plain = false
			n := d.escape(i)
			if n == 0 {
				return nil, true
			}
			i += n
		case c < ' ':
			d.syntax(i, "control character in a string")
			return nil, true
		case c >= utf8.RuneSelf:
			end := foreign(b, i)
			if end == i {
				d.fault(i, "invalid UTF-8 in a string")
				plain = false
				end++
			}
			i = end
		default:
			i++
		}
	}
}

// foreign returns the end of the words at i that are not ASCII but valid UTF-8.
func foreign(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c < utf8.RuneSelf:
			// A single space or hyphen between words is no reason to start over.
			if c != ' ' && c != '-' || i+1 >= len(b) || b[i+1] < utf8.RuneSelf {
				return i
			}
			i++
		case c >= 0xc2 && c <= 0xdf && i+1 < len(b) && b[i+1]&0xc0 == 0x80:
			i += 2
		case c >= 0xe1 && c <= 0xef && c != 0xed && i+2 < len(b) && b[i+1]&0xc0 == 0x80 && b[i+2]&0xc0 == 0x80:
			i += 3
		default:
			_, n := utf8.DecodeRune(b[i:])
			if n == 1 {
				return i
			}
			i += n
		}
	}
	return i
}

// escape checks the escape sequence at i and returns its length, or 0 after a syntax error. The two escapes of a surrogate pair are one.
func (d *Decoder) escape(i int) int {
	b := d.buf
	if i+1 >= len(b) {
		d.syntax(len(b), "unexpected end of input in a string")
		return 0
	}
	if unescaped[b[i+1]] != 0 {
		return 2
	}
	if b[i+1] == 'u' {
		if r, n := unicodeEscape(b[i:]); n > 0 {
			if isSurrogate(r) {
				d.surrogate(i)
			}
			return n
		}
	}
	d.syntax(i, "invalid escape sequence in a string")
	return 0
}

// surrogate records a lone surrogate, which no Go string can hold.
func (d *Decoder) surrogate(i int) {
	const msg = "lone surrogate in a string"
	if !d.lenient {
		d.fault(i, msg)
		return
	}
	d.replaced++
	if i >= d.read {
		d.addFix(fix{at: i, action: Replaced, msg: msg + ", replaced by U+FFFD"})
	}
}

// number reads the number at pos, where a digit or a minus sign is, and returns its text. integer means it has neither fraction nor exponent.
func (d *Decoder) number() (s []byte, integer bool) {
	b, i := d.buf, d.pos
	if b[i] == '-' {
		i++
	}
	whole := i
	for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
		i++
	}
	if i == whole {
		return d.badNumber(i)
	}
	if b[whole] == '0' {
		i = whole + 1 // a digit behind a leading zero starts no token
	}
	integer = true
	if i < len(b) && (b[i] == '.' || b[i]|0x20 == 'e') {
		integer = false
		if i = d.fraction(i); i < 0 {
			return nil, false
		}
	}
	s = b[d.pos:i:i]
	d.pos = i
	return s, integer
}

// fraction reads the fraction and the exponent at i and returns their end, or -1 after a syntax error.
func (d *Decoder) fraction(i int) int {
	b := d.buf
	if b[i] == '.' {
		start := i + 1
		if i = digits(b, start); i == start {
			d.badNumber(i)
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start := i
		if i = digits(b, start); i == start {
			d.badNumber(i)
			return -1
		}
	}
	return i
}

func (d *Decoder) badNumber(at int) ([]byte, bool) {
	d.pos = at
	d.unexpected("a digit")
	return nil, false
}

// digits returns the end of the run of digits at i.
func digits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// literal reads the literal lit, whose first byte is known to be at pos.
func (d *Decoder) literal(lit string) bool {
	if end := d.pos + len(lit); end <= len(d.buf) && string(d.buf[d.pos:end]) == lit {
		d.pos = end
		return true
	}
	d.syntax(d.pos, "invalid literal, expected "+lit)
	return false
}
