package acp

import (
	"context"
	"errors"
)

// A Class says what kind of failure an error of this package is, for deciding what to tell a user and whether to try again.
type Class uint8

// The classes.
const (
	// ClassNone is no error.
	ClassNone Class = iota
	// ClassStartup: the agent could not be started, or ended or refused before the connection was usable.
	ClassStartup
	// ClassTimeout: a context's deadline passed.
	ClassTimeout
	// ClassCancelled: a context was cancelled, or the peer answered that the request was.
	ClassCancelled
	// ClassAuth: the agent wants the client to log in first.
	ClassAuth
	// ClassRemote: the peer answered with an error.
	ClassRemote
	// ClassProtocol: the peer answered with something that is no valid response.
	ClassProtocol
	// ClassClosed: the connection ended.
	ClassClosed
	// ClassLocal: this side could not or must not send it.
	ClassLocal
	// ClassOther is any other error.
	ClassOther
)

// String returns the class in one word.
func (c Class) String() string {
	switch c {
	case ClassNone:
		return "none"
	case ClassStartup:
		return "startup"
	case ClassTimeout:
		return "timeout"
	case ClassCancelled:
		return "cancelled"
	case ClassAuth:
		return "auth"
	case ClassRemote:
		return "remote"
	case ClassProtocol:
		return "protocol"
	case ClassClosed:
		return "closed"
	case ClassLocal:
		return "local"
	case ClassOther:
	}
	return "other"
}

// Classify returns the class of err, or of the first error it wraps that has one.
func Classify(err error) Class {
	var (
		start       *StartError
		version     *VersionError
		remote      *Error
		response    *ResponseError
		outbound    *OutboundError
		unsupported *UnsupportedError
	)
	switch {
	case err == nil:
		return ClassNone
	case errors.As(err, &start), errors.As(err, &version):
		return ClassStartup
	case errors.As(err, &outbound), errors.As(err, &unsupported), errors.Is(err, ErrTooManyWaiting):
		return ClassLocal
	case errors.As(err, &remote):
		return remoteClass(remote)
	case errors.As(err, &response):
		return ClassProtocol
	case errors.Is(err, ErrClosed):
		return ClassClosed
	case errors.Is(err, context.DeadlineExceeded):
		return ClassTimeout
	case errors.Is(err, context.Canceled):
		return ClassCancelled
	}
	return ClassOther
}

func remoteClass(e *Error) Class {
	switch e.Code {
	case CodeAuthRequired:
		return ClassAuth
	case CodeRequestCancelled:
		return ClassCancelled
	}
	return ClassRemote
}

// Retryable reports whether the call that failed with err had no effect and may be made again: the peer has certainly not seen it, and what stopped it passes.
// After a [*ClosedError] that needs a new connection.
func Retryable(err error) bool {
	var closed *ClosedError
	switch {
	case errors.Is(err, ErrTooManyWaiting):
		return true
	case errors.As(err, &closed):
		return !closed.Sent && closed.Reason != ReasonMisuse
	}
	return false
}
