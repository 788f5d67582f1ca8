package conform

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/gen/wire"
)

// A Severity is how much a finding weighs.
type Severity uint8

// The severities, from the least.
const (
	// Note: nothing is wrong, but something should be known, such as that a version is not checked.
	Note Severity = iota + 1
	// Opinion: legal, and unwise. Off unless [Options.Opinions] is set.
	Opinion
	// Warning: against a recommendation or what the text implies, or probably wrong but not with certainty.
	Warning
	// Error: against what the specification demands.
	Error
)

// String returns "note", "opinion", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Opinion:
		return "opinion"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "none"
}

// A Finding is one breach of one rule.
type Finding struct {
	// Rule is the id of the rule; see [Explain].
	Rule string
	// Severity may be lower than the rule's, where it is not certain, or higher.
	Severity Severity
	// Message says what is wrong, without content of the conversation beyond names and ids.
	Message string
	// Pointer is where in the frame, as a JSON pointer from the frame's root. It is empty if the whole frame is meant.
	Pointer string
	// Frame is the number of the frame that is wrong, from 1 in the order they were fed. If something is missing at the end, it is the frame that calls for it.
	Frame int
	// Earlier is the number of an earlier frame that the finding is about as well, such as one that this frame contradicts; 0 if there is none.
	Earlier int
	// By is the side that is at fault.
	By wire.Side
	// Fault reports whether the frame is invalid by itself, whatever came before it.
	Fault bool
	// Session is the session that the frame belongs to; empty if it belongs to none.
	Session string
}

// String returns the finding on one line.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "frame %d", f.Frame)
	if f.Earlier != 0 {
		fmt.Fprintf(&b, " (see %d)", f.Earlier)
	}
	fmt.Fprintf(&b, ": %s %s by %s: ", f.Severity, f.Rule, f.By)
	if f.Pointer != "" {
		b.WriteString(f.Pointer + ": ")
	}
	b.WriteString(f.Message)
	return b.String()
}
