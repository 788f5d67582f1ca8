package check

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
)

// FuzzRun holds any input to: no panic, records that are JSON, counts that add up, and judges that agree.
func FuzzRun(f *testing.F) {
	demo, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(demo) {
		f.Add(line)
	}
	f.Add(demo)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"name":"n","type":"http","url":"u","headers":[]}]}}`))
	f.Add([]byte("\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1e0,"result":{"\ud800":[1.5e-3]}}` + "\r\n\x00"))
	ref, err := validate.New("v1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, format := range []report.Formatter{report.JSON{}, report.Text{Color: true}} {
			var out bytes.Buffer
			opts := options(&out, Stdin)
			opts.Stdin = bytes.NewReader(input)
			opts.Judge = judge.Options{Surface: acpv1.Surface, Reference: ref}
			opts.Format = format
			opts.Verdicts = true
			s, err := Run(t.Context(), opts)
			if s.Frames != s.Valid+s.Repaired+s.Invalid {
				t.Fatalf("the counts of %+v do not add up", s)
			}
			if s.Repaired+s.Invalid > 0 != (s.Errors > 0) {
				t.Fatalf("%+v has invalid frames without errors, or the reverse (error %v)", s, err)
			}
			if _, ok := format.(report.JSON); !ok {
				continue
			}
			for line := range strings.Lines(out.String()) {
				var r struct{ Rule, Message string }
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if r.Rule == string(judge.RuleDisagreement) {
					t.Fatal(r.Message)
				}
			}
		}
	})
}
