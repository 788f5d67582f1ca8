package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/acpwire/acpwire/gen/wire"
)

// An Extension is an extension method that this side handles. Make it with [HandleExtension] or [HandleExtensionNotification] and list it in
// Options.Extensions. https://agentclientprotocol.com/protocol/extensibility
type Extension struct {
	method string
	spec   *wire.Method
	handle func(ctx context.Context, params wire.Message) (wire.Message, error)
}

// HandleExtension returns the extension request method, whose name must start with an underscore. P and R are types that encoding/json could read and write,
// with exact, case-sensitive member names, or that implement [wire.Unmarshaler] and [wire.Marshaler]. Params that do not fit P are answered with -32602.
func HandleExtension[P, R any](method string, handle func(ctx context.Context, params P) (R, error)) Extension {
	return Extension{method: method,
		spec: &wire.Method{
			Name: method, Side: wire.BothSides,
			NewParams: func() wire.Message { return new(typed[P]) },
			NewResult: func() wire.Message { return new(typed[R]) },
		},
		handle: func(ctx context.Context, params wire.Message) (wire.Message, error) {
			result, err := handle(ctx, params.(*typed[P]).value)
			return &typed[R]{result}, err
		},
	}
}

// HandleExtensionNotification returns the extension notification method; see [HandleExtension].
func HandleExtensionNotification[P any](method string, handle func(ctx context.Context, params P) error) Extension {
	return Extension{method: method,
		spec: &wire.Method{
			Name: method, Side: wire.BothSides,
			NewParams: func() wire.Message { return new(typed[P]) },
		},
		handle: func(ctx context.Context, params wire.Message) (wire.Message, error) {
			return nil, handle(ctx, params.(*typed[P]).value)
		},
	}
}

// check returns the extension's row of the method table, and what is wrong with it beside those that are known.
func (x Extension) check(known map[string]Extension) (*wire.Method, error) {
	if x.spec == nil {
		return &wire.Method{Name: x.method, NewParams: func() wire.Message { return new(wire.Raw) }}, errors.New("empty Extension")
	}
	if !IsExtension(x.method) || x.method[0] != '_' {
		return x.spec, fmt.Errorf("extension method %q does not start with an underscore", x.method)
	}
	if _, twice := known[x.method]; twice {
		return x.spec, fmt.Errorf("extension method %q has two handlers", x.method)
	}
	return x.spec, nil
}

// CallExtension calls an extension method of the peer. P and R are as in [HandleExtension]; for the errors see [Conn.Call].
func CallExtension[R, P any](ctx context.Context, peer wire.Caller, method string, params P) (R, error) {
	var result typed[R]
	err := peer.Call(ctx, method, &typed[P]{params}, &result)
	return result.value, err
}

// NotifyExtension sends an extension notification to the peer. P is as in [HandleExtension]; for the errors see [Conn.Notify].
func NotifyExtension[P any](ctx context.Context, peer wire.Caller, method string, params P) error {
	return peer.Notify(ctx, method, &typed[P]{params})
}

// A typed is a value of a type that is not generated, as a message.
type typed[T any] struct{ value T }

// UnmarshalWire reads the value.
func (t *typed[T]) UnmarshalWire(d *wire.Decoder) {
	if u, ok := any(&t.value).(wire.Unmarshaler); ok {
		u.UnmarshalWire(d)
		return
	}
	at := d.Start()
	raw := d.Raw()
	if d.Fatal() {
		return
	}
	if err := unmarshal(raw, &t.value); err != nil {
		var semantic *json.SemanticError
		if errors.As(err, &semantic) {
			at += int(semantic.ByteOffset)
		}
		d.Violate(at, "type", "expected a value of another type")
	}
}

// unmarshal is json.Unmarshal for types whose own methods may panic. It runs on the read loop.
func unmarshal(raw []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoding panicked: %v", p)
		}
	}()
	return json.Unmarshal(raw, v)
}

// MarshalWire writes the value.
func (t *typed[T]) MarshalWire(e *wire.Encoder) {
	if m, ok := any(t.value).(wire.Marshaler); ok {
		m.MarshalWire(e)
		return
	}
	if m, ok := any(&t.value).(wire.Marshaler); ok {
		m.MarshalWire(e)
		return
	}
	raw, err := json.Marshal(t.value)
	if err != nil {
		e.Invalid("type", "", "cannot be written as JSON: "+err.Error())
		return
	}
	e.Raw(raw)
}
