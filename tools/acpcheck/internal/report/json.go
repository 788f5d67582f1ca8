package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// JSON writes one record a line. Members that have nothing to say, such as the method of a line that is not JSON, are left out; the pointer of a finding about the
// whole frame is empty.
type JSON struct{}

type findingRecord struct {
	Type     string          `json:"type"`
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Dir      string          `json:"dir,omitempty"`
	Kind     string          `json:"kind"`
	Method   string          `json:"method,omitempty"`
	ID       json.RawMessage `json:"id,omitempty"`
	Rule     string          `json:"rule"`
	Severity string          `json:"severity"`
	Pointer  string          `json:"pointer"`
	Message  string          `json:"message"`
	Schema   string          `json:"schema,omitempty"`
	Related  []relatedRecord `json:"related,omitempty"`
}

// A relatedRecord is an earlier frame of the same file that the finding is about as well.
type relatedRecord struct {
	Line int `json:"line"`
}

type verdictRecord struct {
	Type    string         `json:"type"`
	File    string         `json:"file"`
	Line    int            `json:"line"`
	Dir     string         `json:"dir,omitempty"`
	Kind    string         `json:"kind"`
	Method  string         `json:"method,omitempty"`
	Strict  string         `json:"strict"`
	Lenient string         `json:"lenient"`
	Repairs []repairRecord `json:"repairs"`
}

type repairRecord struct {
	Pointer string      `json:"pointer"`
	Action  wire.Action `json:"action"`
	Message string      `json:"message"`
}

type summaryRecord struct {
	Type     string `json:"type"`
	Files    int    `json:"files"`
	Frames   int    `json:"frames"`
	Valid    int    `json:"valid"`
	Repaired int    `json:"repaired"`
	Invalid  int    `json:"invalid"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Known    int    `json:"known,omitempty"`
}

// Findings appends one finding record for each finding.
func (JSON) Findings(b []byte, at Place, v *judge.Verdict) []byte {
	for i := range v.Findings {
		f := &v.Findings[i]
		r := findingRecord{
			Type: "finding", File: at.File, Line: at.Line, Dir: v.Direction.String(), Kind: v.Kind.String(), Method: v.Method,
			Rule: string(f.Rule), Severity: f.Severity.String(), Pointer: f.Pointer, Message: message(f), Schema: f.Schema,
		}
		if f.Earlier > 0 {
			r.Related = []relatedRecord{{f.Earlier}}
		}
		if v.HasID {
			r.ID = idJSON(v.ID)
		}
		b = appendRecord(b, r)
	}
	return b
}

// Verdict appends one verdict record.
func (JSON) Verdict(b []byte, at Place, v *judge.Verdict) []byte {
	r := verdictRecord{
		Type: "verdict", File: at.File, Line: at.Line, Dir: v.Direction.String(), Kind: v.Kind.String(), Method: v.Method,
		Strict: v.Strict.String(), Lenient: v.Lenient.String(), Repairs: []repairRecord{},
	}
	for _, repair := range v.Repairs {
		r.Repairs = append(r.Repairs, repairRecord(repair))
	}
	return appendRecord(b, r)
}

// Summary appends the summary record.
func (JSON) Summary(b []byte, s Summary) []byte {
	return appendRecord(b, summaryRecord{
		Type: "summary", Files: s.Files, Frames: s.Frames, Valid: s.Valid, Repaired: s.Repaired, Invalid: s.Invalid, Errors: s.Errors, Warnings: s.Warnings,
		Known: s.Known,
	})
}

type noteRecord struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// Note appends a note record.
func (JSON) Note(b []byte, text string) []byte {
	return appendRecord(b, noteRecord{"note", text})
}

// message says what was expected and what was there.
func message(f *judge.Finding) string {
	if f.Got == "" || strings.HasPrefix(f.Message, f.Got) {
		return f.Message
	}
	return f.Message + ", got " + f.Got
}

func idJSON(id wire.RequestID) json.RawMessage {
	b, err := id.MarshalJSON()
	if err != nil { // an id that holds a replaced surrogate
		return nil
	}
	return b
}

// appendRecord cannot fail: records hold nothing but strings, numbers and ids that have been encoded already.
func appendRecord(b []byte, record any) []byte {
	w := bytes.NewBuffer(b)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(record); err != nil {
		return fmt.Appendf(b, "{\"type\":\"failure\",\"message\":%q}\n", err.Error())
	}
	return w.Bytes()
}
