package suite

import "github.com/acpwire/acpwire/gen/acpv1"

var shutdownScenarios = []Scenario{
	{Area: "shutdown", Name: "idle", Doc: "an agent ends when its input does", run: func(s *scene) {
		c, _ := s.ready()
		c.leave()
	}},
	{Area: "shutdown", Name: "unused", Doc: "an agent ends when its input does, before the handshake", run: func(s *scene) {
		c := s.start()
		c.leave()
	}},
	{Area: "shutdown", Name: "running", Doc: "an agent ends when its input does, while a turn runs", Prompts: []string{"slow"}, run: func(s *scene) {
		c, x := s.ready()
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		c.abandoned = true
		c.leave()
	}},
	{Area: "shutdown", Name: "waiting", Doc: "an agent ends when its input does, while it waits for permission", Prompts: []string{"ask"}, run: func(s *scene) {
		c, x := s.ready()
		c.permit = hold
		turn := c.begin(acpv1.MethodPrompt, promptParams(x.id, textBlock(s.prompt("ask", c.values()))))
		c.untilHeld(turn)
		c.abandoned = true
		c.leave()
	}},
}

// leave closes the agent's input and sees whether it ends by itself.
func (c *client) leave() {
	if c.s.over || c.process == nil {
		return
	}
	n := c.received()
	c.finish()
	if state := c.process.State(); state != nil && !state.Exited() {
		c.s.warn(ruleExit, c.link, n, 0, "the agent does not end within %v after its input was closed, and was killed", c.grace)
	}
}
