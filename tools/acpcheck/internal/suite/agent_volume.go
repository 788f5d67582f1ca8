package suite

import (
	"strings"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
)

const (
	// large is the size of a large frame, in bytes. Agents in the field accept more.
	large = 4 << 20
	// slowness is for how long a slow reader reads nothing.
	slowness = 700 * time.Millisecond
)

var loadTestScenarios = []Scenario{
	{Area: "volume", Name: "large-request", Alone: true, Doc: "a request of several megabytes is answered", run: func(s *scene) {
		c := s.open()
		call := c.do("_acpcheck/large", object{"x": strings.Repeat("0123456789abcdef", large/16)})
		if !s.over && call.answer == nil {
			s.fail(ruleComplete, c.link, call.n, 0, "a large request is not answered")
		}
		c.ping("a large request")
	}},
	{Area: "volume", Name: "large-prompt", Alone: true, Doc: "a prompt of a megabyte is answered, completely if it is repeated", Prompts: []string{"marker"}, run: func(s *scene) {
		c, x := s.ready()
		long := strings.Repeat("all work and no play makes a dull boy ", 1<<20/38)
		call := c.begin(acpv1.MethodPrompt, promptParams(x.id, textBlock(s.prompt("marker", map[string]string{"marker": "<" + long + ">"}))))
		c.waitTurn(call)
		c.wantResult(ruleComplete, call, "a large prompt")
		if said := c.said(x, 0); strings.Contains(said, "<all work") && !strings.Contains(said, "<"+long+">") {
			s.fail(ruleComplete, c.link, call.at(), call.n, "what the agent repeats is not complete: %d bytes", len(said))
		}
	}},
	{Area: "volume", Name: "large-file", Alone: true, Doc: "a large file can be read", Prompts: []string{"read"}, run: func(s *scene) {
		c, x := s.ready()
		c.writeFile(strings.Repeat("a line of a large file\n", large/23))
		c.wantTurn(c.prompt(x, "read"), acpv1.StopReasonEndTurn)
		c.happened(acpv1.MethodReadTextFile)
	}},
	{Area: "volume", Name: "many-sessions", Alone: true, Doc: "a hundred sessions can be open", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		begun := time.Now()
		for range 100 {
			if c.newSession(); time.Since(begun) > s.opts.TurnTimeout {
				break // it is slow, which is no fault
			}
		}
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "volume", Name: "slow-reader", Alone: true, Doc: "a client that reads slowly gets everything, in order", Prompts: []string{"stream"}, run: func(s *scene) {
		c, x := s.ready()
		c.wantTurn(c.prompt(x, "stream"), acpv1.StopReasonEndTurn)
		want := len(c.said(x, 0))
		if !s.over && want == 0 {
			s.skip("the agent said nothing")
		}
		c.pause(true)
		call := c.beginPrompt(x, "stream")
		time.Sleep(slowness)
		c.pause(false)
		c.waitTurn(call)
		c.wantTurn(call, acpv1.StopReasonEndTurn)
		c.quietAfter(x, call, "CAN-3", "the turn has ended")
	}},
	{Area: "volume", Name: "slow-cancel", Alone: true, Doc: "a turn can be cancelled by a client that reads slowly", Prompts: []string{"slow"}, run: func(s *scene) {
		c, x := s.ready()
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		c.pause(true)
		time.Sleep(slowness / 2)
		n := c.cancel(x)
		time.Sleep(slowness / 2)
		c.pause(false)
		c.wantCancelled(x, turn, n)
	}},
}
