package conform

import (
	"strconv"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var cancelRules = []Rule{
	{ID: "CAN-1", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "prompt-turn",
		Doc:   "When the client cancels a turn, it answers the permissions that wait as cancelled.",
		hooks: []hook{result(acpv1.MethodRequestPermission, answeredAfterCancel), failure(acpv1.MethodRequestPermission, failedAfterCancel)}},
	{ID: "CAN-2", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "prompt-turn",
		Doc:   "A turn that the client has cancelled ends as cancelled, not otherwise and not with an error.",
		Limit: "It is an error only if the agent has certainly read the cancellation before it answered; otherwise they may have crossed.",
		hooks: []hook{result(acpv1.MethodPrompt, endedAfterCancel), failure(acpv1.MethodPrompt, errorAfterCancel)}},
	{ID: "CAN-3", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "prompt-turn",
		Doc:   "After a cancelled turn was answered, no more updates of it come.",
		Limit: "Messages without an id may be of something else, so that these findings are warnings.",
		hooks: []hook{anyUpdate(updateAfterCancelled)}},
	{ID: "CAN-4", Level: Should, Severity: Warning, By: wire.AgentSide, Page: site + "prompt-turn",
		Doc: "The agent stops soon after a cancellation.", Limit: "It takes the times of the frames.",
		hooks: []hook{result(acpv1.MethodPrompt, func(x *step, _ *acpv1.PromptRequest, _ *acpv1.PromptResponse) { slowCancel(x) }), failure(acpv1.MethodPrompt, slowCancel)}},
	{ID: "CAN-5", Level: Should, Severity: Warning, By: wire.ClientSide, Page: site + "prompt-turn",
		Doc:   "A client that has cancelled still takes updates of tool calls.",
		Limit: "That it ignores them is not on the wire; that it answers them with an error is.",
		hooks: []hook{fault("CAN-5")}},
	{ID: "CAN-6", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "cancellation",
		Doc:   "A request that was cancelled is still answered, with a result or with -32800.",
		Limit: "Another error is a warning, for it may have come first.",
		hooks: []hook{failure("", otherError), atEnd(cancelledUnanswered)}},
	{ID: "CAN-7", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "cancellation",
		Doc: "A request is cancelled by the side that sent it.", hooks: []hook{params(acpv1.MethodCancelRequest, cancelsNothing)}},
}

// permissionCancelled returns the frame that cancelled the turn that the permission was asked in, and whether it was asked before.
func (x *step) permissionCancelled() (n int, before bool) {
	if x.sess == nil || x.sess.turn == nil {
		return 0, false
	}
	n = x.sess.turn.cancelled
	return n, x.req.n < n
}

func answeredAfterCancel(x *step, _ *acpv1.RequestPermissionRequest, r *acpv1.RequestPermissionResponse) {
	n, before := x.permissionCancelled()
	if _, ok := r.Outcome.(*acpv1.SelectedPermissionOutcome); ok && n > 0 {
		x.weigh(before, "/result/outcome", n, "an option was selected after the client has cancelled the turn")
	}
}

func failedAfterCancel(x *step) {
	n, before := x.permissionCancelled()
	if n == 0 {
		return
	}
	certain := before && (x.f.Error.Code != acp.CodeRequestCancelled || x.c.opts.SchemaWins)
	x.weigh(certain, "/error", n, "the permission was answered with an error after the client has cancelled the turn, not as cancelled")
}

func endedAfterCancel(x *step, _ *acpv1.PromptRequest, r *acpv1.PromptResponse) {
	if n := x.cancelOfTurn(); n > 0 && r.StopReason != acpv1.StopReasonCancelled {
		x.weigh(x.st.provenRead(wire.ClientSide, n), "/result/stopReason", n, "the client has cancelled the turn, which ends with %q", r.StopReason)
	}
}

func errorAfterCancel(x *step) {
	n := x.cancelOfTurn()
	if n == 0 {
		return
	}
	x.weigh(x.st.provenRead(wire.ClientSide, n) || x.f.Error.Code == acp.CodeRequestCancelled, "/error", n, "the client has cancelled the turn, which ends with an error")
}

// cancelOfTurn returns the session/cancel of the turn that the frame ends.
func (x *step) cancelOfTurn() int {
	if x.sess == nil {
		return 0
	}
	if t := x.sess.running(x.req); t != nil {
		return t.cancelled
	}
	return 0
}

func updateAfterCancelled(x *step) {
	s := x.sess
	if s == nil || s.turn != nil || x.st.unclear > 0 || s.ended.stopped == 0 || s.replaying() || s.resuming != nil || s.loaded > 0 || !isTurnContent(x.tag) || x.tag == tagUserChunk {
		return
	}
	certain := false
	switch u := x.update.(type) {
	case *acpv1.ToolCallUpdate:
		certain = s.turnOf(u.ToolCallID) == s.ended.began
	case *acpv1.AgentMessageChunk:
		certain = u.MessageID != nil && s.messageBetween(*u.MessageID)
	case *acpv1.AgentThoughtChunk:
		certain = u.MessageID != nil && s.messageBetween(*u.MessageID)
	case *acpv1.ToolCall, *acpv1.Plan, *acpv1.UserMessageChunk, *acpv1.AvailableCommandsUpdate, *acpv1.CurrentModeUpdate, *acpv1.ConfigOptionUpdate,
		*acpv1.SessionInfoUpdate, *acpv1.UsageUpdate, *acpv1.Notice, *acpv1.CompactionUpdate, *acpv1.CompactionSummaryChunk, *acpv1.UnknownSessionUpdate:
	}
	if certain || x.st.once("cancelled "+s.id+strconv.Itoa(s.ended.end), x.n) {
		x.weigh(certain, "/params/update", s.ended.end, "%s after the cancelled turn was answered", x.tag)
	}
}

// turnOf returns the frame of the prompt in whose turn the call was announced.
func (s *session) turnOf(id acpv1.ToolCallID) int {
	if c := s.calls[id]; c != nil {
		return c.turn
	}
	if c, ok := s.doneCalls.get(id); ok {
		return c.turn
	}
	return 0
}

// messageBetween reports whether the message began in the turn that has ended.
func (s *session) messageBetween(id acpv1.MessageID) bool {
	m, ok := s.messages.get(id)
	return ok && m.n > s.ended.began && m.n < s.ended.end
}

func slowCancel(x *step) {
	if x.sess == nil || !x.st.timed {
		return
	}
	t := x.sess.running(x.req)
	if t == nil || t.cancelled == 0 {
		return
	}
	if took := x.st.now - time.Duration(t.cancelledAt); took > x.c.opts.Prompt {
		x.report("", t.cancelled, "the turn ended %v after it was cancelled", took.Round(time.Millisecond))
	}
}

func otherError(x *step) {
	if x.req.cancelled > 0 && x.f.Error.Code != acp.CodeRequestCancelled {
		x.weigh(false, "/error/code", x.req.cancelled, "%s was cancelled and is answered with the error %d, not %d", x.req.name, x.f.Error.Code, acp.CodeRequestCancelled)
	}
}

func cancelledUnanswered(x *step) {
	for i := range x.st.sides {
		for _, r := range x.st.sides[i].pending {
			for ; r != nil; r = r.also {
				if r.cancelled > 0 && !r.stale {
					x.missing(opposite(r.from), r.cancelled, r.session, "%s was cancelled and never answered", r.name)
				}
			}
		}
	}
}

func cancelsNothing(x *step, p *acpv1.CancelRequestNotification) {
	side := x.st.side(x.from)
	key := p.RequestID.Key()
	if _, ok := side.pending[key]; ok || x.c.opts.Partial {
		return
	}
	if _, ok := side.past.get(key); ok || side.past.forgot {
		return
	}
	if _, ok := side.faulty.get(key); ok {
		return
	}
	x.report("/params/requestId", 0, "this side has sent no request with the id %s", p.RequestID)
}
