package conform

import (
	"bytes"
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var permissionRules = []Rule{
	{ID: "PERM-1", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "tool-calls",
		Doc: "The selected option is one that was offered.", hooks: []hook{result(acpv1.MethodRequestPermission, notOffered)}},
	{ID: "PERM-2", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "tool-calls",
		Doc: "The options of a permission request have different ids.", hooks: []hook{params(acpv1.MethodRequestPermission, sameOptions)}},
	{ID: "PERM-3", Level: Implied, Severity: Warning, By: wire.ClientSide, Page: site + "tool-calls",
		Doc:   "A permission is answered as cancelled only if its turn is cancelled.",
		hooks: []hook{result(acpv1.MethodPrompt, refusedOnly)}},
	{ID: "PERM-4", Level: Implied, Severity: Warning, By: wire.AgentSide, Page: site + "tool-calls",
		Doc: "A call does not run while its permission is awaited.", hooks: []hook{update(tagToolUpdate, runsUnasked)}},
}

var toolRules = []Rule{
	{ID: "TOOL-1", Level: Should, Severity: Warning, By: wire.AgentSide, Page: site + "tool-calls",
		Doc: "An update of a tool call is about a call that was announced, or that a permission was asked for.", hooks: []hook{update(tagToolUpdate, unannounced)}},
	{ID: "TOOL-2", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "tool-calls",
		Doc: "A session's tool calls have different ids, and each is announced once.", hooks: []hook{update(tagToolCall, announcedTwice)}},
	{ID: "TOOL-3", Level: Implied, Severity: Warning, By: wire.AgentSide, Page: site + "tool-calls",
		Doc: "A tool call goes from pending to in_progress to completed or failed, and stays there.", hooks: []hook{update(tagToolUpdate, goesBack)}},
	{ID: "TOOL-4", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "tool-calls",
		Doc: "Paths of diffs and locations are absolute, and lines count from 1.",
		hooks: []hook{
			update(tagToolCall, func(x *step, u *acpv1.ToolCall) { x.callPaths("/params/update", u.Content, u.Locations) }),
			update(tagToolUpdate, func(x *step, u *acpv1.ToolCallUpdate) { x.callPaths("/params/update", u.Content, u.Locations) }),
			params(acpv1.MethodRequestPermission, func(x *step, p *acpv1.RequestPermissionRequest) {
				x.callPaths("/params/toolCall", p.ToolCall.Content, p.ToolCall.Locations)
			}),
		}},
	{ID: "TOOL-5", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "terminals",
		Doc:   "A terminal shown in a call was created by terminal/create and is not yet released.",
		Limit: "If the client's capabilities speak of terminals in _meta, the agent may show its own by an extension, so that findings are warnings.",
		hooks: []hook{
			update(tagToolCall, func(x *step, u *acpv1.ToolCall) { x.embedded("/params/update/content", u.ToolCallID, u.Content) }),
			update(tagToolUpdate, func(x *step, u *acpv1.ToolCallUpdate) { x.embedded("/params/update/content", u.ToolCallID, u.Content) }),
			params(acpv1.MethodRequestPermission, func(x *step, p *acpv1.RequestPermissionRequest) {
				x.embedded("/params/toolCall/content", p.ToolCall.ToolCallID, p.ToolCall.Content)
			}),
		}},
}

func notOffered(x *step, p *acpv1.RequestPermissionRequest, r *acpv1.RequestPermissionResponse) {
	o, ok := r.Outcome.(*acpv1.SelectedPermissionOutcome)
	if ok && !slices.ContainsFunc(p.Options, func(offer acpv1.PermissionOption) bool { return offer.OptionID == o.OptionID }) {
		x.report("/result/outcome/optionId", x.req.n, "%q was not offered", o.OptionID)
	}
}

func sameOptions(x *step, p *acpv1.RequestPermissionRequest) {
	for i, o := range p.Options {
		if j := slices.IndexFunc(p.Options, func(other acpv1.PermissionOption) bool { return other.OptionID == o.OptionID }); j < i {
			x.report(index("/params/options", i)+"/optionId", 0, "%q is the id of option %d too", o.OptionID, j)
		}
	}
}

func refusedOnly(x *step, _ *acpv1.PromptRequest, _ *acpv1.PromptResponse) {
	if x.sess == nil {
		return
	}
	if t := x.sess.running(x.req); t != nil && t.refused > 0 && t.stopped() == 0 {
		x.c.out = append(x.c.out, Finding{Rule: x.rule.ID, Severity: x.rule.Severity, Frame: t.refused, Earlier: t.req.n, By: wire.ClientSide, Session: x.session,
			Pointer: "/result/outcome", Message: "the permission was answered as cancelled, but the turn was not cancelled until it ended"})
	}
}

func runsUnasked(x *step, u *acpv1.ToolCallUpdate) {
	s := x.sess
	if s == nil || u.Status == nil || s.replaying() {
		return
	}
	r := s.asks[u.ToolCallID]
	if r == nil || r.cancelled > 0 || s.turn != nil && s.turn.stopped() > 0 {
		return
	}
	was := s.status(u.ToolCallID)
	if *u.Status == acpv1.ToolCallStatusCompleted || *u.Status == acpv1.ToolCallStatusInProgress && was == acpv1.ToolCallStatusPending {
		x.report("/params/update/status", r.n, "the call is %s while its permission is awaited", *u.Status)
	}
}

func unannounced(x *step, u *acpv1.ToolCallUpdate) {
	s := x.sess
	if s == nil || s.gaps || s.doneCalls.forgot || s.find(u.ToolCallID) != 0 {
		return
	}
	x.report("/params/update/toolCallId", 0, "the call %q was not announced", u.ToolCallID)
}

func announcedTwice(x *step, u *acpv1.ToolCall) {
	s := x.sess
	if s == nil {
		return
	}
	n := 0
	if c := s.calls[u.ToolCallID]; c != nil && c.generation == s.generation && !c.asked {
		n = c.n
	} else if d, ok := s.doneCalls.get(u.ToolCallID); ok && d.generation == s.generation {
		n = d.n
	}
	if n > 0 {
		// One of the two may be the turn's and the other its replay.
		x.weigh((s.turn == nil || !s.replaying()) && !s.gaps, "/params/update/toolCallId", n, "the call %q was announced before", u.ToolCallID)
	}
}

func goesBack(x *step, u *acpv1.ToolCallUpdate) {
	s := x.sess
	if s == nil || u.Status == nil {
		return
	}
	was := s.status(u.ToolCallID)
	switch {
	case isFinal(was) && *u.Status != was, was == acpv1.ToolCallStatusInProgress && *u.Status == acpv1.ToolCallStatusPending:
		x.report("/params/update/status", s.find(u.ToolCallID), "the call goes from %s to %s", was, *u.Status)
	}
}

func (x *step) callPaths(at string, content []acpv1.ToolCallContent, locations []acpv1.ToolCallLocation) {
	for i, c := range content {
		if d, ok := c.(*acpv1.Diff); ok {
			x.absolute(index(at+"/content", i)+"/path", d.Path)
		}
	}
	for i, l := range locations {
		x.absolute(index(at+"/locations", i)+"/path", l.Path)
		if l.Line != nil && *l.Line == 0 {
			x.report(index(at+"/locations", i)+"/line", 0, "there is no line 0")
		}
	}
}

// ownTerminals reports whether the client says, outside the protocol, that it shows output of terminals that the agent runs.
func (st *state) ownTerminals() bool {
	return st.clientCaps != nil && bytes.Contains(st.clientCaps.Meta, []byte("terminal"))
}

func (x *step) embedded(at string, call acpv1.ToolCallID, content []acpv1.ToolCallContent) {
	s := x.sess
	if s == nil || s.replaying() || s.assumed {
		return
	}
	for i, c := range content {
		t, ok := c.(*acpv1.Terminal)
		if !ok || x.st.terminals[string(t.TerminalID)] != nil {
			continue
		}
		if known := s.calls[call]; known != nil && slices.Contains(known.terminals, t.TerminalID) {
			continue
		}
		pointer := index(at, i) + "/terminalId"
		if r, gone := x.st.released.get(string(t.TerminalID)); gone {
			x.report(pointer, r.n, "the terminal %q was released", t.TerminalID)
		} else if !x.st.released.forgot {
			x.weigh(!x.st.ownTerminals(), pointer, 0, "no terminal %q was created", t.TerminalID)
		}
	}
}
