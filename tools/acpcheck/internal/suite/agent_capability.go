package suite

import "github.com/acpwire/acpwire/gen/acpv1"

var capabilityScenarios = []Scenario{
	{Area: "capabilities", Name: "no-read", Doc: "a client that cannot read files is not asked to", Prompts: []string{"read"}, run: withheld("read", acpv1.MethodReadTextFile, "FS-1", func(caps object) {
		caps["fs"] = object{"readTextFile": false, "writeTextFile": true}
	})},
	{Area: "capabilities", Name: "no-write", Doc: "a client that cannot write files is not asked to", Prompts: []string{"write"}, run: withheld("write", acpv1.MethodWriteTextFile, "FS-1", func(caps object) {
		caps["fs"] = object{"readTextFile": true}
	})},
	{Area: "capabilities", Name: "no-terminal", Doc: "a client without terminals is not asked for one", Prompts: []string{"run"}, run: withheld("run", acpv1.MethodCreateTerminal, "TERM-1", func(caps object) {
		caps["terminal"] = false
	})},
	{Area: "capabilities", Name: "no-elicitation", Doc: "a client without forms is not asked to show one", Prompts: []string{"elicit"}, run: withheld("elicit", acpv1.MethodCreateElicitation, "ELI-1", func(caps object) {
		delete(caps, "elicitation")
	})},
	{Area: "capabilities", Name: "no-boolean", Doc: "a client that does not know boolean options gets none", run: func(s *scene) {
		_, x := s.ready()
		if !s.over && !hasBoolean(x.options) {
			s.skip("the agent has no boolean options")
		}
		caps := fullCapabilities()
		delete(caps, "session")
		c := s.openWith(caps)
		if x = c.newSession(); hasBoolean(x.options) {
			s.fail("CFG-1", c.link, c.received(), 0, "a boolean option is sent to a client that does not know them")
		}
	}},
	{Area: "capabilities", Name: "no-notices", Doc: "a client that knows neither notices nor compaction gets none", Prompts: []string{"updates"}, run: func(s *scene) {
		c, x := s.ready()
		c.prompt(x, "updates")
		if c.special(x) == 0 {
			s.skip("the agent sends neither notices nor compaction")
		}
		caps := fullCapabilities()
		delete(caps, "session")
		c = s.openWith(caps)
		x = c.newSession()
		c.wantTurn(c.prompt(x, "updates"), acpv1.StopReasonEndTurn)
		if n := c.special(x); n > 0 {
			s.fail("NOTE-1", c.link, n, 0, "a notice or compaction is sent to a client that does not know them")
		}
	}},
	{Area: "capabilities", Name: "none", Doc: "a client that can do nothing is asked for nothing", Prompts: []string{"read", "write", "run", "text"}, run: func(s *scene) {
		c := s.openWith(nil)
		x := c.newSession()
		for _, name := range []string{"read", "write", "run", "text"} {
			c.prompt(x, name)
		}
		for _, u := range []struct{ method, rule string }{
			{acpv1.MethodReadTextFile, "FS-1"}, {acpv1.MethodWriteTextFile, "FS-1"}, {acpv1.MethodCreateTerminal, "TERM-1"}, {acpv1.MethodCreateElicitation, "ELI-1"},
		} {
			c.wantUnused(u.method, u.rule)
		}
	}},
}

// withheld checks that an agent that makes a request does not do so if the client lacks what it takes.
func withheld(prompt, method, rule string, take func(caps object)) func(*scene) {
	return func(s *scene) {
		c, x := s.ready()
		c.writeFile("x\n")
		c.prompt(x, prompt)
		c.happened(method)
		c.finish()
		caps := fullCapabilities()
		take(caps)
		c = s.openWith(caps)
		x = c.newSession()
		c.prompt(x, prompt)
		c.wantUnused(method, rule)
	}
}

func (c *client) wantUnused(method, rule string) {
	for _, m := range c.requests(method) {
		c.s.fail(rule, c.link, m.n, 0, "%s is called, which the client does not offer", method)
	}
}

func hasBoolean(options []acpv1.SessionConfigOption) bool {
	for _, o := range options {
		if _, ok := o.Type.(*acpv1.SessionConfigBoolean); ok {
			return true
		}
	}
	return false
}

// special returns the frame of a notice or compaction; 0 if there is none.
func (c *client) special(x *session) int {
	for _, u := range c.updatesOf(x.id) {
		switch u.SessionUpdate.(type) {
		case *acpv1.Notice, *acpv1.CompactionUpdate, *acpv1.CompactionSummaryChunk:
			return u.n
		}
	}
	return 0
}
