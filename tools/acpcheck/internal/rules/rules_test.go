package rules

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// both returns the findings of the rules on frames that the judges have parsed, and alone those of a checker that parses for itself.
func both(t *testing.T, src io.Reader) (shared, alone []string) {
	t.Helper()
	s := judge.NewSession(judge.Options{Surface: acpv1.Surface, Judges: judge.Generated, Rules: New(conform.Options{}, FromStart)})
	c := conform.New(nil)
	n := 0
	add := func(list []conform.Finding) {
		for _, f := range list {
			if f.Rule == string(wire.RuleSchema) {
				continue // the judges say it
			}
			alone = append(alone, fmt.Sprintf("%d %s %s %s %d", f.Frame, f.Rule, f.Pointer, f.Message, f.Earlier))
		}
	}
	say := func(line int, _ []byte, v *judge.Verdict) {
		for _, f := range v.Findings {
			if _, ok := conform.Explain(string(f.Rule)); ok && f.Rule != wire.RuleSchema {
				shared = append(shared, fmt.Sprintf("%d %s %s %s %d", line, f.Rule, f.Pointer, f.Message, f.Earlier))
			}
		}
	}
	r := transcript.NewReader(src, 64<<20)
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if line.Direction == transcript.Unknown || line.Fault != "" {
			t.Fatalf("line %d says not who sent it", line.Number)
		}
		side := wire.ClientSide
		if line.Direction == transcript.AgentToClient {
			side = wire.AgentSide
		}
		for n++; n < line.Number; n++ {
			c.Skip()
		}
		c.At(line.Time)
		s.At(judge.Position{Line: line.Number, Time: line.Time, Timed: true})
		say(line.Number, nil, s.Judge(line.Frame, line.Direction))
		s.Late(say)
		add(c.Frame(side, line.Frame))
	}
	s.End(say)
	add(c.End())
	slices.Sort(shared) // findings about one frame and late ones may change places
	slices.Sort(alone)
	return shared, alone
}

const twoIDs = `{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}"}

{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logout\"}"}
{"dir":"a2c","raw":"noise"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":2}}"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}
`

// TestSharedParse holds the frames that the judges share with the rules to what the rules would have parsed themselves.
func TestSharedParse(t *testing.T) {
	demo, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"the demo": string(demo), "an id twice": twoIDs} {
		shared, alone := both(t, strings.NewReader(text))
		if diff := cmp.Diff(alone, shared); diff != "" || len(alone) == 0 {
			t.Errorf("%s: mismatch (-alone +shared):\n%s", name, diff)
		}
	}
}

func TestSharedParseOfCorpus(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "..", "shared", "corpus")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("no corpus beside the module")
	}
	findings := 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		shared, alone := both(t, f)
		_ = f.Close()
		if diff := cmp.Diff(alone, shared); diff != "" {
			t.Errorf("%s: mismatch (-alone +shared):\n%s", filepath.Base(name), diff)
		}
		findings += len(alone)
	}
	t.Logf("%d files, %d findings", len(files), findings)
}

func TestExtent(t *testing.T) {
	prompt := `{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":[]}}"}`
	for extent, want := range map[Extent]string{Guess: "", FromStart: "INIT-1 error, RPC-5 warning", Complete: "INIT-1 error, RPC-5 error"} {
		line, err := transcript.NewReader(strings.NewReader(prompt), 1000).Next()
		if err != nil {
			t.Fatal(err)
		}
		s := judge.NewSession(judge.Options{Surface: acpv1.Surface, Judges: judge.Generated, Rules: New(conform.Options{Only: []string{"INIT-1", "RPC-5"}}, extent)})
		var got []string
		say := func(v *judge.Verdict) {
			for _, f := range v.Findings {
				got = append(got, string(f.Rule)+" "+f.Severity.String())
			}
		}
		s.At(judge.Position{Line: 1, Time: time.Second, Timed: true})
		say(s.Judge(line.Frame, line.Direction))
		s.End(func(_ int, _ []byte, v *judge.Verdict) { say(v) })
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("extent %d: mismatch (-want +got):\n%s", extent, diff)
		}
	}
}
