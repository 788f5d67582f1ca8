package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"
)

// unescaped maps the character behind a backslash to what the two stand for, or to 0 if they are no escape sequence on their own.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// value reads the string at pos and returns its value. plain means that it stands in the input; otherwise it is valid until the next call.
func (d *Decoder) value() (s []byte, plain bool) {
	b, start := d.buf, d.pos+1
	i := start
	for i+8 <= len(b) {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			break
		}
		i += 8
	}
	if i < len(b) && b[i] == '"' {
		d.pos = i + 1
		return b[start:i:i], true
	}
	if i < len(b) && b[i] == '\\' {
		return d.resolve(start, i), false
	}
	s, plain = d.text()
	if !plain {
		s = d.unquote(s)
	}
	return s, plain
}

// resolve reads a string whose text starts at start and is plain up to the backslash at i, and resolves its escape sequences in the same pass. It copies
// words at a time, also past the end of a run: what follows overwrites that.
func (d *Decoder) resolve(start, i int) []byte {
	b, out := d.buf, d.out
	w := i - start
	if len(out) < w+room {
		out = make([]byte, w+room+min(len(b)-i, keepOut/4))
	}
	copy(out, b[start:i])
	for {
		if w+room > len(out) {
			out = extend(out, len(b)-i)
		}
		for i+8 <= len(b) {
			if w+room > len(out) {
				out = extend(out, len(b)-i)
			}
			word := binary.LittleEndian.Uint64(b[i:])
			binary.LittleEndian.PutUint64(out[w:], word)
			m := special(word)
			if m != 0 {
				n := bits.TrailingZeros64(m) >> 3
				i, w = i+n, w+n
				break
			}
			i, w = i+8, w+8
		}
		if i >= len(b) {
			d.syntax(len(b), "unexpected end of input in a string")
			return nil
		}
		switch c := b[i]; {
		case c == '"':
			d.pos, d.out = i+1, out
			return out[:w]
		case c == '\\':
			if i+1 < len(b) && unescaped[b[i+1]] != 0 {
				out[w] = unescaped[b[i+1]]
				i, w = i+2, w+1
				continue
			}
			n := d.escape(i)
			if n == 0 {
				return nil
			}
			r, _ := unicodeEscape(b[i:])
			w += utf8.EncodeRune(out[w:w+utf8.UTFMax], r)
			i += n
		case c < ' ':
			d.syntax(i, "control character in a string")
			return nil
		case c >= utf8.RuneSelf:
			end := foreign(b, i)
			out = append(out[:w], b[i:end]...)
			if end == i {
				d.fault(i, "invalid UTF-8 in a string")
				out = append(out, "\uFFFD"...)
				end++
			}
			i, w, out = end, len(out), out[:cap(out)]
		default:
			out[w] = c
			i, w = i+1, w+1
		}
	}
}

// room is what resolve may write before it looks again whether there is room: a word, an escape sequence and what is left behind the last word.
const room = 32

// extend makes s longer. A string beyond what stays in the pool is taken to go on to the end of the input, rest bytes away.
func extend(s []byte, rest int) []byte {
	if len(s) < keepOut {
		return append(s, make([]byte, len(s))...)
	}
	return append(s, make([]byte, rest+room)...)
}

// unquote returns the value of a string that [Decoder.text] has read, in fresh memory. Lone surrogates and invalid UTF-8 become U+FFFD.
func (d *Decoder) unquote(s []byte) []byte {
	out := unquote(s)
	if len(d.faults) > 0 {
		return validUTF8(out)
	}
	return out
}

// unquote resolves the escape sequences of s, which are known to be valid, in fresh memory. It copies words at a time, also past the start of
// an escape sequence: the value is never longer than what stands for it.
func unquote(s []byte) []byte {
	out := make([]byte, len(s))
	r, w := 0, 0
	for r < len(s) {
		if r+8 <= len(s) {
			word := binary.LittleEndian.Uint64(s[r:])
			binary.LittleEndian.PutUint64(out[w:], word)
			m := slash(word)
			if m == 0 {
				r, w = r+8, w+8
				continue
			}
			n := bits.TrailingZeros64(m) >> 3
			r, w = r+n, w+n
		} else if s[r] != '\\' {
			out[w] = s[r]
			r, w = r+1, w+1
			continue
		}
		if c := unescaped[s[r+1]]; c != 0 {
			out[w] = c
			r, w = r+2, w+1
			continue
		}
		c, n := unicodeEscape(s[r:])
		w += utf8.EncodeRune(out[w:], c)
		r += n
	}
	return out[:w]
}

// slash returns a word whose lowest set bit marks the first backslash in w. Higher bits may be wrong.
func slash(w uint64) uint64 {
	w ^= '\\' * lowBits
	return (w - lowBits) &^ w & highBits
}

// unicodeEscape returns what the \u escape at the start of s stands for and its length, which includes the second half of a surrogate
// pair. A lone surrogate is returned as it is. The length is 0 if there are no four hexadecimal digits.
func unicodeEscape(s []byte) (r rune, n int) {
	r, ok := hex4(s, 2)
	if !ok {
		return 0, 0
	}
	if r >= 0xd800 && r < 0xdc00 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low, ok := hex4(s, 8); ok && low >= 0xdc00 && low <= 0xdfff {
			return (r-0xd800)<<10 | (low - 0xdc00) + 0x10000, 12
		}
	}
	return r, 6
}

func isSurrogate(r rune) bool { return r >= 0xd800 && r <= 0xdfff }

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

// replaceSurrogates overwrites each lone surrogate in raw, which is valid JSON otherwise, by the escape of U+FFFD.
func replaceSurrogates(raw []byte) {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			i++
			continue
		}
		if raw[i+1] != 'u' {
			i += 2
			continue
		}
		r, n := unicodeEscape(raw[i:])
		if isSurrogate(r) {
			copy(raw[i:], `\ufffd`)
		}
		i += n
	}
}

// escapes maps characters to the letter that stands for them behind a backslash. Other control characters have none.
var escapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// appendString appends s as a JSON string with no more escapes than it needs. ok is false if s is not valid UTF-8; each byte that belongs to no
// character is then written as U+FFFD. It copies words at a time like resolve.
func appendString(dst []byte, s string) (_ []byte, ok bool) {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	dst = append(slices.Grow(dst, len(s)+len(s)/16+room), '"')
	out, w := dst[:cap(dst)], len(dst)
	ok = true
	for i := 0; i < len(b); {
		if w+room > len(out) {
			out = slices.Grow(out, len(out)+len(b)-i)
			out = out[:cap(out)]
		}
		if i+8 <= len(b) {
			n, size := appendWord(out[w:], binary.LittleEndian.Uint64(b[i:]))
			i, w = i+n, w+size
			if n == 8 {
				continue
			}
		}
		switch c := b[i]; {
		case escapes[c] != 0:
			out[w], out[w+1] = '\\', escapes[c]
			i, w = i+1, w+2
		case c < ' ':
			const hex = "0123456789abcdef"
			w += copy(out[w:], []byte{'\\', 'u', '0', '0', hex[c>>4], hex[c&15]})
			i++
		case c >= utf8.RuneSelf:
			end := foreign(b, i)
			out = append(out[:w], b[i:end]...)
			if end == i {
				out = append(out, "\uFFFD"...)
				ok = false
				end++
			}
			i, w, out = end, len(out), out[:cap(out)]
		default:
			out[w] = c
			i, w = i+1, w+1
		}
	}
	return append(out[:w], '"'), ok
}

// isPlain reports whether s stands for itself between quotes: most strings do, and are then copied whole.
func isPlain(s string) bool {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	if len(b) < 8 {
		for _, c := range b {
			if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
				return false
			}
		}
		return true
	}
	for i := 0; i+8 < len(b); i += 8 {
		if special(binary.LittleEndian.Uint64(b[i:])) != 0 {
			return false
		}
	}
	return special(binary.LittleEndian.Uint64(b[len(b)-8:])) == 0
}

// appendWord writes the bytes of word to out, up to one that needs a closer look, and returns how many those are and how many it wrote.
func appendWord(out []byte, word uint64) (n, size int) {
	m := special(word)
	binary.LittleEndian.PutUint64(out, word)
	for m != 0 {
		run := bits.TrailingZeros64(m) >> 3
		size += run
		n += run
		word >>= 8 * run
		c := escapes[byte(word)]
		if c == 0 {
			return n, size
		}
		out[size], out[size+1] = '\\', c
		size += 2
		n++
		word >>= 8
		m >>= 8*run + 8
		binary.LittleEndian.PutUint64(out[size:], word)
	}
	return 8, size + 8 - n
}

// validUTF8 returns s with each byte that belongs to no character replaced by U+FFFD.
func validUTF8(s []byte) []byte {
	if utf8.Valid(s) {
		return s
	}
	out := make([]byte, 0, len(s)+utf8.UTFMax)
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		out = utf8.AppendRune(out, r)
		s = s[n:]
	}
	return out
}
