package suite

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

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
