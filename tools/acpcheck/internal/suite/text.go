package suite

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/acpwire/acpwire/gen/wire"
)

const (
	// maxShown is how much of a frame is shown, in bytes.
	maxShown = 400
	// around is how many frames are shown before and after one that is wrong.
	around = 2
)

// A Format writes a report.
type Format func(w io.Writer, r *Report) error

// Formats are the formats by their names.
func Formats() map[string]Format {
	return map[string]Format{"text": Text, "json": JSON, "junit": JUnit}
}

// Text writes a report for people: what went wrong, with its frames and how to see it again, and the matrix.
func Text(w io.Writer, r *Report) error {
	var b strings.Builder
	for i := range r.Results {
		s := &r.Results[i]
		if s.Outcome == Failed || s.Outcome == Warned {
			r.describe(&b, s)
		}
	}
	skipped := 0
	for i := range r.Results {
		if s := &r.Results[i]; s.Outcome == NotExercised {
			if skipped++; skipped == 1 {
				b.WriteString("not exercised:\n")
			}
			fmt.Fprintf(&b, "  %s: %s\n", s.ID(), printable(s.Why))
		}
	}
	if skipped > 0 {
		b.WriteString("\n")
	}
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

// describe writes what is wrong in one scenario.
func (r *Report) describe(b *strings.Builder, s *Result) {
	fmt.Fprintf(b, "%s %s: %s\n", strings.ToUpper(s.Outcome.String()), s.ID(), s.Doc)
	for i := range s.Findings {
		f := &s.Findings[i]
		fmt.Fprintf(b, "  %s\n", printable(f.String()))
		for _, n := range s.evidence(f) {
			frame := &s.Connections[f.Connection-1][n-1]
			mark := " "
			if n == f.Frame || n == f.Earlier {
				mark = "*"
			}
			fmt.Fprintf(b, "  %s %4d %7.3fs %s %s\n", mark, n, frame.At.Seconds(), arrow(frame.From), shown(frame.Line))
		}
	}
	fmt.Fprintf(b, "  again: %s\n\n", r.reproduction(s))
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
	words := make([]string, len(r.Command))
	for i, w := range r.Command {
		words[i] = quoteWord(w)
	}
	return strings.ReplaceAll(cmp.Or(r.Tool, "acpcheck test --suite %s --"), "%s", s.ID()) + " " + strings.Join(words, " ")
}

// quoteWord quotes a word for a POSIX shell, if it has to be.
func quoteWord(w string) string {
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

// The elements of a JUnit report.
type (
	junitRoot struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
		Skipped *junitSkipped `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit writes XML as CI systems read it: a suite for each area. Warnings do not fail a test; they are its output.
func JUnit(w io.Writer, r *Report) error {
	var root junitRoot
	for _, a := range r.matrix() {
		suite := junitSuite{Name: a.area, Tests: a.Passed + a.Failed + a.Warned + a.NotExercised, Failures: a.Failed, Skipped: a.NotExercised}
		for i := range r.Results {
			if r.Results[i].Area == a.area {
				suite.Cases = append(suite.Cases, r.junitCase(&r.Results[i]))
			}
		}
		root.Suites = append(root.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(root); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Report) junitCase(s *Result) junitCase {
	c := junitCase{Class: "acp." + s.Area, Name: s.Name, Time: fmt.Sprintf("%.3f", s.Took.Seconds())}
	var b strings.Builder
	switch s.Outcome {
	case Failed:
		r.describe(&b, s)
		c.Failure = &junitFailure{Message: s.Findings[0].Message, Type: s.Findings[0].Rule, Text: b.String()}
	case Warned:
		r.describe(&b, s)
		c.Out = b.String()
	case NotExercised:
		c.Skipped = &junitSkipped{s.Why}
	case Passed:
	}
	return c
}
