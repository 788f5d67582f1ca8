package main

import (
	"cmp"
	"slices"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// targetOf returns the target of a definition.
func targetOf(t testing.TB, def string) target {
	t.Helper()
	all, err := targets(acpv1.Surface, "")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(t target) bool { return t.def == def })
	if i < 0 {
		t.Fatalf("no method's params or result is a %s", def)
	}
	return all[i]
}

// TestDivergences shows each entry of the table by its instance: the oracle accepts it, the generated decoder rejects it, nothing but this entry explains
// that, and nothing shorter shows it. An entry that no longer applies fails.
func TestDivergences(t *testing.T) {
	j := testJudge(t)
	for _, d := range j.table {
		t.Run(cmp.Or(d.union, "numbers"), func(t *testing.T) {
			if d.reason == "" {
				t.Error("no reason")
			}
			target := targetOf(t, d.def)
			shows := func(raw []byte) bool {
				o := j.check(target, raw)
				return o.problem == nil && o.verdict == accepted && len(o.explained) == 1 && o.explained[0] == d
			}
			if !shows([]byte(d.instance)) {
				o := j.check(target, []byte(d.instance))
				t.Fatalf("%s does not show it: verdict %v, explained by %d entries, problem: %+v", d.instance, o.verdict, len(o.explained), o.problem)
			}
			if short := mutate.Reduce([]byte(d.instance), shows); len(short) < len(d.instance) {
				t.Errorf("%s\nis not the shortest instance, but\n%s", d.instance, short)
			}
			without := *j
			without.table = slices.DeleteFunc(slices.Clone(j.table), func(e *divergence) bool { return e == d })
			if o := without.check(target, []byte(d.instance)); o.problem == nil {
				t.Error("it is no disagreement without this entry")
			}
		})
	}
}

// TestDivergencesNarrow shows that an entry explains no more than it says.
func TestDivergencesNarrow(t *testing.T) {
	j := testJudge(t)
	tests := []struct {
		name, def, raw string
		// wrong is decoded in place of raw, which the oracle accepts.
		wrong string
	}{
		{
			name: "a fault beside an instance of the union", def: "NewSessionRequest",
			raw:   `{"cwd":"","mcpServers":[{"type":"sse","name":"","command":"","args":[],"env":[]}]}`,
			wrong: `{"cwd":0,"mcpServers":[{"type":"sse","name":"","command":"","args":[],"env":[]}]}`,
		},
		{
			name: "an instance that only the decoder's variant can be meant by", def: "NewSessionRequest",
			raw:   `{"cwd":"","mcpServers":[{"type":"sse","name":"","url":"","headers":[]}]}`,
			wrong: `{"cwd":"","mcpServers":[{"type":"sse","name":"","url":0,"headers":[]}]}`,
		},
		{
			name: "a member that all variants share", def: "SetSessionConfigOptionRequest",
			raw:   `{"sessionId":"","configId":"","type":"boolean","value":""}`,
			wrong: `{"sessionId":0,"configId":"","type":"boolean","value":""}`,
		},
		{
			name: "a number that float64 can hold", def: "SessionNotification",
			raw:   `{"sessionId":"","update":{"sessionUpdate":"usage_update","used":0,"size":0,"cost":{"amount":1e308,"currency":""}}}`,
			wrong: `{"sessionId":"","update":{"sessionUpdate":"usage_update","used":0,"size":0,"cost":{"amount":"1e308","currency":""}}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := targetOf(t, test.def)
			report, crash, err := decode([]byte(test.wrong), target.new())
			if err == nil || crash != nil {
				t.Fatalf("%s is not rejected (crash: %v)", test.wrong, crash)
			}
			if explained, p := j.explain(target, []byte(test.raw), report.Violations); p == nil {
				t.Errorf("the violations %v are explained by %q", report.Violations, explained[0].reason)
			}
		})
	}
}
