package conform_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

// TestCatalogue compares the rules with the catalogue that they are taken from: each is checked or said not to be, by the side and as strictly as it says there.
func TestCatalogue(t *testing.T) {
	file, err := os.Open(shared(t, "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sides := map[string]wire.Side{"A": wire.AgentSide, "C": wire.ClientSide, "B": wire.BothSides}
	levels := map[string]conform.Level{"MUST": conform.Must, "must": conform.Must, "SHOULD": conform.Should, "should": conform.Should, "implied": conform.Implied}
	unchecked := map[string]conform.UncheckedRule{}
	for _, r := range conform.Unchecked() {
		unchecked[r.ID] = r
	}
	// Two levels in one row, or a part that is checked for one side only.
	differs := map[string]string{
		"TURN-3":  "implied by agent",
		"SESS-16": "MUST by client",
		"CFG-6":   "MUST by agent",
		"FS-5":    "SHOULD by client",
	}
	want, got := map[string]string{}, map[string]string{}
	for s := bufio.NewScanner(file); s.Scan(); {
		cells := strings.Split(s.Text(), "|")
		if len(cells) < 7 || !strings.Contains(cells[1], "-") || sides[strings.TrimSpace(cells[3])] == 0 {
			continue
		}
		id := strings.TrimSpace(cells[1])
		level, _, _ := strings.Cut(strings.Fields(cells[4])[0], "/")
		want[id] = fmt.Sprintf("%s by %s", levels[level], sides[strings.TrimSpace(cells[3])])
		if d := differs[id]; d != "" {
			want[id] = d
		}
		if u, ok := unchecked[id]; ok {
			want[id] = fmt.Sprintf("not checked, by %s", sides[strings.TrimSpace(cells[3])])
			got[id] = fmt.Sprintf("not checked, by %s", u.By)
		}
	}
	if len(want) < 100 {
		t.Fatalf("only %d rules were read", len(want))
	}
	checked := 0
	for _, r := range conform.Rules() {
		if r.Level != conform.Ours && r.ID != "schema" { // the catalogue is of what a schema cannot say
			got[r.ID] = fmt.Sprintf("%s by %s", r.Level, r.By)
			checked++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-catalogue +rules):\n%s", diff)
	}
	t.Logf("%d of %d rules are checked", checked, len(want))
}

// TestRuleTexts holds what is said of rules to a form.
func TestRuleTexts(t *testing.T) {
	for _, r := range conform.Rules() {
		if again, ok := conform.Explain(r.ID); !ok || again.Doc != r.Doc {
			t.Errorf("%s is not found again: it may not be the only one", r.ID)
		}
		switch {
		case !strings.HasSuffix(r.Doc, ".") || r.Limit != "" && !strings.HasSuffix(r.Limit, "."):
			t.Errorf("%s is not explained in sentences", r.ID)
		case !strings.HasPrefix(r.Page, "https://agentclientprotocol.com/protocol/"):
			t.Errorf("%s has no page", r.ID)
		case r.Level != conform.Must && r.Severity == conform.Error && r.ID != "TR-5":
			t.Errorf("%s is an error, but only %s", r.ID, r.Level)
		}
	}
	for _, r := range conform.Unchecked() {
		if _, ok := conform.Explain(r.ID); ok || r.Why == "" || r.Doc == "" {
			t.Errorf("%s is checked, or it is not said why it is not", r.ID)
		}
	}
	if _, ok := conform.Explain("NONE-1"); ok {
		t.Error("a rule that does not exist is explained")
	}
}

// TestSelection shows that Only and Skip choose rules.
func TestSelection(t *testing.T) {
	_, _, bad, _ := readRule(t, filepath.Join("testdata", "LIST-5.txtar"))
	for _, tt := range []struct {
		name string
		opts conform.Options
		want []string
	}{
		{"all", conform.Options{}, []string{"LIST-4", "LIST-5"}},
		{"only", conform.Options{Only: []string{"LIST-5"}}, []string{"LIST-5"}},
		{"skip", conform.Options{Skip: []string{"LIST-5"}}, []string{"LIST-4"}},
		{"only and skip", conform.Options{Only: []string{"LIST-5"}, Skip: []string{"LIST-5"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, rulesOf(check(bad, &tt.opts))); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestContradictions shows what the sources contradict each other about: warnings, or errors if the schema wins.
func TestContradictions(t *testing.T) {
	_, good, _, _ := readRule(t, filepath.Join("testdata", "TOOL-2.txtar"))
	for _, tt := range []struct{ name, request, frame string }{
		{"modeId", "", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","modeId":"ask"}}}`},
		{"text as content", "", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","status":"completed","content":[{"type":"text","text":"x"}]}}}`},
		{"null result", `{"jsonrpc":"2.0","id":"n","method":"session/load","params":{"sessionId":"o","cwd":"/","mcpServers":[]}}`, `{"jsonrpc":"2.0","id":"n","result":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := good[:4:4]
			if tt.request != "" {
				lines = append(lines, line{from: wire.ClientSide, raw: []byte(tt.request)})
			}
			lines = append(lines, line{from: wire.AgentSide, raw: []byte(tt.frame)})
			for schemaWins, want := range map[bool]conform.Severity{false: conform.Warning, true: conform.Error} {
				got := check(lines, &conform.Options{SchemaWins: schemaWins})
				if len(got) != 1 || got[0].Severity != want {
					t.Errorf("SchemaWins %v: want one %s, got\n%s", schemaWins, want, findings(got))
				}
			}
		})
	}
}

// FuzzChecker feeds lines of anything; the first byte of each says who sends it.
func FuzzChecker(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var seed bytes.Buffer
		for l := range strings.Lines(string(text)) {
			if from, frame, ok := strings.Cut(strings.TrimSpace(l), `2`); ok && strings.HasPrefix(from, `{"`) && len(frame) > 4 {
				seed.WriteString(from[2:3] + strings.TrimSuffix(frame[3:], "}") + "\n")
			}
		}
		f.Add(seed.Bytes())
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		for _, opts := range []*conform.Options{nil, {Partial: true, Closed: true, Opinions: true, Remember: 2}} {
			c := conform.New(opts)
			for l := range bytes.Lines(data) {
				from := wire.ClientSide
				if l[0] == 'a' {
					from = wire.AgentSide
				}
				c.Frame(from, bytes.TrimSuffix(l[1:], []byte("\n")))
			}
			c.End()
		}
	})
}
