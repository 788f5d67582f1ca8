package suite

import "github.com/acpwire/acpwire/gen/acpv1"

var loadScenarios = []Scenario{
	{Area: "load", Name: "load", Doc: "loading replays the conversation before the answer, and the session goes on", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.past()
		c.needs(c.loads(), "loadSession")
		call := c.do(acpv1.MethodLoadSession, c.reopenParams(x.id))
		if call.failed() {
			s.skip("the session cannot be loaded: %s", stopOf(call))
		}
		mine, theirs := c.spoken(x, call)
		if !s.over && mine+theirs == 0 {
			s.fail("SESS-5", c.link, call.at(), call.n, "nothing of the conversation is replayed")
		}
		c.quietReplay(x, call)
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "load", Name: "load-user", Doc: "a replay has what both sides said", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.past()
		c.needs(c.loads(), "loadSession")
		call := c.do(acpv1.MethodLoadSession, c.reopenParams(x.id))
		if call.failed() {
			s.skip("the session cannot be loaded: %s", stopOf(call))
		}
		switch mine, theirs := c.spoken(x, call); {
		case s.over || mine+theirs == 0: // the scenario before finds that
		case mine == 0:
			s.fail("SESS-5", c.link, call.at(), call.n, "what the user said is not replayed")
		case theirs == 0:
			s.fail("SESS-5", c.link, call.at(), call.n, "what the agent said is not replayed")
		}
	}},
	{Area: "load", Name: "resume", Doc: "resuming replays nothing, and the session goes on", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.past()
		c.needs(c.sessionCapabilities().Resume != nil, "sessionCapabilities.resume")
		call := c.do(acpv1.MethodResumeSession, c.reopenParams(x.id))
		if call.failed() {
			s.skip("the session cannot be resumed: %s", stopOf(call))
		}
		if mine, theirs := c.spoken(x, call); mine+theirs > 0 {
			s.fail("SESS-8", c.link, call.at(), call.n, "the conversation is replayed before the answer")
		}
		c.quietReplay(x, call)
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "load", Name: "twice", Doc: "a session can be loaded again", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.past()
		c.needs(c.loads(), "loadSession")
		if call := c.do(acpv1.MethodLoadSession, c.reopenParams(x.id)); call.failed() {
			s.skip("the session cannot be loaded: %s", stopOf(call))
		}
		c.closeSession(x)
		c.wantResult(ruleAdvertise, c.do(acpv1.MethodLoadSession, c.reopenParams(x.id)), "loading a session again")
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
}

// past returns a session that had a turn and was closed, if the agent can close any.
func (s *scene) past() (*client, *session) {
	c, x := s.ready()
	c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	if !s.over && c.said(x, 0) == "" {
		s.skip("the agent said nothing")
	}
	if c.sessionCapabilities().Close != nil {
		c.closeSession(x)
	}
	return c, x
}

// spoken counts what each side has said in a session between a call and its answer.
func (c *client) spoken(x *session, call *call) (mine, theirs int) {
	for _, u := range c.updatesOf(x.id) {
		if u.n < call.n || u.n > call.at() {
			continue
		}
		switch u.SessionUpdate.(type) {
		case *acpv1.UserMessageChunk:
			mine++
		case *acpv1.AgentMessageChunk:
			theirs++
		}
	}
	return mine, theirs
}

// quietReplay checks that nothing of the conversation comes after the answer.
func (c *client) quietReplay(x *session, call *call) {
	c.settle(quiet)
	for _, u := range c.updatesOf(x.id) {
		if u.n <= call.at() {
			continue
		}
		switch u.SessionUpdate.(type) {
		case *acpv1.UserMessageChunk, *acpv1.AgentMessageChunk, *acpv1.AgentThoughtChunk, *acpv1.ToolCall:
			rule := "SESS-6"
			if call.method == acpv1.MethodResumeSession {
				rule = "SESS-8"
			}
			c.s.fail(rule, c.link, u.n, call.at(), "a part of the conversation is replayed after the answer")
			return
		}
	}
}
