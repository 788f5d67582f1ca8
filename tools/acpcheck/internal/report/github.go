package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// GitHub writes findings as workflow commands, which GitHub shows beside the lines of a change.
type GitHub struct {
	// Quiet leaves out the summary.
	Quiet bool
}

var (
	// commandData and commandProperty escape what ends a command's message or property.
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Findings appends one command for each finding.
func (GitHub) Findings(b []byte, at Place, v *judge.Verdict) []byte {
	for i := range v.Findings {
		f := &v.Findings[i]
		b = fmt.Appendf(b, "::%s file=%s,line=%d,title=%s::%s\n", f.Severity, commandProperty.Replace(at.File), at.Line,
			commandProperty.Replace("acpcheck "+string(f.Rule)), commandData.Replace(plain(v, f)))
	}
	return b
}

// plain is a finding in one line, without its place.
func plain(v *judge.Verdict, f *judge.Finding) string {
	var s strings.Builder
	if what := label(v.Direction, v.Kind, v.Method); what != "" {
		s.WriteString(what + ": ")
	}
	if f.Pointer != "" {
		s.WriteString(printable(cut(f.Pointer, width)) + ": ")
	}
	s.WriteString(printable(message(f)))
	if f.Earlier > 0 {
		s.WriteString(" (see line " + strconv.Itoa(f.Earlier) + ")")
	}
	return s.String()
}

// Verdict appends one line, which is no command.
func (GitHub) Verdict(b []byte, at Place, v *judge.Verdict) []byte {
	return Text{}.Verdict(b, at, v)
}

// Summary appends the summary as text.
func (g GitHub) Summary(b []byte, s Summary) []byte { return Text{Quiet: g.Quiet}.Summary(b, s) }
