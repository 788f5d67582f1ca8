package acp

import (
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpwire/acpwire/gen/wire"
)

// scratch holds buffers in which frames are encoded.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// putScratch gives a buffer back, unless it grew out of the ordinary.
func putScratch(p *[]byte, b []byte) {
	if cap(b) <= 64<<10 {
		*p = b[:0]
		scratch.Put(p)
	}
}

const envelopeStart = `{"jsonrpc":"2.0",`

// appendCall appends the frame of a request, or of a notification if id is negative. params may be nil.
func appendCall(b []byte, id int64, method string, params wire.Marshaler) (frame []byte, body []byte, err error) {
	b = append(b, envelopeStart...)
	if id >= 0 {
		b = append(b, `"id":`...)
		b = appendInt(b, id)
		b = append(b, ',')
	}
	b = append(b, `"method":`...)
	if b, err = jsontext.AppendQuote(b, method); err != nil {
		return nil, nil, err
	}
	if params != nil {
		b = append(b, `,"params":`...)
		start := len(b)
		if b, err = appendValue(b, params); err != nil {
			return nil, nil, err
		}
		body = b[start:]
		if body[0] != '{' && body[0] != '[' {
			return nil, nil, errors.New("params must be an object or a list")
		}
	}
	return append(b, "}\n"...), body, nil
}

// appendResult appends the frame of a response with a result.
func appendResult(b []byte, id wire.RequestID, result wire.Marshaler) (frame []byte, body []byte, err error) {
	b = append(b, envelopeStart+`"id":`...)
	if b, err = wire.Append(b, id); err != nil {
		return nil, nil, err
	}
	b = append(b, `,"result":`...)
	start := len(b)
	if b, err = appendValue(b, result); err != nil {
		return nil, nil, err
	}
	return append(b, "}\n"...), b[start:], nil
}

// appendError appends the frame of a response with an error.
func appendError(b []byte, id wire.RequestID, e *Error) ([]byte, error) {
	b = append(b, envelopeStart+`"id":`...)
	b, err := wire.Append(b, id)
	if err != nil {
		return nil, err
	}
	b = append(b, `,"error":`...)
	if b, err = wire.Append(b, e); err != nil {
		return nil, err
	}
	return append(b, "}\n"...), nil
}

// appendValue is [wire.Append] for values of any origin: one that panics is an error.
func appendValue(b []byte, v wire.Marshaler) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("encoding panicked: %v", p)
		}
	}()
	return wire.Append(b, v)
}

func appendInt(b []byte, n int64) []byte {
	b, _ = wire.Append(b, wire.IntID(n))
	return b
}
