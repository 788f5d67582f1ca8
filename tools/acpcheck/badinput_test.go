package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const logout = `{"jsonrpc":"2.0","id":1,"method":"logout"}`

func nested(levels int) string {
	return `{"jsonrpc":"2.0","method":"_x","params":{"a":` + strings.Repeat("[", levels-2) + strings.Repeat("]", levels-2) + "}}\n"
}

func TestNesting(t *testing.T) {
	in := nested(10000) + nested(10001) + nested(1_000_000) + strings.Repeat(`{"a":[`, 1_000_000) + "\n" + logout
	for _, judge := range []string{"both", "generated", "reference"} {
		lines := verdictsOf(t, []byte(in), "--judge", judge)["<stdin>"]
		for line, want := range []string{"valid", "invalid", "invalid", "invalid", "valid"} {
			c := lines[line+1]
			if c == nil || c.Strict != want {
				t.Errorf("judge %s, line %d: %+v, want %s", judge, line+1, c, want)
				continue
			}
			if want == "invalid" && (len(c.rules) != 1 || c.rules[0] != "json" || !strings.Contains(c.says[0], "nested too deep")) {
				t.Errorf("judge %s, line %d: %v, %.200v; want one finding of rule json that says so", judge, line+1, c.rules, c.says)
			}
		}
	}
}

// Every line before the cut keeps its verdict, and what is left of the last one is not taken for more than it is.
func TestTruncatedFile(t *testing.T) {
	demo, err := os.ReadFile("testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	whole := verdictsOf(t, demo, "--judge", "generated")["<stdin>"]
	for cut := 1; cut < len(demo); cut++ {
		part := verdictsOf(t, demo[:cut], "--judge", "generated")["<stdin>"]
		complete := bytes.Count(demo[:cut], []byte("\n"))
		for line := 1; line <= complete; line++ {
			if part[line].Strict != whole[line].Strict {
				t.Fatalf("cut at %d: line %d is %s, want %s", cut, line, part[line].Strict, whole[line].Strict)
			}
		}
		if last := part[complete+1]; last != nil && demo[cut] != '\n' && last.Strict != "invalid" {
			t.Fatalf("cut at %d: the rest of line %d is %s, want invalid", cut, complete+1, last.Strict)
		}
	}
}

func TestBinaryFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traffic.jsonl.gz")
	if err := os.WriteFile(name, []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\n\n\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, status, err := acpcheck(t, nil, "validate", name)
	if status != 2 || err == nil || !strings.Contains(err.Error(), name+": binary data, not a transcript (gzip: unpack it first)") {
		t.Errorf("status %d, error %v; want 2 and an error that names the file", status, err)
	}
	if !strings.HasPrefix(stdout, "0 frames in 0 files") {
		t.Errorf("got %q, want a summary of nothing", stdout)
	}
}

// A flood is n bytes of one line that looks like a record.
type flood struct{ left int }

func (f *flood) Read(b []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), f.left)], starts)
	f.left -= n
	return n, nil
}

var starts = bytes.Repeat([]byte(`{"raw":"`), 1<<16)

func TestFloodInBoundedMemory(t *testing.T) {
	const size, limit = 64 << 20, 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	stdout, status, _ := acpcheck(t, io.MultiReader(&flood{size}, strings.NewReader("\n"+logout)), "validate", "--judge", "generated", "--max-frame", fmt.Sprint(limit))
	runtime.ReadMemStats(&after)
	want := fmt.Sprintf("<stdin>:1: line of %d bytes, more than the %d that are read\n    limit\n2 frames in 1 file: 1 valid", size, limit)
	if status != 1 || !strings.HasPrefix(stdout, want) {
		t.Errorf("status %d, %q; want 1 and %q", status, stdout, want)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*limit {
		t.Errorf("%d bytes allocated for a line of %d and a limit of %d", used, size, limit)
	}
}

func TestLargeFrames(t *testing.T) {
	for _, size := range []int{70_000, 20 << 20} {
		prompt := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"` + strings.Repeat("a\\n", size/3) + `"}]}}`
		if c := verdictsOf(t, []byte(prompt))["<stdin>"][1]; c == nil || c.Strict != "valid" {
			t.Errorf("a prompt of %d bytes is %+v, want valid", size, c)
		}
	}
}
