package conform

import (
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// applyParams takes in a request or notification.
func (x *step) applyParams() {
	st, s := x.st, x.sess
	switch p := x.params.(type) {
	case *acpv1.SessionNotification:
		if s != nil {
			x.applyUpdate(s)
		}
	case *acpv1.InitializeRequest:
		if st.handshake.answer == 0 {
			st.clientCaps, st.knowsClient = p.GetClientCapabilities(), true
		}
	case *acpv1.LoadSessionRequest:
		s = x.reopen()
		s.loading = x.req
		s.generation++
	case *acpv1.ResumeSessionRequest:
		s = x.reopen()
		s.resuming = x.req
	case *acpv1.PromptRequest:
		if s != nil {
			if s.turn != nil {
				s.turn.superseded = true
			}
			s.turn = &turn{req: x.req, before: s.turn}
			s.prompted, s.loaded = true, 0
		}
	case *acpv1.CancelNotification:
		if s != nil {
			for t := s.turn; t != nil; t = t.before {
				t.cancelled, t.cancelledAt = x.n, int64(st.now)
			}
		}
	case *acpv1.CloseSessionRequest:
		x.stop()
		if s != nil {
			s.closing = x.req
		}
	case *acpv1.DeleteSessionRequest:
		x.stop()
	case *acpv1.CancelRequestNotification:
		if r := st.side(x.from).pending[p.RequestID.Key()]; r != nil && r.cancelled == 0 {
			r.cancelled = x.n
		}
	case *acpv1.RequestPermissionRequest:
		if s != nil {
			s.progress(x.n, &p.ToolCall, true)
			s.asks[p.ToolCall.ToolCallID] = x.req
		}
	case *acpv1.CreateElicitationRequest:
		if m, ok := p.Mode.(*acpv1.ElicitationURLMode); ok {
			st.elicitations[string(m.ElicitationID)] = &elicitation{n: x.n}
		}
	case *acpv1.CompleteElicitationNotification:
		delete(st.elicitations, string(p.ElicitationID))
		st.completed.put(string(p.ElicitationID), closure{n: x.n})
	case *acpv1.ReleaseTerminalRequest:
		x.release(string(p.TerminalID))
	}
}

// reopen returns the session to be loaded or resumed.
func (x *step) reopen() *session {
	s := x.sess
	if s == nil {
		s = newSession(x.session, x.st.opts.Remember)
		x.st.sessions[x.session] = s
	}
	x.sess, x.req.sess = s, s
	return s
}

// stop notes that the client wants the running turns of the session to end.
func (x *step) stop() {
	if x.sess == nil {
		return
	}
	for t := x.sess.turn; t != nil; t = t.before {
		t.closed = x.n
	}
}

func (x *step) applyUpdate(s *session) {
	switch u := x.update.(type) {
	case *acpv1.ToolCall:
		s.announce(x.n, u)
	case *acpv1.ToolCallUpdate:
		x.st.side(x.from).last.cancelled = s.turn != nil && s.turn.stopped() > 0
		s.progress(x.n, u, false)
	case *acpv1.UserMessageChunk:
		s.say(x.n, 0, u.MessageID)
	case *acpv1.AgentMessageChunk:
		s.say(x.n, 1, u.MessageID)
	case *acpv1.AgentThoughtChunk:
		s.say(x.n, 2, u.MessageID)
	case *acpv1.CurrentModeUpdate:
		if s.modes != nil {
			m := *s.modes
			m.CurrentModeID = u.CurrentModeID
			s.modes = &m
		}
	case *acpv1.ConfigOptionUpdate:
		s.setOptions(u.ConfigOptions)
	case *acpv1.AvailableCommandsUpdate:
		s.commands, s.commandsSeen = make([]string, len(u.AvailableCommands)), x.n
		for i, c := range u.AvailableCommands {
			s.commands[i] = c.Name
		}
	case *acpv1.CompactionUpdate:
		if u.Status == acpv1.CompactionStatusInProgress {
			s.compactions[u.CompactionID] = x.n
		} else {
			delete(s.compactions, u.CompactionID)
			s.compacted.put(u.CompactionID, x.n)
		}
	case *acpv1.Plan, *acpv1.SessionInfoUpdate, *acpv1.UsageUpdate, *acpv1.Notice, *acpv1.CompactionSummaryChunk, *acpv1.UnknownSessionUpdate:
	}
}

// say takes in a chunk of a message.
func (s *session) say(n int, kind uint8, id *acpv1.MessageID) {
	if id == nil || *id == s.talking[kind] {
		return
	}
	s.talking[kind] = *id
	if m, ok := s.messages.get(*id); !ok || m.generation != s.generation {
		s.messages.put(*id, message{n: n, kind: kind, generation: s.generation})
	}
}

func (s *session) setOptions(options []acpv1.SessionConfigOption) {
	s.before, s.options = s.options, options
	if s.options == nil {
		s.options = []acpv1.SessionConfigOption{}
	}
}

// applyResponse takes in an answer to x.req.
func (x *step) applyResponse() {
	ok := x.f.Kind == acp.KindResponse
	x.settle(ok)
	if ok && x.req.method == nil && x.req.from == wire.ClientSide {
		x.adopt()
	}
	if ok && x.req.name == acpv1.MethodInitialize {
		x.agreed()
	}
	if ok && x.result != nil {
		x.applyResult()
	}
	if !ok && x.f.Error != nil {
		x.applyFailure()
	}
}

// adopt takes in a session that a method outside the protocol has opened.
func (x *step) adopt() {
	id := ""
	d := wire.NewDecoder(x.f.Raw, nil)
	defer d.Release()
	eachMember(d, func(name string) {
		if name == "sessionId" && d.Peek() == '"' {
			id = d.String()
			return
		}
		d.Skip()
	})
	if _, known := x.st.past.get(id); id == "" || known || x.st.sessions[id] != nil {
		return
	}
	s := newSession(id, x.st.opts.Remember)
	s.active, s.gaps, s.assumed, s.opened = true, true, true, x.n
	x.st.sessions[id] = s
}

// settle ends what waited for the answer, whatever it is.
func (x *step) settle(ok bool) {
	st, r := x.st, x.req
	s := r.sess
	switch p := r.params.(type) {
	case *acpv1.LoadSessionRequest:
		if s != nil && s.loading == r {
			s.loading = nil
		}
		st.abandon(s, ok)
	case *acpv1.ResumeSessionRequest:
		if s != nil && s.resuming == r {
			s.resuming = nil
		}
		st.abandon(s, ok)
	case *acpv1.CloseSessionRequest:
		if s != nil && s.closing == r {
			s.closing = nil
		}
	case *acpv1.PromptRequest:
		if s != nil {
			x.endTurn(s, ok)
		}
	case *acpv1.RequestPermissionRequest:
		if s != nil && s.asks[p.ToolCall.ToolCallID] == r {
			delete(s.asks, p.ToolCall.ToolCallID)
		}
		x.refusal(s)
	case *acpv1.CreateElicitationRequest:
		x.settleElicitation(p, ok)
	}
}

// refusal notes a permission that was answered as cancelled before the turn was: the cancellation may still come.
func (x *step) refusal(s *session) {
	r, ok := x.result.(*acpv1.RequestPermissionResponse)
	if !ok || s == nil || s.turn == nil || x.req.cancelled > 0 || s.turn.refused > 0 {
		return
	}
	if _, ok := r.Outcome.(*acpv1.CancelledPermissionOutcome); ok {
		s.turn.refused = x.n
	}
}

func (x *step) settleElicitation(p *acpv1.CreateElicitationRequest, ok bool) {
	m, isURL := p.Mode.(*acpv1.ElicitationURLMode)
	if !isURL {
		return
	}
	id := string(m.ElicitationID)
	e := x.st.elicitations[id]
	r, _ := x.result.(*acpv1.CreateElicitationResponse)
	accepted := false
	if ok && r != nil {
		_, accepted = r.Action.(*acpv1.ElicitationAcceptAction)
	}
	if e != nil && e.n == x.req.n && !accepted {
		delete(x.st.elicitations, id)
		x.st.completed.put(id, closure{n: x.n, turnedDown: true})
	}
}

// abandon forgets a session that could not be opened.
func (st *state) abandon(s *session, ok bool) {
	if !ok && s != nil && !s.active && s.loading == nil && s.resuming == nil {
		delete(st.sessions, s.id)
	}
}

func (x *step) endTurn(s *session, ok bool) {
	e := ended{began: x.req.n, end: x.n}
	if t := s.running(x.req); t != nil {
		e.stopped = t.stopped()
	}
	if r, isPrompt := x.result.(*acpv1.PromptResponse); ok && isPrompt {
		e.reason = r.StopReason
	}
	s.finish(x.req)
	s.ended = e
	if s.loading != nil {
		s.generation++ // what the turn has said since is replayed, too
	}
	s.forget(x.st.opts.Remember)
}

func (x *step) applyResult() {
	st := x.st
	switch r := x.result.(type) {
	case *acpv1.NewSessionResponse:
		x.created(r)
	case *acpv1.LoadSessionResponse:
		if s := x.sess; s != nil {
			s.open(false)
			s.opened, s.loaded = x.n, x.n
			p := asked[acpv1.LoadSessionRequest](x.req)
			s.settings(r.Modes, r.ConfigOptions)
			s.place(p.Cwd, p.AdditionalDirectories)
			st.past.drop(s.id)
		}
	case *acpv1.ResumeSessionResponse:
		if s := x.sess; s != nil {
			s.open(true)
			s.opened = x.n
			p := asked[acpv1.ResumeSessionRequest](x.req)
			s.settings(r.Modes, r.ConfigOptions)
			s.place(p.Cwd, p.AdditionalDirectories)
			st.past.drop(s.id)
		}
	case *acpv1.CloseSessionResponse:
		st.bury(x.session, past{n: x.n, closed: x.n, ours: true})
	case *acpv1.DeleteSessionResponse:
		st.bury(x.session, past{n: x.n, closed: x.n, deleted: x.n})
	case *acpv1.SetSessionModeResponse:
		if s := x.sess; s != nil && s.modes != nil {
			m := *s.modes
			m.CurrentModeID = asked[acpv1.SetSessionModeRequest](x.req).ModeID
			s.modes = &m
		}
	case *acpv1.SetSessionConfigOptionResponse:
		if s := x.sess; s != nil {
			s.setOptions(r.ConfigOptions)
		}
	case *acpv1.ListSessionsResponse:
		x.listed(r)
	case *acpv1.AuthenticateResponse:
		st.loggedIn = x.n
	case *acpv1.LogoutResponse:
		st.loggedIn = 0
	case *acpv1.CreateTerminalResponse:
		st.terminals[string(r.TerminalID)] = &terminal{id: string(r.TerminalID), session: x.session, n: x.n, limit: asked[acpv1.CreateTerminalRequest](x.req).OutputByteLimit}
		st.released.drop(string(r.TerminalID))
	default:
		x.terminalResult()
	}
}

// asked returns the params of the request, empty ones if they were not understood.
func asked[P any](r *request) *P {
	if p, ok := any(r.params).(*P); ok {
		return p
	}
	return new(P)
}

func (x *step) created(r *acpv1.NewSessionResponse) {
	id := string(r.SessionID)
	p, ok := x.req.params.(*acpv1.NewSessionRequest)
	s := newSession(id, x.st.opts.Remember)
	if old := x.st.sessions[id]; old != nil && old.assumed {
		s.gaps = true
	}
	x.st.sessions[id] = s
	x.st.past.drop(id)
	s.active, s.opened = true, x.n
	s.settings(r.Modes, r.ConfigOptions)
	s.modesKnown = true
	if ok {
		s.place(p.Cwd, p.AdditionalDirectories)
	}
}

// settings takes in what a session offers when it is opened.
func (s *session) settings(modes *acpv1.SessionModeState, options []acpv1.SessionConfigOption) {
	if modes != nil {
		s.modes, s.modesKnown = modes, true
	}
	if options != nil {
		s.setOptions(options)
	}
}

func (s *session) place(cwd string, more []string) {
	s.cwd = cwd
	s.roots = append([]string{cwd}, more...)
}

// bury keeps of a session only what later frames may be held against.
func (st *state) bury(id string, p past) {
	if s := st.sessions[id]; s != nil {
		p.cwd = strings.Clone(s.cwd)
		p.ours = true
		delete(st.sessions, id)
	} else if old, ok := st.past.get(id); ok {
		p.cwd, p.ours = old.cwd, p.ours || old.ours
	}
	st.past.put(id, p)
}

func (x *step) listed(r *acpv1.ListSessionsResponse) {
	st := x.st
	for _, info := range r.Sessions {
		id := string(info.SessionID)
		if st.sessions[id] != nil {
			continue
		}
		if old, ok := st.past.get(id); ok && old.closed > 0 {
			continue
		}
		if st.opening > 0 {
			continue // it may be the one that is being opened
		}
		st.past.put(id, past{n: x.n, cwd: strings.Clone(info.Cwd), listed: true})
	}
	if r.NextCursor != nil {
		st.cursors.put(*r.NextCursor, x.n)
	}
}

func (x *step) applyFailure() {
	x.keep()
	if x.req.name == acpv1.MethodInitialize && x.st.handshake.answer == 0 {
		x.st.handshake.failed = true
	}
}

// cancelOf returns the frame by which the client has asked for the request, or the turn that it belongs to, to end; 0 if it has not.
func (x *step) cancelOf(r *request) int {
	if r.sess != nil {
		if t := r.sess.running(r); t != nil {
			return t.stopped()
		}
		if r.from == wire.AgentSide && r.sess.turn != nil {
			return max(r.cancelled, r.sess.turn.stopped())
		}
	}
	return r.cancelled
}
