package suite

import (
	"strconv"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// nobody is the id of a session that there is none of.
const nobody = "acpcheck-no-such-session"

// maxPages bounds a list of sessions.
const maxPages = 200

var sessionScenarios = []Scenario{
	{Area: "sessions", Name: "new", Doc: "each new session has an id of its own", run: func(s *scene) {
		c, x := s.ready()
		y := c.newSession()
		if !s.over && x.id == y.id {
			s.fail("SESS-1", c.link, c.received(), 0, "two sessions have the id %q", x.id)
		}
	}},
	{Area: "sessions", Name: "stdio-server", Doc: "an MCP server on stdio is accepted, even one that does not exist", run: func(s *scene) {
		c := s.open()
		call := c.do(acpv1.MethodNewSession, object{"cwd": c.dir, "mcpServers": list{
			object{"name": "none", "command": c.dir + "/no-such-program", "args": list{}, "env": list{}},
		}})
		if call.code() == acp.CodeInvalidParams {
			s.fail("SESS-16", c.link, call.at(), call.n, "an MCP server on stdio is refused as invalid")
		}
	}},
	{Area: "sessions", Name: "more-directories", Doc: "more directories are accepted if the agent says so", run: func(s *scene) {
		c := s.open()
		c.needs(c.sessionCapabilities().AdditionalDirectories != nil, "sessionCapabilities.additionalDirectories")
		params := c.newSessionParams()
		params["additionalDirectories"] = list{c.dir + "/one", c.dir + "/two"}
		c.makeDirectories("one", "two")
		call := c.do(acpv1.MethodNewSession, params)
		if call.code() == acp.CodeAuthRequired {
			s.skip("the agent asks for a login")
		}
		c.wantResult(ruleAdvertise, call, "a session with more directories")
	}},
	{Area: "sessions", Name: "prompt-unknown", Doc: "a prompt for an unknown session is refused", Prompts: []string{"text"}, run: func(s *scene) {
		c := s.open()
		call := c.beginPrompt(&session{id: nobody}, "text")
		c.waitTurn(call)
		c.wantError(ruleSession, call, "a prompt for an unknown session")
	}},
	{Area: "sessions", Name: "cancel-unknown", Doc: "cancelling an unknown session is ignored", run: func(s *scene) {
		c := s.open()
		n := c.cancel(&session{id: nobody})
		c.silent(n, "cancelling an unknown session")
	}},
	{Area: "sessions", Name: "set-mode-unknown", Doc: "setting the mode of an unknown session is refused", run: func(s *scene) {
		c, x := s.ready()
		c.needs(x.modes != nil, "modes")
		c.wantError(ruleSession, c.do(acpv1.MethodSetSessionMode, object{"sessionId": nobody, "modeId": x.modeID(0)}), "set_mode for an unknown session")
	}},
	{Area: "sessions", Name: "load-unknown", Doc: "loading an unknown session is refused", run: func(s *scene) {
		c := s.open()
		c.needs(c.loads(), "loadSession")
		c.wantError(ruleSession, c.do(acpv1.MethodLoadSession, c.reopenParams(nobody)), "loading an unknown session")
	}},
	{Area: "sessions", Name: "resume-unknown", Doc: "resuming an unknown session is refused", run: func(s *scene) {
		c := s.open()
		c.needs(c.sessionCapabilities().Resume != nil, "sessionCapabilities.resume")
		c.wantError(ruleSession, c.do(acpv1.MethodResumeSession, c.reopenParams(nobody)), "resuming an unknown session")
	}},
	{Area: "sessions", Name: "close", Doc: "a closed session takes no prompts", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		c.closeSession(x)
		call := c.beginPrompt(x, "text")
		c.waitTurn(call)
		c.wantError(ruleSession, call, "a prompt for a closed session")
	}},
	{Area: "sessions", Name: "close-unknown", Doc: "closing an unknown session is answered, and others live", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		c.needs(c.sessionCapabilities().Close != nil, "sessionCapabilities.close")
		c.do(acpv1.MethodCloseSession, object{"sessionId": nobody})
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "sessions", Name: "close-running", Doc: "closing a session ends its turn as if cancelled", Prompts: []string{"slow"}, run: closeRunning(func(c *client, x *session) *call {
		c.needs(c.sessionCapabilities().Close != nil, "sessionCapabilities.close")
		return c.begin(acpv1.MethodCloseSession, object{"sessionId": x.id})
	})},
	{Area: "sessions", Name: "list", Alone: true, Doc: "the list of sessions has each once, page by page, and ends", run: func(s *scene) {
		c := s.open()
		c.needs(c.sessionCapabilities().List != nil, "sessionCapabilities.list")
		for range 25 {
			c.newSession()
		}
		c.listAll(object{})
	}},
	{Area: "sessions", Name: "list-cwd", Alone: true, Doc: "a list for a directory has no other sessions", run: func(s *scene) {
		c := s.open()
		c.needs(c.sessionCapabilities().List != nil, "sessionCapabilities.list")
		c.newSession()
		for id, cwd := range c.listAll(object{"cwd": "/acpcheck/no/such/directory"}) {
			s.fail("LIST-2", c.link, c.received(), 0, "the session %q of %s is listed for another directory", id, cwd)
		}
	}},
	{Area: "sessions", Name: "list-bad-cursor", Doc: "a cursor that the agent never gave is an error", run: func(s *scene) {
		c := s.open()
		c.needs(c.sessionCapabilities().List != nil, "sessionCapabilities.list")
		call := c.do(acpv1.MethodListSessions, object{"cursor": "acpcheck-no-such-cursor"})
		if call.ok() {
			s.warn("LIST-5", c.link, call.at(), call.n, "an invalid cursor is answered with a list")
		}
	}},
	{Area: "sessions", Name: "delete", Alone: true, Doc: "a deleted session is not listed", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		c.needs(c.sessionCapabilities().Delete != nil, "sessionCapabilities.delete")
		c.prompt(x, "text")
		c.wantResult(ruleAdvertise, c.do(acpv1.MethodDeleteSession, object{"sessionId": x.id}), "session/delete")
		c.needs(c.sessionCapabilities().List != nil, "sessionCapabilities.list")
		if _, listed := c.listAll(object{})[x.id]; listed {
			s.fail("DEL-2", c.link, c.received(), 0, "the session %q is listed after it was deleted", x.id)
		}
	}},
	{Area: "sessions", Name: "delete-unknown", Doc: "deleting a session that does not exist succeeds", run: func(s *scene) {
		c := s.open()
		c.needs(c.sessionCapabilities().Delete != nil, "sessionCapabilities.delete")
		call := c.do(acpv1.MethodDeleteSession, object{"sessionId": nobody})
		if call.failed() {
			s.warn("DEL-3", c.link, call.at(), call.n, "deleting an unknown session is refused with the error code %d", call.code())
		}
	}},
	{Area: "sessions", Name: "delete-running", Doc: "a session can be deleted while a turn runs, which is answered", Prompts: []string{"slow"}, run: func(s *scene) {
		c, x := s.ready()
		c.needs(c.sessionCapabilities().Delete != nil, "sessionCapabilities.delete")
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		c.do(acpv1.MethodDeleteSession, object{"sessionId": x.id})
		if !c.until(promptly, func() bool { return turn.answer != nil }) {
			// That deleting ends a turn is said nowhere.
			c.abandoned = true
			s.skip("the turn goes on after its session was deleted")
		}
		c.ping("deleting a session")
	}},
	{Area: "sessions", Name: "authenticate-unknown", Doc: "a way to log in that does not exist is refused", run: func(s *scene) {
		c := s.open()
		if c.agent != nil && len(c.agent.AuthMethods) == 0 {
			s.skip("the agent has no way to log in")
		}
		c.wantError(ruleParams, c.do(acpv1.MethodAuthenticate, object{"methodId": "acpcheck-no-such-method"}), "an unknown way to log in")
	}},
}

func (c *client) reopenParams(id string) object {
	return object{"sessionId": id, "cwd": c.dir, "mcpServers": list{}}
}

// modeID returns the id of a mode; empty if there is none.
func (x *session) modeID(i int) string {
	if x.modes == nil || i >= len(x.modes.AvailableModes) {
		return ""
	}
	return string(x.modes.AvailableModes[i].ID)
}

func (c *client) closeSession(x *session) {
	c.needs(c.sessionCapabilities().Close != nil, "sessionCapabilities.close")
	c.wantResult(ruleAdvertise, c.do(acpv1.MethodCloseSession, object{"sessionId": x.id}), "session/close")
}

// closeRunning ends a session while a turn runs in it.
func closeRunning(end func(c *client, x *session) *call) func(*scene) {
	return func(s *scene) {
		c, x := s.ready()
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		closing := end(c, x)
		c.wait(closing)
		c.wait(turn)
		if s.over {
			return
		}
		if got := reason(turn); got != acpv1.StopReasonCancelled {
			s.fail("SESS-10", c.link, turn.at(), closing.n, "the turn of a session that is closed ends with %s instead of cancelled", stopOf(turn))
		}
		n := c.received()
		c.settle(quiet)
		for _, u := range c.updatesOf(x.id) {
			if u.n > n {
				s.fail("SESS-10", c.link, u.n, closing.at(), "an update comes after the session was closed")
				break
			}
		}
	}
}

func stopOf(c *call) string {
	if c.failed() {
		return "the error code " + strconv.Itoa(c.code())
	}
	return strconv.Quote(string(reason(c)))
}

// listAll returns all sessions that a list has, with their directories.
func (c *client) listAll(params object) map[string]string {
	found := map[string]string{}
	for page := 0; !c.s.over; page++ {
		call := c.do(acpv1.MethodListSessions, params)
		if !c.wantResult(ruleAdvertise, call, "session/list") {
			break
		}
		r := resultOf[acpv1.ListSessionsResponse](call)
		if r == nil {
			break
		}
		for _, info := range r.Sessions {
			if _, twice := found[string(info.SessionID)]; twice {
				c.s.fail("LIST-3", c.link, call.at(), 0, "the session %q is listed twice", info.SessionID)
			}
			found[string(info.SessionID)] = info.Cwd
		}
		if r.NextCursor == nil {
			break
		}
		if page == maxPages || params["cursor"] == *r.NextCursor {
			c.s.fail("LIST-4", c.link, call.at(), call.n, "the list does not end")
			break
		}
		next := object{"cursor": *r.NextCursor}
		if cwd, ok := params["cwd"]; ok {
			next["cwd"] = cwd
		}
		params = next
	}
	return found
}
