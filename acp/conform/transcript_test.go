package conform_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

var rewrite = flag.Bool("update", false, "rewrite testdata")

// A line is a line of a transcript, or a moment.
type line struct {
	from wire.Side
	raw  []byte
	at   float64 // seconds, if from is zero
}

// parseTranscript reads lines of {"c2a": FRAME} and {"a2c": FRAME}, where a frame that is a string stands for the line itself and the keys c2a64 and a2c64 for
// its base64, and of {"at": SECONDS}.
func parseTranscript(t *testing.T, text []byte) []line {
	t.Helper()
	var lines []line
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var entry map[string]json.RawMessage
		if err := json.Unmarshal(s.Bytes(), &entry); err != nil || len(entry) != 1 {
			t.Fatalf("not a line of a transcript: %s: %v", s.Bytes(), err)
		}
		for key, raw := range entry {
			l := line{from: sideOf[strings.TrimSuffix(key, "64")], raw: raw}
			var err error
			switch text := ""; {
			case key == "at":
				err = json.Unmarshal(raw, &l.at)
			case strings.HasSuffix(key, "64"):
				if err = json.Unmarshal(raw, &text); err == nil {
					l.raw, err = base64.StdEncoding.DecodeString(text)
				}
			case raw[0] == '"':
				err = json.Unmarshal(raw, &text)
				l.raw = []byte(text)
			}
			if err != nil || l.from == 0 && key != "at" {
				t.Fatalf("not a line of a transcript: %s: %v", s.Bytes(), err)
			}
			lines = append(lines, l)
		}
	}
	return lines
}

func check(lines []line, opts *conform.Options) []conform.Finding {
	c := conform.New(opts)
	var all []conform.Finding
	for _, l := range lines {
		if l.from == 0 {
			c.At(time.Duration(l.at * float64(time.Second)))
			continue
		}
		all = append(all, c.Frame(l.from, l.raw)...)
	}
	return append(all, c.End()...)
}

func findings(list []conform.Finding) string {
	var b strings.Builder
	for _, f := range list {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// readRule returns the transcripts of a rule.
func readRule(t *testing.T, file string) (archive *txtar.Archive, good, bad []line, want string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 3 || archive.Files[0].Name != "good.jsonl" || archive.Files[1].Name != "bad.jsonl" || archive.Files[2].Name != "want" {
		t.Fatalf("%s: want good.jsonl, bad.jsonl and want", file)
	}
	return archive, parseTranscript(t, archive.Files[0].Data), parseTranscript(t, archive.Files[1].Data), string(archive.Files[2].Data)
}

var complete = &conform.Options{Closed: true, Opinions: true}

// TestRules finds nothing in each rule's good transcript, and in its bad one exactly what is wanted, the rule among it.
func TestRules(t *testing.T) {
	for _, rule := range conform.Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			file := filepath.Join("testdata", rule.ID+".txtar")
			archive, good, bad, want := readRule(t, file)
			if got := check(good, complete); len(got) > 0 {
				t.Errorf("findings in the good transcript:\n%s", findings(got))
			}
			got := check(bad, complete)
			if !slices.ContainsFunc(got, func(f conform.Finding) bool { return f.Rule == rule.ID }) {
				t.Errorf("the bad transcript does not break the rule:\n%s", findings(got))
			}
			if *rewrite {
				archive.Files[2].Data = []byte(findings(got))
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, findings(got)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEveryRuleHasTranscripts fails for a rule without transcripts and for transcripts without a rule.
func TestEveryRuleHasTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, f := range files {
		have = append(have, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	for _, r := range conform.Rules() {
		want = append(want, r.ID)
	}
	slices.Sort(want)
	slices.Sort(have)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("mismatch (-rules +transcripts):\n%s", diff)
	}
}

// TestLegal finds nothing in conversations that are unusual and legal: what may come in either order, late, again, or not at all.
func TestLegal(t *testing.T) {
	files, err := filepath.Glob("testdata/legal/*.jsonl")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d transcripts: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := check(parseTranscript(t, text), complete); len(got) > 0 {
				t.Errorf("false alarm:\n%s", findings(got))
			}
		})
	}
}
