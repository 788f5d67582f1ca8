package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
)

// The errors of the methods of [Turn], [Call] and [Session], wrapped or not.
var (
	// ErrTurnOver says that the turn has ended: nothing was said.
	ErrTurnOver = errors.New("server: the turn is over")
	// ErrCallOver says that the tool call has already been completed or failed.
	ErrCallOver = errors.New("server: the tool call is over")
	// ErrCompactionOver says that the compaction has already come to its end.
	ErrCompactionOver = errors.New("server: the compaction is over")
	// ErrPermissionPending says that the user has not answered yet whether the call may run.
	ErrPermissionPending = errors.New("server: the tool call waits for permission")
	// ErrReadOnly says that the session's mode refuses tools that change something.
	ErrReadOnly = errors.New("server: the session's mode is read-only")
	// ErrSessionClosed says that the session has been closed.
	ErrSessionClosed = errors.New("server: the session is closed")
	// ErrUnknownMode says that the session has no such mode.
	ErrUnknownMode = errors.New("server: unknown mode")
	// ErrUnknownTerminal says that the turn has no such terminal, or has it no more.
	ErrUnknownTerminal = errors.New("server: unknown terminal")
	// ErrUnknownOption says that the client was offered no such setting, or not that value of it.
	ErrUnknownOption = errors.New("server: unknown option")
	// ErrAuthRequired, returned by an engine, makes the client get error -32000: it should authenticate and try again.
	ErrAuthRequired = errors.New("server: authentication required")
)

// The causes with which a turn's context ends and the turn counts as cancelled, beside [acp.ErrCancelledByPeer].
var errPreempted = errors.New("server: another prompt took over")

// An ErrorKind says what went wrong, stably, for programs. It is in the data of the JSON-RPC error as "kind".
type ErrorKind string

// The kinds.
const (
	// ErrorInternal: the agent failed. It is the kind of all errors that are not an [*Error].
	ErrorInternal ErrorKind = "internal"
	// ErrorOverloaded: the model's provider is overloaded.
	ErrorOverloaded ErrorKind = "overloaded"
	// ErrorRateLimit: too many requests.
	ErrorRateLimit ErrorKind = "rate_limit"
	// ErrorNetwork: something could not be reached.
	ErrorNetwork ErrorKind = "network"
	// ErrorContext: the conversation does not fit the model's window.
	ErrorContext ErrorKind = "context_window"
	// ErrorBilling: there is no credit.
	ErrorBilling ErrorKind = "billing"
	// ErrorInvalid: the request makes no sense; its code is -32602.
	ErrorInvalid ErrorKind = "invalid"
	// ErrorBusy: a turn is running.
	ErrorBusy ErrorKind = "busy"
	// ErrorStore: the session could not be kept.
	ErrorStore ErrorKind = "store"
)

// An Error is a failure of an engine that the client may read about.
type Error struct {
	// Kind is the kind. If empty, ErrorInternal.
	Kind ErrorKind
	// Message is one sentence for people. It is sent: no secrets.
	Message string
	// Retryable says that trying again later may help.
	Retryable bool
	// Err is the cause. It is logged but not sent. It may be nil.
	Err error
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A NotFoundError is returned by an engine that no longer has a session, for example from Restore. It makes the client get error -32002 with the id in its data.
type NotFoundError struct {
	SessionID string
}

// Error names the session.
func (e *NotFoundError) Error() string { return "server: unknown session " + e.SessionID }

type errorData struct {
	Kind      ErrorKind `json:"kind"`
	Retryable bool      `json:"retryable"`
}

// wireError returns what the client is told of an error: only what is meant for it.
func wireError(err error) error {
	var said *acp.Error
	var missing *wire.UnimplementedError
	var unknown *NotFoundError
	var failure *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said) && !said.Remote():
		return said
	case errors.As(err, &missing):
		return err
	case errors.As(err, &unknown):
		return &acp.Error{Code: acp.CodeResourceNotFound, Message: "unknown session", Data: raw(struct {
			SessionID string `json:"sessionId"`
		}{unknown.SessionID})}
	case errors.Is(err, ErrAuthRequired):
		return &acp.Error{Code: acp.CodeAuthRequired, Message: "authentication required"}
	case errors.As(err, &failure):
		code, kind := acp.CodeInternalError, failure.Kind
		switch kind {
		case "":
			kind = ErrorInternal
		case ErrorInvalid:
			code = acp.CodeInvalidParams
		case ErrorBusy:
			code = acp.CodeInvalidRequest
		case ErrorInternal, ErrorOverloaded, ErrorRateLimit, ErrorNetwork, ErrorContext, ErrorBilling, ErrorStore:
		}
		return &acp.Error{Code: code, Message: failure.Message, Data: raw(errorData{kind, failure.Retryable})}
	case errors.Is(err, context.Canceled):
		return &acp.Error{Code: acp.CodeRequestCancelled, Message: "request cancelled"}
	}
	return &acp.Error{Code: acp.CodeInternalError, Message: "the agent failed", Data: raw(errorData{Kind: ErrorInternal})}
}

// invalid returns an error about the params of a request. pointer is where.
func invalid(pointer, message string) error {
	return &acp.Error{Code: acp.CodeInvalidParams, Message: "invalid params: " + pointer + ": " + message, Data: raw(struct {
		Kind    ErrorKind `json:"kind"`
		Pointer string    `json:"pointer"`
	}{ErrorInvalid, pointer})}
}

// raw returns a value of a type of this package, which always can be encoded, as JSON.
func raw(v any) wire.Raw {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
