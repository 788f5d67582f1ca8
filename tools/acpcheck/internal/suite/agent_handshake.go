package suite

import (
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// newestVersion is a version that no agent has.
const newestVersion = 65535

var handshakeScenarios = []Scenario{
	{Area: "handshake", Name: "version-1", Doc: "version 1 is answered with version 1", run: func(s *scene) {
		c := s.start()
		call := c.do(acpv1.MethodInitialize, c.initializeParams(1))
		if !c.wantResult(ruleStart, call, "initialize") {
			return
		}
		if r := resultOf[acpv1.InitializeResponse](call); r != nil && r.ProtocolVersion != 1 {
			s.skip("the agent speaks version %d of the protocol only", r.ProtocolVersion)
		}
		c.ping("initialize")
	}},
	{Area: "handshake", Name: "version-0", Doc: "version 0, which nobody has, is answered with a version of the agent's", run: func(s *scene) { s.otherVersion(0) }},
	{Area: "handshake", Name: "version-2", Doc: "version 2 is answered with 2 if the agent has it, otherwise with its latest", run: func(s *scene) { s.otherVersion(2) }},
	{Area: "handshake", Name: "version-65535", Doc: "the highest version, which nobody has, is answered with the agent's latest", run: func(s *scene) { s.otherVersion(newestVersion) }},
	{Area: "handshake", Name: "version-missing", Doc: "a handshake without a version is refused, and another one works", run: func(s *scene) {
		s.badHandshakes(object{"clientCapabilities": object{}})
	}},
	{Area: "handshake", Name: "version-wrong-type", Doc: "a handshake with a version that is no 16-bit integer is refused, and another one works", run: func(s *scene) {
		var params []any
		for _, v := range []any{"1", 1.5, -1, 65536, true, object{}, list{1}, nil} {
			params = append(params, object{"protocolVersion": v, "clientCapabilities": object{}})
		}
		s.badHandshakes(params...)
	}},
	{Area: "handshake", Name: "params-wrong-type", Doc: "a handshake without params, or with params that are no object, is refused, and another one works", run: func(s *scene) {
		s.badHandshakes(nil, list{1}, "1", 1)
	}},
	{Area: "handshake", Name: "no-capabilities", Doc: "a client that says nothing of itself is welcome", run: func(s *scene) {
		c := s.start()
		call := c.do(acpv1.MethodInitialize, object{"protocolVersion": 1})
		if c.wantResult(ruleStart, call, "initialize with no more than a version") {
			c.newSession()
		}
	}},
	{Area: "handshake", Name: "unknown-capabilities", Doc: "capabilities that the agent does not know are ignored", run: func(s *scene) {
		c := s.openWith(object{"_acpcheck": object{"x": 1}, "fs": object{"_acpcheck": true}, "_meta": object{"acpcheck": list{1}}})
		c.newSession()
	}},
	{Area: "handshake", Name: "session-first", Doc: "a session before the handshake is answered, and the handshake still works", run: func(s *scene) {
		c := s.start()
		c.do(acpv1.MethodNewSession, c.newSessionParams())
		c.initialize()
		c.newSession()
	}},
	{Area: "handshake", Name: "in-pieces", Doc: "frames are read however they are cut, with any line end", run: func(s *scene) {
		c := s.start()
		call, line := c.prepare(acpv1.MethodInitialize, c.initializeParams(1))
		c.pieces(line+"\r\n", len(line)/2, len(line)/2+1, len(line)+1)
		c.wait(call)
		c.wantResult(ruleStart, call, "initialize in pieces")
	}},
}

// otherVersion asks for a version that the agent need not have.
func (s *scene) otherVersion(asked int) {
	c := s.start()
	call := c.do(acpv1.MethodInitialize, c.initializeParams(asked))
	if !c.wantResult("INIT-3", call, "an unknown version") {
		return
	}
	r := resultOf[acpv1.InitializeResponse](call)
	switch {
	case r == nil:
		return
	case asked == newestVersion && r.ProtocolVersion == newestVersion, asked == 0 && r.ProtocolVersion == 0:
		s.fail("INIT-3", c.link, call.answer.n, call.n, "version %d is agreed to, which there is none of: the agent repeats what it is asked for", asked)
	case asked == 2 && r.ProtocolVersion > 2:
		s.fail("INIT-3", c.link, call.answer.n, call.n, "version %d is answered with %d", asked, r.ProtocolVersion)
	}
	c.ping("the handshake")
}

// badHandshakes sends handshakes that must be refused, and then a good one.
func (s *scene) badHandshakes(params ...any) {
	c := s.start()
	for _, p := range params {
		c.wantError(ruleParams, c.do(acpv1.MethodInitialize, p), "initialize with "+describeParams(p), acp.CodeInvalidParams, acp.CodeInvalidRequest)
	}
	c.initialize()
	c.newSession()
}

func describeParams(p any) string {
	if p == nil {
		return "no params"
	}
	return "the params " + text(p)
}

// pieces writes one line in pieces, cut at these offsets.
func (c *client) pieces(line string, cuts ...int) {
	if c.s.over {
		return
	}
	c.mu.Lock()
	n := c.log(c.side, []byte(line[:len(line)-1]))
	c.mu.Unlock()
	for start, i := 0, 0; i <= len(cuts); i++ {
		end := len(line)
		if i < len(cuts) {
			end = cuts[i]
		}
		if _, err := c.transport.Write([]byte(line[start:end])); err != nil {
			c.broken(n)
			return
		}
		start = end
		c.settle(10 * time.Millisecond)
	}
}
