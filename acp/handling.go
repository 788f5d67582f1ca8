package acp

import (
	"context"
	"reflect"

	"github.com/acpwire/acpwire/gen/wire"
)

type handlingKey struct{}

// A handling is the context of a handler. It carries what the handler may want to know, and by it the connection recognises calls that a handler makes.
type handling struct {
	context.Context
	conn     *Conn
	note     *note     // the notification, or
	request  *incoming // the request
	delivery delivery  // of the notification
}

// Value returns the handling itself for its own key.
func (h *handling) Value(key any) any {
	if key == (handlingKey{}) {
		return h
	}
	return h.Context.Value(key)
}

// A Handling says what a handler was called for.
type Handling struct {
	// Conn is the connection that the frame came from.
	Conn *Conn
	// Method is the frame's method.
	Method string
	// ID is the request's id. IsRequest is false for a notification.
	ID        wire.RequestID
	IsRequest bool
	// Session is the session that the params name; empty if they name none.
	Session string
}

// HandlingOf returns what the handler whose context ctx is, or from which it is derived, was called for. ok is false if there is no such handler.
func HandlingOf(ctx context.Context) (h Handling, ok bool) {
	in, ok := ctx.Value(handlingKey{}).(*handling)
	if !ok {
		return Handling{}, false
	}
	if r := in.request; r != nil {
		return Handling{Conn: in.conn, Method: r.method, ID: r.id, IsRequest: true, Session: r.session}, true
	}
	h = Handling{Conn: in.conn, Method: in.note.method}
	h.Session, _ = in.conn.sessionOf(in.note.value)
	return h, true
}

// AfterResponse arranges for f to run once the response to the request that ctx belongs to is on the wire. It is not run if no response can be written. f runs
// on the request's goroutine, with a context that ends with the connection; several run in the order they were given. It reports false, and does nothing, if
// ctx is not that of a request's handler or the request has been answered.
func AfterResponse(ctx context.Context, f func(ctx context.Context)) bool {
	h, ok := ctx.Value(handlingKey{}).(*handling)
	if !ok || h.request == nil {
		return false
	}
	h.conn.mu.Lock()
	defer h.conn.mu.Unlock()
	if h.request.answered {
		return false
	}
	h.request.after = append(h.request.after, f)
	return true
}

func isNil(m any) bool {
	if m == nil {
		return true
	}
	v := reflect.ValueOf(m)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
