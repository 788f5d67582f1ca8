package terminal

import (
	"sync"
	"unicode/utf8"
)

// A tail keeps the end of what is written to it, as valid UTF-8: bytes that are none become U+FFFD, and a character that is not complete yet waits for its rest.
type tail struct {
	limit int

	mu        sync.Mutex
	text      []byte
	partial   []byte // the start of a character
	truncated bool
}

// write appends b and returns what it added to the text.
func (t *tail) write(b []byte) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.partial) > 0 {
		b = append(t.partial, b...)
		t.partial = nil
	}
	if n := incomplete(b); n > 0 {
		t.partial = append(t.partial, b[len(b)-n:]...)
		b = b[:len(b)-n]
	}
	return t.appendLocked(b)
}

// end says that nothing more is written, and returns what that adds to the text.
func (t *tail) end() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.partial
	t.partial = nil
	return t.appendLocked(b)
}

func (t *tail) appendLocked(b []byte) string {
	added := string(validUTF8(b))
	t.text = append(t.text, added...)
	if len(t.text) > 2*t.limit {
		t.cutLocked()
	}
	return added
}

// cutLocked drops the start of the text down to the limit, and the rest of a character that this cuts in two.
func (t *tail) cutLocked() {
	if len(t.text) <= t.limit {
		return
	}
	t.truncated = true
	start := len(t.text) - t.limit
	for start < len(t.text) && !utf8.RuneStart(t.text[start]) {
		start++
	}
	t.text = append(t.text[:0], t.text[start:]...)
}

// read returns what is kept, and whether something was dropped.
func (t *tail) read() (text string, truncated bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cutLocked()
	return string(t.text), t.truncated
}

// incomplete returns how many bytes at the end of b may be the start of a character.
func incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		last := b[len(b)-n:]
		if !utf8.RuneStart(last[0]) {
			continue
		}
		if utf8.FullRune(last) {
			return 0
		}
		return n
	}
	return 0
}

// validUTF8 returns b with U+FFFD for each byte that is part of no character.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/2)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		out = utf8.AppendRune(out, r)
		b = b[size:]
	}
	return out
}
