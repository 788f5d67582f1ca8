package wire

import "context"

// A Side is one of the two peers of a connection.
type Side uint8

// The sides. Both handle the protocol's own methods, such as $/cancel_request. A proxy stands between the two; only unstable surfaces have its methods.
const (
	AgentSide Side = iota + 1
	ClientSide
	BothSides
	ProxySide
)

// String returns "agent", "client", "both" or "proxy".
func (s Side) String() string {
	switch s {
	case AgentSide:
		return "agent"
	case ClientSide:
		return "client"
	case BothSides:
		return "both"
	case ProxySide:
		return "proxy"
	}
	return "none"
}

// A Message is the params or the result of a method.
type Message interface {
	Marshaler
	Unmarshaler
}

// A Method is one row of a surface's method table.
type Method struct {
	// Name is the method as it stands on the wire.
	Name string
	// Side is who handles it.
	Side Side
	// Params and Result are the names of the schema's definitions; Result is empty for a notification.
	Params, Result string
	// NewParams and NewResult return an empty value to decode into; NewResult is nil for a notification.
	NewParams, NewResult func() Message
}

// IsNotification reports whether the method has no result.
func (m *Method) IsNotification() bool { return m.NewResult == nil }

// A Surface is one generated version of the protocol: what a connection needs to know about it.
type Surface struct {
	// Name is the schema surface, such as "v1"; Version is the protocolVersion of the initialize request.
	Name    string
	Version int
	// Methods are all methods, in schema order.
	Methods []*Method

	requests, notifications map[string]*Method
}

// NewSurface returns a surface of the given methods.
func NewSurface(name string, version int, methods []*Method) *Surface {
	s := &Surface{Name: name, Version: version, Methods: methods, requests: map[string]*Method{}, notifications: map[string]*Method{}}
	for _, m := range methods {
		if m.IsNotification() {
			s.notifications[m.Name] = m
		} else {
			s.requests[m.Name] = m
		}
	}
	return s
}

// Request returns the request of that name, or nil. It is safe for concurrent use.
func (s *Surface) Request(name string) *Method { return s.requests[name] }

// Notification returns the notification of that name, or nil. It is safe for concurrent use.
func (s *Surface) Notification(name string) *Method { return s.notifications[name] }

// A Caller sends to the peer. The generated stubs stand on it; a connection implements it. It must be safe for concurrent use.
type Caller interface {
	// Call sends a request and waits for its result, which it decodes into result. The error is the peer's error, or says why there was no valid answer.
	Call(ctx context.Context, method string, params Marshaler, result Unmarshaler) error
	// Notify sends a notification. It returns when the notification is accepted for writing, in order with all that is sent.
	Notify(ctx context.Context, method string, params Marshaler) error
}

// An UnimplementedError says that an agent or a client does not implement a method. A connection answers it with -32601, method not found.
type UnimplementedError struct{ Method string }

// Error names the method.
func (e *UnimplementedError) Error() string { return "method not implemented: " + e.Method }
