package suite

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// several is how many sessions work at once.
const several = 4

var concurrencyScenarios = []Scenario{
	{Area: "concurrency", Name: "new", Doc: "several sessions can be asked for at once", run: func(s *scene) {
		c := s.open()
		var calls []*call
		for range several {
			calls = append(calls, c.begin(acpv1.MethodNewSession, c.newSessionParams()))
		}
		c.wait(calls...)
		ids := map[string]bool{}
		for _, call := range calls {
			if r := resultOf[acpv1.NewSessionResponse](call); r != nil {
				if ids[string(r.SessionID)] {
					s.fail("SESS-1", c.link, call.at(), call.n, "two sessions have the id %q", r.SessionID)
				}
				ids[string(r.SessionID)] = true
			}
		}
	}},
	{Area: "concurrency", Name: "prompts", Doc: "several sessions work at once, and each gets its own answer", Prompts: []string{"marker"}, run: func(s *scene) {
		c := s.open()
		var sessions []*session
		var turns []*call
		for range several {
			sessions = append(sessions, c.newSession())
		}
		for i, x := range sessions {
			turns = append(turns, c.begin(acpv1.MethodPrompt, promptParams(x.id, textBlock(s.prompt("marker", map[string]string{"marker": word(i), "dir": c.dir})))))
		}
		for _, t := range turns {
			c.waitTurn(t)
			c.wantTurn(t, acpv1.StopReasonEndTurn)
		}
		c.wantOwn(sessions)
	}},
	{Area: "concurrency", Name: "independent", Doc: "a session does not wait for the turn of another", Prompts: []string{"slow", "text"}, run: func(s *scene) {
		c, x := s.ready()
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		y := c.newSession()
		other := c.beginPrompt(y, "text")
		c.until(s.opts.Timeout, func() bool { return other.answer != nil || turn.answer != nil })
		if !s.over && other.answer == nil {
			s.warn(ruleSeparate, c.link, other.n, turn.n, "a prompt is not answered while another session has a turn")
		}
		c.wantCancelled(x, turn, c.cancel(x))
		c.waitTurn(other)
		c.wantTurn(other, acpv1.StopReasonEndTurn)
	}},
	{Area: "concurrency", Name: "requests", Doc: "requests are answered while a turn runs", Prompts: []string{"slow"}, run: func(s *scene) {
		c, x := s.ready()
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		c.ping("a prompt that still runs")
		c.newSession()
		c.wantCancelled(x, turn, c.cancel(x))
	}},
}

// word returns the i-th of some words that do not contain each other.
func word(i int) string { return fmt.Sprintf("%s%s", marker, strings.Repeat("z", i)+"q") }

// wantOwn checks that each session was told its own word, and no session that of another.
func (c *client) wantOwn(sessions []*session) {
	heard := 0
	for i, x := range sessions {
		for j := range sessions {
			switch said := c.echoes(x, word(j)); {
			case said && i == j:
				heard++
			case said:
				c.s.fail(ruleSeparate, c.link, c.received(), 0, "the session %q is told what belongs to %q", x.id, sessions[j].id)
			}
		}
	}
	if !c.s.over && heard < len(sessions) && len(c.s.result.Findings) == 0 {
		c.s.skip("only %d of %d sessions said their word", heard, len(sessions))
	}
}
