package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTailParts checks that text comes out whole however it was cut, and that no moment shows half a character.
func TestTailParts(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "abc", "abc"},
		{"two, three and four bytes", "é€😀", "é€😀"},
		{"start of a character at the end", "a\xe2\x82", "a\ufffd\ufffd"},
		{"lone byte", "a\x80b", "a\ufffdb"},
		{"start of a character in the middle", "a\xe2\x82b", "a\ufffd\ufffdb"},
		{"byte that never stands", "\xffa", "\ufffda"},
		{"surrogate", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"zero byte", "a\x00b", "a\x00b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for size := 1; size <= len(tt.in); size++ {
				tail := tail{limit: 100}
				var shown strings.Builder
				for rest := tt.in; rest != ""; {
					n := min(size, len(rest))
					shown.WriteString(tail.write([]byte(rest[:n])))
					rest = rest[n:]
					if text, _ := tail.read(); text != shown.String() || !utf8.ValidString(text) {
						t.Fatalf("parts of %d: %q is kept, %q was shown", size, text, shown.String())
					}
				}
				shown.WriteString(tail.end())
				if text, cut := tail.read(); text != tt.want || cut || shown.String() != tt.want {
					t.Errorf("parts of %d: %q, truncated %v, shown %q; want %q", size, text, cut, shown.String(), tt.want)
				}
			}
		})
	}
}

// TestTailBounded checks that no more than twice the limit is held.
func TestTailBounded(t *testing.T) {
	tail := tail{limit: 1000}
	for range 1000 {
		tail.write([]byte(strings.Repeat("€", 100)))
		if len(tail.text) > 2*tail.limit {
			t.Fatalf("%d bytes are held for a limit of %d", len(tail.text), tail.limit)
		}
	}
}
