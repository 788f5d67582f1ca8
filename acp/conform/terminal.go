package conform

import (
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A terminal is one that was created and not released.
type terminal struct {
	id, session string
	n           int // frame of create's result
	limit       *uint64
	killed      int  // frame of kill's result
	waited      int  // frame of wait_for_exit's result
	exited      int  // frame of an output that had an exit status
	tried       bool // a request to release it has failed
}

// A released is what is kept of a terminal after its release.
type released struct {
	n       int // frame of the request to release it
	session string
}

// An elicitation is one by URL that is not over.
type elicitation struct {
	n int // frame of the request
}

// A closure is what is kept of an elicitation by URL that is over.
type closure struct {
	n          int  // frame that ended it
	turnedDown bool // by an answer that does not accept, not by its completion
}

// release takes in a request to release a terminal.
func (x *step) release(id string) {
	t := x.st.terminals[id]
	if t == nil {
		return
	}
	delete(x.st.terminals, id)
	x.st.released.put(id, released{n: x.n, session: t.session})
}

// keep takes in that a request to release a terminal has failed: it may still be there.
func (x *step) keep() {
	if t := x.req.term; t != nil && x.req.name == acpv1.MethodReleaseTerminal && x.st.terminals[t.id] == nil {
		t.tried = true
		x.st.terminals[t.id] = t
		x.st.released.drop(t.id)
	}
}

// terminalResult takes in a result of a method of a terminal.
func (x *step) terminalResult() {
	switch p := x.req.params.(type) {
	case *acpv1.KillTerminalRequest:
		if t := x.st.terminals[string(p.TerminalID)]; t != nil {
			t.killed = x.n
		}
	case *acpv1.WaitForTerminalExitRequest:
		if t := x.st.terminals[string(p.TerminalID)]; t != nil {
			t.waited = x.n
		}
	case *acpv1.TerminalOutputRequest:
		r, ok := x.result.(*acpv1.TerminalOutputResponse)
		if t := x.st.terminals[string(p.TerminalID)]; t != nil && ok && r.ExitStatus != nil {
			t.exited = x.n
		}
	}
}

// terminalOf returns the terminal that params name.
func terminalOf(params wire.Message) (id string, ok bool) {
	switch p := params.(type) {
	case *acpv1.TerminalOutputRequest:
		return string(p.TerminalID), true
	case *acpv1.WaitForTerminalExitRequest:
		return string(p.TerminalID), true
	case *acpv1.KillTerminalRequest:
		return string(p.TerminalID), true
	case *acpv1.ReleaseTerminalRequest:
		return string(p.TerminalID), true
	}
	return "", false
}
