// Package judge gives each frame of a transcript its verdict.
//
// Two judges that share no code look at a frame: the generated types of package gen, through the frame parser of package acp, and the reference validator of
// package schema/validate. Both see the params, the result or the error of every frame whose JSON and envelope are in order; where they differ, and the difference
// is not one of the deliberate ones listed in divergence.go, the finding's rule is [RuleDisagreement].
package judge

import (
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// The rules of the checker itself, beside those of packages wire and acp.
const (
	// RuleDisagreement is for a frame on which the two judges differ. One of them is wrong.
	RuleDisagreement wire.Rule = "disagreement"
	// RuleLimit is for what is larger than this run looks at.
	RuleLimit wire.Rule = "limit"
	// RuleVersion is for a connection that agreed on a protocol version that the surface does not describe.
	RuleVersion wire.Rule = "version"
)

// Judges says which judges decide the strict verdict.
type Judges uint8

// The choices of judges.
const (
	// Both compares the two.
	Both Judges = iota
	// Generated is the generated decoder alone, which is many times faster.
	Generated
	// Reference is the reference validator alone. The lenient verdict is the generated decoder's also then: the reference knows no leniency.
	Reference
)

// A Severity says whether a finding makes the check fail.
type Severity uint8

// The severities.
const (
	// Error: the frame is wrong.
	Error Severity = iota
	// Warning: the reader should know.
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
	}
	return "warning"
}

// An Outcome is a verdict.
type Outcome uint8

// The outcomes. A strict verdict is never Repaired.
const (
	// Valid: the frame is what the schema asks for.
	Valid Outcome = iota
	// Repaired: the protocol's own leniency makes the frame valid.
	Repaired
	// Invalid: the frame is wrong.
	Invalid
)

// String returns "valid", "repaired" or "invalid".
func (o Outcome) String() string {
	switch o {
	case Valid:
		return "valid"
	case Repaired:
		return "repaired"
	case Invalid:
	}
	return "invalid"
}

// A Finding is one thing to say about a frame.
type Finding struct {
	// Violation is what is wrong. Its offset is into the frame; -1 if it belongs nowhere in particular.
	wire.Violation
	// Severity says how bad that is.
	Severity Severity
	// Earlier is the line of an earlier frame that the finding is about as well, such as one that this frame contradicts; 0 if there is none.
	Earlier int
	// Related is what is still known of the frame at Earlier; nil if nothing is.
	Related *Past
	// Repeats reports whether the judges themselves say the same of this frame, by a rule of their own.
	Repeats bool
	// Line is where a finding of [Rules] belongs. It is 0 in a verdict.
	Line int
}

// A Position is where and when a frame was sent.
type Position struct {
	// Line is the line of the transcript, from 1.
	Line int
	// Time counts from any moment. It is known only if Timed.
	Time time.Duration
	// Timed reports whether Time is known.
	Timed bool
}

// Rules follow a conversation and hold each frame against those before it. They are not safe for concurrent use.
type Rules interface {
	// Frame judges a frame whose sender is known. f is the strict parse of the frame, which is not kept. The findings, which may be about earlier frames, are
	// valid until the next call.
	Frame(at Position, from transcript.Direction, frame []byte, f *acp.Frame) []Finding
	// Closed says that the connection came to its end in order, so that what is missing then is certainly missing.
	Closed()
	// End says what is missing at the end, with the line that calls for it.
	End() []Finding
}

// A Verdict is what the judges say about one frame.
type Verdict struct {
	// Direction is who sent the frame, as far as the line, the method or the answered request tell.
	Direction transcript.Direction
	// Kind is what the frame is.
	Kind acp.Kind
	// Method is the method of the frame or of the request that it answers.
	Method string
	// ID is the frame's id, if HasID.
	ID wire.RequestID
	// HasID reports whether the frame has an id that can be read.
	HasID bool
	// Strict is Valid or Invalid.
	Strict Outcome
	// Lenient is the verdict with the schema's x-deserialize annotations.
	Lenient Outcome
	// Repairs are what leniency changed.
	Repairs []wire.Repair
	// Findings are in the order of the frame's rules: JSON, envelope, method, response id, schema.
	Findings []Finding
	// Unknown counts the members that the schema does not name. They are allowed and ignored.
	Unknown int
}

// Options say how frames are judged.
type Options struct {
	// Surface is the protocol version. Required.
	Surface *wire.Surface
	// Reference judges beside or instead of the generated decoder. Required unless Judges is Generated.
	Reference *validate.Validator
	// Judges says who judges. If zero, both do.
	Judges Judges
	// Rules returns the rules for one connection. If nil, each frame is judged by itself.
	Rules func() Rules
	// Lenient makes warnings of what leniency repairs. If false, it is errors.
	Lenient bool
}
