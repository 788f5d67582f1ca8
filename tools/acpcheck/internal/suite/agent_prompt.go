package suite

import (
	"strings"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// quiet is how long a scenario listens for what must not come.
const quiet = 150 * time.Millisecond

// pixel is a picture of one pixel, in PNG, and silence a sound of nothing, in WAV, both in Base64.
const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
)

var promptScenarios = []Scenario{
	{Area: "prompts", Name: "text", Doc: "a prompt is answered, and so is the next", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		for range 2 {
			call := c.prompt(x, "text")
			if c.wantTurn(call, acpv1.StopReasonEndTurn) && c.said(x, call.n) == "" {
				s.skip("the agent said nothing")
			}
		}
	}},
	{Area: "prompts", Name: "resource-link", Doc: "a link in a prompt is accepted, which every agent must", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		c.promptWith(x, "INIT-9", object{"type": "resource_link", "uri": "file://" + c.writeFile("x\n"), "name": fileName})
	}},
	{Area: "prompts", Name: "image", Doc: "a picture is accepted if the agent says so", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		c.needs(c.promptCapabilities().GetImage(), "promptCapabilities.image")
		c.promptWith(x, ruleAdvertise, object{"type": "image", "mimeType": "image/png", "data": pixel})
	}},
	{Area: "prompts", Name: "audio", Doc: "a sound is accepted if the agent says so", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		c.needs(c.promptCapabilities().GetAudio(), "promptCapabilities.audio")
		c.promptWith(x, ruleAdvertise, object{"type": "audio", "mimeType": "audio/wav", "data": silence})
	}},
	{Area: "prompts", Name: "embedded", Doc: "an embedded resource is accepted if the agent says so", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		c.needs(c.promptCapabilities().GetEmbeddedContext(), "promptCapabilities.embeddedContext")
		c.promptWith(x, ruleAdvertise, object{"type": "resource", "resource": object{"uri": "file:///x.txt", "text": "x", "mimeType": "text/plain"}})
	}},
	{Area: "prompts", Name: "empty", Doc: "an empty prompt is answered", run: func(s *scene) {
		c, x := s.ready()
		c.waitTurn(c.begin(acpv1.MethodPrompt, promptParams(x.id)))
		c.ping("an empty prompt")
	}},
	{Area: "prompts", Name: "meta", Doc: "_meta in a prompt does no harm", Prompts: []string{"text"}, run: func(s *scene) {
		c, x := s.ready()
		p := promptParams(x.id, textBlock(s.prompt("text", c.values())))
		p["_meta"] = object{"traceparent": "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01", "acpcheck": list{1}}
		call := c.begin(acpv1.MethodPrompt, p)
		c.waitTurn(call)
		c.wantTurn(call, acpv1.StopReasonEndTurn)
	}},
	{Area: "prompts", Name: "stream", Doc: "many chunks come before the end of the turn, and nothing after it", Prompts: []string{"stream"}, run: func(s *scene) {
		c, x := s.ready()
		call := c.prompt(x, "stream")
		c.wantTurn(call, acpv1.StopReasonEndTurn)
		if n := len(c.chunks(x)); !s.over && n < 2 {
			s.skip("the agent sent %d chunks", n)
		}
		c.quietAfter(x, call, "CAN-3", "the turn has ended")
	}},
	{Area: "prompts", Name: "tool", Doc: "a tool call goes its way from pending to its end", Prompts: []string{"tool"}, run: func(s *scene) {
		s.shows("tool", "a tool call", func(u acpv1.SessionUpdate) bool { _, ok := u.(*acpv1.ToolCall); return ok })
	}},
	{Area: "prompts", Name: "plan", Doc: "a plan is valid", Prompts: []string{"plan"}, run: func(s *scene) {
		s.shows("plan", "a plan", func(u acpv1.SessionUpdate) bool { _, ok := u.(*acpv1.Plan); return ok })
	}},
	{Area: "prompts", Name: "think", Doc: "thoughts are valid", Prompts: []string{"think"}, run: func(s *scene) {
		s.shows("think", "a thought", func(u acpv1.SessionUpdate) bool { _, ok := u.(*acpv1.AgentThoughtChunk); return ok })
	}},
	{Area: "prompts", Name: "updates", Doc: "updates of every kind are valid", Prompts: []string{"updates"}, run: func(s *scene) {
		s.shows("updates", "an update beside messages", func(u acpv1.SessionUpdate) bool {
			switch u.(type) {
			case *acpv1.AgentMessageChunk, *acpv1.UserMessageChunk, *acpv1.AgentThoughtChunk:
				return false
			}
			return true
		})
	}},
	{Area: "prompts", Name: "read", Doc: "a file is read through the client", Prompts: []string{"read"}, run: func(s *scene) {
		c, x := s.ready()
		c.writeFile("one\ntwo\nthree\n")
		c.wantTurn(c.prompt(x, "read"), acpv1.StopReasonEndTurn)
		c.happened(acpv1.MethodReadTextFile)
	}},
	{Area: "prompts", Name: "read-refused", Doc: "an agent survives that a file cannot be read", Prompts: []string{"read", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.refuseFiles = true
		c.survives(x, "read")
		c.happened(acpv1.MethodReadTextFile)
	}},
	{Area: "prompts", Name: "write", Doc: "a file is written through the client", Prompts: []string{"write"}, run: func(s *scene) {
		c, x := s.ready()
		c.wantTurn(c.prompt(x, "write"), acpv1.StopReasonEndTurn)
		c.happened(acpv1.MethodWriteTextFile)
	}},
	{Area: "prompts", Name: "write-refused", Doc: "an agent survives that a file cannot be written", Prompts: []string{"write", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.refuseFiles = true
		c.survives(x, "write")
		c.happened(acpv1.MethodWriteTextFile)
	}},
	{Area: "prompts", Name: "terminal", Doc: "a terminal is used and given back", Prompts: []string{"run"}, run: func(s *scene) {
		c, x := s.ready()
		c.wantTurn(c.prompt(x, "run"), acpv1.StopReasonEndTurn)
		c.happened(acpv1.MethodCreateTerminal)
		c.wantReleased()
	}},
	{Area: "prompts", Name: "terminal-refused", Doc: "an agent survives that there is no terminal to be had", Prompts: []string{"run", "text"}, run: func(s *scene) {
		c, x := s.ready()
		c.handlers[acpv1.MethodCreateTerminal] = func(m *message) { c.refuse(m, acp.CodeInternalError, "no terminal left") }
		c.survives(x, "run")
		c.happened(acpv1.MethodCreateTerminal)
	}},
	{Area: "prompts", Name: "elicit", Doc: "the user may decline to fill in a form", Prompts: []string{"elicit"}, run: func(s *scene) {
		c, x := s.ready()
		c.wantTurn(c.prompt(x, "elicit"), acpv1.StopReasonEndTurn)
		c.happened(acpv1.MethodCreateElicitation)
	}},
	{Area: "prompts", Name: "refusal", Doc: "a turn may end with a refusal", Prompts: []string{"refuse"}, run: func(s *scene) {
		c, x := s.ready()
		call := c.prompt(x, "refuse")
		if c.wantResult(ruleAdvertise, call, "session/prompt") && reason(call) != acpv1.StopReasonRefusal {
			s.skip("the turn ended with %s", stopOf(call))
		}
	}},
	{Area: "prompts", Name: "failure", Doc: "after a turn that failed the next one works", Prompts: []string{"fail", "text"}, run: func(s *scene) {
		c, x := s.ready()
		if call := c.prompt(x, "fail"); call.ok() {
			s.skip("the turn did not fail")
		}
		c.wantTurnBy(ruleSurvive, c.prompt(x, "text"), acpv1.StopReasonEndTurn)
	}},
}

func (c *client) promptCapabilities() *acpv1.PromptCapabilities {
	return c.capabilities().GetPromptCapabilities()
}

// promptWith sends a prompt with one more block.
func (c *client) promptWith(x *session, rule string, block object) {
	call := c.begin(acpv1.MethodPrompt, promptParams(x.id, textBlock(c.s.prompt("text", c.values())), block))
	c.waitTurn(call)
	c.wantResult(rule, call, "a prompt with a block of the type "+text(block["type"]))
}

// shows checks that a prompt leads to an update of some kind.
func (s *scene) shows(prompt, what string, is func(acpv1.SessionUpdate) bool) {
	c, x := s.ready()
	c.wantTurn(c.prompt(x, prompt), acpv1.StopReasonEndTurn)
	for _, u := range c.updatesOf(x.id) {
		if is(u.SessionUpdate) {
			return
		}
	}
	s.skip("the agent did not send %s", what)
}

// happened ends the scenario if the agent never made a request.
func (c *client) happened(method string) {
	if len(c.requests(method)) == 0 {
		c.s.skip("the agent did not call %s", method)
	}
}

// survives checks that a turn in which the client fails is answered, and that the next one works.
func (c *client) survives(x *session, prompt string) {
	c.prompt(x, prompt)
	c.wantTurnBy(ruleSurvive, c.prompt(x, "text"), acpv1.StopReasonEndTurn)
}

// wantReleased checks that all terminals were given back.
func (c *client) wantReleased() {
	for id, t := range c.terminals {
		if !t.released {
			c.s.fail("TERM-5", c.link, c.received(), 0, "the terminal %q is never released", id)
		}
	}
}

// chunks returns what the agent has said in a session.
func (c *client) chunks(x *session) []update {
	var found []update
	for _, u := range c.updatesOf(x.id) {
		if _, ok := u.SessionUpdate.(*acpv1.AgentMessageChunk); ok {
			found = append(found, u)
		}
	}
	return found
}

// quietAfter checks that no part of the turn comes after its end.
func (c *client) quietAfter(x *session, turn *call, rule, when string) {
	c.settle(quiet)
	for _, u := range c.updatesOf(x.id) {
		if u.n <= turn.at() {
			continue
		}
		switch u.SessionUpdate.(type) {
		case *acpv1.AgentMessageChunk, *acpv1.AgentThoughtChunk, *acpv1.ToolCall, *acpv1.ToolCallUpdate, *acpv1.Plan:
			c.s.fail(rule, c.link, u.n, turn.at(), "a part of the turn comes after %s", when)
			return
		}
	}
}

// echoes reports whether the agent has said the text, whatever its case.
func (c *client) echoes(x *session, want string) bool {
	return strings.Contains(strings.ToLower(c.said(x, 0)), strings.ToLower(want))
}
