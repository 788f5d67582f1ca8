package tap

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// cutTo is how much is recorded of a line that is too long.
const cutTo = 1 << 10

// A watcher checks what was passed on.
type watcher struct {
	*Options
	queue   *queue
	session *judge.Session // nil once judging has failed
	record  *recorder      // nil if there is none, or once writing has failed
	parts   [3]part
	line    int
	noise   int // lines of the agent that are no message
	firstAt int // the first of them
	summary report.Summary
	notes   []string
}

// A part is the beginning of a line of one direction.
type part struct {
	b       []byte
	dropped int // bytes that were too many to keep
}

func newWatcher(o *Options, q *queue) *watcher {
	w := &watcher{Options: o, queue: q, session: judge.NewSession(o.Judge)}
	w.summary.Files = 1
	if o.Record != nil {
		w.record = &recorder{w: o.Record}
	}
	return w
}

// run takes chunks until there are no more, and reports. Whatever goes wrong in it stays in it.
func (w *watcher) run() {
	defer w.queue.close()
	defer func() {
		if p := recover(); p != nil {
			w.write(w.note(nil, fmt.Sprintf("the check has failed: %v", p)))
		}
	}()
	var last time.Duration
	for {
		list, ok := w.queue.take()
		if !ok {
			break
		}
		for _, c := range list {
			w.summary.Bytes += int64(len(c.b))
			last = c.at
			w.chunk(c)
		}
	}
	w.summary.Elapsed = last
	w.finish()
}

// chunk splits what one side wrote into lines.
func (w *watcher) chunk(c chunk) {
	p := &w.parts[c.from]
	for rest := c.b; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			p.add(rest, w.MaxFrame)
			return
		}
		p.add(rest[:i], w.MaxFrame)
		rest = rest[i+1:]
		w.take(c.from, c.at, p)
	}
	if len(c.b) == 0 && len(p.b) > 0 {
		w.notes = append(w.notes, fmt.Sprintf("line %d, the last of %s, has no line end", w.line+1, name(c.from)))
		w.take(c.from, c.at, p)
	}
}

// add keeps up to one byte more than longest, so that it shows.
func (p *part) add(b []byte, longest int) {
	keep := min(len(b), longest+1-len(p.b))
	p.b = append(p.b, b[:keep]...)
	p.dropped += len(b) - keep
}

// take takes one line.
func (w *watcher) take(from transcript.Direction, at time.Duration, p *part) {
	line, dropped := p.b, p.dropped
	p.b, p.dropped = p.b[:0], 0
	if cap(p.b) > chunkSize {
		p.b = nil // a huge line is rare
	}
	w.line++
	tooLong := len(line) > w.MaxFrame
	recorded := line
	if tooLong {
		recorded = line[:min(len(line), cutTo)]
	}
	w.keep(from, at, recorded)
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	v := w.judged(line, from, at, tooLong, dropped)
	if v == nil {
		return
	}
	if from == transcript.AgentToClient && v.Kind == acp.KindUnknown && !tooLong {
		if w.noise++; w.noise == 1 {
			w.firstAt = w.line
		}
	}
	w.summary.Known += w.Filter.Keep(w.Name, v)
	w.summary.Count(v)
	if len(v.Findings) > 0 {
		w.write(w.Format.Findings(nil, report.Place{File: w.Name, Line: w.line, Frame: line}, v))
	}
	if w.session != nil {
		w.session.Late(w.later)
	}
}

// keep records a line.
func (w *watcher) keep(from transcript.Direction, at time.Duration, line []byte) {
	if w.record == nil {
		return
	}
	if err := w.record.line(from, at, line); err != nil {
		w.record = nil
		w.notes = append(w.notes, fmt.Sprintf("the transcript ends before line %d: %v", w.line, err))
	}
}

// judged returns the verdict on a line, nil if there is none. A panic ends judging and nothing else.
func (w *watcher) judged(line []byte, from transcript.Direction, at time.Duration, tooLong bool, dropped int) (v *judge.Verdict) {
	if w.session == nil {
		return nil
	}
	if tooLong {
		return &judge.Verdict{Direction: from, Strict: judge.Invalid, Lenient: judge.Invalid, Findings: []judge.Finding{{Violation: wire.Violation{
			Rule: judge.RuleLimit, Offset: -1, Message: fmt.Sprintf("line of %d bytes, more than the %d that are judged", len(line)+dropped, w.MaxFrame),
		}}}}
	}
	defer w.failed(w.line)
	if w.judge != nil {
		return w.judge(line, from)
	}
	w.session.At(judge.Position{Line: w.line, Time: at, Timed: true})
	return w.session.Judge(line, from)
}

// failed is deferred around the judges.
func (w *watcher) failed(line int) {
	if p := recover(); p != nil {
		w.session = nil
		w.notes = append(w.notes, fmt.Sprintf("nothing is checked from line %d on, because the check has failed: %v", line, p))
	}
}

// finish reports what is missing at the end, and the summary.
func (w *watcher) finish() {
	end, lost := w.queue.result()
	if lost == 0 {
		w.end(end.inOrder)
	} else {
		w.notes = append(w.notes, fmt.Sprintf("the check fell behind and stopped at line %d; %d bytes after it were passed on unchecked and are not in the transcript", w.line, lost))
	}
	var b []byte
	switch {
	case w.noise == 1:
		b = w.note(b, fmt.Sprintf("the agent wrote a line to its standard output that is no message: line %d", w.firstAt))
	case w.noise > 1:
		b = w.note(b, fmt.Sprintf("the agent wrote %d lines to its standard output that are no message; the first is line %d", w.noise, w.firstAt))
	}
	for _, text := range w.notes {
		b = w.note(b, text)
	}
	b = w.note(b, fmt.Sprintf("the agent ended with exit status %d", end.status))
	w.write(w.Format.Summary(b, w.summary))
}

func (w *watcher) end(inOrder bool) {
	if w.session == nil {
		return
	}
	defer w.failed(w.line + 1)
	if inOrder {
		w.session.Closed()
	} else {
		w.notes = append(w.notes, "the connection did not end in order, so that what is missing at its end is a warning")
	}
	w.session.End(w.later)
}

// later reports a finding that comes after its frame.
func (w *watcher) later(line int, frame []byte, v *judge.Verdict) {
	w.summary.Known += w.Filter.Keep(w.Name, v)
	w.summary.CountFindings(v)
	if len(v.Findings) > 0 {
		w.write(w.Format.Findings(nil, report.Place{File: w.Name, Line: line, Frame: frame}, v))
	}
}

func (w *watcher) note(b []byte, text string) []byte {
	if n, ok := w.Format.(report.Noter); ok {
		return n.Note(b, text)
	}
	return append(b, "acpcheck tap: "+strings.ToValidUTF8(text, "\ufffd")+"\n"...)
}

// write writes to the report. A report that nobody takes changes nothing else.
func (w *watcher) write(b []byte) {
	if w.Report != nil {
		_, _ = w.Report.Write(b)
	}
}

func name(from transcript.Direction) string {
	if from == transcript.ClientToAgent {
		return "the client"
	}
	return "the agent"
}
