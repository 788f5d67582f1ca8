package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// A Rule says what kind of check a violation broke.
type Rule string

// The rules of this package. Package acp and the checker add their own.
const (
	// RuleJSON is for bytes that are not strict JSON: syntax, duplicate names, invalid UTF-8, lone surrogates, nesting.
	RuleJSON Rule = "json"
	// RuleSchema is for JSON that does not have the shape the schema asks for.
	RuleSchema Rule = "schema"
)

// A Violation is one thing that is wrong with a value.
type Violation struct {
	Rule Rule
	// Pointer is the JSON pointer (RFC 6901) from the decoded value's root to what is wrong; for a missing member, to the object that lacks it. If it
	// had more than 4096 bytes it is the pointer to what encloses that.
	Pointer string
	// Offset is the position of that value in the input, in bytes.
	Offset int
	// Keyword is the schema keyword that was broken, such as "required", "type" or "enum"; empty for RuleJSON.
	Keyword string
	// Schema says which definition asks for it and by what path, such as "#/$defs/TextContent/required"; empty for RuleJSON and outside any definition. The
	// path follows the value: it does not spell out $ref, allOf, formats and map values that the schema has on the way.
	Schema string
	// Message says what was expected. It holds nothing of the input but names that the schema knows, so it may be shown to a peer.
	Message string
	// Got is what was there instead, as JSON cut to a few dozen bytes. It comes from the input and may be confidential. It may be empty.
	Got string
}

// String returns the violation in one line.
func (v Violation) String() string {
	var b strings.Builder
	if v.Pointer != "" {
		b.WriteString(oneLine(v.Pointer))
		b.WriteString(": ")
	}
	b.WriteString(v.Message)
	if v.Got != "" {
		b.WriteString(", got ")
		b.WriteString(v.Got)
	}
	return b.String()
}

// An Action says how a lenient decode repaired a value.
type Action string

// The repairs, after the schema's x-deserialize-* annotations.
const (
	// Defaulted: an invalid value counts as absent, or as empty where it is required.
	Defaulted Action = "defaulted"
	// Skipped: an invalid item was left out of its list.
	Skipped Action = "skipped"
	// Emptied: null stands for an empty list or map.
	Emptied Action = "emptied"
	// Replaced: a lone surrogate became U+FFFD.
	Replaced Action = "replaced"
	// Kept: an unknown variant of a closed union was kept as it is.
	Kept Action = "kept"
)

// A Repair is one change a lenient decode made to get from what was on the wire to a valid value.
type Repair struct {
	// Pointer is the JSON pointer to the value that was repaired.
	Pointer string
	Action  Action
	// Message says why.
	Message string
}

// String returns the repair in one line.
func (r Repair) String() string {
	return fmt.Sprintf("%s: %s: %s", oneLine(r.Pointer), r.Action, r.Message)
}

// A Report is what a decode found besides the value.
type Report struct {
	// Violations are in input order. JSON faults come first; after a syntax error nothing else is reported.
	Violations []Violation
	// Repairs are what a lenient decode changed, in input order.
	Repairs []Repair
	// Unknown counts members that the schema does not name. They are allowed, ignored and lost when the value is encoded again.
	Unknown int
	// UnknownPointers are the pointers of the first unknown members.
	UnknownPointers []string
	// Nulls counts optional members whose null means the same as their absence; they are absent when the value is encoded again.
	Nulls int
	// Omitted counts violations and repairs beyond the limit.
	Omitted int
}

// An InvalidError says that a value is not valid: what we were given by the caller or read from a peer is not what the schema asks for.
type InvalidError struct {
	// Violations has at least one entry.
	Violations []Violation
	// Omitted counts further violations beyond the limit.
	Omitted int
}

// Error returns the first violation, and how many others there are.
func (e *InvalidError) Error() string {
	n := len(e.Violations) - 1 + e.Omitted
	s := e.Violations[0].String()
	if n > 0 {
		s += " (and " + strconv.Itoa(n) + " more)"
	}
	return s
}

// Rule returns RuleJSON if any violation is of that rule, because then nothing else is certain, and RuleSchema otherwise.
func (e *InvalidError) Rule() Rule {
	for _, v := range e.Violations {
		if v.Rule == RuleJSON {
			return RuleJSON
		}
	}
	return RuleSchema
}

// A fault is a JSON error, by offset.
type fault struct {
	at  int
	msg string
}

// An issue is a schema violation before its pointers are computed.
type issue struct {
	at      int
	scope   scope
	keyword string
	schema  string // overrides the computed schema path
	outer   bool   // at is within the object that is meant
	msg     string
}

// A fix is a repair before its pointer is computed.
type fix struct {
	at     int
	action Action
	msg    string
}
