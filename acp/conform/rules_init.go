package conform

import (
	"slices"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var initRules = []Rule{
	{ID: "INIT-1", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "initialization",
		Doc: "Before anything is done with sessions, initialize has succeeded.", hooks: []hook{anyRequest(uninitialized)}},
	{ID: "INIT-4", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "initialization",
		Doc:   "After initialize, each side calls the methods that the agreed version has for the other.",
		Limit: "Methods that no version is known to have are reported by EXT-2, and params and results that are not the version's by schema.",
		hooks: []hook{fault("INIT-4")}},
	{ID: "INIT-5", Level: Should, Severity: Warning, By: wire.ClientSide, Page: site + "initialization",
		Doc:   "A client that does not support the answered version closes the connection.",
		Limit: "Only a version above the requested one is certainly not supported, for that was the client's latest.",
		hooks: []hook{{onAny, "", wrongVersion}}},
	{ID: "INIT-6", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "initialization",
		Doc:   "A capability that is left out is not supported and nothing that needs it is used; one that is advertised works.",
		Limit: "Capabilities with a rule of their own are reported under that rule.",
		hooks: []hook{failure("", advertisedRefused), params(acpv1.MethodCompleteElicitation, completeUnadvertised)}},
	{ID: "INIT-7", Level: Should, Severity: Warning, By: wire.BothSides, Page: site + "initialization",
		Doc:   "Client and agent say who they are.",
		Limit: "A client that proposes another version is held to it once this one is agreed on.",
		hooks: []hook{params(acpv1.MethodInitialize, noClientInfo), result(acpv1.MethodInitialize, noInfo)}},
	{ID: "INIT-8", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "initialization",
		Doc:   "Every agent has session/new and session/prompt.",
		Limit: "Before initialize was answered it may be a way to say so, so that the finding is a warning.",
		hooks: []hook{failure(acpv1.MethodNewSession, baselineRefused), failure(acpv1.MethodPrompt, baselineRefused)}},
	{ID: "INIT-9", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "initialization",
		Doc:   "Every agent takes text and links to resources in prompts.",
		Limit: "Why a prompt was refused is known only by the code for invalid params, so that findings are warnings.",
		hooks: []hook{failure(acpv1.MethodPrompt, plainRefused)}},
	{ID: "INIT-10", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "authentication",
		Doc:   "Terminal authentication is offered only to a client that advertised it.",
		hooks: []hook{result(acpv1.MethodInitialize, terminalAuth)}},
}

// isSessionMethod reports whether a client needs a handshake to send it.
func isSessionMethod(method string) bool {
	return strings.HasPrefix(method, "session/")
}

func uninitialized(x *step) {
	h := x.st.handshake
	if x.from != wire.ClientSide || x.f.Kind != acp.KindRequest || !isSessionMethod(x.f.Method) || h.answer > 0 || x.c.opts.Partial {
		return
	}
	switch {
	case h.request > 0 && !h.failed:
		x.doubt("/method", h.request, "%s before initialize was answered", x.f.Method)
	case h.failed:
		x.report("/method", h.request, "%s though initialize has failed", x.f.Method)
	case x.st.once("uninitialized", x.n):
		x.report("/method", 0, "%s without initialize", x.f.Method)
	}
}

func wrongVersion(x *step) {
	st := x.st
	if x.from == wire.ClientSide && st.handshake.answer > 0 && st.answered > st.asked && isSessionMethod(x.f.Method) && st.once("version", x.n) {
		x.report("", st.handshake.answer, "goes on after version %d was answered to a request for %d", st.answered, st.asked)
	}
}

func advertisedRefused(x *step) {
	if x.f.Error.Code != acp.CodeMethodNotFound || !x.req.valid {
		return
	}
	if name, has := x.st.advertised(x.req); has && name != "" {
		x.report("/error/code", x.req.n, "%s is not known, though the capability %s is advertised", x.req.name, name)
	}
}

func completeUnadvertised(x *step, _ *acpv1.CompleteElicitationNotification) {
	if x.st.knowsClient && !x.st.elicits(true) {
		x.report("/method", x.st.handshake.request, "%s to a client that does not advertise elicitation by URL", x.f.Method)
	}
}

// advertised returns the capability that the request needs and whether the peer has it. The name is empty if it needs none, or it is not known.
func (st *state) advertised(r *request) (name string, has bool) {
	a, c := st.agentCaps, st.clientCaps
	if r.from == wire.ClientSide && !st.knowsAgent || r.from == wire.AgentSide && !st.knowsClient {
		return "", false
	}
	offers := st.sessionCaps()
	switch r.name {
	case acpv1.MethodLoadSession:
		return "loadSession", a.GetLoadSession()
	case acpv1.MethodListSessions:
		return "sessionCapabilities.list", offers.List != nil
	case acpv1.MethodDeleteSession:
		return "sessionCapabilities.delete", offers.Delete != nil
	case acpv1.MethodResumeSession:
		return "sessionCapabilities.resume", offers.Resume != nil
	case acpv1.MethodCloseSession:
		return "sessionCapabilities.close", offers.Close != nil
	case acpv1.MethodLogout:
		return "auth.logout", a.GetAuth() != nil && a.GetAuth().Logout != nil
	case acpv1.MethodReadTextFile:
		return "fs.readTextFile", c.GetFS().GetReadTextFile()
	case acpv1.MethodWriteTextFile:
		return "fs.writeTextFile", c.GetFS().GetWriteTextFile()
	case acpv1.MethodCreateTerminal, acpv1.MethodTerminalOutput, acpv1.MethodReleaseTerminal, acpv1.MethodWaitForTerminalExit, acpv1.MethodKillTerminal:
		return "terminal", c.GetTerminal()
	case acpv1.MethodCreateElicitation:
		return "elicitation", st.elicits(true) || st.elicits(false)
	}
	return "", false
}

// sessionCaps returns what the agent advertises for sessions.
func (st *state) sessionCaps() acpv1.SessionCapabilities {
	if caps := st.agentCaps.GetSessionCapabilities(); caps != nil {
		return *caps
	}
	return acpv1.SessionCapabilities{}
}

// elicits reports whether the client advertises elicitation, by URL or by form.
func (st *state) elicits(byURL bool) bool {
	c := st.clientCaps
	if c == nil || c.Elicitation == nil {
		return false
	}
	if byURL {
		return c.Elicitation.URL != nil
	}
	return c.Elicitation.Form != nil
}

// unadvertised reports a request that needs a capability that the peer lacks.
func unadvertised(x *step) {
	if x.req == nil {
		return
	}
	name, has := x.st.advertised(x.req)
	if name == "" || has {
		return
	}
	source := x.st.handshake.answer
	if x.from == wire.AgentSide {
		source = x.st.handshake.request
	}
	x.report("/method", source, "%s needs the capability %s, which is not advertised", x.f.Method, name)
}

// gate is a hook that applies unadvertised to a method.
func gate(method string) hook { return hook{onRequest, method, unadvertised} }

func noClientInfo(x *step, p *acpv1.InitializeRequest) {
	if p.ClientInfo == nil {
		x.report("/params", 0, "clientInfo is missing")
	}
}

func noInfo(x *step, p *acpv1.InitializeRequest, r *acpv1.InitializeResponse) {
	if p.ClientInfo == nil && int(p.ProtocolVersion) != acpv1.Surface.Version {
		x.c.out = append(x.c.out, Finding{Rule: x.rule.ID, Severity: x.rule.Severity, Frame: x.req.n, By: wire.ClientSide, Pointer: "/params", Message: "clientInfo is missing"})
	}
	if r.AgentInfo == nil {
		x.report("/result", x.req.n, "agentInfo is missing")
	}
}

func baselineRefused(x *step) {
	// A client that an agent asks for a turn answers so, and rightly.
	if x.from == wire.AgentSide && x.f.Error.Code == acp.CodeMethodNotFound {
		h := x.st.handshake
		x.weigh(h.answer > 0 && h.answer < x.req.n || x.c.opts.Partial, "/error/code", x.req.n, "%s is not known, but every agent must have it", x.req.name)
	}
}

func plainRefused(x *step) {
	if x.from == wire.AgentSide && x.req.plain && x.req.valid && x.f.Error.Code == acp.CodeInvalidParams && x.sess != nil && x.sess.active {
		x.doubt("/error/code", x.req.n, "a prompt of text and links only was refused as invalid")
	}
}

func terminalAuth(x *step, p *acpv1.InitializeRequest, r *acpv1.InitializeResponse) {
	if p.GetClientCapabilities().GetAuth().GetTerminal() {
		return
	}
	if i := slices.IndexFunc(r.AuthMethods, isTerminalAuth); i >= 0 {
		x.report(index("/result/authMethods", i), x.req.n, "a terminal method for a client that does not advertise auth.terminal")
	}
}

func isTerminalAuth(m acpv1.AuthMethod) bool {
	_, ok := m.(*acpv1.AuthMethodTerminal)
	return ok
}
