package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 500)
	tests := []struct {
		name  string
		frame string
		at    string // the fault starts at the last occurrence of this
		rule  wire.Rule
		want  []string
	}{
		{"a value in its object", `{"jsonrpc":"2.0","params":{"a":1,"b":"two"}}`, `"two"`, wire.RuleSchema, []string{
			`{"a":1,"b":"two"}`,
			`           ^^^^^`,
		}},
		{"an object in its array", `{"p":[1,{"c":2}]}`, `{"c"`, wire.RuleSchema, []string{
			`[1,{"c":2}]`,
			`   ^^^^^^^`,
		}},
		{"the whole frame", `{"id":1}`, `{`, acp.RuleEnvelope, []string{
			`{"id":1}`,
			`^^^^^^^^`,
		}},
		{"something missing at the end", `{"id":1}`, "", wire.RuleSchema, []string{
			`{"id":1}`,
			`        ^`,
		}},
		{"a syntax error", `{"a":1,}`, `}`, wire.RuleJSON, []string{
			`{"a":1,}`,
			`       ^`,
		}},
		{"an escape", `{"a":"x\ud800y"}`, `\`, wire.RuleJSON, []string{
			`{"a":"x\ud800y"}`,
			`       ^^^^^^`,
		}},
		{"a member name", `{"a":1,"a":2}`, `"a"`, wire.RuleJSON, []string{
			`{"a":1,"a":2}`,
			`       ^^^`,
		}},
		{"in front of something long", `{"p":{"a":1,"text":"` + long + `"}}`, `1`, wire.RuleSchema, []string{
			`{"a":1,"text":"` + long[:85] + `…`,
			`     ^`,
		}},
		{"behind something long", `{"p":{"text":"` + long + `","a":1}}`, `1`, wire.RuleSchema, []string{
			`…` + long[:24] + `","a":1}`,
			`                               ^`,
		}},
		{"long itself", `{"p":{"text":"` + long + `"}}`, `"x`, wire.RuleSchema, []string{
			`{"text":"` + long[:91] + `…`,
			`        ` + strings.Repeat("^", 92),
		}},
		{"control and wide characters", "{\"a\":\"\t\x1b[31m中e\u0301\u202e\xff\",\"b\":1}", `1`, wire.RuleSchema, []string{
			"{\"a\":\"␉␛[31m中e\u0301��\",\"b\":1}",
			"                       ^",
		}},
		{"brackets in strings", `{"a":"}{\"[","b":[1]}`, `1`, wire.RuleSchema, []string{
			`[1]`,
			` ^`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			offset := len(test.frame)
			if test.at != "" {
				offset = strings.LastIndex(test.frame, test.at)
			}
			shown, marks := excerpt([]byte(test.frame), offset, test.rule)
			if diff := cmp.Diff(test.want, []string{shown, marks}); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x\ud800"]}`), 7)
	f.Add([]byte("\xff\xfe中"), 1)
	f.Add([]byte(strings.Repeat("\u0301", 5*width)), 1)
	f.Fuzz(func(t *testing.T, frame []byte, offset int) {
		offset = max(0, min(offset, len(frame)))
		for _, rule := range []wire.Rule{wire.RuleJSON, wire.RuleSchema} {
			shown, marks := excerpt(frame, offset, rule)
			for _, line := range []string{shown, marks} {
				if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
					t.Fatalf("%q has a control character", line)
				}
				if n := len([]rune(line)); n > 3*width {
					t.Fatalf("%q has %d characters", line, n)
				}
			}
		}
	})
}

// wrong is a verdict with something in every field.
func wrong() *judge.Verdict {
	return &judge.Verdict{
		Direction: transcript.AgentToClient, Kind: acp.KindNotification, Method: "session/update", ID: wire.IntID(3), HasID: true,
		Strict: judge.Invalid, Lenient: judge.Repaired, Unknown: 3,
		Repairs: []wire.Repair{{Pointer: "/params/a", Action: wire.Defaulted, Message: "expected boolean"}},
		Findings: []judge.Finding{
			{Violation: wire.Violation{Rule: wire.RuleSchema, Pointer: "/params/a", Offset: 10, Message: "expected boolean", Got: `"<b>"`, Schema: "#/$defs/A/type"}},
			{Violation: wire.Violation{Rule: judge.RuleVersion, Offset: -1, Message: "old"}, Severity: judge.Warning},
		},
	}
}

func TestJSON(t *testing.T) {
	at := Place{File: "a.jsonl", Line: 12}
	var f JSON
	got := string(f.Findings(nil, at, wrong())) + string(f.Verdict(nil, at, wrong())) +
		string(f.Verdict(nil, at, &judge.Verdict{})) +
		string(f.Findings(nil, at, &judge.Verdict{Findings: []judge.Finding{{Violation: wire.Violation{Rule: wire.RuleJSON, Message: "\xff"}}}})) +
		string(f.Findings(nil, at, &judge.Verdict{ID: wire.StringID("\"x"), HasID: true, Findings: []judge.Finding{{}}})) +
		string(f.Summary(nil, Summary{Files: 1, Frames: 120, Valid: 117, Repaired: 1, Invalid: 2, Errors: 3}))
	want := `{"type":"finding","file":"a.jsonl","line":12,"dir":"a2c","kind":"notification","method":"session/update","id":3,"rule":"schema","severity":"error","pointer":"/params/a","message":"expected boolean, got \"<b>\"","schema":"#/$defs/A/type"}
{"type":"finding","file":"a.jsonl","line":12,"dir":"a2c","kind":"notification","method":"session/update","id":3,"rule":"version","severity":"warning","pointer":"","message":"old"}
{"type":"verdict","file":"a.jsonl","line":12,"dir":"a2c","kind":"notification","method":"session/update","strict":"invalid","lenient":"repaired","repairs":[{"pointer":"/params/a","action":"defaulted","message":"expected boolean"}]}
{"type":"verdict","file":"a.jsonl","line":12,"kind":"unknown","strict":"valid","lenient":"valid","repairs":[]}
{"type":"finding","file":"a.jsonl","line":12,"kind":"unknown","rule":"json","severity":"error","pointer":"","message":"\ufffd"}
{"type":"finding","file":"a.jsonl","line":12,"kind":"unknown","id":"\"x","rule":"","severity":"error","pointer":"","message":""}
{"type":"summary","files":1,"frames":120,"valid":117,"repaired":1,"invalid":2,"errors":3,"warnings":0}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestText(t *testing.T) {
	at := Place{File: "a\x1b.jsonl", Line: 12, Frame: []byte(`{"params":{"a":"<b>"}}`)}
	v := wrong()
	v.Findings[0].Offset = strings.Index(string(at.Frame), `"<b>"`)
	summary := Summary{Files: 2, Frames: 1, Repaired: 1, Errors: 1, Warnings: 2, Unknown: 3, Bytes: 1234567, Elapsed: 500 * time.Millisecond}
	got := string(Text{}.Findings(nil, at, v)) + string(Text{}.Verdict(nil, at, v)) + string(Text{}.Summary(nil, summary))
	want := `a␛.jsonl:12: a2c session/update: /params/a: expected boolean, got "<b>"
    {"a":"<b>"}
         ^^^^^
    schema #/$defs/A/type
a␛.jsonl:12: a2c session/update: warning: old
    version https://agentclientprotocol.com/protocol/initialization
a␛.jsonl:12: a2c session/update: invalid, repaired by leniency
    /params/a: defaulted: expected boolean
1 frame in 2 files: 0 valid, 1 repaired, 0 invalid; 1 error, 2 warnings; 3 unknown fields ignored
1.2 MB in 500ms: 2.5 MB/s, 2 frames/s
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if got := (Text{Quiet: true}).Summary(nil, summary); len(got) > 0 {
		t.Errorf("a quiet summary is %q, want nothing", got)
	}
}

func TestColorOnlyAddsEscapes(t *testing.T) {
	at := Place{File: "a.jsonl", Line: 1, Frame: []byte(`{"params":{"a":"<b>"}}`)}
	colored := string(Text{Color: true}.Findings(nil, at, wrong()))
	for _, style := range []string{bold, faint, red, yellow} {
		if !strings.Contains(colored, "\x1b["+style+"m") {
			t.Errorf("style %s is not used in %q", style, colored)
		}
		colored = strings.ReplaceAll(colored, "\x1b["+style+"m", "")
	}
	colored = strings.ReplaceAll(colored, "\x1b[0m", "")
	if diff := cmp.Diff(string(Text{}.Findings(nil, at, wrong())), colored); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestSummaryCounts(t *testing.T) {
	var s, total Summary
	s.Count(&judge.Verdict{})
	s.Count(wrong())
	s.Count(&judge.Verdict{Lenient: judge.Invalid})
	total.Add(s)
	total.Add(Summary{Files: 1, Bytes: 7})
	want := Summary{Files: 1, Frames: 3, Valid: 1, Repaired: 1, Invalid: 1, Errors: 1, Warnings: 1, Unknown: 3, Bytes: 7}
	if diff := cmp.Diff(want, total); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1500: "1.5 kB", 2_500_000: "2.5 MB", 1_230_000_000: "1.23 GB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}
