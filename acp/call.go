package acp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/acpwire/acpwire/gen/wire"
)

// maxAbandoned is how many calls that nobody waits for are remembered, so that their late answers are recognised.
const maxAbandoned = 1024

// A call is one of our requests. Who takes it out of the connection's table settles it: sets err and closes done.
type call struct {
	id      int64
	method  string
	spec    *wire.Method
	session string
	done    chan struct{}
	err     error

	waiter    *delivery // the notification's handler that waits, if it is one
	inHandler bool      // the caller is a handler of the same connection
	settled   bool      // waiter no longer counts it; guarded by the dispatcher's mutex

	// Guarded by the connection's mutex.
	end       int64  // where the frame ends in the outbox
	abandoned bool   // nobody waits any more
	cancelled bool   // a turn that was cancelled
	sendLater []byte // its cancellation, if the turn was cancelled before its frame was accepted

	// mu is held while the answer is decoded into result.
	mu     sync.Mutex
	result wire.Unmarshaler // nil once the caller has gone
}

// Call sends a request and waits for its result, which it decodes into result. If result is nil, the result is only checked. It implements [wire.Caller].
//
// The error is the peer's [*Error]; or says why there was no answer: an [*OutboundError] or [*UnsupportedError], and nothing was sent; a [*ResponseError] if
// the answer is invalid; a [*ClosedError]; or the context's error. When ctx ends, Call tells the peer with $/cancel_request and returns without waiting for
// the answer, and result is left alone from then on. https://agentclientprotocol.com/protocol/cancellation
//
// If ctx is that of a notification's handler or derived from it, later frames are handled while Call waits.
func (c *Conn) Call(ctx context.Context, method string, params wire.Marshaler, result wire.Unmarshaler) error {
	spec, err := c.outgoing(method, params, false)
	if err != nil {
		return err
	}
	call := &call{method: method, spec: spec, result: result, done: make(chan struct{}), end: math.MaxInt64}
	call.session, _ = c.sessionOf(params)
	h, _ := ctx.Value(handlingKey{}).(*handling)
	if h != nil && h.conn == c {
		if h.request != nil && h.request.method == c.role.Handshake {
			return &OutboundError{Method: method, Err: errors.New("the connection is not initialized until this request is answered")}
		}
		call.inHandler = true
		if h.note != nil {
			if err := c.dispatch.await(h); err != nil {
				return err
			}
			call.waiter = &h.delivery
		}
	}
	if err := c.sendRequest(ctx, call, params); err != nil {
		c.dispatch.leave(call)
		return err
	}
	select {
	case <-call.done:
	case <-ctx.Done():
		return c.abandon(call, ended(ctx))
	case <-c.closing:
		return c.abandon(call, c.asSent(call, c.reason()))
	}
	var closed *ClosedError
	if errors.As(call.err, &closed) {
		return c.asSent(call, closed)
	}
	if call.err == nil && method == c.role.Handshake {
		c.noteHandshake(params, result)
	}
	return call.err
}

// outgoing checks a call before it is encoded.
func (c *Conn) outgoing(method string, params any, notify bool) (*wire.Method, error) {
	spec := c.methods[method]
	bad := func(format string, args ...any) (*wire.Method, error) {
		return nil, &OutboundError{Method: method, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case spec == nil && !IsExtension(method):
		return bad("the protocol has no such method")
	case spec == nil:
		return nil, nil
	case spec.Side == c.role.Side:
		return bad("it is for the %v to handle, not to send", spec.Side)
	case spec.IsNotification() != notify && notify:
		return bad("it is a request, not a notification")
	case spec.IsNotification() != notify:
		return bad("it is a notification, not a request")
	}
	if raw, ok := params.(wire.Raw); ok {
		if err := wire.Unmarshal(raw, spec.NewParams()); err != nil {
			return nil, &OutboundError{Method: method, Err: err}
		}
	}
	if c.role.Allowed != nil && !c.opts.AllowUnadvertised {
		request, response := c.Handshake()
		if err := c.role.Allowed(method, params, request, response); err != nil {
			return nil, err
		}
	}
	return spec, nil
}

// sendRequest encodes a request, registers it and sends it.
func (c *Conn) sendRequest(ctx context.Context, call *call, params wire.Marshaler) error {
	c.mu.Lock()
	if c.ended != nil {
		defer c.mu.Unlock()
		return c.ended
	}
	c.lastID++
	call.id = c.lastID
	c.mu.Unlock()

	buf := scratch.Get().(*[]byte)
	frame, body, err := appendCall((*buf)[:0], call.id, call.method, params)
	if err == nil {
		err = c.doubleCheck(call.spec, false, body)
	}
	if err != nil {
		scratch.Put(buf)
		return &OutboundError{Method: call.method, Err: err}
	}
	defer putScratch(buf, frame)

	c.mu.Lock()
	if c.ended != nil {
		defer c.mu.Unlock()
		return c.ended
	}
	c.pending[call.id] = call
	c.mu.Unlock()
	end, err := c.outbox.send(ctx, frame)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		delete(c.pending, call.id)
		return err
	}
	call.end = end
	if call.sendLater != nil {
		if err := c.outbox.push(call.sendLater); err != nil {
			c.log.Debug("acp: could not cancel a turn", "error", err)
		}
	}
	return nil
}

// doubleCheck asks the reference about an outgoing body.
func (c *Conn) doubleCheck(spec *wire.Method, result bool, body []byte) error {
	if c.opts.Reference == nil || spec == nil {
		return nil
	}
	if list := c.opts.Reference.Check(spec, result, body); len(list) > 0 {
		return &wire.InvalidError{Violations: list}
	}
	return nil
}

// Notify sends a notification. It returns as soon as the notification is accepted for writing, in order with everything else that is sent; while too much
// waits to be written, it waits until ctx ends. params may be nil. It implements [wire.Caller].
//
// The error is an [*OutboundError] or [*UnsupportedError], and nothing was sent; a [*ClosedError]; or the context's error.
func (c *Conn) Notify(ctx context.Context, method string, params wire.Marshaler) error {
	spec, err := c.outgoing(method, params, true)
	if err != nil {
		return err
	}
	buf := scratch.Get().(*[]byte)
	frame, body, err := appendCall((*buf)[:0], -1, method, params)
	if err == nil {
		err = c.doubleCheck(spec, false, body)
	}
	if err != nil {
		scratch.Put(buf)
		return &OutboundError{Method: method, Err: err}
	}
	defer putScratch(buf, frame)
	if spec != nil && method == c.role.Cancel {
		return c.sendCancel(params, frame, false)
	}
	_, err = c.outbox.send(ctx, frame)
	return err
}

// claim finds the call that a response answers. The call's mutex is held until the response is parsed; see [Conn.line].
func (c *Conn) claim(id wire.RequestID) (Pending, bool) {
	n, ok := id.Int()
	if !ok {
		return Pending{}, false
	}
	c.mu.Lock()
	call := c.pending[n]
	c.mu.Unlock()
	if call == nil {
		return Pending{}, false
	}
	call.mu.Lock()
	c.reader.claimed = call
	return Pending{Method: call.spec, Result: call.result}, true
}

// answered settles a call with the frame that answers it, in turn.
func (c *Conn) answered(call *call, f *Frame, size int) {
	if c.take(call.id) == nil {
		return
	}
	switch {
	case !f.Valid():
		call.err = &ResponseError{call.method, invalid(f)}
		c.log.Warn("acp: received an invalid response", "method", call.method, "rule", string(f.Rule()), "pointer", f.Violations[0].Pointer, "problem", f.Violations[0].Message)
	case f.Kind == KindError:
		f.Error.remote = true
		call.err = f.Error
	}
	c.queue(item{call: call, size: size})
}

// take takes a call out of the table. It returns nil if somebody else has, or nobody waits for it.
func (c *Conn) take(id int64) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.pending[id]
	if call == nil {
		return nil
	}
	delete(c.pending, id)
	if call.abandoned {
		c.abandoned--
		return nil
	}
	return call
}

// finish settles a call that was taken, out of turn.
func (c *Conn) finish(call *call, err error) {
	call.err = err
	c.dispatch.leave(call)
	close(call.done)
}

// failCalls settles all calls whose frames end after the position.
func (c *Conn) failCalls(reason *ClosedError, after int64) {
	for _, call := range c.takeAfter(after) {
		c.finish(call, reason)
	}
}

// takeAfter takes all calls whose frames end after the position out of the table.
func (c *Conn) takeAfter(position int64) []*call {
	c.mu.Lock()
	defer c.mu.Unlock()
	var taken []*call
	for id, call := range c.pending {
		if call.end <= position {
			continue
		}
		delete(c.pending, id)
		if call.abandoned {
			c.abandoned--
			continue
		}
		taken = append(taken, call)
	}
	return taken
}

// asSent returns the error of a call that ended with the connection: reason, and whether the peer may have seen the call. Only the caller knows for sure
// that its frame was accepted.
func (c *Conn) asSent(call *call, reason *ClosedError) error {
	e := *reason
	e.Sent = c.outbox.reached(call.end)
	return &e
}

// abandon gives up waiting for a call, and returns err.
func (c *Conn) abandon(call *call, err error) error {
	select {
	case <-call.done: // it came in time after all
		return call.err
	default:
	}
	call.mu.Lock()
	call.result = nil
	call.mu.Unlock()
	c.dispatch.leave(call)
	c.mu.Lock()
	still := c.pending[call.id] == call
	if still {
		call.abandoned = true
		c.abandoned++
		c.forgetLocked()
	}
	c.mu.Unlock()
	if still && c.role.NewCancelRequest != nil && !errors.Is(err, ErrClosed) {
		frame, _, encodeErr := appendCall(nil, -1, c.role.CancelRequest, c.role.NewCancelRequest(wire.IntID(call.id)))
		if encodeErr == nil {
			encodeErr = c.outbox.push(frame)
		}
		if encodeErr != nil {
			c.log.Debug("acp: could not cancel a request", "method", call.method, "error", encodeErr)
		}
	}
	return err
}

// forgetLocked forgets the oldest abandoned call if there are too many. It needs mu.
func (c *Conn) forgetLocked() {
	if c.abandoned <= maxAbandoned {
		return
	}
	oldest := int64(math.MaxInt64)
	for id, call := range c.pending {
		if call.abandoned {
			oldest = min(oldest, id)
		}
	}
	delete(c.pending, oldest)
	c.abandoned--
}

// noteHandshake keeps the params and result of the handshake.
func (c *Conn) noteHandshake(request, response any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handshake.request, c.handshake.response = request, response
}

// ended returns the error of a context that has ended. It is both the context's error and its cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}
