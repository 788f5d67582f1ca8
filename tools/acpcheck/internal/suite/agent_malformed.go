package suite

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/acp"
)

// badID is the id of malformed requests. No other request has it.
const badID = 7777

// A malformed is a line that is no message, and what it may be answered with.
type malformed struct {
	line string
	// codes are the codes of errors that fit. If empty, the line must not be answered.
	codes []int
	// id says that the error may have badID: it can be read.
	id bool
	// result says that a reader may also see a valid request in it.
	result bool
	// unanswerable says that silence is right too: nobody waits for an answer.
	unanswerable bool
}

var (
	parseError     = []int{acp.CodeParseError}
	invalidRequest = []int{acp.CodeInvalidRequest}
	eitherError    = []int{acp.CodeParseError, acp.CodeInvalidRequest}
)

var malformedScenarios = []Scenario{
	{Area: "malformed", Name: "not-json", Doc: "lines that are not JSON", run: tryMalformed(
		malformed{line: `this is not JSON`, codes: parseError},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":"_acpcheck/x"`, codes: parseError},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":"_acpcheck/x"}}`, codes: parseError},
		malformed{line: `{'jsonrpc':'2.0'}`, codes: parseError},
		malformed{line: `}`, codes: parseError},
	)},
	{Area: "malformed", Name: "headers", Doc: "header lines as other protocols have them", run: tryMalformed(malformed{line: "Content-Length: 44", codes: parseError})},
	{Area: "malformed", Name: "blank", Doc: "blank lines", run: tryMalformed(malformed{line: ""}, malformed{line: "   \t"}, malformed{line: "\r"})},
	{Area: "malformed", Name: "not-utf8", Doc: "bytes that are not UTF-8", run: tryMalformed(
		malformed{line: "\xff\xfe{}", codes: eitherError},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":"_acpcheck/` + "\xff" + `"}`, codes: []int{acp.CodeParseError, acp.CodeInvalidRequest, acp.CodeMethodNotFound}, id: true, result: true},
	)},
	{Area: "malformed", Name: "scalar", Doc: "JSON that is no object", run: tryMalformed(
		malformed{line: `42`, codes: invalidRequest}, malformed{line: `"x"`, codes: invalidRequest}, malformed{line: `null`, codes: invalidRequest}, malformed{line: `true`, codes: invalidRequest},
	)},
	{Area: "malformed", Name: "batch", Doc: "arrays of messages, which the protocol does not have", run: tryMalformed(
		malformed{line: `[]`, codes: invalidRequest},
		malformed{line: `[{"jsonrpc":"2.0","id":7777,"method":"_acpcheck/x"}]`, codes: invalidRequest},
		malformed{line: `[1,2]`, codes: invalidRequest},
	)},
	{Area: "malformed", Name: "empty-object", Doc: "objects that are no message", run: tryMalformed(
		malformed{line: `{}`, codes: invalidRequest}, malformed{line: `{"jsonrpc":"2.0"}`, codes: invalidRequest}, malformed{line: `{"hello":"world"}`, codes: invalidRequest},
	)},
	{Area: "malformed", Name: "jsonrpc", Doc: "requests with no or another version of JSON-RPC", run: tryMalformed(
		malformed{line: `{"id":7777,"method":"_acpcheck/x"}`, codes: lax(invalidRequest), id: true, result: true},
		malformed{line: `{"jsonrpc":"1.0","id":7777,"method":"_acpcheck/x"}`, codes: lax(invalidRequest), id: true, result: true},
		malformed{line: `{"jsonrpc":2,"id":7777,"method":"_acpcheck/x"}`, codes: lax(invalidRequest), id: true, result: true},
	)},
	{Area: "malformed", Name: "request-id", Doc: "requests whose id is no id", run: tryMalformed(
		malformed{line: `{"jsonrpc":"2.0","id":true,"method":"_acpcheck/x"}`, codes: lax(invalidRequest)},
		malformed{line: `{"jsonrpc":"2.0","id":{"a":1},"method":"_acpcheck/x"}`, codes: lax(invalidRequest)},
		malformed{line: `{"jsonrpc":"2.0","id":[1],"method":"_acpcheck/x"}`, codes: lax(invalidRequest)},
	)},
	{Area: "malformed", Name: "method", Doc: "requests whose method is no string", run: tryMalformed(
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":1}`, codes: invalidRequest, id: true},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":null}`, codes: invalidRequest, id: true},
		malformed{line: `{"jsonrpc":"2.0","id":7777}`, codes: invalidRequest, id: true, unanswerable: true},
	)},
	{Area: "malformed", Name: "params", Doc: "requests whose params are no object", run: tryMalformed(
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":"session/new","params":5}`, codes: []int{acp.CodeInvalidRequest, acp.CodeInvalidParams}, id: true},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":"session/new","params":"x"}`, codes: []int{acp.CodeInvalidRequest, acp.CodeInvalidParams}, id: true},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":"session/new","params":[1]}`, codes: []int{acp.CodeInvalidRequest, acp.CodeInvalidParams}, id: true},
	)},
	{Area: "malformed", Name: "response", Doc: "responses that answer nothing", run: tryMalformed(
		malformed{line: `{"jsonrpc":"2.0","id":7777,"result":{}}`},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"error":{"code":-32603,"message":"x"}}`},
		malformed{line: `{"jsonrpc":"2.0","id":"7777","result":null}`},
		malformed{line: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`},
	)},
	{Area: "malformed", Name: "response-shape", Doc: "responses that are none", run: tryMalformed(
		malformed{line: `{"jsonrpc":"2.0","id":7777,"result":{},"error":{"code":1,"message":"x"}}`, codes: invalidRequest, id: true, unanswerable: true},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"error":"x"}`, codes: invalidRequest, id: true, unanswerable: true},
		malformed{line: `{"jsonrpc":"2.0","result":{}}`, codes: invalidRequest, unanswerable: true},
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":"_acpcheck/x","result":{}}`, codes: lax(invalidRequest), id: true, result: true, unanswerable: true},
	)},
	{Area: "malformed", Name: "deep", Doc: "values nested deeper than anyone needs", run: tryMalformed(
		malformed{line: `{"jsonrpc":"2.0","id":7777,"method":"_acpcheck/x","params":{"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}`,
			codes: []int{acp.CodeParseError, acp.CodeInvalidRequest, acp.CodeInvalidParams, acp.CodeMethodNotFound}, id: true, result: true},
	)},
	{Area: "malformed", Name: "long", Doc: "a long line that is not JSON", run: tryMalformed(malformed{line: strings.Repeat("x", 1<<20), codes: parseError})},
	{Area: "malformed", Name: "missing-params", Doc: "requests without a member that they must have", run: func(s *scene) {
		c, x := s.ready()
		for _, try := range []struct {
			method string
			params object
		}{
			{"session/new", object{"mcpServers": list{}}},
			{"session/new", object{"cwd": 5, "mcpServers": list{}}},
			{"session/prompt", object{"sessionId": x.id}},
			{"session/prompt", object{"prompt": list{}}},
			{"session/prompt", object{"sessionId": x.id, "prompt": "x"}},
			{"session/prompt", object{"sessionId": 5, "prompt": list{}}},
			{"session/prompt", object{"sessionId": x.id, "prompt": list{object{"type": "text"}}}},
		} {
			c.wantError(ruleParams, c.do(try.method, try.params), try.method+" with the params "+text(try.params), acp.CodeInvalidParams)
		}
		c.ping("bad params")
	}},
}

// lax adds the code that a reader answers who takes the line for a valid request of an unknown method.
func lax(codes []int) []int { return append([]int{acp.CodeMethodNotFound}, codes...) }

func tryMalformed(lines ...malformed) func(*scene) {
	return func(s *scene) {
		c := s.open()
		for _, m := range lines {
			c.tryMalformed(m)
		}
	}
}

// tryMalformed sends one line and a ping behind it. What comes that answers neither the ping nor any other request answers the line.
func (p *party) tryMalformed(m malformed) {
	if p.s.over {
		return
	}
	what := excerpt(m.line)
	if m.id {
		p.s.forgive("RPC-3") // a judge that cannot read the id either cannot know that it is answered
	}
	n := p.send(m.line)
	p.ping(what)
	if p.s.over {
		return
	}
	answers := p.strangers(n)
	if len(m.codes) == 0 {
		for _, a := range answers {
			p.s.fail(ruleCode, p.link, a.n, n, "%s is answered, and needs no answer", what)
		}
		return
	}
	if len(answers) == 0 && !m.unanswerable {
		p.s.warn(ruleCode, p.link, n, 0, "%s is not answered", what)
	}
	for i, a := range answers {
		p.judgeAnswer(m, a, n, what)
		if i > 0 {
			p.s.fail(ruleCode, p.link, a.n, n, "%s is answered more than once", what)
		}
	}
}

func (p *party) judgeAnswer(m malformed, a *message, n int, what string) {
	null := a.f.ID.IsNull()
	id, _ := a.f.ID.Int()
	switch {
	case a.f.Kind == acp.KindResponse && m.result && id == badID:
	case a.f.Kind == acp.KindResponse:
		p.s.fail(ruleCode, p.link, a.n, n, "%s is answered with a result", what)
	case !null && (id != badID || !m.id):
		p.s.fail(ruleCode, p.link, a.n, n, "the error that answers %s has the id %s", what, a.f.ID)
	case a.f.Error == nil:
	default:
		for _, code := range m.codes {
			if a.f.Error.Code == code {
				return
			}
		}
		p.s.fail(ruleCode, p.link, a.n, n, "%s is answered with the error code %d instead of %s", what, a.f.Error.Code, oneOf(m.codes))
	}
}

// received returns how many frames there are.
func (l *link) received() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.frames)
}

// strangers returns the responses after frame n that answer no call.
func (p *party) strangers(n int) []*message {
	var found []*message
	for _, m := range p.stray {
		if m.n > n {
			found = append(found, m)
		}
	}
	return found
}

// excerpt returns a line for a message.
func excerpt(line string) string {
	const most = 60
	if len(line) > most {
		return fmt.Sprintf("%q… (%d bytes)", line[:most], len(line))
	}
	return fmt.Sprintf("%q", line)
}
