package judge

import (
	"strconv"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// decide fills in the verdict's outcomes and findings.
func (s *Session) decide(frame []byte, d transcript.Direction) {
	f, v := &s.frame, &s.verdict
	s.scope(f, d)
	s.consult(frame, f)
	if !s.elsewhere(f) {
		v.Unknown = f.Unknown
	}
	if f.Valid() {
		return
	}
	v.Strict, v.Lenient = Invalid, Invalid
	remaining := f.Violations
	s.tolerant.Omitted = 0
	if !broken(f, RuleDisagreement) {
		remaining = s.tolerate(frame, d)
	}
	if !s.opts.Lenient {
		s.report(f.Violations, f.Omitted)
		return
	}
	s.report(remaining, s.tolerant.Omitted)
	for _, r := range v.Repairs {
		rule := wire.RuleSchema
		if r.Action == wire.Replaced {
			rule = wire.RuleJSON
		}
		w := wire.Violation{Rule: rule, Pointer: r.Pointer, Offset: find(frame, r.Pointer), Message: string(r.Action) + ": " + r.Message}
		if w.Offset >= 0 {
			w.Got = wire.Excerpt(frame, w.Offset)
		}
		v.Findings = append(v.Findings, Finding{Violation: w, Severity: Warning})
	}
}

// tolerate parses the frame leniently and returns what is wrong even then.
func (s *Session) tolerate(frame []byte, d transcript.Direction) []wire.Violation {
	f, v := &s.tolerant, &s.verdict
	s.lenient[d].Parse(frame, f)
	s.scope(f, d)
	v.Repairs = f.Repairs
	if f.Valid() && len(f.Repairs) > 0 {
		v.Lenient = Repaired
		return nil
	}
	if f.Valid() { // only the reference validator says otherwise
		return s.frame.Violations
	}
	return f.Violations
}

func (s *Session) report(violations []wire.Violation, omitted int) {
	v := &s.verdict
	for i, violation := range violations {
		f := Finding{Violation: violation}
		if i == 0 && s.doubtful {
			f.Severity = Warning
		}
		v.Findings = append(v.Findings, f)
	}
	if omitted > 0 && len(violations) > 0 {
		v.Findings = append(v.Findings, Finding{Violation: wire.Violation{
			Rule: violations[len(violations)-1].Rule, Offset: -1, Message: strconv.Itoa(omitted) + " more violations, not listed",
		}})
	}
}
