package check

import (
	"context"
	"errors"
	"io"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// A writer judges the lines of one file and gathers its output.
type writer struct {
	*run
	job  *job
	name string
	out  []byte
}

func (w *writer) lines(ctx context.Context, src *transcript.Reader) error {
	session := judge.NewSession(w.Judge)
	later := w.later(ctx)
	for ctx.Err() == nil {
		line, err := src.Next()
		if errors.Is(err, io.EOF) {
			session.End(later)
			if w.job.summary.Frames == 0 {
				later(1, nil, &judge.Verdict{Findings: []judge.Finding{{Severity: judge.Warning, Violation: wire.Violation{
					Rule: catalog.RuleEmpty, Offset: -1, Message: "no frame in the transcript: nothing was checked",
				}}}})
			}
			return nil
		}
		if err != nil {
			return err
		}
		d := line.Direction
		if d == transcript.Unknown {
			d = w.Direction
		}
		v := Unreadable(&line, d)
		if v == nil {
			session.At(judge.Position{Line: line.Number, Time: line.Time, Timed: line.Timed})
			v = session.Judge(line.Frame, d)
		}
		w.job.summary.Known += w.Filter.Keep(w.name, v)
		w.job.summary.Count(v)
		w.write(ctx, &line, v)
		session.Late(later)
	}
	return nil
}

// later returns what reports a finding that comes after its frame.
func (w *writer) later(ctx context.Context) func(line int, frame []byte, v *judge.Verdict) {
	return func(line int, frame []byte, v *judge.Verdict) {
		w.job.summary.Known += w.Filter.Keep(w.name, v)
		w.job.summary.CountFindings(v)
		if len(v.Findings) > 0 {
			w.out = w.Format.Findings(w.out, report.Place{File: w.name, Line: line, Frame: frame}, v)
			w.spill(ctx)
		}
	}
}

// Unreadable returns the verdict on a line that holds no frame, or nil if it holds one.
func Unreadable(line *transcript.Line, d transcript.Direction) *judge.Verdict {
	if line.Fault == "" {
		return nil
	}
	rule := wire.RuleJSON
	if line.TooLong {
		rule = judge.RuleLimit
	}
	return &judge.Verdict{
		Direction: d, Strict: judge.Invalid, Lenient: judge.Invalid,
		Findings: []judge.Finding{{Violation: wire.Violation{Rule: rule, Offset: -1, Message: line.Fault}}},
	}
}

func (w *writer) write(ctx context.Context, line *transcript.Line, v *judge.Verdict) {
	at := report.Place{File: w.name, Line: line.Number, Frame: line.Frame}
	if len(v.Findings) > 0 {
		w.out = w.Format.Findings(w.out, at, v)
	}
	if w.Verdicts {
		w.out = w.Format.Verdict(w.out, at, v)
	}
	w.spill(ctx)
}

// spill hands the output on if it is much, or if somebody waits for it.
func (w *writer) spill(ctx context.Context) {
	// Who pipes live traffic in wants to see findings as they happen.
	if len(w.out) >= chunk || w.job.name == Stdin {
		w.flush(ctx)
	}
}

// flush hands the output on. It waits while too much of it is ahead of its turn.
func (w *writer) flush(ctx context.Context) {
	if len(w.out) == 0 {
		return
	}
	select {
	case w.job.out <- w.out:
	case <-ctx.Done():
	}
	w.out = nil
}
