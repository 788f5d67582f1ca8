package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The errors of this package. They come wrapped in an [*Error]; use [errors.Is].
var (
	// ErrConfig means that a server cannot be reached the way the client described.
	ErrConfig = errors.New("invalid configuration")
	// ErrName means that the name of a server or a tool is unfit for calling a tool by it, or that another one has it.
	ErrName = errors.New("the name cannot be used")
	// ErrUnknownTool means that no server of the session has a tool of that name.
	ErrUnknownTool = errors.New("no such tool")
	// ErrArguments means that a tool's arguments are not a JSON object.
	ErrArguments = errors.New("the arguments are not a JSON object")
	// ErrUnreachable means that a request did not get through to the server. A later one may.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrGone means that the connection to the server is lost for good, or the server has ended.
	ErrGone = errors.New("the server is gone")
	// ErrClosed means that the session was closed.
	ErrClosed = errors.New("the session is closed")
	// ErrTool means that the tool itself failed. What it has to say about that is in its result.
	ErrTool = errors.New("the tool failed")
)

// An Error is a failure of an MCP server. Its text has no value of the server's environment and headers, and nothing that the server wrote to standard error.
type Error struct {
	// Server is the server's name; empty if the failure is not one server's.
	Server string
	// Op is what failed: "connect", "list tools" or "call" and the tool.
	Op string
	// Code is that of the JSON-RPC error with which the server answered; zero if it did not.
	Code int

	text  string
	cause error // one that holds no text of others
}

// Error names the server, what failed and why.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("mcp")
	if e.Server != "" {
		fmt.Fprintf(&b, " server %q", e.Server)
	}
	return fmt.Sprintf("%s: %s: %s", &b, e.Op, e.text)
}

// Unwrap returns one of the errors of this package, of context, of os or of os/exec, or nil.
func (e *Error) Unwrap() error { return e.cause }

var (
	// ownErrors are those whose whole text is of this package, wrapped or not.
	ownErrors = []error{ErrConfig, ErrName, ErrUnknownTool, ErrArguments, ErrClosed, ErrTool}
	// otherErrors can be passed on as they are, but what wraps them may hold anything.
	otherErrors = []error{ErrGone, context.DeadlineExceeded, context.Canceled, exec.ErrNotFound, os.ErrNotExist, os.ErrPermission}
)

// codeRejected is what the SDK answers itself when its transport did not take a request.
const codeRejected = -32005

// newError makes an error of one that may hold anything.
func newError(name, op string, redact *redactor, err error) *Error {
	e := &Error{Server: name, Op: op}
	for _, cause := range append(ownErrors, otherErrors...) {
		if e.cause == nil && errors.Is(err, cause) {
			e.cause = cause
		}
	}
	rpc, unreached := (*jsonrpc.Error)(nil), (*url.Error)(nil)
	// A call that is waiting when its connection ends gets the error of the reader, without a word about the connection.
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
	if errors.Is(err, sdk.ErrConnectionClosed) || e.cause == nil && ended && !errors.As(err, &unreached) && !errors.As(err, &rpc) {
		e.cause = ErrGone
	}
	switch {
	case slices.Contains(ownErrors, e.cause):
		e.text = err.Error()
	case errors.Is(e.cause, ErrGone):
		e.text = ErrGone.Error() + ": " + redact.clean(strings.TrimPrefix(err.Error(), ErrGone.Error()+": "))
	case errors.As(err, &rpc) && rpc.Code == codeRejected, e.cause == nil && errors.As(err, &unreached):
		e.cause = ErrUnreachable
		e.text = ErrUnreachable.Error() + ": " + redact.clean(err.Error())
	case rpc != nil:
		e.Code = int(rpc.Code)
		e.text = fmt.Sprintf("the server answered with error %d: %s", rpc.Code, redact.clean(rpc.Message))
	default:
		e.text = redact.clean(err.Error())
	}
	return e
}
