package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// ClientScenarios returns the scenarios for clients, area by area.
func ClientScenarios() []ClientScenario {
	return slices.Concat(clientTurns, clientPermissions, clientFiles, clientTerminals, clientElicitation, clientUpdates, clientMethods)
}

var clientTurns = []ClientScenario{
	{"turns", "end", "a turn with a few words", func(t *turn) acpv1.StopReason {
		t.say("Hello.")
		t.ping("a message")
		return ""
	}},
	{"turns", "refusal", "a turn that is refused", func(t *turn) acpv1.StopReason { return acpv1.StopReasonRefusal }},
	{"turns", "max-tokens", "a turn that is cut off", func(t *turn) acpv1.StopReason { return acpv1.StopReasonMaxTokens }},
	{"turns", "error", "a turn that fails", func(t *turn) acpv1.StopReason {
		t.refuse(t.prompt, acp.CodeInternalError, "the turn failed on purpose")
		return failTurn
	}},
	{"turns", "cancel", "a turn that goes on until the client cancels it; it still takes updates then", func(t *turn) acpv1.StopReason {
		t.update(object{"sessionUpdate": "tool_call", "toolCallId": "call", "title": "Wait for the end", "status": "in_progress"})
		if !t.untilCancelled() {
			return ""
		}
		t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": "call", "status": "failed"})
		t.ping("an update after session/cancel")
		return acpv1.StopReasonCancelled
	}},
}

var clientPermissions = []ClientScenario{
	{"permissions", "ask", "a question is answered with an option that was offered", func(t *turn) acpv1.StopReason {
		t.wantChoice(t.ask("call"))
		return ""
	}},
	{"permissions", "twice", "two questions at once are both answered", func(t *turn) acpv1.StopReason {
		first, second := t.ask("first"), t.ask("second")
		t.wantChoice(second)
		t.wantChoice(first)
		return ""
	}},
	{"permissions", "unanswerable", "a question without options is answered", func(t *turn) acpv1.StopReason {
		t.s.forgive("PERM-3") // what else could it answer
		t.turnWait(t.begin(acpv1.MethodRequestPermission, object{"sessionId": t.session, "toolCall": object{"toolCallId": "call", "title": "Something"}, "options": list{}}))
		return ""
	}},
	{"permissions", "cancelled", "a client that cancels the turn answers the question with cancelled", func(t *turn) acpv1.StopReason {
		c := t.ask("call")
		t.until(t.opts.TurnTimeout, func() bool { return c.answer != nil && t.cancelled[t.session] == 0 || t.cancelled[t.session] > 0 })
		if t.cancelled[t.session] == 0 {
			t.s.skip("the client did not cancel the turn")
			return ""
		}
		t.turnWait(c)
		r := resultOf[acpv1.RequestPermissionResponse](c)
		if r != nil {
			if _, ok := r.Outcome.(*acpv1.CancelledPermissionOutcome); !ok && c.at() > t.cancelled[t.session] {
				t.s.fail("CAN-1", t.link, c.at(), t.cancelled[t.session], "the question is not answered with cancelled though the turn is")
			}
		} else if c.failed() {
			t.s.warn("CAN-1", t.link, c.at(), t.cancelled[t.session], "the question is answered with an error, not with cancelled")
		}
		return acpv1.StopReasonCancelled
	}},
	{"permissions", "withdrawn", "a question that the agent takes back is answered all the same", func(t *turn) acpv1.StopReason {
		c := t.ask("call")
		n := t.notify(acpv1.MethodCancelRequest, object{"requestId": c.id})
		t.turnWait(c)
		if c.failed() && c.code() != acp.CodeRequestCancelled {
			t.s.fail("CAN-6", t.link, c.at(), n, "a cancelled request is answered with the error code %d instead of %d", c.code(), acp.CodeRequestCancelled)
		}
		return ""
	}},
}

var clientFiles = []ClientScenario{
	{"files", "write-read", "a file that was written can be read", func(t *turn) acpv1.StopReason {
		t.needFiles()
		path := filepath.Join(t.dir, fileName)
		t.writeFile(path, "one\ntwo\nthree\n")
		t.wantContent(object{"path": path}, "FS-3", "one\ntwo\nthree\n")
		t.wantContent(object{"path": path, "line": 2}, "FS-4", "two\nthree\n")
		t.wantContent(object{"path": path, "line": 2, "limit": 1}, "FS-4", "two\n")
		t.wantContent(object{"path": path, "limit": 0}, "FS-4", "")
		t.writeFile(path, "other\n")
		t.wantContent(object{"path": path}, "FS-3", "other\n")
		return ""
	}},
	{"files", "missing", "a file that is not there cannot be read", func(t *turn) acpv1.StopReason {
		t.needFiles()
		t.wantError(ruleParams, t.file(acpv1.MethodReadTextFile, object{"path": filepath.Join(t.dir, "acpcheck-no-such-file")}), "reading a missing file")
		return ""
	}},
	{"files", "outside", "a file outside the session's directories is out of reach", func(t *turn) acpv1.StopReason {
		t.needFiles()
		path := filepath.Join(t.s.dir, "outside.txt")
		if err := os.WriteFile(path, []byte(marker), 0o600); err != nil {
			t.s.skip("the file cannot be made: %v", err)
		}
		if c := t.file(acpv1.MethodReadTextFile, object{"path": path}); c.ok() {
			t.s.warn("FS-5", t.link, c.at(), c.n, "a file outside the session's directories is read")
		}
		return ""
	}},
	{"files", "large", "a megabyte can be written and read", func(t *turn) acpv1.StopReason {
		t.needFiles()
		path := filepath.Join(t.dir, fileName)
		long := strings.Repeat("a line of a large file\n", 1<<20/23)
		t.writeFile(path, long)
		t.wantContent(object{"path": path}, "FS-3", long)
		return ""
	}},
	{"files", "many", "many requests at once are all answered", func(t *turn) acpv1.StopReason {
		t.needFiles()
		path := filepath.Join(t.dir, fileName)
		t.writeFile(path, "x\n")
		var calls []*call
		for range 50 {
			calls = append(calls, t.begin(acpv1.MethodReadTextFile, object{"sessionId": t.session, "path": path}))
		}
		t.wait(calls...)
		return ""
	}},
	{"files", "unadvertised", "what the client does not offer is refused", func(t *turn) acpv1.StopReason {
		tried := false
		for _, try := range []struct {
			offered bool
			method  string
			params  object
		}{
			{t.caps.GetFS().GetReadTextFile(), acpv1.MethodReadTextFile, object{"path": filepath.Join(t.dir, fileName)}},
			{t.caps.GetFS().GetWriteTextFile(), acpv1.MethodWriteTextFile, object{"path": filepath.Join(t.dir, fileName), "content": "x"}},
			{t.caps.GetTerminal(), acpv1.MethodCreateTerminal, object{"command": "true"}},
		} {
			if !try.offered {
				tried = true
				t.wantError(ruleMethod, t.file(try.method, try.params), try.method+", which is not offered")
			}
		}
		if !tried {
			t.s.skip("the client offers files and terminals")
		}
		return ""
	}},
}

var clientTerminals = []ClientScenario{
	{"terminals", "run", "a command is run and its output kept until the terminal is released", func(t *turn) acpv1.StopReason {
		id := t.terminal("echo "+marker, nil)
		t.turnWait(t.begin(acpv1.MethodWaitForTerminalExit, t.of(id)))
		c := t.do(acpv1.MethodTerminalOutput, t.of(id))
		if r := resultOf[acpv1.TerminalOutputResponse](c); r != nil {
			if r.ExitStatus == nil {
				t.s.fail("TERM-8", t.link, c.at(), c.n, "the output has no exit status after the command has ended")
			}
			if !strings.Contains(r.Output, marker) {
				t.s.fail(ruleAdvertise, t.link, c.at(), c.n, "the output is %q", r.Output)
			}
		}
		t.wantResult(ruleAdvertise, t.do(acpv1.MethodReleaseTerminal, t.of(id)), "terminal/release")
		t.wantError("TERM-7", t.do(acpv1.MethodTerminalOutput, t.of(id)), "the output of a released terminal")
		return ""
	}},
	{"terminals", "kill", "a command is killed, and its terminal goes on", func(t *turn) acpv1.StopReason {
		begun := time.Now()
		id := t.terminal("sleep 60", nil)
		if !t.s.over && time.Since(begun) > promptly {
			t.s.fail("TERM-4", t.link, t.received(), 0, "terminal/create is answered after %v", time.Since(begun))
		}
		waiting := t.begin(acpv1.MethodWaitForTerminalExit, t.of(id))
		t.wantResult("TERM-6", t.do(acpv1.MethodKillTerminal, t.of(id)), "terminal/kill")
		t.wait(waiting)
		t.wantResult("TERM-6", t.do(acpv1.MethodTerminalOutput, t.of(id)), "the output of a killed command")
		t.wantResult(ruleAdvertise, t.do(acpv1.MethodReleaseTerminal, t.of(id)), "terminal/release")
		return ""
	}},
	{"terminals", "limit", "output is cut to its end, at a character", func(t *turn) acpv1.StopReason {
		const limit = 101
		id := t.terminal("i=0; while [ $i -lt 100 ]; do printf 'äöü€'; i=$((i+1)); done", object{"outputByteLimit": limit})
		t.turnWait(t.begin(acpv1.MethodWaitForTerminalExit, t.of(id)))
		c := t.do(acpv1.MethodTerminalOutput, t.of(id))
		if r := resultOf[acpv1.TerminalOutputResponse](c); r != nil {
			switch {
			case len(r.Output) > limit:
				t.s.fail("TERM-3", t.link, c.at(), c.n, "the output has %d bytes, more than %d", len(r.Output), limit)
			case !r.Truncated:
				t.s.fail("TERM-3", t.link, c.at(), c.n, "the output is not said to be truncated")
			case strings.ContainsRune(r.Output, utf8.RuneError):
				t.s.fail("TERM-3", t.link, c.at(), c.n, "the output is cut within a character")
			}
		}
		t.do(acpv1.MethodReleaseTerminal, t.of(id))
		return ""
	}},
	{"terminals", "unknown", "a terminal that there is none of is an error", func(t *turn) acpv1.StopReason {
		t.needTerminal()
		for _, method := range []string{acpv1.MethodTerminalOutput, acpv1.MethodKillTerminal, acpv1.MethodReleaseTerminal, acpv1.MethodWaitForTerminalExit} {
			t.wantError("TERM-7", t.do(method, t.of("acpcheck-no-such-terminal")), method+" of an unknown terminal")
		}
		return ""
	}},
}

var clientElicitation = []ClientScenario{
	{"elicitation", "form", "a form is answered", func(t *turn) acpv1.StopReason {
		if t.caps == nil || t.caps.Elicitation == nil || t.caps.Elicitation.Form == nil {
			t.s.skip("the client does not advertise elicitation.form")
		}
		c := t.begin(acpv1.MethodCreateElicitation, t.form())
		t.turnWait(c)
		t.wantResult(ruleAdvertise, c, "elicitation/create")
		return ""
	}},
	{"elicitation", "unadvertised", "a form that the client cannot show is refused", func(t *turn) acpv1.StopReason {
		if t.caps != nil && t.caps.Elicitation != nil && t.caps.Elicitation.Form != nil {
			t.s.skip("the client advertises elicitation.form")
		}
		codes := []int{acp.CodeInvalidParams}
		if t.caps == nil || t.caps.Elicitation == nil {
			codes = append(codes, acp.CodeMethodNotFound)
		}
		t.wantError("ELI-2", t.do(acpv1.MethodCreateElicitation, t.form()), "a form that was not advertised", codes...)
		return ""
	}},
}

var clientUpdates = []ClientScenario{
	{"updates", "kinds", "updates of every kind", func(t *turn) acpv1.StopReason {
		for _, u := range []object{
			{"sessionUpdate": "agent_thought_chunk", "content": textBlock("hm")},
			{"sessionUpdate": "agent_message_chunk", "content": object{"type": "image", "mimeType": "image/png", "data": pixel}},
			{"sessionUpdate": "agent_message_chunk", "content": object{"type": "resource_link", "uri": "file:///x", "name": "x"}},
			{"sessionUpdate": "tool_call", "toolCallId": "kinds", "title": "Look", "kind": "search", "status": "pending"},
			{"sessionUpdate": "tool_call_update", "toolCallId": "kinds", "status": "in_progress"},
			{"sessionUpdate": "tool_call_update", "toolCallId": "kinds", "status": "completed", "content": list{object{"type": "content", "content": textBlock("found")}}},
			{"sessionUpdate": "plan", "entries": list{object{"content": "do it", "priority": "high", "status": "completed"}}},
			{"sessionUpdate": "available_commands_update", "availableCommands": list{object{"name": "do", "description": "does it"}}},
			{"sessionUpdate": "session_info_update", "title": "Every kind"},
			{"sessionUpdate": "usage_update", "used": 1, "size": 100, "cost": object{"amount": 0.01, "currency": "EUR"}},
		} {
			t.update(u)
		}
		t.ping("updates of every kind")
		return ""
	}},
	{"updates", "unknown", "updates of unknown kinds, and known ones with unknown members, do no harm", func(t *turn) acpv1.StopReason {
		for _, u := range []object{
			{"sessionUpdate": "_acpcheck_kind", "x": 1},
			{"sessionUpdate": "kind_of_the_future", "x": list{}},
			{"sessionUpdate": "agent_message_chunk", "content": object{"type": "_acpcheck_block"}},
			{"sessionUpdate": "agent_message_chunk", "content": textBlock("x"), "_meta": object{"acpcheck": list{1}}},
			{"sessionUpdate": "tool_call", "toolCallId": "unknown", "title": "x", "kind": "kind_of_the_future"},
		} {
			t.update(u)
			t.ping("an update " + text(u))
		}
		return ""
	}},
	{"updates", "foreign", "an update for a session that there is none of does no harm", func(t *turn) acpv1.StopReason {
		t.notify(acpv1.MethodSessionUpdate, object{"sessionId": nobody, "update": object{"sessionUpdate": "agent_message_chunk", "content": textBlock("x")}})
		t.ping("an update for an unknown session")
		return ""
	}},
	{"updates", "stream", "thousands of updates are taken", func(t *turn) acpv1.StopReason {
		for range 3000 {
			t.say("word ")
		}
		t.ping("a long stream")
		return ""
	}},
	{"updates", "large", "an update of a megabyte is taken", func(t *turn) acpv1.StopReason {
		t.say(strings.Repeat("all work and no play ", 1<<20/21))
		t.ping("a large update")
		return ""
	}},
}

var clientMethods = []ClientScenario{
	{"methods", "unknown", "unknown methods are refused, unknown notifications ignored", func(t *turn) acpv1.StopReason {
		c := t.do("_acpcheck/unknown", object{"x": 1})
		if !t.s.over && c.code() != acp.CodeMethodNotFound {
			t.s.warn("RPC-7", t.link, c.at(), c.n, "an unknown extension request is answered with %s instead of the error code %d", outcomeOf(c), acp.CodeMethodNotFound)
		}
		for _, method := range []string{"acpcheck/unknown", "session/prompt", "toString", "__proto__"} {
			t.wantError(ruleMethod, t.do(method, object{}), "the method "+method, acp.CodeMethodNotFound, acp.CodeInvalidRequest)
		}
		t.ignores("_acpcheck/note", "acpcheck/note", "$/acpcheck")
		return ""
	}},
	{"methods", "params", "params that do not fit are refused", func(t *turn) acpv1.StopReason {
		for _, params := range []object{{}, {"sessionId": 5}, {"sessionId": t.session, "toolCall": object{}, "options": list{}}, {"sessionId": t.session, "toolCall": object{"toolCallId": "x"}}} {
			t.wantError(ruleParams, t.do(acpv1.MethodRequestPermission, params), "a permission request with the params "+text(params), acp.CodeInvalidParams)
		}
		return ""
	}},
	{"methods", "ids", "ids of every kind come back as they were", func(t *turn) acpv1.StopReason {
		for _, id := range []wire.RequestID{wire.IntID(-5), wire.IntID(1<<53 - 1), wire.StringID(""), wire.StringID("1"), wire.StringID("ü\"\\"), wire.StringID("__proto__")} {
			c, line := t.prepareAs(id, "_acpcheck/id", object{})
			c.n = t.send(line)
			t.wait(c)
		}
		return ""
	}},
	{"methods", "malformed", "malformed lines are refused, and the connection lives", func(t *turn) acpv1.StopReason {
		for _, m := range []malformed{
			{line: "this is not JSON", codes: parseError}, {line: `{"jsonrpc":"2.0",`, codes: parseError}, {line: "42", codes: invalidRequest}, {line: "[]", codes: invalidRequest},
			{line: "{}", codes: invalidRequest}, {line: ""}, {line: `{"jsonrpc":"2.0","id":7777,"result":{}}`},
			{line: `{"jsonrpc":"2.0","id":7777,"method":1}`, codes: invalidRequest, id: true},
		} {
			t.tryMalformed(m)
		}
		return ""
	}},
}
