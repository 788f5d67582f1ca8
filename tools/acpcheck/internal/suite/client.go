package suite

import (
	"cmp"
	"os/exec"
	"strings"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

const (
	// exitGrace is how long an agent may take to end by itself before it is killed, in the scenarios about that.
	exitGrace = 5 * time.Second
	// shortGrace is how long it may take in others.
	shortGrace = time.Second
)

// A client is what a scene is in the test of an agent.
type client struct {
	*party
	*editor
	grace time.Duration
	caps  object
	agent *acpv1.InitializeResponse // nil until initialized
}

// fullCapabilities are all capabilities of a client.
func fullCapabilities() object {
	return object{
		"fs": object{"readTextFile": true, "writeTextFile": true}, "terminal": true,
		"session":     object{"configOptions": object{"boolean": object{}}, "notices": object{}, "compaction": object{}},
		"elicitation": object{"form": object{}, "url": object{}},
	}
}

// start starts the agent.
func (s *scene) start() *client {
	c := &client{caps: fullCapabilities(), grace: shortGrace}
	if s.result.Area == "shutdown" {
		c.grace = exitGrace
	}
	if s.patience.isOver(acpv1.MethodInitialize) {
		s.skip(whyOver, acpv1.MethodInitialize, enough)
	}
	if s.over {
		c.party = s.dummy()
		c.editor = newEditor(c.party, s.dir)
		return c
	}
	cmd := exec.Command(s.opts.Command[0], s.opts.Command[1:]...)
	cmd.Dir = s.opts.Dir
	p, err := acp.Spawn(s.ctx, cmd, &acp.SpawnOptions{Grace: c.grace, Stderr: s.opts.Stderr})
	switch {
	case s.ctx.Err() != nil:
		s.skip("it was not over within %v; see --timeout", s.limit)
	case err != nil:
		s.err = err
		s.stop()
	}
	if err != nil {
		c.party = s.dummy()
	} else {
		c.party = s.join(newLink(wire.ClientSide, p, s.began, s.opts.judge()), p)
	}
	c.editor = newEditor(c.party, s.dir)
	return c
}

// dummy is a party for a scene that is over.
func (s *scene) dummy() *party {
	ours, theirs := acp.Pipe()
	_ = theirs.Close()
	p := &party{link: newLink(wire.ClientSide, ours, s.began, nil), s: s, calls: map[wire.RequestID]*call{}, handlers: map[string]func(*message){}, over: true}
	p.close()
	return p
}

// open starts the agent and initializes the connection.
func (s *scene) open() *client {
	c := s.start()
	c.initialize()
	return c
}

// openWith is open with other capabilities; nil leaves them out.
func (s *scene) openWith(caps object) *client {
	c := s.start()
	c.caps = caps
	c.initialize()
	return c
}

func (c *client) initializeParams(version any) object {
	p := object{"protocolVersion": version, "clientInfo": object{"name": "acpcheck", "version": "1"}}
	if c.caps != nil {
		p["clientCapabilities"] = c.caps
	}
	return p
}

// initialize opens the connection. Without an answer of a known version the scenario is over.
func (c *client) initialize() {
	call := c.do(acpv1.MethodInitialize, c.initializeParams(acpv1.Surface.Version))
	if !c.wantResult(ruleStart, call, "initialize") {
		return
	}
	c.agent = resultOf[acpv1.InitializeResponse](call)
	switch {
	case c.agent == nil:
		// The judge says what is wrong with it.
		c.s.stop()
	case int(c.agent.ProtocolVersion) != acpv1.Surface.Version:
		c.s.skip("the agent speaks version %d of the protocol only", c.agent.ProtocolVersion)
	}
}

// needs ends the scenario if the agent does not advertise something.
func (c *client) needs(advertised bool, name string) {
	if !advertised {
		c.s.skip("the agent does not advertise %s", name)
	}
}

func (c *client) capabilities() *acpv1.AgentCapabilities {
	if c.agent == nil {
		return nil
	}
	return c.agent.GetAgentCapabilities()
}

func (c *client) sessionCapabilities() *acpv1.SessionCapabilities {
	if caps := c.capabilities(); caps != nil && caps.SessionCapabilities != nil {
		return caps.SessionCapabilities
	}
	return &acpv1.SessionCapabilities{}
}

func (c *client) loads() bool { return c.capabilities().GetLoadSession() }

// A session is what session/new has returned.
type session struct {
	id      string
	modes   *acpv1.SessionModeState
	options []acpv1.SessionConfigOption
}

func (c *client) newSessionParams() object { return object{"cwd": c.dir, "mcpServers": list{}} }

// newSession opens a session. An agent that wants a login that nobody has chosen cannot be tested further.
func (c *client) newSession() *session {
	call := c.do(acpv1.MethodNewSession, c.newSessionParams())
	if call.code() == acp.CodeAuthRequired {
		c.logIn()
		call = c.do(acpv1.MethodNewSession, c.newSessionParams())
	}
	if !c.wantResult(ruleAdvertise, call, "session/new") {
		return &session{}
	}
	r := resultOf[acpv1.NewSessionResponse](call)
	if r == nil {
		c.s.stop()
		return &session{}
	}
	return &session{id: string(r.SessionID), modes: r.Modes, options: r.ConfigOptions}
}

// logIn logs in the way that was chosen.
func (c *client) logIn() {
	if c.s.opts.Auth == "" {
		c.s.skip("the agent asks for a login; log in beforehand, or choose a way with --auth: %s", c.logins())
		return
	}
	call := c.begin(acpv1.MethodAuthenticate, object{"methodId": c.s.opts.Auth})
	if c.waitTurn(call) && call.failed() {
		c.s.skip("the agent refuses the login %q with the error code %d; it has: %s", c.s.opts.Auth, call.code(), c.logins())
	}
}

// logins returns the ids of the ways to log in that need no terminal.
func (c *client) logins() string {
	var ids []string
	if c.agent != nil {
		for _, m := range c.agent.AuthMethods {
			if m, ok := m.(*acpv1.AuthMethodAgent); ok {
				ids = append(ids, string(m.ID))
			}
		}
	}
	return cmp.Or(strings.Join(ids, ", "), "there is none")
}

// ready is open and newSession.
func (s *scene) ready() (*client, *session) {
	c := s.open()
	return c, c.newSession()
}

func textBlock(t string) object { return object{"type": "text", "text": t} }

func promptParams(session string, blocks ...object) object {
	all := list{}
	for _, b := range blocks {
		all = append(all, b)
	}
	return object{"sessionId": session, "prompt": all}
}

// beginPrompt sends a prompt by its name in the map.
func (c *client) beginPrompt(x *session, name string) *call {
	return c.begin(acpv1.MethodPrompt, promptParams(x.id, textBlock(c.s.prompt(name, c.values()))))
}

// prompt sends a prompt by its name in the map and waits for the end of the turn.
func (c *client) prompt(x *session, name string) *call {
	call := c.beginPrompt(x, name)
	c.waitTurn(call)
	return call
}

// waitTurn waits for the end of a turn, which may take longer than other answers.
func (c *client) waitTurn(call *call) bool {
	return c.waitFor(c.s.opts.TurnTimeout, call)
}

// reason returns the stop reason of a prompt; empty if it has none.
func reason(c *call) acpv1.StopReason {
	if r := resultOf[acpv1.PromptResponse](c); r != nil {
		return r.StopReason
	}
	return ""
}

// wantTurn checks that a prompt ended as it should.
func (c *client) wantTurn(call *call, want acpv1.StopReason) bool {
	return c.wantTurnBy(ruleAdvertise, call, want)
}

// wantTurnBy is wantTurn for a rule.
func (c *client) wantTurnBy(rule string, call *call, want acpv1.StopReason) bool {
	if !c.wantResult(rule, call, "session/prompt") {
		return false
	}
	if got := reason(call); got != "" && got != want {
		if got == acpv1.StopReasonCancelled {
			rule = "TURN-4"
		}
		c.s.fail(rule, c.link, call.answer.n, call.n, "the turn ended with %q instead of %q", got, want)
		return false
	}
	return true
}

func (c *client) cancel(x *session) int {
	return c.notify(acpv1.MethodCancel, object{"sessionId": x.id})
}

// said returns the text that the agent has said in a session, after a frame.
func (c *client) said(x *session, after int) string {
	var all []byte
	for _, u := range c.updatesOf(x.id) {
		if m, ok := u.SessionUpdate.(*acpv1.AgentMessageChunk); ok && u.n > after {
			if t, ok := m.Content.(*acpv1.TextContent); ok {
				all = append(all, t.Text...)
			}
		}
	}
	return string(all)
}
