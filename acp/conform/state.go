package conform

import (
	"strconv"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A state is what is known of a connection. Only apply and what it calls change it.
type state struct {
	opts  *Options
	sides [2]side
	now   time.Duration
	timed bool

	handshake    handshake
	foreign      bool // another version was agreed on: only envelopes are followed
	clientCaps   *acpv1.ClientCapabilities
	agentCaps    *acpv1.AgentCapabilities
	knowsClient  bool  // clientCaps are those of an initialize request
	knowsAgent   bool  // agentCaps are those of an initialize result
	asked        int64 // versions that initialize has named; -1 if not known
	answered     int64
	authMethods  []acpv1.AuthMethod
	loggedIn     int // frame that answered authenticate; 0 if not
	sessions     map[string]*session
	past         memory[string, past]
	opening      int  // session/new requests that wait for their results
	unclear      int  // prompts that wait for their results and were not understood: any session may have a turn
	lost         bool // a session may exist that was not understood
	terminals    map[string]*terminal
	released     memory[string, released]
	elicitations map[string]*elicitation
	completed    memory[string, closure]
	cursors      memory[string, int]
	reported     memory[string, int] // what is reported once only
}

// A side is what one side has sent.
type side struct {
	pending map[wire.RequestID]*request
	past    memory[wire.RequestID, int] // answered requests' frames
	broken  int                         // unreadable frames that an error with the id null may answer
	vague   int                         // notifications whose params are wrong, which a peer may take for invalid requests
	faulty  memory[wire.RequestID, int] // ids of requests that a peer may refuse by id though their envelope is not in order
	last    lastSent
	read    int // the latest frame of this side that the peer has certainly read
}

// A lastSent is the latest request or notification of a side.
type lastSent struct {
	n            int
	method       string
	notification bool
	known        bool
	cancelled    bool // a tool call's update after its turn was cancelled
}

func (l lastSent) describe() string {
	switch {
	case l.n == 0:
		return "nothing"
	case l.notification:
		return "a notification, " + strconv.Quote(l.method)
	default:
		return "a request whose id can be read, " + strconv.Quote(l.method)
	}
}

// A handshake is how far initialize has come.
type handshake struct {
	request, answer int // frames
	failed          bool
}

// A request waits for its answer.
type request struct {
	n       int
	from    wire.Side
	id      wire.RequestID
	name    string
	method  *wire.Method
	params  wire.Message // nil if not understood
	session string
	sess    *session
	at      time.Duration
	valid   bool
	stale   bool // from before another handshake
	shared  bool // another one has had its id at the same time
	garbled bool // not strict JSON: a peer may not be able to read its id
	plain   bool // a prompt of text and links only
	term    *terminal

	// cancelled is the frame that cancelled it by $/cancel_request.
	cancelled int
	// also is an earlier request with the same id that waits as well.
	also *request
}

// result returns the method for decoding the result, nil if any will do.
func (r *request) result() *wire.Method {
	if r.method == nil || r.method.IsNotification() {
		return nil
	}
	return r.method
}

func newState(opts *Options) state {
	st := state{
		opts: opts, sessions: map[string]*session{}, terminals: map[string]*terminal{}, elicitations: map[string]*elicitation{},
		past: newMemory[string, past](opts.Remember, ownText), released: newMemory[string, released](opts.Remember, ownText), completed: newMemory[string, closure](opts.Remember, ownText),
		cursors: newMemory[string, int](opts.Remember, ownText), reported: newMemory[string, int](opts.Remember, ownText), lost: opts.Partial,
	}
	for i := range st.sides {
		st.sides[i] = side{
			pending: map[wire.RequestID]*request{}, past: newMemory[wire.RequestID, int](opts.Remember, ownID),
			faulty: newMemory[wire.RequestID, int](opts.Remember, ownID),
		}
	}
	return st
}

// side returns what the side s has sent.
func (st *state) side(s wire.Side) *side {
	if s == wire.AgentSide {
		return &st.sides[1]
	}
	return &st.sides[0]
}

// peer returns what the other side than s has sent.
func (st *state) peer(s wire.Side) *side { return st.side(opposite(s)) }

func opposite(s wire.Side) wire.Side {
	if s == wire.AgentSide {
		return wire.ClientSide
	}
	return wire.AgentSide
}

// once reports whether key was not reported before.
func (st *state) once(key string, n int) bool {
	if _, ok := st.reported.get(key); ok {
		return false
	}
	st.reported.put(key, n)
	return true
}

// confused notes what may have been missed because a frame was not understood.
func (st *state) confused(f *acp.Frame, req *request) {
	if req != nil {
		switch req.name {
		case acpv1.MethodNewSession:
			st.lost = true
		case acpv1.MethodLoadSession, acpv1.MethodResumeSession:
			if req.sess != nil {
				req.sess.open(f.Spec == nil)
			}
		}
		if req.sess != nil {
			req.sess.modes, req.sess.options = nil, nil
		}
	}
	if f.Method == acpv1.MethodLoadSession || f.Method == acpv1.MethodResumeSession {
		st.lost = true
	}
	if f.Method == acpv1.MethodSessionUpdate {
		for _, s := range st.sessions {
			s.gaps = true
		}
	}
}

// session returns the session, nil if there is none. If frames are missing, one that was not met before is taken to be open.
func (st *state) session(id string, n int) *session {
	s := st.sessions[id]
	if s == nil && st.opts.Partial && !st.opened(id) {
		s = newSession(id, st.opts.Remember)
		s.active, s.gaps, s.assumed, s.first = true, true, true, n
		st.sessions[id] = s
	}
	return s
}

func (st *state) opened(id string) bool {
	p, ok := st.past.get(id)
	return ok && p.closed > 0
}

// apply takes in the frame.
func (x *step) apply() {
	f, mine, theirs := x.f, x.st.side(x.from), x.st.peer(x.from)
	switch f.Kind {
	case acp.KindRequest, acp.KindNotification:
		x.applyCall(mine)
	case acp.KindResponse, acp.KindError:
		x.applyAnswer(theirs)
	case acp.KindUnknown:
		mine.broken++
	}
}

func (x *step) applyCall(mine *side) {
	f := x.f
	mine.last = lastSent{n: x.n, method: f.Method, notification: f.Kind == acp.KindNotification, known: f.Spec != nil}
	switch {
	case f.Valid():
	case f.Rule() == wire.RuleJSON:
		mine.broken++
	case f.AwaitsAnswer():
	case f.Rule() == acp.RuleEnvelope:
		mine.broken++
		if f.HasID && f.Kind == acp.KindRequest {
			mine.faulty.put(f.ID.Key(), x.n)
		}
	case f.Rule() == wire.RuleSchema:
		mine.vague++
	}
	if f.Method == acpv1.MethodInitialize && f.AwaitsAnswer() {
		x.proposed()
	}
	if f.AwaitsAnswer() {
		if old := mine.pending[f.ID.Key()]; old != nil && old.stale {
			delete(mine.pending, f.ID.Key())
		}
		x.req.also = mine.pending[f.ID.Key()]
		for r := x.req.also; r != nil; r = r.also {
			x.req.shared, r.shared = true, true
		}
		mine.pending[f.ID.Key()] = x.req
		x.st.count(x.req, 1)
	}
	if x.params != nil {
		x.applyParams()
	}
}

func (x *step) applyAnswer(theirs *side) {
	if x.req == nil {
		if x.f.Rule() == acp.RuleEnvelope {
			// What it should have answered is not known.
			x.st.side(x.from).broken++
		}
		switch {
		case theirs.broken > 0:
			theirs.broken--
			theirs.refuse(x.f)
		case theirs.vague > 0 && x.f.Kind == acp.KindError && x.f.ID.IsNull():
			theirs.vague--
		}
		return
	}
	key := x.f.ID.Key()
	if x.req.garbled {
		theirs.broken--
	}
	if x.req.also != nil {
		theirs.pending[key] = x.req.also
	} else {
		delete(theirs.pending, key)
		theirs.past.put(key, x.req.n)
	}
	theirs.read = max(theirs.read, x.req.n)
	x.st.count(x.req, -1)
	x.applyResponse()
}

// refuse lets an error with the id null answer the first request that is not strict JSON, if there is one.
func (s *side) refuse(f *acp.Frame) {
	if f.Kind != acp.KindError || !f.ID.IsNull() {
		return
	}
	var first *request
	for _, r := range s.pending {
		if r.garbled && r.also == nil && (first == nil || r.n < first.n) {
			first = r
		}
	}
	if first != nil {
		delete(s.pending, first.id.Key())
		s.past.put(first.id.Key(), first.n)
	}
}

// count counts requests that wait, of the kinds that matter.
func (st *state) count(r *request, n int) {
	switch {
	case r.stale:
	case r.name == acpv1.MethodNewSession:
		st.opening += n
	case r.name == acpv1.MethodPrompt && r.params == nil:
		st.unclear += n
	}
}

// provenRead reports whether the side that did not send frame n has certainly read it.
func (st *state) provenRead(sender wire.Side, n int) bool { return st.side(sender).read >= n }
