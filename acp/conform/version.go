package conform

import (
	"slices"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// negotiate finds out which version the frame is to be judged by.
// https://agentclientprotocol.com/protocol/initialization
func (x *step) negotiate() {
	f := x.f
	x.foreign, x.version = x.st.foreign, -1
	switch {
	case f.Kind == acp.KindRequest && f.Method == acpv1.MethodInitialize, f.Kind == acp.KindResponse && x.req != nil && x.req.name == acpv1.MethodInitialize:
		if v, ok := protocolVersion(f.Raw); ok {
			x.version = v
			x.foreign = v != int64(acpv1.Surface.Version)
		}
	}
}

// protocolVersion reads the version from the params or the result of initialize, whatever else is in them.
func protocolVersion(body []byte) (version int64, ok bool) {
	if len(body) == 0 {
		return 0, false
	}
	d := wire.NewDecoder(body, nil)
	defer d.Release()
	eachMember(d, func(name string) {
		if name != "protocolVersion" {
			d.Skip()
			return
		}
		version = d.Int(0, 1<<16-1, "uint16")
		ok = d.Valid()
	})
	return version, ok
}

// proposed takes in an initialize request.
func (x *step) proposed() {
	st := x.st
	if st.handshake.answer > 0 {
		st.restart()
		return
	}
	if st.opts.Partial && x.n > 1 {
		st.restart() // what was before belongs to another connection
	}
	st.handshake, st.asked = handshake{request: x.n}, x.version
	st.clientCaps, st.knowsClient = nil, false
}

// restart lets go of what was certain. A second handshake on one connection is odd, but no rule forbids it; more likely another connection was recorded behind
// the first, and what was before may or may not count.
func (st *state) restart() {
	for i := range st.sides {
		for _, r := range st.sides[i].pending {
			for ; r != nil; r = r.also {
				r.stale, r.sess, r.term = true, nil, nil
			}
		}
		st.sides[i].past.forgot = true
	}
	for id, s := range st.sessions {
		kept := newSession(id, st.opts.Remember)
		kept.active, kept.gaps, kept.assumed, kept.opened = s.active, true, true, s.opened
		st.sessions[id] = kept
	}
	st.lost, st.opening, st.unclear, st.loggedIn = true, 0, 0, 0
	clear(st.terminals)
	clear(st.elicitations)
	st.past, st.released = newMemory[string, past](st.opts.Remember, ownText), newMemory[string, released](st.opts.Remember, ownText)
	st.completed, st.cursors = newMemory[string, closure](st.opts.Remember, ownText), newMemory[string, int](st.opts.Remember, ownText)
	st.past.forgot, st.released.forgot, st.completed.forgot, st.cursors.forgot = true, true, true, true
}

// agreed takes in the result of initialize. If it was not understood, neither side's capabilities are known.
func (x *step) agreed() {
	st := x.st
	st.handshake = handshake{request: x.req.n, answer: x.n}
	st.answered, st.foreign = x.version, x.foreign
	p, asked := x.req.params.(*acpv1.InitializeRequest)
	r, understood := x.result.(*acpv1.InitializeResponse)
	st.knowsClient, st.knowsAgent = asked, understood
	if asked {
		st.clientCaps = p.GetClientCapabilities()
	}
	if understood {
		st.agentCaps, st.authMethods = r.GetAgentCapabilities(), r.AuthMethods
	}
}

// sound reports whether nothing is wrong with the frame that its version has a say in.
func (x *step) sound() bool {
	if x.f.Valid() || !x.foreign {
		return x.f.Valid()
	}
	return !slices.ContainsFunc(x.f.Violations, func(v wire.Violation) bool {
		return v.Rule != acp.RuleMethod && v.Rule != wire.RuleSchema && !(v.Rule == acp.RuleEnvelope && wrongKind(x.f))
	})
}

// wrongKind reports whether a request is called as a notification, or the reverse.
func wrongKind(f *acp.Frame) bool {
	if f.Spec == nil || f.IsResponse() {
		return false
	}
	return f.Spec.IsNotification() == (f.Kind == acp.KindRequest)
}
