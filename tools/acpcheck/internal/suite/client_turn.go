package suite

import (
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

func (t *turn) update(u object) {
	t.notify(acpv1.MethodSessionUpdate, object{"sessionId": t.session, "update": u})
}

func (t *turn) say(s string) {
	t.update(object{"sessionUpdate": "agent_message_chunk", "content": textBlock(s)})
}

// turnWait waits for what may take as long as a person takes.
func (t *turn) turnWait(c *call) {
	t.waitFor(t.opts.TurnTimeout, c)
}

// untilCancelled waits until the client has cancelled the turn.
func (t *turn) untilCancelled() bool {
	if t.until(t.opts.TurnTimeout, func() bool { return t.cancelled[t.session] > 0 }) {
		return true
	}
	t.s.skip("the client did not cancel the turn")
	return false
}

// ask begins to ask for permission for a new tool call.
func (t *turn) ask(id string) *call {
	t.update(object{"sessionUpdate": "tool_call", "toolCallId": id, "title": "Something", "status": "pending"})
	return t.begin(acpv1.MethodRequestPermission, object{"sessionId": t.session, "toolCall": object{"toolCallId": id, "title": "Something"}, "options": list{
		object{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, object{"optionId": "no", "name": "Reject", "kind": "reject_once"},
	}})
}

// wantChoice waits for the answer to a question, which must be one of the options.
func (t *turn) wantChoice(c *call) {
	t.turnWait(c)
	if !t.wantResult(ruleAdvertise, c, "a permission request") {
		return
	}
	r := resultOf[acpv1.RequestPermissionResponse](c)
	if r == nil {
		return
	}
	if o, ok := r.Outcome.(*acpv1.SelectedPermissionOutcome); ok && o.OptionID != "yes" && o.OptionID != "no" {
		t.s.fail("PERM-1", t.link, c.at(), c.n, "the option %q was not offered", o.OptionID)
	}
	if _, ok := r.Outcome.(*acpv1.CancelledPermissionOutcome); ok && t.cancelled[t.session] == 0 {
		t.s.warn("PERM-3", t.link, c.at(), c.n, "the question is answered with cancelled, and the turn is not")
	}
}

func (t *turn) needFiles() {
	if !t.caps.GetFS().GetReadTextFile() || !t.caps.GetFS().GetWriteTextFile() {
		t.s.skip("the client does not advertise both reading and writing of files")
	}
}

func (t *turn) file(method string, params object) *call {
	params["sessionId"] = t.session
	return t.do(method, params)
}

func (t *turn) writeFile(path, content string) {
	c := t.begin(acpv1.MethodWriteTextFile, object{"sessionId": t.session, "path": path, "content": content})
	t.turnWait(c)
	t.wantResult("FS-3", c, "writing a file")
}

// wantContent reads a file.
func (t *turn) wantContent(params object, rule, want string) {
	c := t.file(acpv1.MethodReadTextFile, params)
	if !t.wantResult(rule, c, "reading a file") {
		return
	}
	r := resultOf[acpv1.ReadTextFileResponse](c)
	// Whether the last line end belongs to a line is left open.
	if r != nil && strings.TrimSuffix(r.Content, "\n") != strings.TrimSuffix(want, "\n") {
		t.s.fail(rule, t.link, c.at(), c.n, "the file has %d bytes instead of %d, or others", len(r.Content), len(want))
	}
}

func (t *turn) needTerminal() {
	if !t.caps.GetTerminal() {
		t.s.skip("the client does not advertise terminal")
	}
}

// terminal runs a shell command.
func (t *turn) terminal(command string, more object) string {
	t.needTerminal()
	params := object{"sessionId": t.session, "command": "sh", "args": list{"-c", command}, "cwd": t.dir}
	for name, v := range more {
		params[name] = v
	}
	c := t.begin(acpv1.MethodCreateTerminal, params)
	t.turnWait(c)
	t.wantResult(ruleAdvertise, c, "terminal/create")
	r := resultOf[acpv1.CreateTerminalResponse](c)
	if r == nil {
		t.s.stop()
		return ""
	}
	return string(r.TerminalID)
}

func (t *turn) of(terminal string) object {
	return object{"sessionId": t.session, "terminalId": terminal}
}

func (t *turn) form() object {
	return object{"sessionId": t.session, "mode": "form", "message": "How are you?", "requestedSchema": object{
		"type": "object", "properties": object{"mood": object{"type": "string", "enum": list{"good", "bad"}}}, "required": list{"mood"},
	}}
}
