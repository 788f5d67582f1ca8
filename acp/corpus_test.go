package acp_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// shared returns the folder of recorded traffic beside the module, or skips.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no recorded traffic: %v", err)
	}
	return path
}

type corpusVerdict struct {
	File, Dir, Rule, Detail string
	Line                    int
}

type corpusKey struct {
	file string
	line int
}

func readVerdicts(t *testing.T, dir string) map[corpusKey]corpusVerdict {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "verdicts.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	verdicts := map[corpusKey]corpusVerdict{}
	for dec := json.NewDecoder(file); dec.More(); {
		var v corpusVerdict
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		verdicts[corpusKey{v.File, v.Line}] = v
	}
	return verdicts
}

// A recording holds the pending requests of both sides of one connection.
type recording struct {
	parsers map[string]*acp.Parser
	pending map[string]map[wire.RequestID]*wire.Method
}

func newRecording(surface *wire.Surface) *recording {
	r := &recording{pending: map[string]map[wire.RequestID]*wire.Method{"c2a": {}, "a2c": {}}}
	client, agent := acp.NewParser(surface, wire.ClientSide), acp.NewParser(surface, wire.AgentSide)
	client.Pending = func(id wire.RequestID) (acp.Pending, bool) { return r.find("a2c", id) }
	agent.Pending = func(id wire.RequestID) (acp.Pending, bool) { return r.find("c2a", id) }
	r.parsers = map[string]*acp.Parser{"c2a": client, "a2c": agent}
	return r
}

func (r *recording) find(dir string, id wire.RequestID) (acp.Pending, bool) {
	m, ok := r.pending[dir][id.Key()]
	return acp.Pending{Method: m}, ok
}

func (r *recording) parse(dir string, line []byte) acp.Frame {
	var f acp.Frame
	r.parsers[dir].Parse(line, &f)
	other := map[string]string{"c2a": "a2c", "a2c": "c2a"}[dir]
	switch {
	case f.AwaitsAnswer():
		m := f.Spec
		if m != nil && m.IsNotification() {
			m = nil
		}
		r.pending[dir][f.ID.Key()] = m
	case f.IsResponse() && f.Rule() != acp.RuleResponseID:
		delete(r.pending[other], f.ID.Key())
	}
	return f
}

// TestCorpus compares verdicts on recorded traffic with those of an independent checker.
func TestCorpus(t *testing.T) {
	dir := shared(t, "corpus")
	verdicts := readVerdicts(t, dir)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", dir, err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
			compareRecording(t, path, verdicts)
		})
	}
}

// sameNumber are answers to requests whose ids are these numbers in another spelling, 7001.0 and 7e3. The other checker compares spellings; ids are
// compared by type and value here.
var sameNumber = map[string]bool{"7001": true, "7000": true, "7000.0": true}

func idOf(raw string) string {
	var f struct{ ID json.RawMessage }
	if json.Unmarshal([]byte(raw), &f) != nil {
		return ""
	}
	return string(f.ID)
}

func compareRecording(t *testing.T, path string, verdicts map[corpusKey]corpusVerdict) {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rec := newRecording(acpv1.Surface)
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var entry struct{ Dir, Raw string }
		if err := json.Unmarshal(text, &entry); err != nil {
			t.Fatalf("%s:%d: %v", path, n, err)
		}
		if strings.TrimSpace(entry.Raw) == "" {
			continue
		}
		f := rec.parse(entry.Dir, []byte(entry.Raw))
		want := verdicts[corpusKey{filepath.Base(path), n}]
		if want.Rule == string(acp.RuleResponseID) && sameNumber[idOf(entry.Raw)] {
			want.Rule = ""
		}
		if got := string(f.Rule()); got != want.Rule {
			t.Errorf("line %d %s: verdict %q %v, want %q %s\n%.300s", n, entry.Dir, got, f.Violations, want.Rule, want.Detail, entry.Raw)
		}
	}
}
