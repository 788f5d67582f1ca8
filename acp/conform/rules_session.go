package conform

import (
	"slices"
	"strconv"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var sessionRules = []Rule{
	{ID: "SESS-1", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-setup",
		Doc: "A new session has an id of its own.", hooks: []hook{result(acpv1.MethodNewSession, sessionIDUsed)}},
	{ID: "SESS-2", Level: Implied, Severity: Warning, By: wire.ClientSide, Page: site + "session-setup",
		Doc: "The client uses sessions that are open on this connection: created, loaded or resumed, and not closed.", hooks: []hook{anyRequest(notOpen)}},
	{ID: "SESS-3", Level: Implied, Severity: Warning, By: wire.AgentSide, Page: site + "session-setup",
		Doc: "The agent speaks of sessions of this connection only, and of a new one after the response that names it.", hooks: []hook{anyRequest(strayAgent), result(acpv1.MethodNewSession, namedLate)}},
	{ID: "SESS-4", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-setup",
		Doc: "session/load is for agents that advertise loadSession.", hooks: []hook{gate(acpv1.MethodLoadSession)}},
	{ID: "SESS-6", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-setup",
		Doc:   "session/load is answered after all of the conversation was replayed.",
		Limit: "Between the response and the next prompt, messages and calls of the agent may be work in the background, so that only a user's message is certain.",
		hooks: []hook{anyUpdate(lateReplay)}},
	{ID: "SESS-7", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-setup",
		Doc: "session/resume is for agents that advertise it.", hooks: []hook{gate(acpv1.MethodResumeSession)}},
	{ID: "SESS-8", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-setup",
		Doc:   "session/resume replays nothing before its response.",
		Limit: "Of a session that was open already it may be work in the background, so that findings are warnings.",
		hooks: []hook{anyUpdate(replayOnResume)}},
	{ID: "SESS-9", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-setup",
		Doc: "session/close is for agents that advertise it.", hooks: []hook{gate(acpv1.MethodCloseSession)}},
	{ID: "SESS-10", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-setup",
		Doc:   "Closing a session ends its turn as cancelled, and nothing more comes for it.",
		hooks: []hook{anyRequest(afterClose), result(acpv1.MethodPrompt, closedTurn), failure(acpv1.MethodPrompt, closedTurnFailed)}},
	{ID: "SESS-11", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-setup",
		Doc: "A session's working directory is an absolute path.",
		hooks: []hook{
			params(acpv1.MethodNewSession, func(x *step, p *acpv1.NewSessionRequest) { x.absolute("/params/cwd", p.Cwd) }),
			params(acpv1.MethodLoadSession, func(x *step, p *acpv1.LoadSessionRequest) { x.absolute("/params/cwd", p.Cwd) }),
			params(acpv1.MethodResumeSession, func(x *step, p *acpv1.ResumeSessionRequest) { x.absolute("/params/cwd", p.Cwd) }),
		}},
	{ID: "SESS-12", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-setup",
		Doc: "Additional directories are for agents that advertise them.", hooks: onSetup(directoriesUnadvertised)},
	{ID: "SESS-13", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "session-setup",
		Doc:   "Each additional directory is an absolute path, and the agent refuses others.",
		Limit: "Whether the agent drops some silently is not on the wire.",
		hooks: append(onSetup(relativeDirectories), result(acpv1.MethodNewSession, relativeAccepted))},
	{ID: "SESS-14", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-setup",
		Doc:   "A session is loaded or resumed with the working directory it has.",
		Limit: "Directories are compared by name. Where one ends as the other does, a link may lie between them, and the finding is a warning.",
		hooks: []hook{
			params(acpv1.MethodLoadSession, func(x *step, p *acpv1.LoadSessionRequest) { otherDirectory(x, p.Cwd) }),
			params(acpv1.MethodResumeSession, func(x *step, p *acpv1.ResumeSessionRequest) { otherDirectory(x, p.Cwd) }),
		}},
	{ID: "SESS-15", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-setup",
		Doc: "MCP servers over HTTP and SSE are for agents that advertise them.", hooks: onSetup(serversUnadvertised)},
	{ID: "SESS-16", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-setup",
		Doc:   "The command of an MCP server is an absolute path, and agents take servers over stdio.",
		Limit: "Why an agent refuses a session is not on the wire, so that only the client's part is checked.",
		hooks: onSetup(relativeCommands)},
}

// A setup is what new, load and resume have in common.
type setup struct {
	directories []string
	servers     []acpv1.MCPServer
}

// onSetup returns the hooks that call check for new, load and resume.
func onSetup(check func(x *step, s setup)) []hook {
	return []hook{
		params(acpv1.MethodNewSession, func(x *step, p *acpv1.NewSessionRequest) { check(x, setup{p.AdditionalDirectories, p.MCPServers}) }),
		params(acpv1.MethodLoadSession, func(x *step, p *acpv1.LoadSessionRequest) { check(x, setup{p.AdditionalDirectories, p.MCPServers}) }),
		params(acpv1.MethodResumeSession, func(x *step, p *acpv1.ResumeSessionRequest) { check(x, setup{p.AdditionalDirectories, p.MCPServers}) }),
	}
}

// index returns the pointer of an element.
func index(list string, i int) string { return list + "/" + strconv.Itoa(i) }

// absolute reports a path that is not absolute.
func (x *step) absolute(pointer, path string) {
	if !isAbsolute(path) {
		x.report(pointer, 0, "%q is not an absolute path", path)
	}
}

func sessionIDUsed(x *step, _ *acpv1.NewSessionRequest, r *acpv1.NewSessionResponse) {
	id := string(r.SessionID)
	if s := x.st.sessions[id]; s != nil && !s.assumed {
		x.report("/result/sessionId", s.opened, "%q is the id of an open session", id)
		return
	}
	switch p, ok := x.st.past.get(id); {
	case !ok:
	case p.deleted > 0:
		x.doubt("/result/sessionId", p.n, "%q was the id of a session that was deleted", id)
	default:
		x.report("/result/sessionId", p.n, "%q is the id of another session", id)
	}
}

func notOpen(x *step) {
	if x.from != wire.ClientSide || x.session == "" || x.st.lost || x.st.handshake.answer == 0 && !x.c.opts.Partial {
		return
	}
	switch x.f.Method {
	case acpv1.MethodLoadSession, acpv1.MethodResumeSession, acpv1.MethodDeleteSession, acpv1.MethodCancel:
		return
	}
	p, known := x.st.past.get(x.session)
	switch {
	case x.sess != nil && x.sess.active:
	case x.sess != nil:
		x.report("/params/sessionId", x.sess.waiting(), "the session is still being opened")
	case known && p.deleted > 0:
		x.report("/params/sessionId", p.n, "the session was deleted")
	case known && p.closed > 0:
		x.report("/params/sessionId", p.n, "the session was closed")
	case known:
		x.report("/params/sessionId", p.n, "the session was listed but neither loaded nor resumed")
	case x.st.past.forgot:
	default:
		x.report("/params/sessionId", 0, "there is no session %q on this connection", x.session)
	}
}

// waiting returns the frame that asked for the session to be opened again.
func (s *session) waiting() int {
	switch {
	case s.loading != nil:
		return s.loading.n
	case s.resuming != nil:
		return s.resuming.n
	}
	return s.opened
}

func strayAgent(x *step) {
	if x.from != wire.AgentSide || x.session == "" || x.sess != nil || x.st.lost || x.st.past.forgot {
		return
	}
	if p, known := x.st.past.get(x.session); known && p.closed > 0 || x.st.asksOutside() {
		return // SESS-10 in the first case
	}
	if !x.st.once("stray "+x.session, x.n) {
		return
	}
	if x.st.opening > 0 {
		x.report("/params/sessionId", x.st.openingFrame(), "%s for a session that no response has named yet", x.f.Method)
		return
	}
	x.report("/params/sessionId", 0, "there is no session %q on this connection", x.session)
}

// asksOutside reports whether the client waits for a method outside the protocol, which may open a session too.
func (st *state) asksOutside() bool {
	for _, r := range st.side(wire.ClientSide).pending {
		if r.method == nil {
			return true
		}
	}
	return false
}

// namedLate finds, where frames are missing, that the agent spoke of a session after it was asked for and before the response that names it.
func namedLate(x *step, _ *acpv1.NewSessionRequest, r *acpv1.NewSessionResponse) {
	if s := x.st.sessions[string(r.SessionID)]; s != nil && s.assumed && s.first > x.req.n {
		x.c.out = append(x.c.out, Finding{Rule: x.rule.ID, Severity: x.rule.Severity, Frame: s.first, Earlier: x.req.n, By: wire.AgentSide, Session: s.id,
			Pointer: "/params/sessionId", Message: "a session that no response had named yet"})
	}
}

// openingFrame returns the latest session/new that waits.
func (st *state) openingFrame() (n int) {
	for _, r := range st.side(wire.ClientSide).pending {
		if r.name == acpv1.MethodNewSession {
			n = max(n, r.n)
		}
	}
	return n
}

func lateReplay(x *step) {
	s := x.sess
	if s == nil || s.loaded == 0 || x.st.unclear > 0 || s.replaying() || s.turn != nil || !isTurnContent(x.tag) {
		return
	}
	if !x.st.once("late replay "+s.id+strconv.Itoa(s.loaded), x.n) {
		return
	}
	x.weigh(x.tag == tagUserChunk, "/params/update", s.loaded, "%s after the session was loaded, and before a prompt", x.tag)
}

func replayOnResume(x *step) {
	if s := x.sess; s != nil && s.resuming != nil && s.loading == nil && s.turn == nil && isTurnContent(x.tag) {
		if x.st.once("resume "+s.id+strconv.Itoa(s.resuming.n), x.n) {
			x.weigh(!s.active, "/params/update", s.resuming.n, "%s before session/resume was answered", x.tag)
		}
	}
}

func afterClose(x *step) {
	if x.from != wire.AgentSide || x.session == "" || x.sess != nil || x.f.Method == acpv1.MethodReleaseTerminal || x.f.Method == acpv1.MethodKillTerminal {
		return
	}
	p, known := x.st.past.get(x.session)
	if !known || p.closed == 0 {
		return
	}
	x.weigh(p.deleted == 0, "/params/sessionId", p.closed, "%s for a session that was closed", x.f.Method)
}

func closedTurn(x *step, _ *acpv1.PromptRequest, r *acpv1.PromptResponse) {
	if p, known := x.st.past.get(x.session); known && p.closed > 0 && p.deleted == 0 && r.StopReason != acpv1.StopReasonCancelled && p.closed > x.req.n {
		x.report("/result/stopReason", p.closed, "the turn of a closed session ends with %q", r.StopReason)
	}
}

func closedTurnFailed(x *step) {
	if p, known := x.st.past.get(x.session); known && p.closed > 0 && p.deleted == 0 && p.closed > x.req.n && x.f.Error.Code != acp.CodeRequestCancelled {
		x.report("/error", p.closed, "the turn of a closed session ends with an error")
	}
}

func directoriesUnadvertised(x *step, s setup) {
	if len(s.directories) > 0 && x.st.knowsAgent && x.st.sessionCaps().AdditionalDirectories == nil {
		x.report("/params/additionalDirectories", x.st.handshake.answer, "the agent does not advertise additional directories")
	}
}

func relativeDirectories(x *step, s setup) {
	for i, d := range s.directories {
		x.absolute(index("/params/additionalDirectories", i), d)
	}
}

func relativeAccepted(x *step, p *acpv1.NewSessionRequest, _ *acpv1.NewSessionResponse) {
	if slices.ContainsFunc(p.AdditionalDirectories, func(d string) bool { return !isAbsolute(d) }) {
		x.doubt("/result", x.req.n, "a session was opened with an additional directory that is not absolute")
	}
}

func otherDirectory(x *step, cwd string) {
	known, at := "", 0
	if x.sess != nil {
		known, at = x.sess.cwd, x.sess.opened
	} else if p, ok := x.st.past.get(x.session); ok {
		known, at = p.cwd, p.n
	}
	if known != "" && isAbsolute(known) && clean(known) != clean(cwd) {
		x.weigh(!alike(known, cwd), "/params/cwd", at, "the working directory of the session is %q, not %q", known, cwd)
	}
}

func serversUnadvertised(x *step, s setup) {
	if !x.st.knowsAgent {
		return
	}
	caps := x.st.agentCaps.GetMCPCapabilities()
	for i, m := range s.servers {
		name := ""
		switch m.(type) {
		case *acpv1.MCPServerHTTP:
			if !caps.GetHTTP() {
				name = "http"
			}
		case *acpv1.MCPServerSSE:
			if !caps.GetSSE() {
				name = "sse"
			}
		case *acpv1.MCPServerStdio:
		}
		if name != "" {
			x.report(index("/params/mcpServers", i), x.st.handshake.answer, "the agent does not advertise mcpCapabilities.%s", name)
		}
	}
}

func relativeCommands(x *step, s setup) {
	for i, m := range s.servers {
		if stdio, ok := m.(*acpv1.MCPServerStdio); ok {
			x.absolute(index("/params/mcpServers", i)+"/command", stdio.Command)
		}
	}
}
