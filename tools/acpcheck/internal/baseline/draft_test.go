package baseline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

func drafted(d *Draft) string {
	var b strings.Builder
	if err := d.Write(&b, today); err != nil {
		return err.Error()
	}
	return b.String()
}

func TestDraft(t *testing.T) {
	d := &Draft{}
	for _, f := range []struct{ file, rule, pointer, message string }{
		{"b.jsonl", "TOOL-2", "/params/update/toolCallId", `the call "c-17" was announced before`},
		{"a.jsonl", "TOOL-2", "/params/update/toolCallId", `the call "d" was announced before`},
		{"a.jsonl", "schema", "/params/update/entries/4/a*b", `missing required "x:y"`},
		{"a.jsonl", "schema", "/params/update/entries/11/a*b", `missing required "x:y"`},
		{"a\n.jsonl", "json", "", "unexpected\x07character"},
	} {
		v, found := finding(f.rule, f.pointer, f.message)
		d.Add(f.file, v, found)
	}
	v, warning := finding("RPC-5", "", "was never answered")
	warning.Severity = judge.Warning
	d.Add("a.jsonl", v, warning)
	want := `# Findings that are known. Fill in each reason, then: acpcheck validate --baseline THIS FILE
# What is to be fixed now, take out. An entry counts up to the day on which it expires.

# error, 2 times, first in a.jsonl: the call "d" was announced before
- rule: TOOL-2
  method: "session/update"
  pointer: "/params/update/toolCallId"
  message: "was announced before"
  reason: ""
  expires: 2026-05-20

# error, 1 time, first in a?.jsonl: unexpected?character
- rule: json
  method: "session/update"
  message: "unexpected\acharacter"
  reason: ""
  expires: 2026-05-20

# error, 2 times, first in a.jsonl: missing required "x:y"
- rule: schema
  method: "session/update"
  pointer: "/params/update/entries/*/a\\*b"
  message: "missing required \"x:y\""
  reason: ""
  expires: 2026-05-20
`
	got := drafted(d)
	if diff := cmp.Diff(want, got); diff != "" || d.Len() != 3 {
		t.Errorf("%d entries, mismatch (-want +got):\n%s", d.Len(), diff)
	}
	if _, err := read(t, got); err == nil || !strings.Contains(err.Error(), `:5: the entry has no "reason"`) {
		t.Errorf("error %v, want one that misses the first reason", err)
	}
}

// A draft whose reasons are filled in covers what it was made of, and the same of another session.
func TestDraftCovers(t *testing.T) {
	d := &Draft{Warnings: true}
	v, _ := finding("", "", "")
	list := []judge.Finding{
		{Violation: wire.Violation{Rule: "TOOL-2", Pointer: "/params/update/toolCallId", Message: `the call "c" was announced before`}},
		{Violation: wire.Violation{Rule: "schema", Pointer: `/params/a[0]/3/\?`, Message: "expected a \"string\"\n"}},
		{Severity: judge.Warning, Violation: wire.Violation{Rule: "RPC-5", Message: "session/prompt was never answered"}},
		{Violation: wire.Violation{Rule: "json", Message: "12"}},
	}
	for i := range list {
		d.Add("a.jsonl", v, &list[i])
	}
	l, err := read(t, strings.ReplaceAll(drafted(d), `reason: ""`, "reason: upstream"))
	if err != nil {
		t.Fatal(err)
	}
	list = append(list, judge.Finding{Violation: wire.Violation{Rule: "TOOL-2", Pointer: "/params/update/toolCallId", Message: `the call "of tomorrow" was announced before`}})
	for i := range list {
		if !l.Known("z.jsonl", v, &list[i]) {
			t.Errorf("%+v is not known", list[i].Violation)
		}
	}
	_, other := finding("TOOL-2", "/params/update/toolCallId", "another message")
	if l.Known("a.jsonl", v, other) {
		t.Error("a finding of another kind is known")
	}
	if left := reported(l); len(left) != 0 {
		t.Errorf("entries of no use: %v", left)
	}
}
