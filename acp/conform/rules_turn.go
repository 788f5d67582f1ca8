package conform

import (
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var turnRules = []Rule{
	{ID: "TURN-1", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "content",
		Doc: "Images, audio and embedded resources are for agents that advertise them.", hooks: []hook{params(acpv1.MethodPrompt, blocksUnadvertised)}},
	{ID: "TURN-2", Level: Implied, Severity: Warning, By: wire.ClientSide, Page: site + "prompt-turn",
		Doc: "A session has one turn at a time.", hooks: []hook{params(acpv1.MethodPrompt, turnRunning)}},
	{ID: "TURN-3", Level: Implied, Severity: Warning, By: wire.AgentSide, Page: site + "prompt-turn",
		Doc:   "The response to the prompt ends the turn with a stop reason: no call is left unfinished then, and its content came before.",
		Limit: "Content after a turn may be work in the background, so that findings are warnings but for a stop reason that is missing or none.",
		hooks: []hook{fault("TURN-3"), result(acpv1.MethodPrompt, callsLeft), anyUpdate(lateContent)}},
	{ID: "TURN-4", Level: Implied, Severity: Warning, By: wire.AgentSide, Page: site + "prompt-turn",
		Doc: "A turn ends as cancelled only if the client has cancelled it.", hooks: []hook{result(acpv1.MethodPrompt, cancelledByNobody)}},
	{ID: "TURN-5", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "prompt-turn",
		Doc:   "A message id stays with one message.",
		Limit: "Messages of several speakers may alternate, so that only a change of the kind of message is certain.",
		hooks: []hook{
			update(tagUserChunk, func(x *step, u *acpv1.UserMessageChunk) { x.message(0, u.MessageID) }),
			update(tagAgentChunk, func(x *step, u *acpv1.AgentMessageChunk) { x.message(1, u.MessageID) }),
			update(tagThoughtChunk, func(x *step, u *acpv1.AgentThoughtChunk) { x.message(2, u.MessageID) }),
		}},
	{ID: "TURN-6", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "prompt-turn",
		Doc:   "A cost's currency is a code of ISO 4217.",
		Limit: "The form of the code is checked, not that it is assigned.",
		hooks: []hook{update(tagUsage, currency)}},
}

func blocksUnadvertised(x *step, p *acpv1.PromptRequest) {
	if !x.st.knowsAgent {
		return
	}
	caps := x.st.agentCaps.GetPromptCapabilities()
	for i, b := range p.Prompt {
		name := ""
		switch b.(type) {
		case *acpv1.ImageContent:
			if !caps.GetImage() {
				name = "image"
			}
		case *acpv1.AudioContent:
			if !caps.GetAudio() {
				name = "audio"
			}
		case *acpv1.EmbeddedResource:
			if !caps.GetEmbeddedContext() {
				name = "embeddedContext"
			}
		case *acpv1.TextContent, *acpv1.ResourceLink, *acpv1.UnknownContentBlock:
		}
		if name != "" {
			x.report(index("/params/prompt", i), x.st.handshake.answer, "the agent does not advertise promptCapabilities.%s", name)
		}
	}
}

func turnRunning(x *step, _ *acpv1.PromptRequest) {
	if x.sess != nil && x.sess.turn != nil {
		x.report("", x.sess.turn.req.n, "the session's turn before has not ended")
	}
}

func callsLeft(x *step, _ *acpv1.PromptRequest, r *acpv1.PromptResponse) {
	if x.sess == nil || r.StopReason != acpv1.StopReasonEndTurn {
		return
	}
	first, ids := 0, []string(nil)
	for id, c := range x.sess.calls {
		if c.turn == x.req.n && !c.asked {
			ids = append(ids, string(id))
			if first == 0 || c.n < first {
				first = c.n
			}
		}
	}
	if len(ids) > 0 {
		slices.Sort(ids)
		x.report("/result/stopReason", first, "the turn has ended but not its calls %s", strings.Join(ids[:min(3, len(ids))], ", "))
	}
}

// lateContent looks at content between the end of a turn and the next prompt.
func lateContent(x *step) {
	s := x.sess
	if s == nil || s.turn != nil || x.st.unclear > 0 || s.ended.end == 0 || s.ended.stopped > 0 || s.replaying() || s.resuming != nil || s.loaded > 0 || !isTurnContent(x.tag) || x.tag == tagUserChunk {
		return
	}
	if x.st.once("late "+s.id, s.ended.end) || x.st.advance("late "+s.id, s.ended.end) {
		x.report("/params/update", s.ended.end, "%s after its turn has ended", x.tag)
	}
}

// advance reports whether key was last reported for something before n, and notes n.
func (st *state) advance(key string, n int) bool {
	if last, _ := st.reported.get(key); last >= n {
		return false
	}
	st.reported.put(key, n)
	return true
}

func cancelledByNobody(x *step, _ *acpv1.PromptRequest, r *acpv1.PromptResponse) {
	if r.StopReason != acpv1.StopReasonCancelled || x.c.opts.Partial && x.sess == nil || x.req.sess == nil {
		return
	}
	if t := x.req.sess.running(x.req); t != nil && t.superseded || x.sess == nil {
		return // TURN-2
	}
	if x.cancelOf(x.req) == 0 {
		x.report("/result/stopReason", x.req.n, "the turn ends as cancelled, but the client has not cancelled it")
	}
}

func (x *step) message(kind uint8, id *acpv1.MessageID) {
	s := x.sess
	if s == nil || id == nil || *id == s.talking[kind] {
		return
	}
	m, ok := s.messages.get(*id)
	if !ok || m.generation != s.generation {
		return
	}
	names := [...]string{"user", "agent", "thought"}
	if m.kind != kind {
		if kind == 0 || m.kind == 0 {
			x.report("/params/update/messageId", m.n, "%q is the id of a message of another kind, %s", *id, names[m.kind])
			return
		}
		x.doubt("/params/update/messageId", m.n, "%q is the id of a message of another kind, %s", *id, names[m.kind])
		return
	}
	x.doubt("/params/update/messageId", m.n, "%q was followed by another message of its kind", *id)
}

func currency(x *step, u *acpv1.UsageUpdate) {
	if u.Cost == nil {
		return
	}
	c := u.Cost.Currency
	ok := len(c) == 3
	for i := 0; ok && i < 3; i++ {
		ok = c[i] >= 'A' && c[i] <= 'Z'
	}
	if !ok {
		x.report("/params/update/cost/currency", 0, "%q is not three capital letters", c)
	}
}
