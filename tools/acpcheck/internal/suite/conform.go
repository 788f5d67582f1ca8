package suite

import (
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

// NewJudge returns a judge that knows the rules of package conform.
func NewJudge() Judge { return &rulebook{conform.New(&conform.Options{Closed: true})} }

// A rulebook is a checker as a judge.
type rulebook struct{ checker *conform.Checker }

func (r *rulebook) Frame(from wire.Side, line []byte) []Verdict {
	return verdicts(r.checker.Frame(from, line))
}

func (r *rulebook) End() []Verdict { return verdicts(r.checker.End()) }

func verdicts(findings []conform.Finding) []Verdict {
	var list []Verdict
	for _, f := range findings {
		switch f.Severity {
		case conform.Error, conform.Warning:
			message := f.Message
			if f.Pointer != "" {
				message = f.Pointer + ": " + message
			}
			list = append(list, Verdict{Rule: f.Rule, By: f.By, Warning: f.Severity == conform.Warning, Message: message, Frame: f.Frame, Earlier: f.Earlier})
		case conform.Note, conform.Opinion:
		}
	}
	return list
}
