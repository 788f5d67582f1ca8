package wire

import (
	"encoding/binary"
	"math/bits"
)

// lookTag looks for the string member tag of the object at pos without moving.
func (d *Decoder) lookTag(tag string) (value []byte, at int, state tagState) {
	if d.peek() != '{' {
		return nil, d.pos, tagNoObject
	}
	l := looker{b: d.buf, i: d.pos + 1}
	state = tagMissing
	for l.next() {
		if string(l.name) != tag {
			l.skip()
			continue
		}
		l.space()
		at = l.i
		if l.i >= len(l.b) || l.b[l.i] != '"' {
			return nil, at, tagNotString
		}
		value, plain, ok := l.text()
		if !ok {
			return nil, at, tagMissing
		}
		if !plain {
			value = unquote(value)
		}
		return value, at, tagFound
	}
	return nil, d.pos, state
}

// HasKeys reports whether the object that comes next has all of the members. The position stays.
func (d *Decoder) HasKeys(keys ...string) bool {
	if d.peek() != '{' {
		return false
	}
	l := looker{b: d.buf, i: d.pos + 1}
	missing := uint64(1)<<len(keys) - 1
	for missing != 0 && l.next() {
		for i, k := range keys {
			if string(l.name) == k {
				missing &^= 1 << i
			}
		}
		l.skip()
	}
	return missing == 0
}

// FirstElementHas reports whether the array that comes next starts with an object that has all of the members. The position stays.
func (d *Decoder) FirstElementHas(keys ...string) bool {
	if d.peek() != '[' {
		return false
	}
	pos := d.pos
	d.pos++
	has := d.HasKeys(keys...)
	d.pos = pos
	return has
}

// A looker walks over the members of an object that has not been checked yet. On anything malformed it stops: the decoder will meet the same bytes
// and say what is wrong with them.
type looker struct {
	b    []byte
	i    int
	name []byte
	more bool
}

// next goes to the next member and reads its name and colon.
func (l *looker) next() bool {
	l.space()
	if l.more {
		if l.i >= len(l.b) || l.b[l.i] != ',' {
			return false
		}
		l.i++
		l.space()
	}
	l.more = true
	if l.i >= len(l.b) || l.b[l.i] != '"' {
		return false
	}
	name, plain, ok := l.text()
	if !ok {
		return false
	}
	if !plain {
		name = unquote(name)
	}
	l.name = name
	l.space()
	if l.i >= len(l.b) || l.b[l.i] != ':' {
		return false
	}
	l.i++
	return true
}

func (l *looker) space() {
	for l.i < len(l.b) && (l.b[l.i] == ' ' || l.b[l.i] == '\t' || l.b[l.i] == '\r' || l.b[l.i] == '\n') {
		l.i++
	}
}

// text reads the string at i. Its escapes are checked, so that unquote may be trusted with them.
func (l *looker) text() (s []byte, plain, ok bool) {
	b, start := l.b, l.i+1
	plain = true
	for i := start; i < len(b); {
		if i+8 <= len(b) {
			m := quoteOrSlash(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		}
		switch {
		case b[i] == '"':
			l.i = i + 1
			return b[start:i:i], plain, true
		case b[i] != '\\':
			i++
		case i+1 < len(b) && unescaped[b[i+1]] != 0:
			plain = false
			i += 2
		case i+1 < len(b) && b[i+1] == 'u':
			if _, ok := hex4(b, i+2); !ok {
				return nil, false, false
			}
			plain = false
			i += 6
		default:
			return nil, false, false
		}
	}
	return nil, false, false
}

// quoteOrSlash returns a word whose lowest set bit marks the first quote or backslash in w. Higher bits may be wrong.
func quoteOrSlash(w uint64) uint64 {
	quote := w ^ '"'*lowBits
	slash := w ^ '\\'*lowBits
	return ((quote-lowBits)&^quote | (slash-lowBits)&^slash) & highBits
}

// skip passes over one value, looking only at quotes and brackets.
func (l *looker) skip() {
	depth := 0
	for l.i < len(l.b) {
		switch l.b[l.i] {
		case '"':
			if _, _, ok := l.text(); !ok {
				l.i = len(l.b)
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return
			}
			depth--
		case ',':
			if depth == 0 {
				return
			}
		}
		l.i++
	}
}
