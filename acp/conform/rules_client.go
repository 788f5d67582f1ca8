package conform

import (
	"slices"
	"strings"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var fileRules = []Rule{
	{ID: "FS-1", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "file-system",
		Doc: "Files are read and written only through clients that advertise it.", hooks: []hook{gate(acpv1.MethodReadTextFile), gate(acpv1.MethodWriteTextFile)}},
	{ID: "FS-2", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "file-system",
		Doc: "Paths of files to read and write are absolute.",
		hooks: []hook{
			params(acpv1.MethodReadTextFile, func(x *step, p *acpv1.ReadTextFileRequest) { x.absolute("/params/path", p.Path) }),
			params(acpv1.MethodWriteTextFile, func(x *step, p *acpv1.WriteTextFileRequest) { x.absolute("/params/path", p.Path) }),
		}},
	{ID: "FS-3", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "file-system",
		Doc:   "Writing creates a file that does not exist.",
		Limit: "That a later read returns what was written is not checked, for others may write the file too.",
		hooks: []hook{failure(acpv1.MethodWriteTextFile, notCreated)}},
	{ID: "FS-4", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "file-system",
		Doc:   "Reading returns at most as many lines as were asked for.",
		Limit: "Whether they are those from the line asked for takes the file.",
		hooks: []hook{result(acpv1.MethodReadTextFile, tooManyLines)}},
	{ID: "FS-5", Level: Should, Severity: Warning, By: wire.ClientSide, Page: site + "session-setup",
		Doc:   "The client refuses files outside the session's directories.",
		Limit: "Directories are compared by name; links are not seen. The sources do not agree how strict this is.",
		hooks: []hook{
			result(acpv1.MethodReadTextFile, func(x *step, p *acpv1.ReadTextFileRequest, _ *acpv1.ReadTextFileResponse) { x.outside(p.Path) }),
			result(acpv1.MethodWriteTextFile, func(x *step, p *acpv1.WriteTextFileRequest, _ *acpv1.WriteTextFileResponse) { x.outside(p.Path) }),
		}},
}

var terminalRules = []Rule{
	{ID: "TERM-1", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "terminals",
		Doc: "Terminals are used only with clients that advertise them.", hooks: []hook{
			gate(acpv1.MethodCreateTerminal), gate(acpv1.MethodTerminalOutput), gate(acpv1.MethodWaitForTerminalExit), gate(acpv1.MethodKillTerminal),
			gate(acpv1.MethodReleaseTerminal),
		}},
	{ID: "TERM-2", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "terminals",
		Doc: "A terminal's working directory is an absolute path.",
		hooks: []hook{params(acpv1.MethodCreateTerminal, func(x *step, p *acpv1.CreateTerminalRequest) {
			if p.Cwd != nil {
				x.absolute("/params/cwd", *p.Cwd)
			}
		})}},
	{ID: "TERM-3", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "terminals",
		Doc:   "A terminal's output is at most as long as its limit, and marked if it was cut.",
		Limit: "Where it was cut takes the whole output.",
		hooks: []hook{result(acpv1.MethodTerminalOutput, outputTooLong)}},
	{ID: "TERM-4", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "terminals",
		Doc:   "Creating a terminal does not wait for the command.",
		Limit: "It takes the times of the frames. The client may have asked its user first, so that findings are warnings.",
		hooks: []hook{result(acpv1.MethodCreateTerminal, slowCreate)}},
	{ID: "TERM-5", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "terminals",
		Doc: "Every terminal is released, also one that was killed.", hooks: []hook{atEnd(unreleased)}},
	{ID: "TERM-6", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "terminals",
		Doc:   "A terminal that was killed can still be asked for its output and exit.",
		hooks: []hook{failure(acpv1.MethodTerminalOutput, failsAfterKill), failure(acpv1.MethodWaitForTerminalExit, failsAfterKill)}},
	{ID: "TERM-7", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "terminals",
		Doc: "After its release a terminal does not exist: the agent does not use it, and the client does not serve it.",
		hooks: []hook{
			params(acpv1.MethodTerminalOutput, func(x *step, p *acpv1.TerminalOutputRequest) { x.usesReleased(p.TerminalID) }),
			params(acpv1.MethodWaitForTerminalExit, func(x *step, p *acpv1.WaitForTerminalExitRequest) { x.usesReleased(p.TerminalID) }),
			params(acpv1.MethodKillTerminal, func(x *step, p *acpv1.KillTerminalRequest) { x.usesReleased(p.TerminalID) }),
			params(acpv1.MethodReleaseTerminal, func(x *step, p *acpv1.ReleaseTerminalRequest) { x.usesReleased(p.TerminalID) }),
			result(acpv1.MethodTerminalOutput, func(x *step, p *acpv1.TerminalOutputRequest, _ *acpv1.TerminalOutputResponse) {
				x.servesReleased(p.TerminalID)
			}),
			result(acpv1.MethodWaitForTerminalExit, func(x *step, p *acpv1.WaitForTerminalExitRequest, _ *acpv1.WaitForTerminalExitResponse) {
				x.servesReleased(p.TerminalID)
			}),
		}},
	{ID: "TERM-8", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "terminals",
		Doc: "Output has an exit status exactly if the command has exited.", hooks: []hook{result(acpv1.MethodTerminalOutput, noExitStatus)}},
	{ID: "TERM-9", Level: Must, Severity: Error, By: wire.BothSides, Page: site + "terminals",
		Doc: "Terminals have different ids, and each is used in the session that created it.",
		hooks: []hook{
			result(acpv1.MethodCreateTerminal, sameTerminal),
			params(acpv1.MethodTerminalOutput, otherSession[acpv1.TerminalOutputRequest]),
			params(acpv1.MethodWaitForTerminalExit, otherSession[acpv1.WaitForTerminalExitRequest]),
			params(acpv1.MethodKillTerminal, otherSession[acpv1.KillTerminalRequest]),
			params(acpv1.MethodReleaseTerminal, otherSession[acpv1.ReleaseTerminalRequest]),
		}},
}

func notCreated(x *step) {
	if x.f.Error.Code == acp.CodeResourceNotFound && x.req.valid {
		x.report("/error/code", x.req.n, "the file to write was not found")
	}
}

func tooManyLines(x *step, p *acpv1.ReadTextFileRequest, r *acpv1.ReadTextFileResponse) {
	if p.Limit == nil {
		return
	}
	n := strings.Count(r.Content, "\n")
	if r.Content != "" && !strings.HasSuffix(r.Content, "\n") {
		n++
	}
	if uint64(n) > uint64(*p.Limit) {
		x.report("/result/content", x.req.n, "%d lines, but %d were asked for", n, *p.Limit)
	}
}

func (x *step) outside(path string) {
	s := x.sess
	if s == nil || s.roots == nil || !isAbsolute(path) {
		return
	}
	if !slices.ContainsFunc(s.roots, func(root string) bool { return !isAbsolute(root) || within(path, root) }) {
		x.report("/result", x.req.n, "%q is outside the session's directories", path)
	}
}

func outputTooLong(x *step, _ *acpv1.TerminalOutputRequest, r *acpv1.TerminalOutputResponse) {
	t := x.req.term
	if t == nil || t.limit == nil {
		return
	}
	// Each byte that is no text becomes three, which the limit does not count.
	least := len(r.Output) - 2*strings.Count(r.Output, "\ufffd")
	if uint64(least) > *t.limit {
		x.report("/result/output", t.n, "%d bytes, but the limit is %d", len(r.Output), *t.limit)
	}
}

func slowCreate(x *step, _ *acpv1.CreateTerminalRequest, _ *acpv1.CreateTerminalResponse) {
	if took := x.st.now - x.req.at; x.st.timed && took > x.c.opts.Prompt {
		x.doubt("", x.req.n, "terminal/create took %v", took.Round(time.Millisecond))
	}
}

func unreleased(x *step) {
	for _, t := range x.st.terminals {
		if t.tried {
			continue
		}
		x.missing(wire.AgentSide, t.n, t.session, "the terminal %q was never released", t.id)
	}
}

func failsAfterKill(x *step) {
	if t := x.req.term; t != nil && t.killed > 0 && t.killed < x.req.n && x.req.cancelled == 0 {
		certain := x.f.Error.Code == acp.CodeResourceNotFound || x.f.Error.Code == acp.CodeInvalidParams
		x.weigh(certain, "/error", t.killed, "%s fails though the terminal was only killed, not released", x.req.name)
	}
}

func (x *step) usesReleased(id acpv1.TerminalID) {
	if x.st.terminals[string(id)] != nil {
		return
	}
	if r, gone := x.st.released.get(string(id)); gone {
		x.report("/params/terminalId", r.n, "the terminal %q was released", id)
	}
}

func (x *step) servesReleased(id acpv1.TerminalID) {
	if x.req.term != nil {
		return
	}
	if r, gone := x.st.released.get(string(id)); gone && r.n < x.req.n {
		x.doubt("/result", r.n, "the terminal %q was released, but %s succeeds", id, x.req.name)
	}
}

func noExitStatus(x *step, _ *acpv1.TerminalOutputRequest, r *acpv1.TerminalOutputResponse) {
	t := x.req.term
	if t == nil || r.ExitStatus != nil {
		return
	}
	switch {
	case t.waited > 0 && t.waited < x.req.n:
		x.report("/result", t.waited, "no exitStatus, though wait_for_exit said that the command has exited")
	case t.exited > 0 && t.exited < x.req.n:
		x.report("/result", t.exited, "no exitStatus, though an earlier output had one")
	}
}

func sameTerminal(x *step, _ *acpv1.CreateTerminalRequest, r *acpv1.CreateTerminalResponse) {
	id := string(r.TerminalID)
	if t := x.st.terminals[id]; t != nil {
		x.report("/result/terminalId", t.n, "%q is the id of a terminal that is in use", id)
	} else if old, gone := x.st.released.get(id); gone {
		x.doubt("/result/terminalId", old.n, "%q was the id of a terminal that was released", id)
	}
}

// otherSession reports a terminal that is used in a session that did not create it.
func otherSession[P any](x *step, _ *P) {
	if t := x.req.term; t != nil && t.session != x.session {
		x.doubt("/params/terminalId", t.n, "the terminal %q belongs to the session %q", t.id, t.session)
	}
}
