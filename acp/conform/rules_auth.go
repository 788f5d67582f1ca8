package conform

import (
	"regexp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var authRules = []Rule{
	{ID: "AUTH-1", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "authentication",
		Doc: "The client authenticates by a method that was advertised, and not by a terminal method.", hooks: []hook{params(acpv1.MethodAuthenticate, noSuchAuth)}},
	{ID: "AUTH-2", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "authentication",
		Doc: "logout is for agents that advertise it.", hooks: []hook{gate(acpv1.MethodLogout)}},
	{ID: "AUTH-3", Level: Must, Severity: Warning, By: wire.AgentSide, Page: site + "authentication",
		Doc:   "Once the client is authenticated, no request fails for lack of it until logout.",
		Limit: "What the agent was given may have expired, so that findings are warnings.",
		hooks: []hook{failure("", authAgain)}},
}

var listRules = []Rule{
	{ID: "LIST-1", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-list",
		Doc: "session/list is for agents that advertise it.", hooks: []hook{gate(acpv1.MethodListSessions)}},
	{ID: "LIST-2", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "session-list",
		Doc:   "A list can be narrowed to an absolute working directory, and then has no sessions of others.",
		Limit: "Directories are compared by name. Where one ends as the other does, a link may lie between them, and the finding is a warning.",
		hooks: []hook{params(acpv1.MethodListSessions, relativeFilter), result(acpv1.MethodListSessions, filterIgnored)}},
	{ID: "LIST-3", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-list",
		Doc:   "Listed sessions have different ids and absolute directories, additional ones only if these are advertised.",
		hooks: []hook{result(acpv1.MethodListSessions, listedInfo)}},
	{ID: "LIST-4", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-list",
		Doc: "A cursor is one that the agent has returned.", hooks: []hook{params(acpv1.MethodListSessions, noSuchCursor)}},
	{ID: "LIST-5", Level: Should, Severity: Warning, By: wire.AgentSide, Page: site + "session-list",
		Doc: "A cursor that the agent has not returned is an error.", hooks: []hook{result(acpv1.MethodListSessions, cursorAccepted)}},
	{ID: "LIST-6", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-list",
		Doc: "The time of a session's last activity is as in ISO 8601.",
		hooks: []hook{
			result(acpv1.MethodListSessions, func(x *step, _ *acpv1.ListSessionsRequest, r *acpv1.ListSessionsResponse) {
				for i, s := range r.Sessions {
					if s.UpdatedAt != nil {
						x.timestamp(index("/result/sessions", i)+"/updatedAt", *s.UpdatedAt)
					}
				}
			}),
			update(tagInfo, func(x *step, u *acpv1.SessionInfoUpdate) {
				if t, ok := u.UpdatedAt.Get(); ok {
					x.timestamp("/params/update/updatedAt", t)
				}
			}),
		}},
}

var deleteRules = []Rule{
	{ID: "DEL-1", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-delete",
		Doc: "session/delete is for agents that advertise it.", hooks: []hook{gate(acpv1.MethodDeleteSession)}},
	{ID: "DEL-2", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-delete",
		Doc: "A session that was deleted is not listed again.", hooks: []hook{result(acpv1.MethodListSessions, deletedListed)}},
	{ID: "DEL-3", Level: Should, Severity: Warning, By: wire.AgentSide, Page: site + "session-delete",
		Doc: "Deleting a session that does not exist succeeds.", hooks: []hook{failure(acpv1.MethodDeleteSession, deleteFails)}},
}

func noSuchAuth(x *step, p *acpv1.AuthenticateRequest) {
	if !x.st.knowsAgent {
		return
	}
	for _, m := range x.st.authMethods {
		switch m := m.(type) {
		case *acpv1.AuthMethodAgent:
			if m.ID == p.MethodID {
				return
			}
		case *acpv1.AuthMethodTerminal:
			if m.ID == p.MethodID {
				x.report("/params/methodId", x.st.handshake.answer, "%q is a terminal method", p.MethodID)
				return
			}
		}
	}
	x.report("/params/methodId", x.st.handshake.answer, "the method %q was not advertised", p.MethodID)
}

func authAgain(x *step) {
	if x.f.Error.Code == acp.CodeAuthRequired && x.from == wire.AgentSide && x.st.loggedIn > 0 && x.req.n > x.st.loggedIn && x.req.name != acpv1.MethodAuthenticate {
		x.report("/error/code", x.st.loggedIn, "authentication is required, but the client is authenticated")
	}
}

func relativeFilter(x *step, p *acpv1.ListSessionsRequest) {
	if p.Cwd != nil {
		x.absolute("/params/cwd", *p.Cwd)
	}
}

func filterIgnored(x *step, p *acpv1.ListSessionsRequest, r *acpv1.ListSessionsResponse) {
	if p.Cwd == nil || !isAbsolute(*p.Cwd) {
		return
	}
	for i, s := range r.Sessions {
		if clean(s.Cwd) != clean(*p.Cwd) {
			x.weigh(!alike(s.Cwd, *p.Cwd), index("/result/sessions", i)+"/cwd", x.req.n, "%q, but the list is of %q", s.Cwd, *p.Cwd)
		}
	}
}

func listedInfo(x *step, _ *acpv1.ListSessionsRequest, r *acpv1.ListSessionsResponse) {
	seen := make(map[acpv1.SessionID]int, len(r.Sessions))
	unadvertised := x.st.knowsAgent && x.st.sessionCaps().AdditionalDirectories == nil
	for i, s := range r.Sessions {
		at := index("/result/sessions", i)
		x.absolute(at+"/cwd", s.Cwd)
		for j, d := range s.AdditionalDirectories {
			x.absolute(index(at+"/additionalDirectories", j), d)
		}
		if len(s.AdditionalDirectories) > 0 && unadvertised {
			x.report(at+"/additionalDirectories", x.st.handshake.answer, "additional directories are not advertised")
		}
		if j, twice := seen[s.SessionID]; twice {
			x.report(at+"/sessionId", 0, "%q is the id of session %d too", s.SessionID, j)
		}
		seen[s.SessionID] = i
	}
}

func noSuchCursor(x *step, p *acpv1.ListSessionsRequest) {
	if x.unknownCursor(p) {
		x.report("/params/cursor", 0, "the agent has returned no such cursor")
	}
}

func (x *step) unknownCursor(p *acpv1.ListSessionsRequest) bool {
	if p.Cursor == nil || x.c.opts.Partial || x.st.cursors.forgot {
		return false
	}
	_, known := x.st.cursors.get(*p.Cursor)
	return !known
}

func cursorAccepted(x *step, p *acpv1.ListSessionsRequest, _ *acpv1.ListSessionsResponse) {
	if x.unknownCursor(p) {
		x.report("/result", x.req.n, "a list for a cursor that the agent has not returned on this connection")
	}
}

var iso8601 = regexp.MustCompile(`^(?:\d{4}|[+-]\d{6})(-?\d\d(-?\d\d)?|-?W\d\d(-?\d)?|-?\d{3})([T ]\d\d(:?\d\d(:?\d\d)?)?([.,]\d+)?(Z|[+-]\d\d(:?\d\d)?)?)?$`)

func (x *step) timestamp(pointer, s string) {
	if !iso8601.MatchString(s) {
		x.report(pointer, 0, "%q is not a time as in ISO 8601", s)
	}
}

func deletedListed(x *step, _ *acpv1.ListSessionsRequest, r *acpv1.ListSessionsResponse) {
	for i, s := range r.Sessions {
		if p, ok := x.st.past.get(string(s.SessionID)); ok && p.deleted > 0 && p.deleted < x.req.n && x.st.sessions[string(s.SessionID)] == nil {
			x.report(index("/result/sessions", i)+"/sessionId", p.deleted, "the session %q was deleted", s.SessionID)
		}
	}
}

func deleteFails(x *step) {
	p, ok := x.req.params.(*acpv1.DeleteSessionRequest)
	if !ok || x.f.Error.Code != acp.CodeResourceNotFound && x.f.Error.Code != acp.CodeInvalidParams {
		return
	}
	id := string(p.SessionID)
	past, known := x.st.past.get(id)
	if x.st.sessions[id] == nil && (!known || past.deleted > 0) {
		x.report("/error", x.req.n, "a session that does not exist cannot be deleted")
	}
}
