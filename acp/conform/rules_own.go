package conform

import (
	"maps"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var ownRules = []Rule{
	{ID: "VER-1", Level: Ours, Severity: Note, By: wire.BothSides, Page: site + "initialization",
		Doc:   "Only versions whose schema is known are checked; of others, the envelope of frames is.",
		hooks: []hook{anyFrame(unknownVersion)}},
	{ID: string(wire.RuleSchema), Level: Must, Severity: Error, By: wire.BothSides, Page: site + "schema",
		Doc:   "Params, results and errors are what the protocol's schema asks for.",
		Limit: "What a rule of its own is about is reported under that rule.",
		hooks: []hook{fault(string(wire.RuleSchema))}},
	{ID: "LIST-7", Level: Ours, Severity: Warning, By: wire.AgentSide, Page: site + "session-list",
		Doc:   "A session has the same id in a list as in the response that opened it.",
		hooks: []hook{result(acpv1.MethodListSessions, otherID)}},
	{ID: "OPI-1", Level: Ours, Severity: Opinion, By: wire.AgentSide, Page: site + "tool-calls",
		Doc:   "A permission request does not show an empty input for a call that has one.",
		hooks: []hook{params(acpv1.MethodRequestPermission, inputLost)}},
}

func unknownVersion(x *step) {
	if x.foreign && !x.st.foreign && x.f.Kind == acp.KindResponse {
		x.report("/result/protocolVersion", x.req.n, "version %d is not known here: only envelopes are checked from here on", x.version)
	}
}

func otherID(x *step, p *acpv1.ListSessionsRequest, r *acpv1.ListSessionsResponse) {
	have := make(map[string]bool, len(r.Sessions))
	for _, info := range r.Sessions {
		have[string(info.SessionID)] = true
	}
	for i, info := range r.Sessions {
		id := string(info.SessionID)
		for _, name := range slices.Sorted(maps.Keys(x.st.sessions)) {
			if s := x.st.sessions[name]; s.active && !have[s.id] && len(id) > 0 && isTail(s.id, id) && x.st.sessions[id] == nil {
				x.report(index("/result/sessions", i)+"/sessionId", s.opened, "%q seems to be the session %q under another id", id, s.id)
			}
		}
	}
}

// isTail reports whether id is what follows a separator in long.
func isTail(long, id string) bool {
	rest, ok := strings.CutSuffix(long, id)
	if !ok || rest == "" {
		return false
	}
	c := rest[len(rest)-1]
	return !isLetter(c) && (c < '0' || c > '9')
}

func inputLost(x *step, p *acpv1.RequestPermissionRequest) {
	if x.sess == nil || string(p.ToolCall.RawInput) != "{}" {
		return
	}
	if c := x.sess.calls[p.ToolCall.ToolCallID]; c != nil && c.input {
		x.report("/params/toolCall/rawInput", c.n, "the input is empty here, but the call has one")
	}
}
