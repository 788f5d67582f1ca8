package baseline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

var today = time.Date(2026, 5, 20, 23, 59, 0, 0, time.UTC)

func read(t *testing.T, text string) (*List, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "known")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Read(name, today)
	if err != nil && !strings.HasPrefix(err.Error(), name+":") {
		t.Errorf("error %q does not name the file", err)
	}
	return l, err
}

const list = `# what we know
- rule: schema
  reason: upstream
  expires: 2026-05-20
- rule: schema
  file: "*.jsonl"
  method: session/update
  pointer: /params/update/*
  message: ToolKind
  reason: upstream
  expires: 2030-01-31

- {rule: TOOL-2, reason: "none: yet", expires: "2026-05-19"}
- rule: json
  reason: gone
  expires: 2030-01-01
`

const lines = `{"rule":"schema","reason":"upstream","expires":"2026-05-20"}

{"rule":"json","reason":"gone","expires":"2020-01-01"}
`

func finding(rule, pointer, message string) (*judge.Verdict, *judge.Finding) {
	return &judge.Verdict{Method: "session/update"}, &judge.Finding{Violation: wire.Violation{Rule: wire.Rule(rule), Pointer: pointer, Message: message}}
}

func reported(l *List) map[int]string {
	got := map[int]string{}
	l.Report(func(string) bool { return true }, func(line int, f judge.Finding) {
		if f.Severity == judge.Warning && f.Rule == "baseline" {
			got[line] = f.Message
		}
	})
	return got
}

func TestYAML(t *testing.T) {
	l, err := read(t, list)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		rule string
		want bool
	}{"on its last day": {"schema", true}, "expired": {"TOOL-2", false}, "another rule": {"RPC-5", false}} {
		v, f := finding(test.rule, "/params/update/kind", "unknown ToolKind")
		if got := l.Known("dir/a.jsonl", v, f); got != test.want {
			t.Errorf("%s: known %v, want %v", name, got, test.want)
		}
	}
	want := map[int]string{
		13: "the entry for TOOL-2 expired on 2026-05-19 and matches 1 that count again (none: yet)",
		14: "the entry for json matches nothing (gone)",
	}
	if diff := cmp.Diff(want, reported(l)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestJSONLines(t *testing.T) {
	l, err := read(t, lines)
	if err != nil {
		t.Fatal(err)
	}
	v, f := finding("schema", "", "")
	if !l.Known("x", v, f) {
		t.Error("the first entry does not match")
	}
	want := map[int]string{3: "the entry for json expired on 2020-01-01 and matches nothing (gone)"}
	if diff := cmp.Diff(want, reported(l)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestMatching(t *testing.T) {
	for name, test := range map[string]struct {
		field, file string
		want        bool
	}{
		"file by its last part":  {"file: a.jsonl", "dir/a.jsonl", true},
		"file by its path":       {"file: dir/*", "dir/a.jsonl", true},
		"another file":           {"file: b.jsonl", "dir/a.jsonl", false},
		"method":                 {"method: session/update", "a", true},
		"another method":         {"method: session/prompt", "a", false},
		"pointer":                {"pointer: /params/*/kind", "a", true},
		"another pointer":        {"pointer: /params/kind", "a", false},
		"a part of the message":  {"message: unknown", "a", true},
		"nothing of the message": {"message: known to all", "a", false},
	} {
		l, err := read(t, "- rule: schema\n  "+test.field+"\n  reason: r\n  expires: 2030-01-01\n")
		if err != nil {
			t.Fatal(err)
		}
		v, f := finding("schema", "/params/update/kind", "unknown ToolKind")
		if got := l.Known(test.file, v, f); got != test.want {
			t.Errorf("%s: known %v, want %v", name, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no reason":         {"- rule: json\n  expires: 2030-01-01\n", `:1: the entry has no "reason"`},
		"no expiry":         {"- rule: json\n  reason: r\n", `:1: the entry has no "expires"`},
		"no rule":           {"\n- reason: r\n  expires: 2030-01-01\n", `:2: the entry has no "rule"`},
		"no such rule":      {"- rule: tool-2\n  reason: r\n  expires: 2030-01-01\n", `there is no rule "tool-2"`},
		"no day":            {"- rule: json\n  reason: r\n  expires: soon\n", "expected a day as YYYY-MM-DD"},
		"bad pattern":       {"- rule: json\n  file: \"[\"\n  reason: r\n  expires: 2030-01-01\n", `"[" is no pattern`},
		"unknown key":       {"- rule: json\n  reasons: r\n", `unknown field "reasons"`},
		"no list":           {"rule: json\n", ":1: expected a list of entries"},
		"no YAML":           {"- [\n", ": "},
		"JSON, unknown key": {"\n" + `{"rule":"json","why":"r"}`, `:2: json: unknown field "why"`},
		"JSON, two values":  {`{"rule":"json","reason":"r","expires":"2030-01-01"} {}`, ":1: more than one value"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := read(t, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
	for name, text := range map[string]string{"empty": "", "comments": "# none\n"} {
		if l, err := read(t, text); err != nil || len(l.entries) > 0 {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
