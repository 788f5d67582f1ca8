package check

import (
	"context"
	"errors"
	"io"

	"github.com/acpwire/acpwire/gen/wire"
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
	for ctx.Err() == nil {
		line, err := src.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		d := line.Direction
		if d == transcript.Unknown {
			d = w.Direction
		}
		var v *judge.Verdict
		if line.Fault == "" {
			v = session.Judge(line.Frame, d)
		} else {
			v = unreadable(&line, d)
		}
		w.job.summary.Count(v)
		w.write(ctx, &line, v)
	}
	return nil
}

// unreadable is the verdict on a line that holds no frame.
func unreadable(line *transcript.Line, d transcript.Direction) *judge.Verdict {
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
