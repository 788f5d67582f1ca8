package server

import (
	"encoding/json"
	"fmt"
)

// A wireChecker follows the frames of one connection, as the agent's end saw them, and notes what breaks a rule.
type wireChecker struct {
	requests map[string]checkedRequest // of the client, by id
	asked    map[string]checkedRequest // of the agent, by id
	sessions map[string]*checkedSession
	problems []string
	turns    int // that were answered
}

type checkedRequest struct {
	method, session, call string
}

type checkedSession struct {
	loading   bool // it is being replayed
	closed    bool
	prompts   []string                // ids of prompts that are not answered, in order
	tags      map[string]string       // of prompts, by id
	calls     map[string]*checkedCall // by id
	asking    int
	cancelled map[string]bool // prompts that session/cancel, session/close or $/cancel_request hit
}

type checkedCall struct {
	final, asking bool
}

func checkWire(frames []frame) *wireChecker {
	c := &wireChecker{requests: make(map[string]checkedRequest), asked: make(map[string]checkedRequest), sessions: make(map[string]*checkedSession)}
	for _, f := range frames {
		switch {
		case f.out && f.msg.Method == "session/update":
			c.update(f)
		case f.out && f.msg.Method == "session/request_permission":
			c.permission(f)
		case f.out && f.msg.Method == "":
			c.response(f)
		case !f.out && f.msg.Method != "":
			c.received(f)
		case !f.out:
			c.answered(f)
		}
	}
	for id, s := range c.sessions {
		if len(s.prompts) > 0 {
			c.problem("session %s: prompts %v were not answered", id, s.prompts)
		}
	}
	for id, r := range c.requests {
		c.problem("request %s (%s) was not answered", id, r.method)
	}
	return c
}

func (c *wireChecker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *wireChecker) session(id string) *checkedSession {
	if c.sessions[id] == nil {
		c.sessions[id] = &checkedSession{tags: make(map[string]string), calls: make(map[string]*checkedCall), cancelled: make(map[string]bool)}
	}
	return c.sessions[id]
}

type checkedParams struct {
	SessionID string
	RequestID json.RawMessage
	Prompt    []struct{ Text string }
	ToolCall  struct{ ToolCallID string }
	Update    struct {
		SessionUpdate, ToolCallID, Status string
		Content                           json.RawMessage
	}
}

func params(f frame) checkedParams {
	var p checkedParams
	_ = json.Unmarshal(f.msg.Params, &p)
	return p
}

func (c *wireChecker) received(f frame) {
	p := params(f)
	s := c.sessions[p.SessionID]
	switch f.msg.Method {
	case "session/load", "session/resume":
		c.session(p.SessionID).loading = true
	case "session/prompt":
		if s != nil && !s.closed {
			s.prompts = append(s.prompts, string(f.msg.ID))
			s.tags[string(f.msg.ID)] = p.Prompt[0].Text
		}
	case "session/cancel", "session/close":
		if s != nil {
			for _, id := range s.prompts {
				s.cancelled[id] = true
			}
		}
	case "$/cancel_request":
		for _, s := range c.sessions {
			s.cancelled[string(p.RequestID)] = true
		}
	}
	if f.msg.ID != nil {
		c.requests[string(f.msg.ID)] = checkedRequest{method: f.msg.Method, session: p.SessionID}
	}
}

func (c *wireChecker) update(f frame) {
	p := params(f)
	s := c.sessions[p.SessionID]
	switch {
	case s == nil:
		c.problem("an update before its session is known: %s", f.line)
		return
	case s.closed:
		c.problem("an update of a closed session: %s", f.line)
	}
	id := p.Update.ToolCallID
	switch p.Update.SessionUpdate {
	case "agent_message_chunk", "agent_thought_chunk":
		var content struct{ Text string }
		_ = json.Unmarshal(p.Update.Content, &content)
		if s.loading {
			return
		}
		if len(s.prompts) == 0 || s.tags[s.prompts[0]] != content.Text {
			c.problem("said in no turn or another one: %s", f.line)
		}
	case "tool_call":
		if s.calls[id] != nil {
			c.problem("announced twice: %s", f.line)
		}
		s.calls[id] = &checkedCall{final: s.loading && (p.Update.Status == "completed" || p.Update.Status == "failed")}
		if s.loading != s.calls[id].final {
			c.problem("replayed, but not over: %s", f.line)
		}
		if len(s.prompts) == 0 && !s.loading {
			c.problem("announced in no turn: %s", f.line)
		}
	case "tool_call_update":
		call := s.calls[id]
		switch {
		case call == nil:
			c.problem("not announced: %s", f.line)
			return
		case call.final:
			c.problem("after its end: %s", f.line)
		case call.asking && (p.Update.Status == "in_progress" || p.Update.Status == "completed"):
			c.problem("runs while the user is asked: %s", f.line)
		}
		call.final = call.final || p.Update.Status == "completed" || p.Update.Status == "failed"
	}
}

func (c *wireChecker) permission(f frame) {
	p := params(f)
	s := c.session(p.SessionID)
	call := s.calls[p.ToolCall.ToolCallID]
	if call == nil || call.final || s.closed {
		c.problem("asked for no open call: %s", f.line)
		return
	}
	if s.asking++; s.asking > 1 {
		c.problem("asked for two at a time: %s", f.line)
	}
	call.asking = true
	c.asked[string(f.msg.ID)] = checkedRequest{session: p.SessionID, call: p.ToolCall.ToolCallID}
}

func (c *wireChecker) answered(f frame) {
	r, ok := c.asked[string(f.msg.ID)]
	if !ok {
		return
	}
	delete(c.asked, string(f.msg.ID))
	s := c.session(r.session)
	s.asking--
	s.calls[r.call].asking = false
}

func (c *wireChecker) response(f frame) {
	id := string(f.msg.ID)
	r, ok := c.requests[id]
	if !ok {
		c.problem("answers nothing: %s", f.line)
		return
	}
	delete(c.requests, id)
	var result struct{ SessionID, StopReason string }
	_ = json.Unmarshal(f.msg.Result, &result)
	switch r.method {
	case "session/new":
		if result.SessionID != "" {
			c.session(result.SessionID)
		}
	case "session/load", "session/resume":
		c.session(r.session).loading = false
	case "session/close":
		if f.msg.Error == nil {
			s := c.session(r.session)
			s.closed = true
			if len(s.prompts) > 0 {
				c.problem("closed with a prompt that is not answered: %s", f.line)
			}
		}
	case "session/prompt":
		c.turn(f, r, id, result.StopReason)
	}
}

func (c *wireChecker) turn(f frame, r checkedRequest, id, stop string) {
	s := c.session(r.session)
	for i, p := range s.prompts {
		if p == id {
			s.prompts = append(s.prompts[:i:i], s.prompts[i+1:]...)
			c.turns++
			if i == 0 {
				for call, state := range s.calls {
					if !state.final {
						c.problem("call %s is open at the end of its turn", call)
					}
				}
				// A question that the end of the turn took back is answered later, or never.
				s.asking = 0
				for asked, q := range c.asked {
					if q.session == r.session {
						delete(c.asked, asked)
					}
				}
			}
			break
		}
	}
	if stop == "cancelled" && !s.cancelled[id] {
		c.problem("cancelled, but not by the client: %s", f.line)
	}
}
