package diff

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func text(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Op != Hunk && l.Op != Note {
			b.WriteByte(byte(l.Op))
		}
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func TestUnified(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	tests := []struct {
		name          string
		before, after string
		context       int
		want          string
	}{
		{"same", "a\n", "a\n", 3, ""},
		{"new file", "", "a\nb\n", 3, "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"emptied", "a\n", "", 3, "@@ -1 +0,0 @@\n-a\n"},
		{"changed line", "a\nb\nc\n", "a\nB\nc\n", 3, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"deletions before insertions", "a\nb\n", "c\nd\n", 3, "@@ -1,2 +1,2 @@\n-a\n-b\n+c\n+d\n"},
		{"context is cut", ten, strings.Replace(ten, "5\n", "five\n", 1), 1, "@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n"},
		{"two hunks", ten, strings.NewReplacer("2\n", "two\n", "9\n", "nine\n").Replace(ten), 1,
			"@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -8,3 +8,3 @@\n 8\n-9\n+nine\n 10\n"},
		{"contexts that touch", ten, strings.NewReplacer("4\n", "four\n", "7\n", "seven\n").Replace(ten), 1,
			"@@ -3,6 +3,6 @@\n 3\n-4\n+four\n 5\n 6\n-7\n+seven\n 8\n"},
		{"no context", ten, ten + "11\n", 0, "@@ -10,0 +11 @@\n+11\n"},
		{"line end added", "a", "a\n", 3, "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"line ends differ", "a\r\n", "a\n", 3, "@@ -1 +1 @@\n-a\r\n+a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, text(Unified(tt.before, tt.after, tt.context))); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestScript checks on random texts that the script turns the one into the other, and with as few edits as there must be.
func TestScript(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := randomLines(random), randomLines(random)
		ops := script(a, b)
		var got, source []int
		edits, x, y := 0, 0, 0
		for _, op := range ops {
			switch op {
			case Keep:
				source, got = append(source, a[x]), append(got, a[x])
				x, y = x+1, y+1
			case Delete:
				source = append(source, a[x])
				x, edits = x+1, edits+1
			case Insert:
				got = append(got, b[y])
				y, edits = y+1, edits+1
			case Hunk, Note:
				t.Fatalf("operation %q", op)
			}
		}
		if !cmp.Equal(got, b) || !cmp.Equal(source, a) {
			t.Fatalf("%v to %v: script %q gives %v", a, b, ops, got)
		}
		if want := len(a) + len(b) - 2*common(a, b); edits != want {
			t.Fatalf("%v to %v: %d edits, want %d", a, b, edits, want)
		}
	}
}

func randomLines(random *rand.Rand) []int {
	var lines []int
	for range random.IntN(12) {
		lines = append(lines, random.IntN(4))
	}
	return lines
}

// common is the length of the longest common subsequence.
func common(a, b []int) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			} else {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			}
		}
	}
	return table[len(a)][len(b)]
}

// TestTooDifferent checks that texts with nothing in common are shown as replaced, in little time.
func TestTooDifferent(t *testing.T) {
	before := strings.Repeat("old\n", 20_000)
	after := strings.Repeat("new\n", 20_000)
	lines := Unified("first\n"+before, "first\n"+after, 3)
	if got, want := lines[0].Text, "@@ -1,20001 +1,20001 @@"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if got, want := len(lines), 40_002; got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
}
