package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shared returns a directory of material that is not part of the repository, and skips the test if it is not there. env may name it.
func shared(t *testing.T, env, name string) string {
	t.Helper()
	dir := os.Getenv(env)
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", name) // beside the module
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no %s: set %s to its directory to run this test", name, env)
	}
	return dir
}

// A record is what acpcheck says in JSON: a finding or a verdict.
type record struct {
	Type, File, Dir, Kind, Method string
	Line                          int
	Rule, Severity, Pointer       string
	Message                       string
	Strict, Lenient               string
}

// A checked line is its verdict and the rules of its findings.
type checked struct {
	record
	rules []string
	says  []string
}

// verdictsOf runs acpcheck validate with all verdicts and returns them by file and line. No line may have two.
func verdictsOf(t *testing.T, stdin []byte, args ...string) map[string]map[int]*checked {
	t.Helper()
	args = append([]string{"validate", "--format", "json", "--verdicts"}, args...)
	stdout, status, err := acpcheck(t, bytes.NewReader(stdin), args...)
	if status == 2 {
		t.Fatal(err)
	}
	lines := map[string]map[int]*checked{}
	at := func(r record) *checked {
		file := filepath.Base(r.File)
		if lines[file] == nil {
			lines[file] = map[int]*checked{}
		}
		if lines[file][r.Line] == nil {
			lines[file][r.Line] = &checked{}
		}
		return lines[file][r.Line]
	}
	for text := range strings.Lines(stdout) {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		switch c := (*checked)(nil); r.Type {
		case "finding":
			c = at(r)
			c.rules = append(c.rules, r.Rule)
			c.says = append(c.says, r.Pointer+": "+r.Message)
			if r.Rule == "disagreement" {
				t.Errorf("%s:%d: %s", r.File, r.Line, r.Message)
			}
		case "verdict":
			if c = at(r); c.Type != "" {
				t.Errorf("%s:%d has two verdicts", r.File, r.Line)
			}
			c.record = r
		}
	}
	return lines
}

// jsonLines decodes every line of a file.
func jsonLines[T any](t *testing.T, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var list []T
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatalf("%s:%d: %v", path, len(list)+1, err)
		}
		list = append(list, v)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
