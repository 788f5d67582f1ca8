package acp

import (
	"bytes"
	"context"

	"github.com/acpwire/acpwire/gen/wire"
)

// receive handles a valid request or notification on the read loop.
func (c *Conn) receive(ctx context.Context, f *Frame, size int) {
	method, raw := f.Method, wire.Raw(nil)
	if f.Spec == nil {
		raw = bytes.Clone(f.Raw)
	}
	if f.Kind == KindRequest {
		c.request(ctx, f, method, raw, size)
		return
	}
	if f.Spec != nil && f.Spec.Name == c.role.CancelRequest && c.role.RequestToCancel != nil {
		if id, ok := c.role.RequestToCancel(f.Value); ok {
			c.cancelRequest(id)
		}
		return
	}
	if f.Spec != nil && f.Spec.Name == c.role.Cancel {
		c.cancelTurns(f.Value)
	}
	if f.Spec == nil && c.opts.Fallback == nil {
		c.log.Debug("acp: ignored an unknown notification")
		return
	}
	c.queue(item{note: &note{spec: f.Spec, method: method, value: f.Value, raw: raw}, size: size})
}

// request registers a request, so that whatever comes next can cancel it, and queues it.
func (c *Conn) request(ctx context.Context, f *Frame, method string, raw wire.Raw, size int) {
	key := f.ID.Key()
	ctx, cancel := context.WithCancelCause(ctx)
	r := &incoming{id: f.ID, key: key, spec: f.Spec, method: method, value: f.Value, raw: raw, cancel: cancel}
	r.handling = handling{Context: ctx, conn: c, request: r}
	r.session, _ = c.sessionOf(f.Value)
	c.mu.Lock()
	_, twice := c.inFlight[key]
	full := len(c.inFlight) >= c.opts.MaxInFlight
	if !twice && !full {
		c.inFlight[key] = r
		r.late = c.lateLocked(r)
	}
	c.mu.Unlock()
	switch {
	case twice:
		// An answer with this id would end the first request.
		c.refuseWith(ctx, wire.RequestID{}, &Error{Code: CodeInvalidRequest, Message: "a request with this id is still in work"})
	case full:
		c.refuseWith(ctx, f.ID, &Error{Code: CodeInternalError, Message: "too many requests in work"})
	default:
		c.queue(item{request: r, size: size})
		return
	}
	cancel(nil)
}

// refuse handles a frame that is invalid and no answer to a call.
func (c *Conn) refuse(ctx context.Context, f *Frame, size int) {
	rule := f.Rule()
	c.log.Warn("acp: received an invalid frame", "kind", f.Kind.String(), "rule", string(rule), "pointer", f.Violations[0].Pointer, "problem", f.Violations[0].Message, "bytes", size)
	if f.IsResponse() {
		return
	}
	if f.Kind == KindNotification && f.header {
		return
	}
	id := wire.RequestID{}
	if f.AwaitsAnswer() {
		id = f.ID
		if f.Spec != nil && f.Spec.Name == c.role.Cancel && c.onlyKind(f) {
			c.cancelTurns(f.Value)
			c.queue(item{note: &note{spec: f.Spec, method: f.Method, value: f.Value}, size: size})
		}
	}
	c.refuseWith(ctx, id, verdict(f))
}

// onlyKind reports whether the one thing wrong with a notification is that it has an id.
func (c *Conn) onlyKind(f *Frame) bool {
	return len(f.Violations) == 1 && f.Rule() == RuleEnvelope && f.Violations[0].Pointer == "/id" && f.Value != nil
}

// verdict returns the error that a frame earns. It holds nothing of the frame but places.
func verdict(f *Frame) *Error {
	e := &Error{Data: violationData(f.Violations)}
	switch f.Rule() {
	case wire.RuleJSON:
		e.Code, e.Message = CodeParseError, "invalid JSON"
	case RuleEnvelope, RuleResponseID:
		e.Code, e.Message = CodeInvalidRequest, "invalid request"
	case RuleMethod:
		e.Code, e.Message = CodeMethodNotFound, "method not found"
	case wire.RuleSchema:
		e.Code, e.Message = CodeInvalidParams, "invalid params"
	}
	return e
}

// violationData returns {"violations":[{"pointer":...,"message":...}]}.
func violationData(list []wire.Violation) wire.Raw {
	b, err := wire.Marshal(violations(list))
	if err != nil {
		return nil
	}
	return b
}

type violations []wire.Violation

// MarshalWire writes the list without what came from the input.
func (l violations) MarshalWire(e *wire.Encoder) {
	e.Begin()
	e.Key(`"violations":`)
	e.BeginList()
	for _, v := range l {
		e.Element()
		e.Begin()
		e.Key(`"pointer":`)
		e.String(v.Pointer)
		e.Key(`"message":`)
		e.String(v.Message)
		e.Close()
	}
	e.CloseList()
	e.Close()
}

// refuseWith answers with an error from the read loop.
func (c *Conn) refuseWith(ctx context.Context, id wire.RequestID, e *Error) {
	frame, err := appendError(nil, id, e)
	if err != nil {
		return
	}
	if _, err := c.outbox.send(ctx, frame); err != nil {
		c.log.Debug("acp: could not answer an invalid frame", "error", err)
	}
}

// tooLong handles a line that was passed over because it was too long.
func (c *Conn) tooLong(ctx context.Context, long *overlong) {
	c.log.Warn("acp: passed over a frame that is too long", "bytes", long.size, "limit", c.opts.MaxFrame)
	if c.opts.Tap != nil {
		c.opts.Tap.Received(long.head)
	}
	id, hasID, request, response := long.identify()
	if hasID && !request {
		if n, ok := id.Int(); ok {
			if call := c.take(n); call != nil {
				c.finish(call, &ResponseError{call.method, ErrFrameTooLong})
				return
			}
		}
	}
	switch {
	case response, request && !hasID:
		return
	case !hasID:
		id = wire.RequestID{}
	}
	c.refuseWith(ctx, id, &Error{Code: CodeInvalidRequest, Message: "frame too long"})
}

// identify finds out from its ends what an overlong line was.
func (o *overlong) identify() (id wire.RequestID, hasID, request, response bool) {
	d := wire.NewDecoder(o.head, nil)
	defer d.Release()
	if d.Peek() != '{' {
		return id, false, false, false
	}
	obj, ok := d.Object("frame")
	for ok && d.Key(&obj) {
		name := string(obj.Name)
		request = request || name == "method"
		response = response || name == "result" || name == "error"
		if name == "id" {
			raw := d.Raw()
			hasID = !d.Fatal() && wire.Unmarshal(raw, &id) == nil
			continue
		}
		d.Skip()
	}
	if !hasID {
		id, hasID = o.lastID()
	}
	return id, hasID, request, response
}

// lastID reads an id that is the last member of the frame.
func (o *overlong) lastID() (id wire.RequestID, ok bool) {
	tail := bytes.TrimSpace(o.tail)
	i := bytes.LastIndex(tail, []byte(`,"id":`))
	if i < 0 || tail[len(tail)-1] != '}' {
		return id, false
	}
	return id, wire.Unmarshal(tail[i+len(`,"id":`):len(tail)-1], &id) == nil
}
