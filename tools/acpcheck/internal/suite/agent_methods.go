package suite

import (
	"math"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var methodScenarios = []Scenario{
	{Area: "methods", Name: "unknown-extension", Doc: "an unknown extension request is answered with -32601", run: func(s *scene) {
		c := s.open()
		for _, params := range []any{object{"x": 1}, object{}, nil} {
			call := c.do("_acpcheck/unknown", params)
			if !s.over && call.code() != acp.CodeMethodNotFound {
				s.warn("RPC-7", c.link, call.at(), call.n, "an unknown extension request is answered with %s instead of the error code %d", outcomeOf(call), acp.CodeMethodNotFound)
			}
		}
	}},
	{Area: "methods", Name: "unknown-request", Doc: "a request for a method that does not exist is answered with -32601", run: func(s *scene) {
		c := s.open()
		for _, method := range []string{"acpcheck/unknown", "session/unknown", "Initialize", "toString", "__proto__", "constructor", "session/update/"} {
			c.wantError(ruleMethod, c.do(method, object{}), "the method "+text(method), acp.CodeMethodNotFound, acp.CodeInvalidRequest)
		}
		c.ping("unknown methods")
	}},
	{Area: "methods", Name: "client-method", Doc: "a request that only agents make is refused", run: func(s *scene) {
		c := s.open()
		call := c.do(acpv1.MethodReadTextFile, object{"sessionId": "x", "path": "/x"})
		c.wantError(ruleMethod, call, "a method of clients", acp.CodeMethodNotFound)
	}},
	{Area: "methods", Name: "unknown-notification", Doc: "unknown notifications are ignored", run: func(s *scene) {
		c := s.open()
		c.ignores("_acpcheck/note", "acpcheck/note", "session/unknown")
	}},
	{Area: "methods", Name: "protocol-notification", Doc: "unknown protocol-level notifications are ignored", run: func(s *scene) {
		c := s.open()
		c.ignores("$/acpcheck", "$/progress")
	}},
	{Area: "methods", Name: "protocol-request", Doc: "an unknown protocol-level request is refused", run: func(s *scene) {
		c := s.open()
		c.wantError(ruleMethod, c.do("$/acpcheck", object{}), "an unknown protocol-level request")
	}},
	{Area: "methods", Name: "cancel-nothing", Doc: "cancelling a request that there is none of is ignored", run: func(s *scene) {
		c := s.open()
		n := c.notify(acpv1.MethodCancelRequest, object{"requestId": badID})
		c.notify(acpv1.MethodCancelRequest, object{"requestId": "nobody"})
		c.silent(n, "cancelling an unknown request")
	}},
	{Area: "methods", Name: "bad-notification", Doc: "a known notification with bad params is not answered", run: func(s *scene) {
		c := s.open()
		n := c.notify(acpv1.MethodCancel, object{"sessionId": 5})
		c.notify(acpv1.MethodCancel, object{})
		c.notify(acpv1.MethodCancelRequest, object{})
		c.silent(n, "a notification with bad params")
	}},
	{Area: "methods", Name: "ids", Doc: "ids of every kind come back as they were", run: func(s *scene) {
		c := s.open()
		ids := []wire.RequestID{
			wire.IntID(0), wire.IntID(-5), wire.IntID(1 << 40), wire.IntID(math.MaxInt32), wire.IntID(1<<53 - 1),
			wire.StringID(""), wire.StringID("1"), wire.StringID("null"), wire.StringID("a b/ü\"\\\u2028"), wire.StringID("__proto__"), wire.StringID("8d4c8e07-5f0e-4d4a-9d3b-2f0c6a1d7b11"),
		}
		for _, id := range ids {
			call, line := c.prepareAs(id, "_acpcheck/id", object{})
			call.n = c.send(line)
			c.until(s.opts.Timeout, func() bool { return call.answer != nil || len(c.stray) > 0 })
			if call.answer == nil && !s.over {
				s.fail("RPC-3", c.link, call.n, 0, "the request with the id %s has no answer with that id", id)
				s.stop()
			}
		}
	}},
	{Area: "methods", Name: "pipelined", Doc: "many requests in one write are all answered, each once", run: func(s *scene) {
		c := s.open()
		const many = 200
		var calls []*call
		var lines []string
		for range many {
			call, line := c.prepare("_acpcheck/many", object{})
			calls, lines = append(calls, call), append(lines, line)
		}
		n := c.send(lines...)
		for i, call := range calls {
			call.n = n - many + 1 + i
		}
		c.wait(calls...)
	}},
}

func outcomeOf(c *call) string {
	if c.failed() {
		return "the error code " + text(c.code())
	}
	return "a result"
}

// ignores checks that notifications have no consequences.
func (p *party) ignores(methods ...string) {
	for _, method := range methods {
		n := p.notify(method, object{"x": 1})
		p.silent(n, "the notification "+method)
	}
}

// silent checks that what was sent with frame n is not answered, and that the agent is alive.
func (p *party) silent(n int, what string) {
	p.ping(what)
	for _, m := range p.strangers(n) {
		p.s.fail("RPC-2", p.link, m.n, n, "%s is answered", what)
	}
}
