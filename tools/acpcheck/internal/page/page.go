// Package page draws a transcript as one HTML page: who said what to whom, with the findings beside the frames.
//
// The page needs nothing but itself. Its content security policy allows its own style and script, by their hashes, and nothing else; all that comes from the
// transcript is text.
package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/check"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

const (
	// DefaultRows is [Options.Rows] if that is zero.
	DefaultRows = 20000

	// fullFrame is how much of a frame is shown; less once budget is used up, so that a browser can take the page.
	fullFrame = 256 << 10
	headFrame = 2 << 10
	budget    = 64 << 20
)

// Options say what to draw.
type Options struct {
	// Title is the name of the transcript. Required.
	Title string
	// In is the transcript. Required.
	In io.Reader
	// Judge says how frames are judged.
	Judge judge.Options
	// Filter says which findings count.
	Filter check.Filter
	// Direction is that of lines which carry none. If Unknown, it is told from the frame.
	Direction transcript.Direction
	// MaxFrame is the longest line that is judged, in bytes. Required.
	MaxFrame int
	// Rows is how many frames are drawn; more are judged and counted only. If zero, DefaultRows.
	Rows int
}

// A row is one frame.
type row struct {
	Line     int
	Time     string
	Dir      string // "c2a", "a2c" or "none"
	Arrow    string // in words
	Kind     string
	Method   string
	ID       string
	Session  string
	Label    string
	Detail   string
	Text     string // the frame, in several lines if it is JSON
	Cut      int    // bytes of it that are not shown
	Answers  int    // the line of the request
	Severity string // the worst of the findings, or "none"
	Findings []finding
}

type finding struct {
	Severity, Rule, Page, Pointer, Message, Schema string
	Earlier                                        int
}

// A builder gathers rows.
type builder struct {
	*Options
	session  *judge.Session
	summary  report.Summary
	rows     []*row
	byLine   map[int]*row
	open     map[request]asked
	sessions names
	methods  names
	start    time.Duration
	timed    bool
	used     int
}

// A request that waits for its answer is known by who sent it and its id.
type request struct {
	from transcript.Direction
	id   wire.RequestID
}

type asked struct {
	line    int
	session string
}

// Write judges the transcript and writes the page. The error is that of reading, of writing, or of ctx.
func Write(ctx context.Context, w io.Writer, opts *Options) (report.Summary, error) {
	o := *opts
	if o.Rows == 0 {
		o.Rows = DefaultRows
	}
	b := &builder{Options: &o, session: judge.NewSession(o.Judge), byLine: map[int]*row{}, open: map[request]asked{}}
	b.summary.Files = 1
	if err := b.read(ctx); err != nil {
		return b.summary, err
	}
	return b.summary, b.render(w)
}

func (b *builder) read(ctx context.Context) error {
	src := transcript.NewReader(b.In, b.MaxFrame)
	for {
		line, err := src.Next()
		switch {
		case errors.Is(err, io.EOF):
			b.session.End(b.later)
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", b.Title, err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		b.line(&line)
	}
}

func (b *builder) line(line *transcript.Line) {
	d := line.Direction
	if d == transcript.Unknown {
		d = b.Direction
	}
	v := check.Unreadable(line, d)
	if v == nil {
		b.session.At(judge.Position{Line: line.Number, Time: line.Time, Timed: line.Timed})
		v = b.session.Judge(line.Frame, d)
	}
	b.summary.Known += b.Filter.Keep(b.Title, v)
	b.summary.Count(v)
	if len(b.rows) < b.Rows {
		b.draw(line, v)
	}
	b.session.Late(b.later)
}

// draw adds the row of a line.
func (b *builder) draw(line *transcript.Line, v *judge.Verdict) {
	r := &row{Line: line.Number, Dir: "none", Arrow: "sender not known", Kind: v.Kind.String(), Method: v.Method, Severity: "none"}
	switch v.Direction {
	case transcript.ClientToAgent:
		r.Dir, r.Arrow = "c2a", "client to agent"
	case transcript.AgentToClient:
		r.Dir, r.Arrow = "a2c", "agent to client"
	case transcript.Unknown:
	}
	if v.HasID {
		r.ID = v.ID.String()
	}
	b.clock(r, line)
	b.describe(r, v, line.Frame)
	b.show(r, line.Frame)
	b.add(r, v)
	b.rows = append(b.rows, r)
	b.byLine[r.Line] = r
}

// clock sets the time since the first frame.
func (b *builder) clock(r *row, line *transcript.Line) {
	if !line.Timed {
		return
	}
	if !b.timed {
		b.start, b.timed = line.Time, true
	}
	r.Time = fmt.Sprintf("%.3f s", (line.Time - b.start).Seconds())
}

// describe finds out what the frame answers, which session it belongs to, and what is worth saying about it in one line.
func (b *builder) describe(r *row, v *judge.Verdict, frame []byte) {
	r.Session = textAt(frame, "/params/sessionId")
	switch v.Kind {
	case acp.KindRequest:
		if v.HasID && v.Direction != transcript.Unknown {
			b.open[request{v.Direction, v.ID.Key()}] = asked{r.Line, r.Session}
		}
	case acp.KindResponse, acp.KindError:
		key := request{v.Direction.Reverse(), v.ID.Key()}
		if a, ok := b.open[key]; ok {
			r.Answers, r.Session = a.line, a.session
			delete(b.open, key)
		}
		if r.Session == "" {
			r.Session = textAt(frame, "/result/sessionId")
		}
	case acp.KindUnknown, acp.KindNotification:
	}
	r.Label, r.Detail = label(v, frame), detail(v, frame)
	b.sessions.add(r.Session)
	b.methods.add(r.Method)
}

// show sets the text of the frame.
func (b *builder) show(r *row, frame []byte) {
	limit := fullFrame
	if b.used > budget {
		limit = headFrame
	}
	r.Text, r.Cut = pretty(frame, limit)
	b.used += len(r.Text)
}

// add adds the findings of a verdict to a row.
func (b *builder) add(r *row, v *judge.Verdict) {
	for i := range v.Findings {
		f := &v.Findings[i]
		shown := finding{
			Severity: f.Severity.String(), Rule: string(f.Rule), Page: catalog.Page(f.Rule), Pointer: f.Pointer, Message: f.Message, Schema: f.Schema, Earlier: f.Earlier,
		}
		if f.Got != "" {
			shown.Message += ", got " + f.Got
		}
		shown.Pointer, shown.Message = harmless(shown.Pointer), harmless(shown.Message)
		r.Findings = append(r.Findings, shown)
		if r.Severity != "error" {
			r.Severity = shown.Severity
		}
	}
}

// later adds a finding that comes after its frame.
func (b *builder) later(line int, _ []byte, v *judge.Verdict) {
	b.summary.Known += b.Filter.Keep(b.Title, v)
	b.summary.CountFindings(v)
	if r := b.byLine[line]; r != nil {
		b.add(r, v)
	}
}
