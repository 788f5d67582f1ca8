package conform_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp/conform"
)

// caseWants are the findings on public fault reports about the order of frames: rule, severity and frame. They begin in the midst of a connection.
var caseWants = map[string][]string{
	"B106": {"LIST-7 warning 4"},
	"B107": {"SESS-1 warning 6"},
	"B111": {"SESS-10 error 5"},
	"B113": nil,
	"B114": {"INIT-6 error 4"},
	"B115": {"FS-1 error 3", "TERM-1 error 4"},
	"B135": nil,
	"B30":  {"CFG-1 error 4"},
	"B42":  {"PERM-1 error 2"},
	"B53":  {"OPI-1 opinion 3"},
	"B69":  nil,
	"B78":  nil,
	"B79":  nil,
	"B82":  {"SESS-3 warning 2"},
	"B83":  {"TURN-3 warning 4"},
	"B84":  nil,
	"B90":  {"PERM-4 warning 3"},
	"B93":  {"CAN-2 warning 3"},
	"B94":  {"TURN-4 warning 3"},
	"D11":  {"RPC-3 error 3", "RPC-3 warning 4"},
}

// TestCases judges the reports of the levels sequence and ordering.
func TestCases(t *testing.T) {
	file, err := os.Open(filepath.Join(shared(t, "cases"), "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := 0
	for dec := json.NewDecoder(file); dec.More(); {
		var entry struct {
			ID, Level string
			Lines     []recorded
		}
		if err := dec.Decode(&entry); err != nil {
			t.Fatal(err)
		}
		if entry.Level != "sequence" && entry.Level != "ordering" {
			continue
		}
		seen++
		t.Run(entry.ID, func(t *testing.T) {
			want, ok := caseWants[entry.ID]
			if !ok {
				t.Fatal("no expectation")
			}
			c := conform.New(&conform.Options{Partial: true, Opinions: true, Skip: []string{"INIT-7", "RPC-5"}})
			var got []string
			for _, l := range entry.Lines {
				for _, f := range c.Frame(sideOf[l.Dir], []byte(l.Raw)) {
					got = append(got, fmt.Sprintf("%s %s %d", f.Rule, f.Severity, f.Frame))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
	if seen != len(caseWants) {
		t.Errorf("%d cases, but %d expectations", seen, len(caseWants))
	}
}
