package suite

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

const (
	// maxShown is how much of a frame is shown, in bytes.
	maxShown = 400
	// around is how many frames are shown before and after one that is wrong.
	around = 2
	// maxWidth is how wide a list of scenarios may be.
	maxWidth = 110
)

// Text writes a report for people: what went wrong, with its frames and how to see it again, which rules that is about, and the matrix.
func Text(w io.Writer, r *Report) error {
	var b strings.Builder
	for i := range r.Results {
		s := &r.Results[i]
		if s.Outcome == Failed || s.Outcome == Warned {
			r.describe(&b, s)
		}
	}
	r.explain(&b)
	r.excuse(&b)
	const row = "%-14s %8v %8v %8v %15v\n"
	fmt.Fprintf(&b, row, "area", "passed", "failed", "warned", "not exercised")
	for _, a := range r.matrix() {
		fmt.Fprintf(&b, row, a.area, a.Passed, a.Failed, a.Warned, a.NotExercised)
	}
	t := r.Tally()
	fmt.Fprintf(&b, row, "all", t.Passed, t.Failed, t.Warned, t.NotExercised)
	_, err := io.WriteString(w, b.String())
	return err
}

// describe writes what is wrong in one scenario: its findings, the frames that show them, and how to run it again.
func (r *Report) describe(b *strings.Builder, s *Result) {
	fmt.Fprintf(b, "%s %s: %s\n", strings.ToUpper(s.Outcome.String()), s.ID(), s.Doc)
	marked := map[place]bool{}
	shows := map[place]bool{}
	for i := range s.Findings {
		f := &s.Findings[i]
		fmt.Fprintf(b, "  %s%s\n", printable(f.String()), f.where(len(s.Connections)))
		marked[place{f.Connection, f.Frame}], marked[place{f.Connection, f.Earlier}] = true, true
		for _, n := range s.evidence(f) {
			shows[place{f.Connection, n}] = true
		}
	}
	last := place{1, 0}
	for _, p := range slices.SortedFunc(maps.Keys(shows), place.compare) {
		switch {
		case p.connection != last.connection:
			fmt.Fprintf(b, "    connection %d:\n", p.connection)
		case p.frame != last.frame+1:
			b.WriteString("         …\n")
		}
		last = p
		frame := &s.Connections[p.connection-1][p.frame-1]
		mark := " "
		if marked[p] {
			mark = "*"
		}
		fmt.Fprintf(b, "  %s %4d %7.3fs %s %s\n", mark, p.frame, frame.At.Seconds(), arrow(frame.From), shown(frame.Line))
	}
	fmt.Fprintf(b, "  again: %s\n\n", r.reproduction(s))
}

// A place is a frame of a connection.
type place struct{ connection, frame int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.connection, q.connection), cmp.Compare(p.frame, q.frame))
}

// where says in which frames a finding is.
func (f *Finding) where(connections int) string {
	if f.Frame == 0 {
		return ""
	}
	s := fmt.Sprintf(" (frame %d", f.Frame)
	if connections > 1 {
		s += fmt.Sprintf(" of connection %d", f.Connection)
	}
	if f.Earlier > 0 {
		s += fmt.Sprintf(", see %d", f.Earlier)
	}
	return s + ")"
}

// explain writes the rules that findings are about.
func (r *Report) explain(b *strings.Builder) {
	var ids []string
	for i := range r.Results {
		for _, f := range r.Results[i].Findings {
			if !slices.Contains(ids, f.Rule) {
				ids = append(ids, f.Rule)
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	b.WriteString("rules:\n")
	for _, id := range ids {
		doc, page := describeRule(id)
		fmt.Fprintf(b, "  %s: %s %s\n", id, doc, page)
	}
	b.WriteString("\n")
}

// excuse writes what was not exercised, reason by reason.
func (r *Report) excuse(b *strings.Builder) {
	var reasons []string
	scenarios := map[string][]string{}
	for i := range r.Results {
		if s := &r.Results[i]; s.Outcome == NotExercised {
			if scenarios[s.Why] == nil {
				reasons = append(reasons, s.Why)
			}
			scenarios[s.Why] = append(scenarios[s.Why], s.ID())
		}
	}
	if len(reasons) == 0 {
		return
	}
	b.WriteString("not exercised:\n")
	for _, why := range reasons {
		fmt.Fprintf(b, "  %s:", printable(why))
		width := 0
		for i, id := range scenarios[why] {
			if i == 0 || width+len(id) > maxWidth {
				b.WriteString("\n   ")
				width = 0
			}
			b.WriteString(" " + id)
			width += len(id) + 1
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// describeRule returns a rule of the suite's own, or of the conversation, in one sentence, and its page.
func describeRule(id string) (doc, page string) {
	if r, ok := Explain(id); ok {
		return r.Doc, r.Page
	}
	r, _ := conform.Explain(id)
	return r.Doc, r.Page
}

// evidence returns the numbers of the frames that show a finding: those that it names, and some around the first.
func (r *Result) evidence(f *Finding) []int {
	if f.Connection == 0 || f.Connection > len(r.Connections) || f.Frame == 0 {
		return nil
	}
	var numbers []int
	total := len(r.Connections[f.Connection-1])
	for n := 1; n <= total; n++ {
		if n == f.Earlier || n >= f.Frame-around && n <= f.Frame+around {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// reproduction is the command that runs the scenario again.
func (r *Report) reproduction(s *Result) string {
	words := slices.Clone(r.Flags)
	if s.Area != connectionArea { // which is part of every run
		words = append(words, "--suite", s.ID())
	}
	words = slices.Concat(words, []string{"--"}, r.Command)
	for i, w := range words {
		words[i] = QuoteWord(w)
	}
	return cmp.Or(r.Tool, "acpcheck") + " " + strings.Join(words, " ")
}

// QuoteWord quotes a word for a POSIX shell, if it has to be.
func QuoteWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

func arrow(from wire.Side) string {
	if from == wire.AgentSide {
		return "agent  "
	}
	return "client "
}

// shown returns a line as it can be shown: not too long, and without what a terminal would act on.
func shown(line []byte) string {
	cut := ""
	if len(line) > maxShown {
		cut = fmt.Sprintf("… (%d bytes)", len(line))
		line = line[:maxShown]
		for len(line) > 0 && !utf8.RuneStart(line[len(line)-1]) {
			line = line[:len(line)-1]
		}
	}
	return printable(string(line)) + cut
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
