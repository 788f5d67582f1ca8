package judge

import (
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// applyRules returns what the rules of the conversation say about the frame that was parsed. It comes before the frame's violations are fitted to the checker.
func (s *Session) applyRules(frame []byte) []Finding {
	s.doubtful = false
	if s.rules == nil {
		return nil
	}
	v := &s.verdict
	var found []Finding
	if from := s.speaker(v.Direction); from != transcript.Unknown {
		found = s.rules.Frame(s.at, from, frame, &s.frame)
	}
	here := found[:0]
	for _, f := range found {
		if f.Line != s.at.Line {
			s.late = append(s.late, f)
			continue
		}
		if f.Repeats && !s.frame.Valid() {
			s.doubtful = s.doubtful || f.Severity == Warning
			if f.Rule == wire.RuleSchema {
				continue // the judges have the same rule
			}
		}
		f.Line, f.Offset = 0, -1
		if f.Pointer != "" {
			f.Offset = find(frame, f.Pointer)
		}
		f.Related = s.history.find(f.Earlier)
		here = append(here, f)
	}
	s.history.add(s.at.Line, v, frame)
	return here
}

// speaker returns who sent the frame. Of a cancellation, which either side may send, it is the one that has the request open if the other has not.
func (s *Session) speaker(d transcript.Direction) transcript.Direction {
	f := &s.frame
	if d != transcript.Unknown || f.Spec == nil || !f.Valid() {
		return d
	}
	n, ok := f.Value.(*acpv1.CancelRequestNotification)
	if !ok {
		return d
	}
	if open := s.open.find(nil, transcript.Unknown, n.RequestID); len(open) == 1 {
		return open[0].direction
	}
	return d
}

// Late reports what the latest frame has shown to be wrong with earlier ones, each with the line that is meant. The frame is that line's if it is still known, and
// nil otherwise.
func (s *Session) Late(report func(line int, frame []byte, v *Verdict)) {
	for _, f := range s.late {
		s.place(f, report)
	}
	s.late = s.late[:0]
}

// Closed says that the connection came to its end in order, before [Session.End].
func (s *Session) Closed() {
	if s.rules != nil {
		s.rules.Closed()
	}
}

// End reports what the rules miss at the end of the connection, as Late does, each with the line that calls for it.
func (s *Session) End(report func(line int, frame []byte, v *Verdict)) {
	if s.rules == nil {
		return
	}
	for _, f := range s.rules.End() {
		s.place(f, report)
	}
}

func (s *Session) place(f Finding, report func(line int, frame []byte, v *Verdict)) {
	var v Verdict
	var frame []byte
	line := f.Line
	f.Line, f.Offset = 0, -1
	f.Related = s.history.find(f.Earlier)
	if p := s.history.find(line); p != nil {
		v.Direction, v.Kind, v.Method = p.Direction, p.Kind, p.Method
		if !p.Cut {
			frame = p.Head
		}
	}
	if frame != nil && f.Pointer != "" {
		f.Offset = find(frame, f.Pointer)
	}
	v.Findings = []Finding{f}
	report(line, frame, &v)
}
