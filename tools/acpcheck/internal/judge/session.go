package judge

import (
	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// A Session judges the frames of one connection in order. It is not safe for concurrent use.
type Session struct {
	opts    Options
	strict  parsers
	lenient parsers
	open    pending
	foreign bool // the agreed protocol version is none of the surface's

	frame    acp.Frame
	tolerant acp.Frame // the frame after a lenient parse
	verdict  Verdict

	rules Rules // nil if off
	// doubtful is set if the rules say that what the judges find wrong with the frame is not certain: its request may not have been recorded, or the
	// documentation shows what the schema forbids.
	doubtful bool
	at       Position
	history  history
	late     []Finding // about earlier frames

	candidates []request // those that the frame may answer
	choice     int       // the one that the parsers take
}

// parsers are by the direction of what they parse.
type parsers [3]*acp.Parser

// NewSession returns a session for one connection.
func NewSession(opts Options) *Session {
	s := &Session{opts: opts, at: Position{Line: 1}}
	if opts.Rules != nil {
		s.rules = opts.Rules()
	}
	s.strict = s.parsers(wire.DecodeOptions{})
	s.lenient = s.parsers(wire.DecodeOptions{Lenient: true})
	return s
}

func (s *Session) parsers(decode wire.DecodeOptions) (list parsers) {
	for d, side := range map[transcript.Direction]wire.Side{
		transcript.Unknown: wire.BothSides, transcript.ClientToAgent: wire.ClientSide, transcript.AgentToClient: wire.AgentSide,
	} {
		p := acp.NewParser(s.opts.Surface, side)
		p.Decode = decode
		p.Pending = func(id wire.RequestID) (acp.Pending, bool) {
			s.candidates = s.open.find(s.candidates[:0], d, id)
			if len(s.candidates) == 0 {
				return acp.Pending{}, false
			}
			return acp.Pending{Method: s.candidates[s.choice].method}, true
		}
		list[d] = p
	}
	return list
}

// At says where the next frame stands. Lines ascend. Without it, frames count as lines.
func (s *Session) At(at Position) { s.at = at }

// Judge returns the verdict on the next frame, which is not blank. d is Unknown if nothing says who sent it. The verdict is valid until the next call.
func (s *Session) Judge(frame []byte, d transcript.Direction) *Verdict {
	f, v := &s.frame, &s.verdict
	*v = Verdict{Findings: v.Findings[:0]}
	s.parse(frame, d)
	v.Kind, v.Method, v.ID, v.HasID = f.Kind, f.Method, f.ID, f.HasID
	v.Direction = d
	if d == transcript.Unknown {
		v.Direction = s.sender(f)
	}
	if answered := s.answered(); answered != nil {
		v.Method = answered.name
		s.negotiate(f, answered)
	}
	said := s.applyRules(frame)
	s.decide(frame, d)
	v.Findings = append(v.Findings, said...)
	s.follow(f, v.Direction)
	s.at.Line++
	return v
}

// parse parses the frame strictly. A response whose sender is not known may answer requests of both sides; it answers the first whose result it can be.
func (s *Session) parse(frame []byte, d transcript.Direction) {
	s.choice = 0
	for {
		s.candidates = s.candidates[:0]
		s.strict[d].Parse(frame, &s.frame)
		switch {
		case len(s.candidates) < 2 || !broken(&s.frame, wire.RuleSchema):
			return
		case s.choice+1 < len(s.candidates):
			s.choice++
		default:
			s.choice = 0
			s.strict[d].Parse(frame, &s.frame)
			return
		}
	}
}

// answered returns the request that the frame answers, or nil.
func (s *Session) answered() *request {
	if !s.frame.IsResponse() || !s.frame.HasID || len(s.candidates) == 0 {
		return nil
	}
	return &s.candidates[s.choice]
}

// sender tells who sent a frame from what it is.
func (s *Session) sender(f *acp.Frame) transcript.Direction {
	if answered := s.answered(); answered != nil {
		return answered.direction.Reverse()
	}
	if f.IsResponse() || f.Spec == nil {
		return transcript.Unknown
	}
	switch f.Spec.Side {
	case wire.AgentSide:
		return transcript.ClientToAgent
	case wire.ClientSide:
		return transcript.AgentToClient
	case wire.BothSides:
	}
	return transcript.Unknown
}

// follow keeps track of what is pending.
func (s *Session) follow(f *acp.Frame, d transcript.Direction) {
	if answered := s.answered(); answered != nil {
		s.open.settle(f.ID, *answered)
	}
	if f.AwaitsAnswer() {
		r := request{name: f.Method, direction: d}
		if f.Spec != nil && !f.Spec.IsNotification() {
			r.method = f.Spec
		}
		s.open.add(f.ID, r)
	}
}
