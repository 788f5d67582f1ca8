package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// A place is a line of the corpus.
type place struct {
	file string
	line int
}

// sameID are answers that the corpus's own checker takes for stray ones because it compares ids by their text. JSON Schema, and every peer that parses JSON, knows one
// number 7001 however it is written: 7001.0 in the request and 7001 in the answer are one id, and so are 7e3, 7000 and 7000.0.
const sameID = "ids are compared by value, not by text"

// wrongVerdict are the lines on which the corpus's checker is wrong, and why.
var wrongVerdict = map[place]string{
	{"claude-agent-acp-old-0.25.3.malformed-1.jsonl", 54}: sameID,
	{"claude-agent-acp-old-0.25.3.malformed-1.jsonl", 58}: sameID,
	{"codex-acp-2.6.0.malformed-1.jsonl", 65}:             sameID,
	{"codex-acp-2.6.0.malformed-1.jsonl", 69}:             sameID,
	{"copilot-1.0.102.malformed-1.jsonl", 58}:             sameID,
	{"gemini-cli-0.61.0.malformed-1.jsonl", 54}:           sameID,
	{"gemini-cli-0.61.0.malformed-1.jsonl", 58}:           sameID,
	{"kimi-code-2.1.0.malformed-5.jsonl", 24}:             sameID,
	{"kimi-code-2.1.0.malformed-5.jsonl", 28}:             sameID,
}

// wrongKind are notifications sent as requests. The corpus's checker counts that as a fault of the envelope; acpcheck's rules count it as one of the method, because
// the frame is sound JSON-RPC: only the method table says that it must not have an id. Both call the frame invalid.
const wrongKind = "a notification with an id breaks the rule method"

// otherRule are the lines on which the verdict is the same and what decides it is not.
var otherRule = map[place]string{
	{"claude-agent-acp-old-0.25.3.session.jsonl", 128}: wrongKind,
	{"claude-agent-acp-old-0.25.3.session.jsonl", 130}: wrongKind,
	{"codex-acp-2.6.0.session.jsonl", 134}:             wrongKind,
	{"codex-acp-2.6.0.session.jsonl", 136}:             wrongKind,
	{"copilot-1.0.102.session.jsonl", 129}:             wrongKind,
	{"copilot-1.0.102.session.jsonl", 131}:             wrongKind,
	{"gemini-cli-0.61.0.session.jsonl", 95}:            wrongKind,
	{"gemini-cli-0.61.0.session.jsonl", 97}:            wrongKind,
	{"kimi-code-2.1.0.session.jsonl", 181}:             wrongKind,
	{"kimi-code-2.1.0.session.jsonl", 183}:             wrongKind,
	{"opencode-1.18.33.session.jsonl", 105}:            wrongKind,
	{"opencode-1.18.33.session.jsonl", 107}:            wrongKind,
}

// TestCorpus holds the strict verdict on every line of traffic recorded from real agents to the corpus's own list of invalid lines. It fails on any disagreement of
// our two judges, and on entries of the tables above that are not needed.
func TestCorpus(t *testing.T) {
	dir := shared(t, "CORPUS", "corpus")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s", dir)
	}
	got := verdictsOf(t, nil, files...)
	want := map[place]string{}
	for _, v := range jsonLines[struct {
		File string
		Line int
		Rule string
	}](t, filepath.Join(dir, "verdicts.ndjson")) {
		at := place{v.File, v.Line}
		want[at] = v.Rule
		if got[v.File][v.Line] == nil {
			t.Errorf("%s:%d has a verdict in the corpus and none of ours", v.File, v.Line)
		}
	}
	c := comparison{want: want, used: map[place]bool{}}
	for file, lines := range got {
		for line, verdict := range lines {
			c.compare(t, place{file, line}, verdict)
		}
	}
	for _, table := range []map[place]string{wrongVerdict, otherRule} {
		for at := range table {
			if !c.used[at] {
				t.Errorf("the entry for %s:%d is not needed", at.file, at.line)
			}
		}
	}
	t.Logf("%d files, %d frames: %d valid, %d invalid; by deciding rule %v; %d verdicts and %d rules differ and are argued", len(files), c.frames, c.frames-c.invalid,
		c.invalid, c.rules, len(wrongVerdict), len(otherRule))
}

// A comparison counts while it compares.
type comparison struct {
	want            map[place]string // the rule that an invalid line breaks
	used            map[place]bool
	frames, invalid int
	rules           map[string]int
}

func (c *comparison) compare(t *testing.T, at place, v *checked) {
	c.frames++
	invalid := v.Strict == "invalid"
	if invalid {
		if c.rules == nil {
			c.rules = map[string]int{}
		}
		c.invalid++
		c.rules[v.rules[0]]++
	}
	rule, listed := c.want[at]
	if invalid != listed {
		c.used[at] = true
		if wrongVerdict[at] == "" {
			t.Errorf("%s:%d is %s, %v; the corpus says %q", at.file, at.line, v.Strict, v.says, rule)
		}
		return
	}
	if invalid && !slices.Contains(v.rules, rule) {
		c.used[at] = true
		if otherRule[at] == "" {
			t.Errorf("%s:%d breaks %v, %v; the corpus says %q", at.file, at.line, v.rules, v.says, rule)
		}
	}
}
