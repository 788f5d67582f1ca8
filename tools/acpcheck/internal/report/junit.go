package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// JUnit writes a test report: a test case for each transcript, which passes if nothing was found in it, and one for each finding.
type JUnit struct {
	// Strict makes failures of warnings, too. Otherwise they are test cases that pass and say what there is to say.
	Strict bool
}

const (
	testCase = "<testcase "
	failure  = "<failure "
)

// Findings appends a test case for each finding.
func (j JUnit) Findings(b []byte, at Place, v *judge.Verdict) []byte {
	for i := range v.Findings {
		f := &v.Findings[i]
		one := *v
		one.Findings = v.Findings[i : i+1]
		text := strings.TrimSpace(string(Text{}.Findings(nil, at, &one)))
		b = fmt.Appendf(b, "    "+testCase+"classname=\"%s\" name=\"line %d: %s\">\n", xmlText(at.File), at.Line, xmlText(string(f.Rule)))
		if f.Severity == judge.Error || j.Strict {
			b = fmt.Appendf(b, "      "+failure+"type=\"%s\" message=\"%s\">%s</failure>\n", xmlText(string(f.Rule)), xmlText(plain(v, f)), xmlText(text))
		} else {
			b = fmt.Appendf(b, "      <system-out>%s</system-out>\n", xmlText(text))
		}
		b = append(b, "    </testcase>\n"...)
	}
	return b
}

// Verdict appends nothing: valid frames are no test cases.
func (JUnit) Verdict(b []byte, _ Place, _ *judge.Verdict) []byte { return b }

// File appends the test case of a file.
func (JUnit) File(b []byte, name string, s Summary) []byte {
	return fmt.Appendf(b, "    "+testCase+"classname=\"%s\" name=\"%s judged\"/>\n", xmlText(name), Count(s.Frames, "frame"))
}

// Summary appends nothing.
func (JUnit) Summary(b []byte, _ Summary) []byte { return b }

// Document returns the report with its counts.
func (JUnit) Document(body []byte, s Summary) []byte {
	counts := fmt.Sprintf("tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\" time=\"%.3f\"",
		bytes.Count(body, []byte(testCase)), bytes.Count(body, []byte(failure)), s.Elapsed.Seconds())
	var b []byte
	b = fmt.Appendf(b, "%s<testsuites name=\"acpcheck\" %s>\n  <testsuite name=\"acpcheck\" %s>\n", xml.Header, counts, counts)
	b = append(b, body...)
	return append(b, "  </testsuite>\n</testsuites>\n"...)
}

// xmlText escapes text for elements and attributes. What XML cannot hold becomes U+FFFD.
func xmlText(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil { // a strings.Builder takes all
		return ""
	}
	return b.String()
}
