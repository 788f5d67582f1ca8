package conform

import (
	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
)

var transportRules = []Rule{
	{ID: "TR-1", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "transports",
		Doc: "Every message is UTF-8.", hooks: []hook{fault("TR-1")}},
	{ID: "TR-2", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "transports",
		Doc: "Each line is one message, and no message has a line end within it.", hooks: []hook{fault("TR-2")}},
	{ID: "TR-3", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "transports",
		Doc:   "The agent writes nothing to its standard output but valid messages.",
		Limit: "Blank lines, which many readers pass over, are one warning.",
		hooks: []hook{fault("TR-3")}},
	{ID: "TR-4", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "transports",
		Doc:   "The client writes nothing to the agent's standard input but valid messages.",
		Limit: "Blank lines, which many readers pass over, are one warning.",
		hooks: []hook{fault("TR-4")}},
	{ID: "TR-5", Level: Implied, Severity: Error, By: wire.BothSides, Page: site + "transports",
		Doc: "Messages are sent one by one; an array of them is not a message.", hooks: []hook{fault("TR-5")}},
	{ID: "RPC-1", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "overview",
		Doc: "A response has either a result or an error, and an error has an integer code and a message.", hooks: []hook{fault("RPC-1")}},
	{ID: "RPC-2", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "overview",
		Doc: "Notifications are not answered.",
		Limit: "An error with the id null is taken for an answer to the peer's latest notification if nothing unreadable was sent before. JSON-RPC lets an invalid " +
			"request be answered so: after a notification whose params are wrong, an error that says this is a warning.",
		hooks: []hook{fault("RPC-2")}},
	{ID: "RPC-3", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "overview",
		Doc: "A response has the id of a request of the peer that waits for one, of the same type, and there is one response only.", hooks: []hook{fault("RPC-3")}},
	{ID: "RPC-4", Level: Should, Severity: Warning, By: wire.BothSides, Page: site + "overview",
		Doc:   "The id of a request is neither null nor a fraction.",
		Limit: "Null is a warning; what the schema does not take for an id is an error.",
		hooks: []hook{fault("RPC-4"), anyFrame(nullID)}},
	{ID: "RPC-5", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "overview",
		Doc: "Every request is answered before the connection ends.", hooks: []hook{atEnd(unanswered)}},
	{ID: "RPC-6", Level: Implied, Severity: Warning, By: wire.BothSides, Page: site + "overview",
		Doc: "Requests of one sender that wait at the same time have different ids.", hooks: []hook{anyFrame(sameID)}},
	{ID: "RPC-7", Level: Should, Severity: Warning, By: wire.BothSides, Page: site + "extensibility",
		Doc:   "An extension request that is not known is answered with -32601.",
		Limit: "Which extensions the receiver knows is not on the wire; that it calls a valid request invalid is.",
		hooks: []hook{failure("", extensionRefused)}},
	{ID: "RPC-8", Level: Should, Severity: Warning, By: wire.BothSides, Page: site + "extensibility",
		Doc: "Notifications that are not known are ignored.", hooks: []hook{fault("RPC-8")}},
}

func nullID(x *step) {
	if x.f.Kind == acp.KindRequest && x.f.ID.IsNull() {
		x.report("/id", 0, "the request's id is null, which an answer to an unreadable message has too")
	}
}

func sameID(x *step) {
	if !x.f.AwaitsAnswer() {
		return
	}
	if r := x.st.side(x.from).pending[x.f.ID.Key()]; r != nil && !r.stale {
		x.report("/id", r.n, "the id %s is that of a request that still waits for its answer", x.f.ID)
	}
}

func unanswered(x *step) {
	for i := range x.st.sides {
		for _, r := range x.st.sides[i].pending {
			for ; r != nil; r = r.also {
				if r.cancelled == 0 && !r.stale {
					x.missing(opposite(r.from), r.n, r.session, "%s was never answered", r.name)
				}
			}
		}
	}
}

func extensionRefused(x *step) {
	if acp.IsExtension(x.req.name) && x.req.valid && x.st.handshake.answer > 0 && x.req.n > x.st.handshake.answer && x.f.Error.Code == acp.CodeInvalidRequest {
		x.report("/error/code", x.req.n, "the request %s is valid; if it is not known, the code is %d", x.req.name, acp.CodeMethodNotFound)
	}
}
