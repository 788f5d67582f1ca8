package suite

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes one record a line: a result for each scenario, and a summary.
func JSON(w io.Writer, r *Report) error {
	type finding struct {
		Rule     string   `json:"rule"`
		Severity string   `json:"severity"`
		Message  string   `json:"message"`
		Frames   []string `json:"frames,omitempty"`
	}
	type result struct {
		Type     string    `json:"type"`
		Area     string    `json:"area"`
		Name     string    `json:"name"`
		Doc      string    `json:"doc"`
		Outcome  string    `json:"outcome"`
		Why      string    `json:"why,omitempty"`
		Findings []finding `json:"findings,omitempty"`
		Again    string    `json:"again"`
		Millis   int64     `json:"ms"`
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range r.Results {
		s := &r.Results[i]
		out := result{Type: "result", Area: s.Area, Name: s.Name, Doc: s.Doc, Outcome: s.Outcome.String(), Why: s.Why, Again: r.reproduction(s), Millis: s.Took.Milliseconds()}
		for j := range s.Findings {
			f := &s.Findings[j]
			severity := "error"
			if f.Warning {
				severity = "warning"
			}
			var frames []string
			for _, n := range s.evidence(f) {
				frame := &s.Connections[f.Connection-1][n-1]
				frames = append(frames, fmt.Sprintf("%d %s%s", n, arrow(frame.From), shown(frame.Line)))
			}
			out.Findings = append(out.Findings, finding{f.Rule, severity, f.Message, frames})
		}
		if err := e.Encode(out); err != nil {
			return err
		}
	}
	t := r.Tally()
	return e.Encode(struct {
		Type         string `json:"type"`
		Passed       int    `json:"passed"`
		Failed       int    `json:"failed"`
		Warned       int    `json:"warned"`
		NotExercised int    `json:"notExercised"`
	}{"summary", t.Passed, t.Failed, t.Warned, t.NotExercised})
}
