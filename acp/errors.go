package acp

import (
	"strconv"

	"github.com/acpwire/acpwire/gen/wire"
)

// The error codes that the protocol defines. https://agentclientprotocol.com/protocol/schema#errorcode
const (
	// CodeParseError: the line was not strict JSON.
	CodeParseError = -32700
	// CodeInvalidRequest: the line was JSON, but not a valid frame.
	CodeInvalidRequest = -32600
	// CodeMethodNotFound: the method does not exist or is not implemented.
	CodeMethodNotFound = -32601
	// CodeInvalidParams: the params do not have the shape that the schema asks for, or make no sense.
	CodeInvalidParams = -32602
	// CodeInternalError: the receiver failed.
	CodeInternalError = -32603
	// CodeRequestCancelled: the request was cancelled before it had a result. https://agentclientprotocol.com/protocol/cancellation
	CodeRequestCancelled = -32800
	// CodeAuthRequired: the client must authenticate first. https://agentclientprotocol.com/protocol/authentication
	CodeAuthRequired = -32000
	// CodeResourceNotFound: a file, session or other resource does not exist.
	CodeResourceNotFound = -32002
)

// An Error is the error of a response. A call returns it if the peer answered with one; a handler returns it, wrapped or not, to choose what the peer is told.
type Error struct {
	// Code says what kind of error it is; see the Code constants. It is in the range of an int32.
	Code int
	// Message is one sentence for people.
	Message string
	// Data is further information, any JSON value. Optional.
	Data wire.Raw

	remote bool
}

// Remote reports whether the error came from the peer.
func (e *Error) Remote() bool { return e.remote }

// Error returns the message and the code.
func (e *Error) Error() string {
	return e.Message + " (code " + strconv.Itoa(e.Code) + ")"
}

// Is reports whether target is an *Error of the same code. A target without a message stands for all errors of its code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Message == "" || t.Message == e.Message)
}

// UnmarshalWire reads the error object of a response.
func (e *Error) UnmarshalWire(d *wire.Decoder) {
	*e = Error{}
	o, ok := d.Object("Error")
	if !ok {
		return
	}
	for d.Key(&o) {
		switch string(o.Name) {
		case "code":
			d.Field(&o, 0)
			e.Code = int(d.Int(-1<<31, 1<<31-1, "int32"))
		case "message":
			d.Field(&o, 1)
			e.Message = d.String()
		case "data":
			d.Field(&o, 2)
			e.Data = d.Raw()
		default:
			d.Unknown(&o)
		}
	}
	d.Require(&o, 0b11, 0, "Error", errorFields)
	d.End(&o)
}

var errorFields = []string{"code", "message"}

// MarshalWire writes the error object of a response.
func (e *Error) MarshalWire(enc *wire.Encoder) {
	enc.Begin()
	enc.Key(`"code":`)
	if e.Code < -1<<31 || e.Code > 1<<31-1 {
		enc.Invalid("format", "Error", "expected int32")
	} else {
		enc.Int(int64(e.Code))
	}
	enc.Key(`"message":`)
	enc.String(e.Message)
	if e.Data != nil {
		enc.Key(`"data":`)
		enc.Raw(e.Data)
	}
	enc.Close()
}
