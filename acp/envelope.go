package acp

import (
	"github.com/acpwire/acpwire/gen/wire"
)

// finish decides what the frame is, now that all members are known, and reads what could not be read before.
func (r *parse) finish(o *wire.Object) {
	f := r.f
	if !o.Has(memberJSONRPC) {
		r.envelope(0, "", `missing "jsonrpc": "2.0"`)
	}
	called := o.Has(memberMethod)
	result, failed := o.Has(memberResult), o.Has(memberError)
	switch {
	case called && o.Has(memberID):
		f.Kind = KindRequest
	case called:
		f.Kind = KindNotification
	case failed:
		f.Kind = KindError
	case result:
		f.Kind = KindResponse
	case o.Has(memberParams) && o.Has(memberID):
		f.Kind = KindRequest
		r.envelope(0, "", `missing "method"`)
	default:
		r.envelope(0, "", `expected one of "method", "result" and "error"`)
	}
	switch {
	case called && (result || failed):
		r.envelope(0, "", `"method" beside "result" or "error"`)
	case result && failed:
		r.envelope(0, "", `"result" beside "error"`)
	}
	switch f.Kind {
	case KindRequest, KindNotification:
		f.header = f.Method != "" && r.header()
		f.awaits = f.header && f.Kind == KindRequest && f.HasID
		r.finishCall(o)
	case KindResponse, KindError:
		r.finishResponse(o)
	case KindUnknown:
		r.find()
	}
}

func (r *parse) finishCall(o *wire.Object) {
	f := r.f
	if f.Method == "" {
		return
	}
	if !r.known {
		if !IsExtension(f.Method) {
			r.violation(RuleMethod, r.methodAt, "/method", "unknown method")
		}
		return
	}
	m, _ := r.spec(o.Has(memberID))
	f.Spec = m
	switch {
	case r.from == m.Side && r.from != wire.BothSides:
		r.violation(RuleMethod, r.methodAt, "/method", quoted(m.Name)+" is for the "+m.Side.String()+" to handle, not to send")
	case m.IsNotification() && f.Kind == KindRequest:
		r.envelope(r.idAt, "/id", quoted(m.Name)+" is a notification and has no id")
	case !m.IsNotification() && f.Kind == KindNotification:
		r.envelope(0, "", `missing "id": `+quoted(m.Name)+" is a request")
	}
	switch {
	case r.bodyAt >= 0 && o.Has(memberParams):
		end := r.d.Offset()
		r.d.Seek(r.bodyAt)
		r.decode(m, m.NewParams())
		r.d.Seek(end)
	case f.Raw == nil && (!o.Has(memberParams) || r.nullParams()):
		r.noParams(m)
	}
}

// header reports whether the envelope is in order, apart from the params.
func (r *parse) header() bool {
	for _, v := range r.extra {
		if v.Pointer != "/params" {
			return false
		}
	}
	return true
}

// nullParams reports whether the params were read as null, not refused.
func (r *parse) nullParams() bool {
	for _, v := range r.extra {
		if v.Pointer == "/params" {
			return false
		}
	}
	return true
}

// noParams takes absent or null params for an empty object.
func (r *parse) noParams(m *wire.Method) {
	v := m.NewParams()
	r.f.Value = v
	report, _ := wire.Decode([]byte("{}"), v, &r.Decode)
	for _, v := range report.Violations {
		v.Pointer, v.Offset = "/params"+v.Pointer, len(r.line)
		r.extra = append(r.extra, v)
	}
}

func (r *parse) finishResponse(o *wire.Object) {
	f := r.f
	if !o.Has(memberID) {
		r.envelope(0, "", `missing "id"`)
		return
	}
	if !f.HasID {
		return
	}
	if !r.find() {
		// An error without a readable request to answer has the id null.
		if f.Kind != KindError || !f.ID.IsNull() {
			r.violation(RuleResponseID, r.idAt, "/id", "no request with this id is waiting for an answer")
		}
		return
	}
	f.Spec = r.pending.Method
	if r.bodyAt >= 0 && r.resultType() {
		end := r.d.Offset()
		r.d.Seek(r.bodyAt)
		r.answer()
		r.d.Seek(end)
	}
}
