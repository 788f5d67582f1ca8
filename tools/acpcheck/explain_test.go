package main

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/suite"
)

func TestRulesListsAll(t *testing.T) {
	text, status, err := acpcheck(t, nil, "rules")
	if status != 0 {
		t.Fatal(err)
	}
	asJSON, _, _ := acpcheck(t, nil, "rules", "--format", "json")
	type rule struct{ ID, Scope, Severity, By, Doc, Unchecked string }
	rules := map[string]rule{}
	for line := range strings.Lines(asJSON) {
		var r rule
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if _, twice := rules[r.ID]; twice || r.ID == "" || r.Doc == "" || r.Severity == "" || r.By == "" || r.Scope == "" {
			t.Errorf("rule %+v", r)
		}
		rules[r.ID] = r
		if !strings.Contains(text, r.ID+" ") || !strings.Contains(text, r.Doc) {
			t.Errorf("%s is not in the text", r.ID)
		}
	}
	for _, r := range conform.Rules() {
		scope := "conversation"
		if r.ID == "schema" { // which one frame decides
			scope = "frame"
		}
		if got := rules[r.ID]; got.Scope != scope || got.Severity != r.Severity.String() || got.Unchecked != "" {
			t.Errorf("%s is %+v", r.ID, got)
		}
	}
	for _, r := range conform.Unchecked() {
		if rules[r.ID].Unchecked != r.Why {
			t.Errorf("%s does not say why it is not checked", r.ID)
		}
	}
	for _, r := range suite.Rules() {
		if got := rules[r.ID]; got.Scope != "suite" || got.Severity != r.Severity.String() || got.Unchecked != "" {
			t.Errorf("%s is %+v", r.ID, got)
		}
	}
	for _, id := range []string{"json", "envelope", "method", "response-id", "schema", "version", "limit", "disagreement", "baseline"} {
		if _, ok := rules[id]; !ok {
			t.Errorf("%s is missing", id)
		}
	}
}

func TestExplain(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"a rule of the conversation", []string{"explain", "TOOL-2"}, 0, "decided by  the conversation so far"},
		{"a rule of frames", []string{"explain", "schema"}, 0, "decided by  one frame"},
		{"a rule of the suite", []string{"explain", "ACT-3"}, 0, "decided by  a program at work"},
		{"only a rule of the suite", []string{"validate", "--only", "ACT-3"}, 2, "acpcheck test and test-client check it"},
		{"two", []string{"explain", "schema", "json"}, 0, "\njson: "},
		{"one that is not checked", []string{"explain", "INIT-2"}, 0, "not checked Only the client's authors"},
		{"an opinion", []string{"explain", "OPI-1"}, 0, "off unless --opinions"},
		{"as JSON", []string{"explain", "--format=json", "TOOL-2"}, 0, `{"id":"TOOL-2",`},
		{"in another case", []string{"explain", "tool-2"}, 2, "did you mean TOOL-2?"},
		{"in an area", []string{"explain", "PATH-99"}, 2, `there is no rule "PATH-99"`},
		{"none at all", []string{"explain", "xyz"}, 2, "see acpcheck rules"},
		{"no rule", []string{"explain"}, 2, "a rule is missing"},
		{"a bad format", []string{"explain", "--format=xml", "json"}, 2, "expected json or text"},
		{"rules with an argument", []string{"rules", "x"}, 2, `unexpected argument "x"`},
		{"only a rule that there is not", []string{"validate", "--only", "schema,x"}, 2, `--only: there is no rule "x"`},
		{"skip a rule that there is not", []string{"validate", "--skip", "TOOL-0"}, 2, "there are TOOL-1, "},
		{"only a rule that is not checked", []string{"validate", "--only", "INIT-2"}, 2, "rule INIT-2 is not checked"},
		{"a bad severity", []string{"validate", "--fail-on", "x"}, 2, `--fail-on "x": expected error or warning`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stdout, status, err := acpcheck(t, strings.NewReader(""), test.args...)
			said := stdout
			if err != nil {
				said = err.Error()
			}
			if status != test.status || !strings.Contains(said, test.says) {
				t.Errorf("status %d, %q; want %d and %q", status, said, test.status, test.says)
			}
		})
	}
	if err := run(t.Context(), []string{"rules"}, nil, brokenWriter{}, io.Discard); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want io.ErrClosedPipe", err)
	}
}

// A finding that repeats the judges' counts only if it is asked for by name; a whole connection has an end to judge.
func TestWhatCounts(t *testing.T) {
	const noise = `{"dir":"a2c","raw":"noise"}` + "\n"
	const ends = `{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1,\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"}` + "\n"
	tests := []struct {
		name, in string
		args     []string
		says     string
	}{
		{"once", noise, nil, "1 error, 0 warnings"},
		{"by name", noise, []string{"--only", "TR-3"}, "TR-3 https://"},
		{"both by name", noise, []string{"--only", "TR-3,json"}, "2 errors, 0 warnings"},
		{"neither", noise, []string{"--skip", "json"}, "0 errors, 0 warnings"},
		{"an open end", ends, nil, "0 errors, 1 warning"},
		{"an end in order", ends, []string{"--complete"}, "1 error, 0 warnings"},
		{"an excerpt", valid, nil, "0 errors, 0 warnings"},
		{"an excerpt that is said to be all", valid, []string{"--complete", "--only", "RPC-5"}, "1 error, 0 warnings"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stdout, _, err := acpcheck(t, strings.NewReader(test.in), append([]string{"validate"}, test.args...)...)
			if !strings.Contains(stdout, test.says) {
				t.Errorf("%q does not say %q (error %v)", stdout, test.says, err)
			}
		})
	}
}
