package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A reported case is one public fault report.
type reported struct {
	ID, Level string
	Lines     []struct {
		Dir, Raw string
		Setup    bool
	}
	Strict, Rule, Lenient []string
}

// A step is a line of a case that is not setup, by the case's id.
type step struct {
	id   string
	line int // from 1
}

// ruleDiffers are lines whose verdict is the same and what decides it is not, and why.
var ruleDiffers = map[step]string{
	{"B70", 1}: wrongKind,
}

// The cases' readings of the protocol's leniency were made against an older schema.
const (
	// Only null still stands for no servers, arguments, variables and headers.
	itemsAreStrict = "mcpServers no longer has x-deserialize-skip-invalid-items, nor have args and env a default for errors"
	// A reader that ignored a wrong range would return the whole file.
	rangeIsStrict = "line and limit no longer have x-deserialize-default-on-error"
	// Clients are to ignore such an answer, which does not make it one.
	strayAnswer = "leniency repairs values; there is no value that could repair an answer to nothing"
)

// lenientDiffers are lines whose lenient verdict is not that of the case, and why ours stands.
var lenientDiffers = map[step]string{
	{"B07", 1}:  itemsAreStrict,
	{"B09", 1}:  itemsAreStrict,
	{"B56x", 1}: rangeIsStrict,
	{"B56x", 2}: rangeIsStrict,
	{"D11", 3}:  strayAnswer,
}

// TestCases holds the verdict on every frame of the public fault reports to what the report's line says.
func TestCases(t *testing.T) {
	dir := shared(t, "CASES", "cases")
	var cases []reported
	var files []string
	for _, c := range jsonLines[reported](t, filepath.Join(dir, "cases.jsonl")) {
		if slices.Contains([]string{"frame", "sequence", "transport"}, c.Level) && len(c.Lines) > 0 {
			cases = append(cases, c)
			files = append(files, writeCase(t, c))
		}
	}
	verdicts := verdictsOf(t, nil, files...)
	frames, used := 0, map[step]bool{}
	for _, c := range cases {
		frames += compareCase(t, c, verdicts[c.ID], used)
	}
	for _, table := range []map[step]string{ruleDiffers, lenientDiffers} {
		for at := range table {
			if !used[at] {
				t.Errorf("the entry for line %d of %s is not needed", at.line, at.id)
			}
		}
	}
	t.Logf("%d frames; %d rules and %d lenient verdicts differ and are argued", frames, len(ruleDiffers), len(lenientDiffers))
}

// writeCase writes a case as a transcript and returns its file name.
func writeCase(t *testing.T, c reported) string {
	t.Helper()
	var b []byte
	for _, l := range c.Lines {
		record, err := json.Marshal(map[string]string{"dir": l.Dir, "raw": l.Raw})
		if err != nil {
			t.Fatal(err)
		}
		b = append(append(b, record...), '\n')
	}
	name := filepath.Join(t.TempDir(), c.ID)
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// compareCase returns how many lines were compared.
func compareCase(t *testing.T, c reported, verdicts map[int]*checked, used map[step]bool) (frames int) {
	for i, l := range c.Lines {
		if l.Setup {
			continue
		}
		at := step{c.ID, frames + 1}
		strict, rule, lenient := c.Strict[frames], c.Rule[frames], c.Lenient[frames]
		frames++
		v := verdicts[i+1]
		if strict == "blank" {
			if v != nil {
				t.Errorf("%s, line %d is blank and has the verdict %s", at.id, at.line, v.Strict)
			}
			continue
		}
		if v == nil || v.Strict != strict {
			t.Errorf("%s, line %d is %+v; the case says %s, %s", at.id, at.line, v, strict, rule)
			continue
		}
		if strict == "invalid" && !slices.Contains(v.rules, rule) {
			used[at] = true
			if ruleDiffers[at] == "" {
				t.Errorf("%s, line %d breaks %v, %v; the case says %s", at.id, at.line, v.rules, v.says, rule)
			}
		}
		if tolerated := v.Lenient != "invalid"; tolerated != (lenient == "valid") {
			used[at] = true
			if lenientDiffers[at] == "" {
				t.Errorf("%s, line %d is %s for the lenient decoder, %v; the case says %s", at.id, at.line, v.Lenient, v.says, lenient)
			}
		}
	}
	return frames
}
