package suite

import (
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// promptly is how soon an agent should stop after it was told to.
const promptly = 3 * time.Second

var cancelScenarios = []Scenario{
	{Area: "cancel", Name: "at-once", Doc: "a turn that is cancelled in the same write ends as cancelled", Prompts: []string{"slow", "text"}, run: func(s *scene) {
		c, x := s.ready()
		turn, line := c.prepare(acpv1.MethodPrompt, promptParams(x.id, textBlock(s.prompt("slow", c.values()))))
		n := c.send(line, frame(object{"method": acpv1.MethodCancel, "params": object{"sessionId": x.id}}))
		turn.n = n - 1
		if !c.until(promptly, func() bool { return turn.answer != nil }) && !s.over {
			// When a turn is "ongoing" is said nowhere. Users press the button again; then there is no excuse.
			s.warn(ruleOvertaken, c.link, n, turn.n, "the cancellation that follows its prompt at once is lost: the turn still runs after %v", promptly)
			n = c.cancel(x)
		}
		c.wantCancelled(x, turn, n)
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "running", Doc: "a turn that is cancelled while it runs ends as cancelled", Prompts: []string{"slow", "text"}, run: func(s *scene) {
		c, x := s.ready()
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		c.wantCancelled(x, turn, c.cancel(x))
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "twice", Doc: "cancelling twice is as good as once", Prompts: []string{"slow", "text"}, run: func(s *scene) {
		c, x := s.ready()
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		n := c.cancel(x)
		c.cancel(x)
		c.wantCancelled(x, turn, n)
		c.cancel(x)
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "after-end", Doc: "cancelling a turn that has ended does not touch the next one", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		for range 2 {
			c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
			n := c.cancel(x)
			c.silent(n, "session/cancel")
		}
	}},
	{Area: "cancel", Name: "idle", Doc: "cancelling a session without a turn is ignored", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		n := c.cancel(x)
		c.silent(n, "session/cancel")
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "stream", Doc: "a long answer can be cut off, and is over then", Prompts: []string{"stream", "text"}, run: func(s *scene) {
		c, x := s.ready()
		// What nobody reads keeps an agent from coming to the end.
		c.pause(true)
		turn := c.beginPrompt(x, "stream")
		time.Sleep(quiet)
		c.cancel(x)
		c.pause(false)
		c.waitTurn(turn)
		if c.wantResult("CAN-2", turn, "a cancelled prompt") {
			c.quietAfter(x, turn, "CAN-3", "the cancelled turn has ended")
		}
		if reason(turn) == acpv1.StopReasonEndTurn {
			s.forgive("CAN-2")
			s.skip("the turn had ended before it was cancelled")
		}
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "request", Doc: "$/cancel_request of a prompt is answered, with a result or with -32800", Prompts: []string{"slow", "text"}, run: func(s *scene) {
		c, x := s.ready()
		turn := c.beginPrompt(x, "slow")
		c.untilBusy(x, turn)
		n := c.notify(acpv1.MethodCancelRequest, object{"requestId": turn.id})
		c.until(promptly, func() bool { return turn.answer != nil })
		if !s.over && turn.answer == nil {
			// It is optional to heed; then the turn just goes on.
			c.wantCancelled(x, turn, c.cancel(x))
			s.skip("the agent does not heed $/cancel_request")
		}
		if turn.failed() && turn.code() != acp.CodeRequestCancelled {
			s.fail("CAN-6", c.link, turn.at(), n, "a cancelled request is answered with the error code %d instead of %d", turn.code(), acp.CodeRequestCancelled)
		}
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "request-late", Doc: "$/cancel_request for a request that was answered is ignored", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		turn := c.prompt(x, "text")
		c.wantTurn(turn, acpv1.StopReasonEndTurn)
		n := c.notify(acpv1.MethodCancelRequest, object{"requestId": turn.id})
		c.silent(n, "a late $/cancel_request")
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "permission", Doc: "a turn that waits for permission can be cancelled", Prompts: []string{"ask", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.permit = hold
		turn := c.beginPrompt(x, "ask")
		c.untilHeld(turn)
		n := c.cancel(x)
		c.releaseHeld(func(m *message) { c.answer(m, cancelled()) })
		c.wantCancelled(x, turn, n)
		c.permit = allow
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "crossing", Doc: "a turn that gets its permission and is cancelled in the same write is answered", Prompts: []string{"ask", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.permit = hold
		turn := c.beginPrompt(x, "ask")
		c.untilHeld(turn)
		if s.over {
			return
		}
		allowed := frame(object{"id": c.held[0].f.ID, "result": allow(paramsOf[acpv1.RequestPermissionRequest](c.held[0]))})
		c.held, c.permit = nil, func(*acpv1.RequestPermissionRequest) object { return cancelled() }
		n := c.send(allowed, frame(object{"method": acpv1.MethodCancel, "params": object{"sessionId": x.id}}))
		c.waitTurn(turn)
		if reason(turn) == acpv1.StopReasonEndTurn {
			s.forgive("CAN-2") // it may have been done when the cancellation came
		} else {
			c.wantCancelled(x, turn, n)
		}
		c.permit = allow
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "file", Doc: "a turn that waits for a file can be cancelled", Prompts: []string{"read", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.writeFile("x\n")
		var waiting *message
		read := c.handlers[acpv1.MethodReadTextFile]
		c.handlers[acpv1.MethodReadTextFile] = func(m *message) { waiting = m }
		turn := c.beginPrompt(x, "read")
		c.until(s.opts.TurnTimeout, func() bool { return waiting != nil || turn.answer != nil })
		c.happened(acpv1.MethodReadTextFile)
		n := c.cancel(x)
		c.ping("session/cancel")
		if !s.over {
			read(waiting)
			c.handlers[acpv1.MethodReadTextFile] = read
		}
		c.wantCancelled(x, turn, n)
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "terminal", Doc: "a turn whose command runs can be cancelled, and its terminal is given back", Prompts: []string{"terminal", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.holdTerminals = true
		turn := c.beginPrompt(x, "terminal")
		c.until(s.opts.TurnTimeout, func() bool { return c.waitsForTerminal() || turn.answer != nil })
		c.happened(acpv1.MethodCreateTerminal)
		if turn.answer != nil {
			s.skip("the turn did not wait for the command")
		}
		c.wantCancelled(x, turn, c.cancel(x))
		c.settle(quiet)
		c.wantReleased()
		c.wantTurn(c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
	{Area: "cancel", Name: "one-of-two", Doc: "cancelling one session leaves the turn of another alone", Prompts: []string{"slow"}, run: func(s *scene) {
		c, x := s.ready()
		y := c.newSession()
		first, second := c.beginPrompt(x, "slow"), c.beginPrompt(y, "slow")
		c.untilBusy(x, first)
		c.untilBusy(y, second)
		c.wantCancelled(x, first, c.cancel(x))
		c.settle(quiet)
		if second.answer != nil && reason(second) == acpv1.StopReasonCancelled {
			s.fail("TURN-4", c.link, second.at(), second.n, "cancelling one session has cancelled another")
			return
		}
		c.wantCancelled(y, second, c.cancel(y))
	}},
}

// untilBusy waits until a turn has shown that it runs. One that has ended before does not do for the scenario.
func (c *client) untilBusy(x *session, turn *call) {
	c.until(c.s.opts.TurnTimeout, func() bool {
		if turn.answer != nil {
			return true
		}
		for _, u := range c.updatesOf(x.id) {
			switch u.SessionUpdate.(type) {
			case *acpv1.AgentMessageChunk, *acpv1.AgentThoughtChunk, *acpv1.ToolCall, *acpv1.Plan:
				if u.n > turn.n {
					return true
				}
			}
		}
		return false
	})
	if turn.answer != nil {
		c.s.skip("the turn ended at once, with %s", stopOf(turn))
	}
}

// untilHeld waits until a permission request is held.
func (c *client) untilHeld(turn *call) {
	c.until(c.s.opts.TurnTimeout, func() bool { return len(c.held) > 0 || turn.answer != nil })
	c.happened(acpv1.MethodRequestPermission)
}

// waitsForTerminal reports whether the agent waits for a command.
func (c *client) waitsForTerminal() bool {
	for _, t := range c.terminals {
		if len(t.waiting) > 0 {
			return true
		}
	}
	return false
}

// wantCancelled checks the end of a turn that was cancelled with frame n.
func (c *client) wantCancelled(x *session, turn *call, n int) {
	begun := time.Now()
	c.until(promptly, func() bool { return turn.answer != nil })
	if turn.answer == nil && !c.s.over {
		c.s.warn("CAN-4", c.link, n, turn.n, "the turn still runs %v after it was cancelled", promptly)
		c.until(c.s.opts.Timeout-promptly, func() bool { return turn.answer != nil })
	}
	switch {
	case c.s.over:
		return
	case turn.answer == nil:
		if ended, _ := c.end(); ended {
			c.broken(n)
			return
		}
		c.abandoned = true
		c.s.fail("CAN-2", c.link, n, turn.n, "the cancelled turn still runs after %v", time.Since(begun).Round(time.Second))
		c.s.stop()
		return
	case turn.failed():
		c.s.fail("CAN-2", c.link, turn.at(), n, "the cancelled turn is answered with the error code %d instead of the stop reason cancelled", turn.code())
	case reason(turn) != acpv1.StopReasonCancelled:
		c.s.fail("CAN-2", c.link, turn.at(), n, "the cancelled turn ends with %s instead of cancelled", stopOf(turn))
	}
	c.quietAfter(x, turn, "CAN-3", "the cancelled turn has ended")
}
