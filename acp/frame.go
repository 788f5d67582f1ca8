package acp

import (
	"cmp"
	"slices"

	"github.com/acpwire/acpwire/gen/wire"
)

// The rules of the envelope, beside [wire.RuleJSON] and [wire.RuleSchema].
const (
	// RuleEnvelope is for JSON that is not one JSON-RPC 2.0 request, notification or response.
	RuleEnvelope wire.Rule = "envelope"
	// RuleMethod is for a method that the protocol does not have, or that the sender must not call.
	RuleMethod wire.Rule = "method"
	// RuleResponseID is for a response to no pending request.
	RuleResponseID wire.Rule = "response-id"
)

// A Kind says what a frame is. A frame that breaks [RuleEnvelope] has the kind that it most likely was meant to have.
type Kind uint8

// The kinds of frames.
const (
	// KindUnknown: nothing could be made of the line.
	KindUnknown Kind = iota
	// KindRequest has a method and an id.
	KindRequest
	// KindNotification has a method and no id.
	KindNotification
	// KindResponse has a result.
	KindResponse
	// KindError is a response with an error.
	KindError
)

// String returns "request", "notification", "response", "error" or "unknown".
func (k Kind) String() string {
	switch k {
	case KindRequest:
		return "request"
	case KindNotification:
		return "notification"
	case KindResponse:
		return "response"
	case KindError:
		return "error"
	case KindUnknown:
	}
	return "unknown"
}

// A Frame is one line of the wire, parsed and checked. https://agentclientprotocol.com/protocol/overview
type Frame struct {
	// Kind is what the frame is.
	Kind Kind
	// ID is the id of a request or response, if HasID.
	ID wire.RequestID
	// HasID reports whether the frame has an id that can be used; null can.
	HasID bool
	// Method is the method of a request or notification as it stands on the wire. It is empty if there is none that can be used.
	Method string
	// Spec is the method in the surface: the one that the frame names, or that the request it answers named. It is nil for extensions and unknown methods.
	Spec *wire.Method
	// Value is the decoded params or result; of type Spec.NewParams or Spec.NewResult. It is nil if Spec is, or if a caller's own value was decoded into.
	// It must not be used if the frame is not Valid.
	Value wire.Message
	// Raw are the bytes of the params or the result, a part of the line. It is nil if the frame has none.
	Raw []byte
	// Error is the error of a KindError frame.
	Error *Error
	// Report says what is wrong with the frame and what a lenient parse repaired. Violations are in order of precedence: [wire.RuleJSON], [RuleEnvelope],
	// [RuleMethod], [wire.RuleSchema], [RuleResponseID]. Pointers start at the frame.
	wire.Report

	awaits bool // see AwaitsAnswer
	header bool // nothing is wrong with the envelope but the params or the kind
}

// AwaitsAnswer reports whether the sender of the frame now waits for a response to ID. That is so for every request with a readable envelope, also if it is
// invalid otherwise; the sender of anything worse cannot expect an answer with its id.
func (f *Frame) AwaitsAnswer() bool { return f.awaits }

// Valid reports whether the frame breaks no rule.
func (f *Frame) Valid() bool { return len(f.Violations) == 0 }

// Rule returns the rule that decides the verdict on the frame: the first in order of precedence. It is empty if the frame is valid.
func (f *Frame) Rule() wire.Rule {
	if f.Valid() {
		return ""
	}
	return f.Violations[0].Rule
}

// IsResponse reports whether the frame answers a request.
func (f *Frame) IsResponse() bool { return f.Kind == KindResponse || f.Kind == KindError }

// IsExtension reports whether the name is free for any use: one that starts with an underscore, or a protocol-level one ("$/") that the surface does not have.
// https://agentclientprotocol.com/protocol/extensibility
func IsExtension(method string) bool {
	return len(method) > 1 && method[0] == '_' || len(method) > 2 && method[0] == '$' && method[1] == '/'
}

func rank(r wire.Rule) int {
	return slices.Index([]wire.Rule{wire.RuleJSON, RuleEnvelope, RuleMethod, wire.RuleSchema, RuleResponseID}, r)
}

// order sorts the violations by precedence and removes what was met twice because it was read twice.
func (f *Frame) order() {
	slices.SortStableFunc(f.Violations, func(a, b wire.Violation) int {
		return cmp.Or(cmp.Compare(rank(a.Rule), rank(b.Rule)), cmp.Compare(a.Offset, b.Offset))
	})
	f.Violations = slices.Compact(f.Violations)
	slices.SortStableFunc(f.Repairs, func(a, b wire.Repair) int { return cmp.Compare(a.Pointer, b.Pointer) })
	f.Repairs = slices.Compact(f.Repairs)
}
