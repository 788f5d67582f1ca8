package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

const (
	indent = "    "
	// width is how many columns of a frame are shown.
	width = 100
)

// Text writes findings the way compilers do: where, what, the spot in the frame, and the rule.
type Text struct {
	// Color marks up the text for a terminal.
	Color bool
	// Quiet leaves out the summary.
	Quiet bool
}

// Findings appends each finding on lines of its own.
func (t Text) Findings(b []byte, at Place, v *judge.Verdict) []byte {
	for i := range v.Findings {
		b = t.finding(b, at, v, &v.Findings[i])
	}
	return b
}

func (t Text) finding(b []byte, at Place, v *judge.Verdict, f *judge.Finding) []byte {
	b = t.head(b, at, v)
	mark := red
	if f.Severity == judge.Warning {
		mark = yellow
		b = t.style(b, yellow, "warning: ")
	}
	if f.Pointer != "" {
		b = append(b, printable(cut(f.Pointer, width))...)
		b = append(b, ": "...)
	}
	b = t.style(b, bold, printable(message(f)))
	b = append(b, '\n')
	if at.Frame != nil && f.Offset >= 0 {
		shown, marks := excerpt(at.Frame, f.Offset, f.Rule)
		b = append(b, indent+shown+"\n"+indent...)
		b = t.style(b, mark, marks)
		b = append(b, '\n')
	}
	b = t.related(b, f)
	source := f.Schema
	if source == "" {
		source = catalog.Page(f.Rule)
	}
	b = t.style(b, faint, strings.TrimRight(indent+string(f.Rule)+" "+source, " "))
	return append(b, '\n')
}

// related appends the earlier frame that the finding is about as well.
func (t Text) related(b []byte, f *judge.Finding) []byte {
	if f.Earlier == 0 {
		return b
	}
	b = append(b, indent+"see line "+strconv.Itoa(f.Earlier)...)
	p := f.Related
	if p == nil {
		return append(b, '\n')
	}
	if what := label(p.Direction, p.Kind, p.Method); what != "" {
		b = append(b, ", "+what...)
	}
	b = append(b, ":\n"+indent...)
	shown := cut(printable(telling(strings.TrimRight(string(p.Head), " \t\r"))), width)
	if p.Cut && !strings.HasSuffix(shown, "…") {
		shown += "…"
	}
	b = t.style(b, faint, shown)
	return append(b, '\n')
}

// telling returns the head of a frame without what its label says anyway.
func telling(head string) string {
	for _, name := range []string{`"update":{`, `"params":{`, `"result":{`, `"error":{`} {
		if i := strings.Index(head, name); i >= 0 {
			return "…" + head[i+len(name)-1:]
		}
	}
	return head
}

// label names a frame: who sent it and what it is.
func label(d transcript.Direction, kind acp.Kind, method string) string {
	what := d.String()
	if method != "" {
		what += " " + printable(cut(method, width/2))
	}
	switch kind {
	case acp.KindResponse:
		what += " response"
	case acp.KindError:
		what += " error"
	case acp.KindUnknown, acp.KindRequest, acp.KindNotification:
	}
	return strings.TrimSpace(what)
}

// head appends where the frame stands, who sent it and what it is.
func (t Text) head(b []byte, at Place, v *judge.Verdict) []byte {
	b = t.style(b, bold, printable(at.File)+":"+strconv.Itoa(at.Line)+":")
	b = append(b, ' ')
	if what := label(v.Direction, v.Kind, v.Method); what != "" {
		b = append(b, what+": "...)
	}
	return b
}

// Verdict appends the verdict in one line, and one line for each repair.
func (t Text) Verdict(b []byte, at Place, v *judge.Verdict) []byte {
	b = t.head(b, at, v)
	b = append(b, v.Strict.String()...)
	if v.Lenient == judge.Repaired {
		b = append(b, ", repaired by leniency"...)
	}
	b = append(b, '\n')
	for _, r := range v.Repairs {
		b = append(b, indent+printable(r.String())+"\n"...)
	}
	return b
}

// Note appends the remark on a line of its own.
func (t Text) Note(b []byte, text string) []byte {
	return append(b, "note: "+printable(text)+"\n"...)
}

// Summary appends two lines: what was found, and how fast. If t is quiet, it appends nothing.
func (t Text) Summary(b []byte, s Summary) []byte {
	if t.Quiet {
		return b
	}
	b = t.style(b, bold, Count(s.Frames, "frame")+" in "+Count(s.Files, "file"))
	b = append(b, fmt.Sprintf(": %d valid, %d repaired, %d invalid; ", s.Valid, s.Repaired, s.Invalid)...)
	found := Count(s.Errors, "error")
	if s.Errors > 0 {
		b = t.style(b, red, found)
	} else {
		b = append(b, found...)
	}
	b = append(b, ", "+Count(s.Warnings, "warning")...)
	if s.Known > 0 {
		b = append(b, ", "+strconv.Itoa(s.Known)+" known"...)
	}
	b = append(b, "; "+Count(s.Unknown, "unknown field")+" ignored\n"...)
	seconds := max(s.Elapsed, time.Microsecond).Seconds()
	return append(b, fmt.Sprintf("%s in %s: %.1f MB/s, %.0f frames/s\n", Size(s.Bytes), s.Elapsed.Round(time.Millisecond), float64(s.Bytes)/1e6/seconds, float64(s.Frames)/seconds)...)
}

// Size returns a number of bytes for people to read, in decimal units.
func Size(n int64) string {
	switch {
	case n < 1e3:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

// Count returns a number of things in words.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// The styles of a terminal, as the parameters of its escape sequence.
const (
	bold   = "1"
	faint  = "2"
	red    = "1;31"
	yellow = "1;33"
)

func (t Text) style(b []byte, style, text string) []byte {
	if !t.Color {
		return append(b, text...)
	}
	return append(b, "\x1b["+style+"m"+text+"\x1b[0m"...)
}
