package acp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/acpwire/acpwire/gen/wire"
)

// An incoming is a request of the peer.
type incoming struct {
	handling
	id      wire.RequestID
	key     wire.RequestID
	spec    *wire.Method // nil for an extension that the fallback handles
	method  string
	value   wire.Message
	raw     wire.Raw
	session string
	cancel  context.CancelCauseFunc
	late    bool // to be answered at once: its turn was cancelled before it came
	// The places of the session's requests: closed when the one before, and this one, has run its InOrder or been answered. Nil if there is none.
	before <-chan struct{}
	placed chan struct{}

	// Guarded by the connection's mutex.
	turnOver  bool // its turn was cancelled
	corrected bool // its failure was for that reason turned into what a cancelled turn answers
	answered  bool
	isPlaced  bool
	after     []func(context.Context)
}

// start runs the handler of a request in a goroutine of its own.
func (c *Conn) start(ctx context.Context, r *incoming) {
	c.lineUp(r)
	c.serving.Add(1)
	go c.serve(ctx, r)
}

func (c *Conn) serve(ctx context.Context, r *incoming) {
	defer c.serving.Done()
	defer c.place(r)
	defer r.cancel(nil)
	if r.late {
		c.answer(ctx, r, c.role.CancelledPermission(), nil)
		return
	}
	result, err := c.handleRequest(r)
	c.answer(ctx, r, result, err)
}

func (c *Conn) handleRequest(r *incoming) (result wire.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = c.panicked(r.method, p)
		}
	}()
	if r.method == c.role.Handshake && r.spec != nil {
		c.noteHandshake(r.value, nil)
	}
	return c.handle(&r.handling, r.spec, r.method, r.value, r.raw)
}

// handleNote runs the handler of a notification.
func (c *Conn) handleNote(ctx context.Context, n *note) {
	defer func() {
		if p := recover(); p != nil {
			_ = c.panicked(n.method, p)
		}
	}()
	_, err := c.handle(ctx, n.spec, n.method, n.value, n.raw)
	var missing *wire.UnimplementedError
	switch {
	case err == nil:
	case errors.As(err, &missing):
		c.log.Debug("acp: ignored a notification", "method", n.method)
	default:
		c.log.Warn("acp: a notification's handler failed", "method", n.method, "error", err)
	}
}

// panicked logs a panic and returns an error that stands for it.
func (c *Conn) panicked(method string, p any) error {
	c.log.Error("acp: a handler panicked", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return &Error{Code: CodeInternalError, Message: "internal error"}
}

func (c *Conn) handle(ctx context.Context, spec *wire.Method, method string, value wire.Message, raw wire.Raw) (wire.Message, error) {
	if spec != nil {
		if x, ok := c.handlers[method]; ok {
			return x.handle(ctx, value)
		}
		return c.role.Handle(ctx, spec, value)
	}
	if c.opts.Fallback == nil {
		return nil, &wire.UnimplementedError{Method: method}
	}
	result, err := c.opts.Fallback(ctx, method, raw)
	return &result, err
}

// answer sends the answer of a request, unless it has been answered already, and runs what was to run after it.
func (c *Conn) answer(ctx context.Context, r *incoming, result wire.Message, err error) {
	end, sent, sendErr := c.sendAnswer(ctx, r, result, err)
	if sendErr != nil {
		c.log.Warn("acp: could not answer a request", "method", r.method, "error", sendErr)
	}
	if !sent {
		return
	}
	if after := r.after; len(after) > 0 && c.outbox.flush(ctx, end) { // nothing is added to it any more
		for _, f := range after {
			c.runAfter(ctx, r.method, f)
		}
	}
}

func (c *Conn) runAfter(ctx context.Context, method string, f func(context.Context)) {
	defer func() {
		if p := recover(); p != nil {
			_ = c.panicked(method, p)
		}
	}()
	f(ctx)
}

// sendAnswer sends the answer as soon as there is room. It does nothing if there is one by then, and a turn that is cancelled by then does not fail any more.
func (c *Conn) sendAnswer(ctx context.Context, r *incoming, result wire.Message, err error) (end int64, sent bool, sendErr error) {
	buf := scratch.Get().(*[]byte)
	frame, err, sendErr := c.encodeAnswer((*buf)[:0], r, result, err)
	defer func() { putScratch(buf, frame) }()
	for sendErr == nil {
		var full <-chan struct{}
		var over bool
		end, full, over, sendErr = c.offerAnswer(r, frame, result, err)
		switch {
		case over:
			c.log.Debug("acp: a cancelled turn failed", "error", err)
			result = c.role.CancelledTurn()
			frame, err, sendErr = c.encodeAnswer(frame[:0], r, result, nil)
			continue
		case full == nil:
			return end, sendErr == nil && end > 0, sendErr
		}
		select {
		case <-full:
		case <-ctx.Done():
			sendErr = ended(ctx)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settleLocked(r)
	return 0, false, sendErr
}

// offerAnswer sends the answer if there is room, and otherwise returns a channel as [outbox.offer] does. over is set instead if it says that a turn failed which has been
// cancelled. It is a no-op with the position 0 if there is an answer already. It sends under the mutex, so that what was read before cannot come too late.
func (c *Conn) offerAnswer(r *incoming, frame []byte, result wire.Message, err error) (end int64, full <-chan struct{}, over bool, sendErr error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.answered:
		return 0, nil, false, nil
	case err != nil && r.turnOver && !r.corrected:
		r.corrected = true
		return 0, nil, true, nil
	}
	end, full, sendErr = c.outbox.offer(frame)
	if full != nil {
		return 0, full, false, nil
	}
	c.settleLocked(r)
	if r.method == c.role.Handshake && err == nil && r.spec != nil {
		c.handshake.response = result
	}
	return end, nil, false, sendErr
}

// settleLocked notes that the request has its answer, or never will have one. It needs mu.
func (c *Conn) settleLocked(r *incoming) {
	r.answered = true
	delete(c.inFlight, r.key)
}

// encodeAnswer encodes the answer of a handler. said is nil if it is a result.
func (c *Conn) encodeAnswer(b []byte, r *incoming, result wire.Message, failed error) (frame []byte, said, err error) {
	if failed == nil {
		if frame, failed = c.encodeResult(b, r, result); failed == nil {
			return frame, nil, nil
		}
	}
	frame, err = c.encodeError(b, r, failed)
	return frame, failed, err
}

// encodeResult encodes the answer of a handler that did not fail. A result that the schema forbids is never sent.
func (c *Conn) encodeResult(b []byte, r *incoming, result wire.Message) ([]byte, error) {
	var frame, body []byte
	var err error
	if r.spec != nil && isNil(result) {
		// Nothing is the empty object, which is a result only where nothing is required.
		result = r.spec.NewResult()
		err = wire.Unmarshal([]byte("{}"), result)
	}
	if err == nil {
		frame, body, err = appendResult(b, r.id, result)
	}
	if err == nil {
		err = c.doubleCheck(r.spec, true, body)
	}
	if err != nil {
		c.log.Error("acp: a handler's result is invalid and was not sent", "error", &OutboundError{Method: r.method, Result: true, Err: err})
		return nil, &Error{Code: CodeInternalError, Message: "internal error: invalid result"}
	}
	return frame, nil
}

// encodeError encodes the answer of a handler that failed. What an error says stays here unless it is an [*Error].
func (c *Conn) encodeError(b []byte, r *incoming, err error) ([]byte, error) {
	var said *Error
	var missing *wire.UnimplementedError
	switch {
	case errors.As(err, &said):
	case errors.As(err, &missing):
		said = &Error{Code: CodeMethodNotFound, Message: "method not found"}
	case errors.Is(err, context.Canceled):
		said = &Error{Code: CodeRequestCancelled, Message: "request cancelled"}
	default:
		c.log.Error("acp: a handler failed", "method", r.method, "error", err)
		said = &Error{Code: CodeInternalError, Message: "internal error"}
	}
	frame, encodeErr := appendError(b, r.id, said)
	if encodeErr != nil {
		c.log.Error("acp: a handler's error is invalid", "method", r.method, "error", encodeErr)
		return appendError(b, r.id, &Error{Code: CodeInternalError, Message: "internal error"})
	}
	return frame, nil
}
