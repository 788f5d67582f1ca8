package acp_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The README's Go code is code of the examples, to the letter.
func TestReadmeIsExamples(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples strings.Builder
	for _, path := range []string{"example_test.go", "../server/example_test.go"} {
		b, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		examples.Write(b)
	}
	snippets := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(snippets) < 5 {
		t.Errorf("the README has %d pieces of Go code, want at least 5", len(snippets))
	}
	for _, s := range snippets {
		// A snippet may join declarations that stand apart in the example.
		for _, decl := range regexp.MustCompile(`(?m)^}\n\n`).Split(strings.TrimSpace(s[1])+"\n", -1) {
			if !strings.Contains(examples.String(), strings.TrimSpace(decl)) {
				t.Errorf("not in the examples:\n%s", decl)
			}
		}
	}
}
