package suite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// object is a JSON object to be sent.
type object = map[string]any

// list is a JSON array to be sent.
type list = []any

// pingMethod is an extension that nobody has. Its answer shows that the connection is alive and that what was sent before has been read.
const pingMethod = "_acpcheck/ping"

// A party is our end of one connection in a scene.
type party struct {
	*link
	s     *scene
	ids   int
	calls map[wire.RequestID]*call
	// handlers answer the peer's requests, by their methods. Others are refused.
	handlers map[string]func(m *message)
	// observe is called with each notification of the peer. It may be nil.
	observe func(m *message)
	seen    []*message   // requests and notifications of the peer
	stray   []*message   // responses that answer no call
	quit    func()       // ends what is behind the connection; it may be nil
	process *acp.Process // what is behind the connection; nil if there is none
	whole   bool         // the connection has ended in order
	over    bool         // finish was called
	// abandoned says that the connection is ended in the middle of something, on purpose.
	abandoned bool
}

// A call is a request that was sent.
type call struct {
	id     wire.RequestID
	method string
	n      int      // its frame
	answer *message // nil until it has come
}

// ok reports whether it has a result.
func (c *call) ok() bool { return c.answer != nil && c.answer.f.Kind == acp.KindResponse }

// failed reports whether it has an error.
func (c *call) failed() bool { return c.answer != nil && c.answer.f.Kind == acp.KindError }

// code returns the code of the error; 0 if there is none that can be read.
func (c *call) code() int {
	if c.failed() && c.answer.f.Error != nil {
		return c.answer.f.Error.Code
	}
	return 0
}

// at returns the frame of the answer, or of the call if there is none.
func (c *call) at() int {
	if c.answer == nil {
		return c.n
	}
	return c.answer.n
}

// resultOf returns the decoded result; nil if there is none, or it is not what the schema asks for.
func resultOf[T any](c *call) *T {
	if !c.ok() || !c.answer.f.Valid() {
		return nil
	}
	r, _ := c.answer.f.Value.(any).(*T)
	return r
}

// paramsOf returns the decoded params of a message; nil if they are not what the schema asks for.
func paramsOf[T any](m *message) *T {
	if !m.f.Valid() {
		return nil
	}
	p, _ := m.f.Value.(any).(*T)
	return p
}

// join makes a party of a link, and of the process behind it, which may be nil.
func (s *scene) join(l *link, process *acp.Process) *party {
	p := &party{link: l, s: s, process: process, calls: map[wire.RequestID]*call{}, handlers: map[string]func(*message){}}
	s.parties = append(s.parties, p)
	return p
}

// finish ends the connection.
func (p *party) finish() {
	if p.over {
		return
	}
	p.over = true
	ended, _ := p.end()
	if p.quit != nil {
		p.quit()
	}
	p.whole = p.close() && !ended && !p.abandoned
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}

// frame returns a frame with these members beside jsonrpc.
func frame(members object) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0"`)
	for _, name := range []string{"id", "method", "params", "result", "error"} {
		if v, ok := members[name]; ok {
			if id, isID := v.(wire.RequestID); isID {
				v = json.RawMessage(id.String())
			}
			fmt.Fprintf(&b, ",%q:%s", name, text(v))
		}
	}
	b.WriteString("}")
	return b.String()
}

// send sends lines as they are.
func (p *party) send(lines ...string) int {
	if p.s.over {
		return 0
	}
	if p.s.ctx.Err() != nil {
		p.s.skip("it was not over within %v; see --timeout", p.s.limit)
		return 0
	}
	n, err := p.write(lines...)
	switch {
	case err == nil:
	case p.s.ctx.Err() != nil:
		p.abandoned = true
		p.s.fail(ruleAlive, p.link, n, 0, "the %s did not read what was sent to it until the time for all of the scenario was over", p.peer())
		p.s.stop()
	default:
		p.broken(n)
	}
	return n
}

// prepare returns a request to be sent later, and its line.
func (p *party) prepare(method string, params any) (*call, string) {
	p.ids++
	return p.prepareAs(wire.IntID(int64(p.ids)), method, params)
}

func (p *party) prepareAs(id wire.RequestID, method string, params any) (*call, string) {
	if p.s.patience.isOver(method) {
		p.s.skip(whyOver, method, enough)
	}
	c := &call{id: id, method: method}
	members := object{"id": id, "method": method}
	if params != nil {
		members["params"] = params
	}
	p.calls[id.Key()] = c
	p.expect(id, method)
	return c, frame(members)
}

// begin sends a request.
func (p *party) begin(method string, params any) *call {
	c, line := p.prepare(method, params)
	c.n = p.send(line)
	return c
}

// do sends a request and waits for the answer.
func (p *party) do(method string, params any) *call {
	c := p.begin(method, params)
	p.wait(c)
	return c
}

// notify sends a notification.
func (p *party) notify(method string, params any) int {
	members := object{"method": method}
	if params != nil {
		members["params"] = params
	}
	return p.send(frame(members))
}

// wait waits for the answers to calls. If one does not come, that is a failure and the end of the scenario.
func (p *party) wait(calls ...*call) bool {
	limit := p.s.opts.Timeout
	if slices.ContainsFunc(calls, func(c *call) bool { return c.method == acpv1.MethodInitialize }) {
		limit = p.s.opts.TurnTimeout // a program takes its time to start
	}
	return p.waitFor(limit, calls...)
}

// waitFor is wait with a limit for the time from one answer to the next.
func (p *party) waitFor(limit time.Duration, calls ...*call) bool {
	missing := func() (n int) {
		for _, c := range calls {
			if c.answer == nil {
				n++
			}
		}
		return n
	}
	for left := missing(); left > 0; left = missing() {
		if !p.until(limit, func() bool { return missing() < left }) {
			break
		}
	}
	i := slices.IndexFunc(calls, func(c *call) bool { return c.answer == nil })
	if i < 0 || p.s.over {
		return i < 0 && !p.s.over
	}
	if ended, _ := p.end(); ended {
		p.broken(calls[i].n)
		return false
	}
	p.abandoned = true
	p.s.patience.wasSilent(calls[i].method)
	p.s.fail("RPC-5", p.link, calls[i].n, 0, "%s was not answered within %v", calls[i].method, limit)
	p.s.stop()
	return false
}

// until takes messages until the condition holds. It gives up after a time, or when the connection ends.
func (p *party) until(limit time.Duration, condition func() bool) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	// A peer that never falls silent must not keep the timer from being seen.
	for end := time.Now().Add(limit); !p.s.over; {
		if condition() {
			return true
		}
		m := p.next(timer.C)
		if m == nil {
			return condition()
		}
		p.receive(m)
		if !time.Now().Before(end) {
			return condition()
		}
	}
	return false
}

// settle takes messages for some time.
func (p *party) settle(d time.Duration) {
	if ended, _ := p.end(); ended {
		return
	}
	p.until(d, func() bool { return false })
}

func (p *party) receive(m *message) {
	switch m.f.Kind {
	case acp.KindResponse, acp.KindError:
		if c := p.calls[m.f.ID.Key()]; c != nil && m.f.HasID && c.answer == nil {
			c.answer = m
			p.s.patience.hasAnswered(c.method)
		} else {
			p.stray = append(p.stray, m)
		}
	case acp.KindNotification:
		p.seen = append(p.seen, m)
		if p.observe != nil {
			p.observe(m)
		}
	case acp.KindRequest:
		p.seen = append(p.seen, m)
		switch handle := p.handlers[m.f.Method]; {
		case !m.f.HasID:
		case handle == nil:
			p.refuse(m, acp.CodeMethodNotFound, "method not found")
		case !m.f.Valid():
			p.refuse(m, acp.CodeInvalidParams, "invalid params")
		default:
			handle(m)
		}
	case acp.KindUnknown:
	}
}

// answer answers a request of the peer.
func (p *party) answer(m *message, result any) {
	p.send(frame(object{"id": m.f.ID, "result": result}))
}

// refuse answers a request of the peer with an error.
func (p *party) refuse(m *message, code int, why string) {
	p.send(frame(object{"id": m.f.ID, "error": object{"code": code, "message": why}}))
}

// requests returns the requests and notifications of the peer for the method.
func (p *party) requests(method string) []*message {
	var found []*message
	for _, m := range p.seen {
		if m.f.Method == method {
			found = append(found, m)
		}
	}
	return found
}

// ping checks that the peer is alive after what was sent before.
func (p *party) ping(after string) {
	if p.s.over {
		return
	}
	c := p.begin(pingMethod, object{})
	p.until(p.s.opts.Timeout, func() bool { return c.answer != nil })
	if c.answer != nil || p.s.over {
		return
	}
	if ended, _ := p.end(); ended {
		p.broken(c.n)
		return
	}
	p.abandoned = true
	p.s.patience.wasSilent(pingMethod)
	p.s.fail(ruleAlive, p.link, c.n, 0, "after %s, the %s does not answer any more", after, p.peer())
	p.s.stop()
}

// wantError checks that a call was answered with an error; with one of the codes, if there are any.
func (p *party) wantError(rule string, c *call, what string, codes ...int) {
	switch {
	case p.s.over || c.answer == nil:
	case c.ok():
		p.s.fail(rule, p.link, c.answer.n, c.n, "%s is answered with a result, not with an error", what)
	case len(codes) > 0 && !slices.Contains(codes, c.code()):
		p.s.fail(rule, p.link, c.answer.n, c.n, "%s is answered with the error code %d instead of %s", what, c.code(), oneOf(codes))
	}
}

func oneOf(codes []int) string {
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = fmt.Sprint(c)
	}
	return strings.Join(words, " or ")
}

// wantResult checks that a call has a result. If not, the scenario is over.
func (p *party) wantResult(rule string, c *call, what string) bool {
	if p.s.over || c.answer == nil {
		return false
	}
	if c.failed() {
		message := ""
		if c.answer.f.Error != nil {
			message = ": " + c.answer.f.Error.Message
		}
		p.s.fail(rule, p.link, c.answer.n, c.n, "%s is refused with the error code %d%s", what, c.code(), message)
		p.s.stop()
		return false
	}
	return true
}

// updatesOf returns the updates of a session, with their frames.
func (p *party) updatesOf(session string) []update {
	var found []update
	for _, m := range p.requests(acpv1.MethodSessionUpdate) {
		if n := paramsOf[acpv1.SessionNotification](m); n != nil && string(n.SessionID) == session {
			found = append(found, update{m.n, n.Update})
		}
	}
	return found
}

// An update is a session/update.
type update struct {
	n int
	acpv1.SessionUpdate
}
