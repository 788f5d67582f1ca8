package server

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// keepEnd returns the last limit bytes of s, without the rest of a character that this cuts in two.
func keepEnd(s string, limit int) (end string, cut bool) {
	if len(s) <= limit {
		return s, false
	}
	s = s[len(s)-max(limit, 0):]
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s, true
}

// outputTail keeps the end of what is written to it. It is safe for concurrent use.
type outputTail struct {
	limit int

	mu      sync.Mutex
	buf     []byte
	dropped bool
}

// Write never fails.
func (t *outputTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if keep := t.limit + utf8.UTFMax; n > keep {
		b = b[n-keep:]
		t.buf, t.dropped = t.buf[:0], true
	}
	t.buf = append(t.buf, b...)
	// Room for as much again makes moving the text rare; the bytes beyond the limit are for telling what the first character is.
	if len(t.buf) > 2*(t.limit+utf8.UTFMax) {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.limit-utf8.UTFMax:]...)
		t.dropped = true
	}
	return n, nil
}

// read returns the end as UTF-8. ended says that nothing more comes; before that, the start of a character at the very end is held back.
func (t *outputTail) read(ended bool) (text string, truncated bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.buf
	if !ended {
		b = b[:len(b)-openRune(b)]
	}
	if t.dropped {
		for len(b) > 0 && !utf8.RuneStart(b[0]) {
			b = b[1:]
		}
	}
	text, cut := keepEnd(strings.ToValidUTF8(string(b), "\uFFFD"), t.limit)
	return text, cut || t.dropped
}

// openRune returns how many bytes at the end of b begin a character that more bytes could complete.
func openRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// afterGrace calls f some time after ctx has ended, unless stop is called before.
func afterGrace(ctx context.Context, grace time.Duration, f func()) (stop func()) {
	var (
		mu      sync.Mutex
		stopped bool
		timer   *time.Timer
	)
	unwatch := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			timer = time.AfterFunc(grace, f)
		}
	})
	return func() {
		unwatch()
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		if timer != nil {
			timer.Stop()
		}
	}
}
