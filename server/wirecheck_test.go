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
	turns    int               // that were answered
	stops    map[string]string // how the prompts were answered, by their text; an error is ""
}

type checkedRequest struct {
	method, session, call string
}

type checkedSession struct {
	reloading bool // load was asked for
	loading   bool // it is being replayed
	closed    bool
	prompts   []string                // ids of prompts that are not answered, in order
	tags      map[string]string       // of prompts, by id
	calls     map[string]*checkedCall // by id
	asking    int
	cancelled map[string]bool // prompts that session/cancel, session/close, session/load or $/cancel_request hit
	readOnly  bool            // the mode surely is
	switching int             // requests to change it
}

type checkedCall struct {
	final, asking, running, mutates bool
}

// checkWire checks the frames. If lost, the connection broke: what is not there may have been on its way.
func checkWire(frames []frame, lost bool) *wireChecker {
	c := &wireChecker{stops: make(map[string]string), requests: make(map[string]checkedRequest), asked: make(map[string]checkedRequest), sessions: make(map[string]*checkedSession)}
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
	if lost {
		return c
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
	ModeID    string
	RequestID json.RawMessage
	Prompt    []struct{ Text string }
	ToolCall  struct{ ToolCallID string }
	Update    struct {
		SessionUpdate, ToolCallID, Status, Kind, CurrentModeID string
		Content                                                json.RawMessage
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
		s := c.session(p.SessionID)
		s.reloading, s.readOnly = true, false
		for _, id := range s.prompts {
			s.cancelled[id] = true
		}
	case "session/set_mode":
		if s != nil {
			s.switching++
		}
	case "session/prompt":
		if s != nil && !s.closed {
			s.prompts = append(s.prompts, string(f.msg.ID))
			s.tags[string(f.msg.ID)] = p.Prompt[0].Text
		}
	case "session/cancel", "session/close", "session/delete":
		if s != nil {
			for id, r := range c.requests {
				if r.method == "session/prompt" && r.session == p.SessionID {
					s.cancelled[id] = true
				}
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
	if s != nil && s.reloading && len(s.prompts) == 0 {
		// The turns that ran are over: what comes now was said before.
		s.reloading, s.loading, s.closed, s.calls = false, true, false, make(map[string]*checkedCall)
	}
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
	case "current_mode_update":
		s.readOnly = p.Update.CurrentModeID == "plan"
	case "tool_call":
		if s.calls[id] != nil {
			c.problem("announced twice: %s", f.line)
		}
		s.calls[id] = &checkedCall{final: s.loading && (p.Update.Status == "completed" || p.Update.Status == "failed"), mutates: p.Update.Kind == "delete"}
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
		case call.mutates && !call.running && s.readOnly && s.switching == 0 && (p.Update.Status == "in_progress" || p.Update.Status == "completed"):
			c.problem("runs in a read-only mode: %s", f.line)
		}
		call.running = call.running || p.Update.Status == "in_progress"
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
	if call := s.calls[r.call]; call != nil {
		call.asking = false
	}
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
		s := c.session(r.session)
		if len(s.prompts) > 0 && f.msg.Error == nil {
			c.problem("loaded with a prompt that is not answered: %s", f.line)
		}
		s.loading, s.reloading, s.closed = false, false, s.closed && f.msg.Error != nil
	case "session/set_mode":
		if s := c.sessions[r.session]; s != nil {
			s.switching--
			s.readOnly = false // the response may be older than what was said of the mode last
		}
	case "session/close", "session/delete":
		if f.msg.Error == nil && c.sessions[r.session] != nil {
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
	if tag, ok := s.tags[id]; ok {
		c.stops[tag] = stop
	}
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
