package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/acpwire/acpwire/gen/wire"
)

var (
	// ErrClosed is what every [*ClosedError] is.
	ErrClosed = errors.New("acp: connection closed")
	// ErrCancelledByPeer is the cause of a handler's context when the peer has cancelled its request or turn.
	// It is a [context.Canceled] as well.
	ErrCancelledByPeer = fmt.Errorf("acp: cancelled by the peer: %w", context.Canceled)
	// ErrCancelled is the cause of a permission handler's context when this side has cancelled the turn.
	// It is a [context.Canceled] as well.
	ErrCancelled = fmt.Errorf("acp: the turn was cancelled: %w", context.Canceled)
	// ErrTooManyWaiting says that a notification's handler may not wait for the peer, because Options.MaxInFlight others do.
	ErrTooManyWaiting = errors.New("acp: too many handlers of notifications wait for the peer")
	// ErrFrameTooLong says that a response was longer than Options.MaxFrame.
	ErrFrameTooLong = errors.New("acp: frame too long")
)

// A Reason says why a connection ended.
type Reason uint8

// The reasons.
const (
	// ReasonClosed: this side called Close.
	ReasonClosed Reason = iota + 1
	// ReasonEOF: the peer closed its side in good order.
	ReasonEOF
	// ReasonRead: reading failed.
	ReasonRead
	// ReasonWrite: writing failed; the peer reads no more.
	ReasonWrite
	// ReasonExit: the spawned agent ended with an error.
	ReasonExit
	// ReasonMisuse: the connection was set up wrongly and never worked.
	ReasonMisuse
)

// String returns the reason in words.
func (r Reason) String() string {
	switch r {
	case ReasonClosed:
		return "closed by this side"
	case ReasonEOF:
		return "closed by the peer"
	case ReasonRead:
		return "reading failed"
	case ReasonWrite:
		return "writing failed"
	case ReasonExit:
		return "the agent ended"
	case ReasonMisuse:
		return "set up wrongly"
	}
	return "unknown reason"
}

// A ClosedError says that something could not be sent, or got no answer, because the connection has ended.
type ClosedError struct {
	// Reason says who or what ended it.
	Reason Reason
	// Err is the error of the transport, if there is one. For ReasonExit it is an [*ExitError].
	Err error
	// Sent is true if the call that failed had been written, so that the peer may have acted on it.
	Sent bool
}

// Error returns the reason and the error.
func (e *ClosedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%v: %v: %v", ErrClosed, e.Reason, e.Err)
	}
	return fmt.Sprintf("%v: %v", ErrClosed, e.Reason)
}

// Unwrap returns the error of the transport.
func (e *ClosedError) Unwrap() error { return e.Err }

// Is reports whether target is [ErrClosed].
func (e *ClosedError) Is(target error) bool { return target == ErrClosed }

// An OutboundError says that the caller's message is invalid. Nothing was sent.
type OutboundError struct {
	// Method is the method whose params or result it is.
	Method string
	// Result is true for a result and false for params.
	Result bool
	// Err says what is wrong. It is a [*wire.InvalidError] if the schema forbids it; pointers then start at the params or result.
	Err error
}

// Error names the method and what is wrong.
func (e *OutboundError) Error() string {
	part := "params"
	if e.Result {
		part = "result"
	}
	return fmt.Sprintf("acp: invalid %s of %s not sent: %v", part, e.Method, brief(e.Err))
}

// Unwrap returns what is wrong.
func (e *OutboundError) Unwrap() error { return e.Err }

// A ResponseError says that the peer answered a call with something that is no valid response to it.
type ResponseError struct {
	// Method is the method that was called.
	Method string
	// Err says what is wrong: a [*wire.InvalidError] whose pointers start at the frame, or [ErrFrameTooLong].
	Err error
}

// Error names the method and what is wrong.
func (e *ResponseError) Error() string {
	return fmt.Sprintf("acp: invalid response to %s: %v", e.Method, brief(e.Err))
}

// Unwrap returns what is wrong.
func (e *ResponseError) Unwrap() error { return e.Err }

// An UnsupportedError says that the peer did not advertise the capability that a call needs. Nothing was sent.
// https://agentclientprotocol.com/protocol/initialization#capabilities
type UnsupportedError struct {
	// Method is the method that was called.
	Method string
	// Capability is what is missing, as a path in the peer's capabilities such as "fs.readTextFile".
	Capability string
}

// Error names the method and the capability.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("acp: the peer does not support %s: it did not advertise %s", e.Method, e.Capability)
}

// brief returns what err says, without the values that a [*wire.InvalidError] shows.
func brief(err error) string {
	var e *wire.InvalidError
	if !errors.As(err, &e) {
		return err.Error()
	}
	v := e.Violations[0]
	v.Got = ""
	if n := len(e.Violations) - 1 + e.Omitted; n > 0 {
		return fmt.Sprintf("%v (and %d more)", v, n)
	}
	return v.String()
}

func invalid(f *Frame) *wire.InvalidError {
	return &wire.InvalidError{Violations: f.Violations, Omitted: f.Omitted}
}

// Errorf returns an [*Error] of that code with a formatted message. If an argument for %w is given, it can be found in it.
func Errorf(code int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	e := &Error{Code: code, Message: err.Error()}
	if inner := errors.Unwrap(err); inner != nil {
		return &codedError{e, inner}
	}
	return e
}

type codedError struct {
	said  *Error
	inner error
}

func (e *codedError) Error() string   { return e.said.Error() }
func (e *codedError) Unwrap() []error { return []error{e.said, e.inner} }
