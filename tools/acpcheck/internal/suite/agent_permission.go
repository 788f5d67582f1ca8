package suite

import (
	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

var permissionScenarios = []Scenario{
	{Area: "permissions", Name: "allowed", Doc: "what is allowed happens", Prompts: []string{"write"}, run: func(s *scene) {
		c, x := s.ready()
		c.wantTurn(c.prompt(x, "write"), acpv1.StopReasonEndTurn)
		c.happened(acpv1.MethodRequestPermission)
		c.happened(acpv1.MethodWriteTextFile)
	}},
	{Area: "permissions", Name: "rejected", Doc: "what is rejected does not happen", Prompts: []string{"write", "text"}, run: denied(reject)},
	{Area: "permissions", Name: "unknown-option", Doc: "an option that was not offered allows nothing", Prompts: []string{"write", "text"}, run: denied(func(*acpv1.RequestPermissionRequest) object {
		return selected("acpcheck-no-such-option")
	})},
	{Area: "permissions", Name: "command-rejected", Doc: "a command that is rejected is not run", Prompts: []string{"run", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.permit = reject
		c.prompt(x, "run")
		c.happened(acpv1.MethodRequestPermission)
		c.wantNot(acpv1.MethodCreateTerminal, "a command runs that was rejected")
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "permissions", Name: "failed", Doc: "a permission request that fails allows nothing", Prompts: []string{"write", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.handlers[acpv1.MethodRequestPermission] = func(m *message) { c.refuse(m, acp.CodeInternalError, "no user is there") }
		c.prompt(x, "write")
		c.happened(acpv1.MethodRequestPermission)
		c.wantNot(acpv1.MethodWriteTextFile, "a file is written though asking for permission has failed")
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "permissions", Name: "held", Doc: "nothing happens until the answer", Prompts: []string{"write"}, run: func(s *scene) {
		c, x := s.ready()
		c.permit = hold
		turn := c.beginPrompt(x, "write")
		c.untilHeld(turn)
		c.settle(2 * quiet)
		for _, m := range c.requests(acpv1.MethodWriteTextFile) {
			s.fail("PERM-4", c.link, m.n, 0, "the file is written while the permission is pending")
		}
		if turn.answer != nil {
			s.fail("PERM-4", c.link, turn.at(), 0, "the turn ends while the permission is pending")
		}
		c.releaseHeld(func(m *message) { c.answer(m, allow(paramsOf[acpv1.RequestPermissionRequest](m))) })
		c.permit = allow
		c.waitTurn(turn)
		c.wantTurn(turn, acpv1.StopReasonEndTurn)
	}},
	{Area: "permissions", Name: "cancelled", Doc: "what was cancelled while it waited for permission does not happen", Prompts: []string{"write", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.permit = hold
		turn := c.beginPrompt(x, "write")
		c.untilHeld(turn)
		n := c.cancel(x)
		c.releaseHeld(func(m *message) { c.answer(m, cancelled()) })
		c.wantCancelled(x, turn, n)
		c.wantNot(acpv1.MethodWriteTextFile, "a file is written after the turn was cancelled")
		c.permit = allow
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "permissions", Name: "asked", Doc: "asking alone works, whatever the answer", Prompts: []string{"ask"}, run: func(s *scene) {
		c, x := s.ready()
		for _, policy := range []func(*acpv1.RequestPermissionRequest) object{allow, reject} {
			c.permit = policy
			c.wantTurn(c.prompt(x, "ask"), acpv1.StopReasonEndTurn)
		}
		c.happened(acpv1.MethodRequestPermission)
	}},
}

// denied checks that an answer keeps a file from being written.
func denied(answer func(*acpv1.RequestPermissionRequest) object) func(*scene) {
	return func(s *scene) {
		c, x := s.ready()
		c.permit = answer
		c.prompt(x, "write")
		c.happened(acpv1.MethodRequestPermission)
		c.wantNot(acpv1.MethodWriteTextFile, "a file is written that was not allowed to be")
		c.permit = allow
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}
}

// wantNot checks that the agent has not made a request.
func (c *client) wantNot(method, what string) {
	for _, m := range c.requests(method) {
		c.s.fail(ruleRejected, c.link, m.n, 0, "%s", what)
	}
}
