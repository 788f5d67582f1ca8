package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// An editor is what the agent finds at our end: files of one directory, terminals in which nothing is run, and a user who follows a policy.
type editor struct {
	p   *party
	dir string
	// permit returns what is answered to a permission request. If it returns nil, the request is held.
	permit func(r *acpv1.RequestPermissionRequest) object
	held   []*message // requests that were held
	// refuseFiles makes all access to files fail.
	refuseFiles bool
	// holdTerminals keeps commands from ending.
	holdTerminals bool
	terminals     map[string]*pretended
}

// A pretended command says that it has ended well, and what it was.
type pretended struct {
	output   string
	killed   bool
	waiting  []*message
	released bool
}

// newEditor handles all requests that an agent may have.
func newEditor(p *party, dir string) *editor {
	e := &editor{p: p, dir: dir, permit: allow, terminals: map[string]*pretended{}}
	p.handlers = map[string]func(*message){
		acpv1.MethodRequestPermission: e.permission, acpv1.MethodReadTextFile: e.read, acpv1.MethodWriteTextFile: e.write,
		acpv1.MethodCreateTerminal: e.create, acpv1.MethodTerminalOutput: e.output, acpv1.MethodWaitForTerminalExit: e.waitForExit,
		acpv1.MethodKillTerminal: e.kill, acpv1.MethodReleaseTerminal: e.release, acpv1.MethodCreateElicitation: e.elicit,
	}
	return e
}

func selected(id acpv1.PermissionOptionID) object {
	return object{"outcome": object{"outcome": "selected", "optionId": string(id)}}
}

// choose selects the first option of one of the kinds, in the order of the kinds.
func choose(kinds ...acpv1.PermissionOptionKind) func(r *acpv1.RequestPermissionRequest) object {
	return func(r *acpv1.RequestPermissionRequest) object {
		for _, kind := range kinds {
			if i := slices.IndexFunc(r.Options, func(o acpv1.PermissionOption) bool { return o.Kind == kind }); i >= 0 {
				return selected(r.Options[i].OptionID)
			}
		}
		return object{"outcome": object{"outcome": "cancelled"}}
	}
}

var (
	allow  = choose(acpv1.PermissionOptionKindAllowOnce, acpv1.PermissionOptionKindAllowAlways)
	reject = choose(acpv1.PermissionOptionKindRejectOnce, acpv1.PermissionOptionKindRejectAlways)
)

// hold keeps the request waiting.
func hold(*acpv1.RequestPermissionRequest) object { return nil }

func cancelled() object { return object{"outcome": object{"outcome": "cancelled"}} }

func (e *editor) permission(m *message) {
	if answer := e.permit(paramsOf[acpv1.RequestPermissionRequest](m)); answer != nil {
		e.p.answer(m, answer)
		return
	}
	e.held = append(e.held, m)
}

// releaseHeld answers what was held.
func (e *editor) releaseHeld(answer func(m *message)) {
	for _, m := range e.held {
		answer(m)
	}
	e.held = nil
}

// within returns the path if it is one of the directory.
func (e *editor) within(path string) (string, bool) {
	rel, err := filepath.Rel(e.dir, path)
	return path, err == nil && filepath.IsLocal(rel)
}

func (e *editor) read(m *message) {
	p := paramsOf[acpv1.ReadTextFileRequest](m)
	path, ok := e.within(p.Path)
	if !ok || e.refuseFiles {
		e.p.refuse(m, acp.CodeInternalError, "the file cannot be read")
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		e.p.refuse(m, acp.CodeResourceNotFound, "no such file")
		return
	}
	lines := strings.SplitAfter(string(b), "\n")
	if p.Line != nil && *p.Line > 0 {
		lines = lines[min(int(*p.Line)-1, len(lines)):]
	}
	if p.Limit != nil {
		lines = lines[:min(int(*p.Limit), len(lines))]
	}
	e.p.answer(m, object{"content": strings.Join(lines, "")})
}

func (e *editor) write(m *message) {
	p := paramsOf[acpv1.WriteTextFileRequest](m)
	path, ok := e.within(p.Path)
	if !ok || e.refuseFiles || os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, []byte(p.Content), 0o600) != nil {
		e.p.refuse(m, acp.CodeInternalError, "the file cannot be written")
		return
	}
	e.p.answer(m, object{})
}

func (e *editor) create(m *message) {
	p := paramsOf[acpv1.CreateTerminalRequest](m)
	id := "terminal-" + strconv.Itoa(len(e.terminals)+1)
	e.terminals[id] = &pretended{output: "$ " + strings.Join(append([]string{p.Command}, p.Args...), " ") + "\n"}
	e.p.answer(m, object{"terminalId": id})
}

// terminal returns the terminal of that id, or refuses the request.
func (e *editor) terminal(m *message, id acpv1.TerminalID) *pretended {
	t := e.terminals[string(id)]
	if t == nil || t.released {
		e.p.refuse(m, acp.CodeResourceNotFound, "no such terminal")
		return nil
	}
	return t
}

// status is how a command has ended; nil while it runs.
func (e *editor) status(t *pretended) any {
	switch {
	case t.killed:
		return object{"exitCode": nil, "signal": "SIGKILL"}
	case e.holdTerminals:
		return nil
	}
	return object{"exitCode": 0, "signal": nil}
}

func (e *editor) output(m *message) {
	p := paramsOf[acpv1.TerminalOutputRequest](m)
	t := e.terminal(m, p.TerminalID)
	if t == nil {
		return
	}
	r := object{"output": t.output, "truncated": false}
	if status := e.status(t); status != nil {
		r["exitStatus"] = status
	}
	e.p.answer(m, r)
}

func (e *editor) waitForExit(m *message) {
	t := e.terminal(m, paramsOf[acpv1.WaitForTerminalExitRequest](m).TerminalID)
	switch {
	case t == nil:
	case e.status(t) == nil:
		t.waiting = append(t.waiting, m)
	default:
		e.p.answer(m, e.status(t))
	}
}

// stopCommand kills the command, if it runs.
func (e *editor) stopCommand(t *pretended) {
	if e.status(t) == nil {
		t.killed = true
	}
	for _, w := range t.waiting {
		e.p.answer(w, e.status(t))
	}
	t.waiting = nil
}

func (e *editor) kill(m *message) {
	if t := e.terminal(m, paramsOf[acpv1.KillTerminalRequest](m).TerminalID); t != nil {
		e.stopCommand(t)
		e.p.answer(m, object{})
	}
}

func (e *editor) release(m *message) {
	if t := e.terminal(m, paramsOf[acpv1.ReleaseTerminalRequest](m).TerminalID); t != nil {
		e.stopCommand(t)
		t.released = true
		e.p.answer(m, object{})
	}
}

// elicit declines to fill in forms, and says that pages will be visited.
func (e *editor) elicit(m *message) {
	action := "decline"
	if _, ok := paramsOf[acpv1.CreateElicitationRequest](m).Mode.(*acpv1.ElicitationURLMode); ok {
		action = "accept"
	}
	e.p.answer(m, object{"action": action})
}

// values are what stands in prompts for the places of this editor.
func (e *editor) values() map[string]string {
	return map[string]string{"dir": e.dir, "file": filepath.Join(e.dir, fileName), "marker": marker}
}

const (
	// fileName is the file that prompts are about, and marker a text that is not likely to be said by accident.
	fileName = "acpcheck.txt"
	marker   = "quokka"
)

// writeFile makes the file that prompts are about.
func (c *client) writeFile(content string) string {
	path := filepath.Join(c.dir, fileName)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.s.skip("the file for the agent cannot be written: %v", err)
	}
	return path
}

// makeDirectories makes directories in that of the session.
func (c *client) makeDirectories(names ...string) {
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(c.dir, name), 0o700); err != nil {
			c.s.skip("a directory for the agent cannot be made: %v", err)
		}
	}
}
