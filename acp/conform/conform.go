package conform

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// DefaultRemember is [Options.Remember] if that is zero.
const DefaultRemember = 1 << 16

// DefaultPrompt is [Options.Prompt] if that is zero.
const DefaultPrompt = 10 * time.Second

// Options change what a [Checker] looks for. The zero value is ready to use: every rule but opinions, for a whole connection.
type Options struct {
	// Only are the ids of the rules to check. If empty, all are.
	Only []string
	// Skip are the ids of rules not to check.
	Skip []string
	// Opinions adds the rules that are opinions.
	Opinions bool
	// SchemaWins makes an error of what the documentation shows and the schema forbids. If false, that is a warning, for the sources contradict each other.
	SchemaWins bool
	// Partial says that frames before the first are missing. Then sessions, tool calls and capabilities that were not seen may exist.
	Partial bool
	// Closed says that the connection came to its end in order. Then what is missing at the end is an error; otherwise it is a warning, for the recording may
	// have been cut off.
	Closed bool
	// Prompt is how long an answer that must not wait may take, if the frames' times are known; see [Checker.At]. If zero, DefaultPrompt.
	Prompt time.Duration
	// Remember is how many things of one kind that are over are remembered. If zero, DefaultRemember.
	Remember int
}

// A Checker follows one connection. Create it with [New]. It is not safe for concurrent use.
type Checker struct {
	opts     Options
	table    *table
	client   *acp.Parser
	agent    *acp.Parser
	tolerant [2]*acp.Parser // what the client and the agent send, once more, to follow what is invalid
	st       state
	n        int
	frame    acp.Frame
	out      []Finding
	step     step
}

// New returns a checker of a connection. If opts is nil, the zero Options.
func New(opts *Options) *Checker {
	c := &Checker{}
	if opts != nil {
		c.opts = *opts
	}
	c.opts.Remember = cmp.Or(c.opts.Remember, DefaultRemember)
	c.opts.Prompt = cmp.Or(c.opts.Prompt, DefaultPrompt)
	c.table = newTable(func(r *Rule) bool {
		if r.Severity == Opinion && !c.opts.Opinions && !slices.Contains(c.opts.Only, r.ID) {
			return false
		}
		return (len(c.opts.Only) == 0 || slices.Contains(c.opts.Only, r.ID)) && !slices.Contains(c.opts.Skip, r.ID)
	})
	c.st = newState(&c.opts)
	c.client, c.agent = acp.NewParser(acpv1.Surface, wire.ClientSide), acp.NewParser(acpv1.Surface, wire.AgentSide)
	c.client.Pending, c.agent.Pending = c.Pending(wire.ClientSide), c.Pending(wire.AgentSide)
	for i, side := range []wire.Side{wire.ClientSide, wire.AgentSide} {
		c.tolerant[i] = acp.NewParser(acpv1.Surface, side)
		c.tolerant[i].Pending = c.Pending(side)
		c.tolerant[i].Decode.Lenient = true
	}
	return c
}

// Pending returns what to set as the Pending of an [acp.Parser] of what the side from sends, by a caller that parses frames itself for [Checker.Parsed].
func (c *Checker) Pending(from wire.Side) func(wire.RequestID) (acp.Pending, bool) {
	peer := &c.st.peer(from).pending
	return func(id wire.RequestID) (acp.Pending, bool) {
		r, ok := (*peer)[id.Key()]
		if !ok {
			return acp.Pending{}, false
		}
		return acp.Pending{Method: r.result()}, true
	}
}

// At sets the time of the frames to come, from any moment. Rules about time are silent unless it is called.
func (c *Checker) At(t time.Duration) { c.st.now, c.st.timed = t, true }

// Skip counts a line that is not to be judged.
func (c *Checker) Skip() { c.n++ }

// Frame judges the next line, which the side from sent, without its line end. It returns what is wrong with it, which is valid until the next call.
func (c *Checker) Frame(from wire.Side, line []byte) []Finding {
	if len(bytes.TrimSpace(line)) == 0 {
		return c.blank(from)
	}
	p := c.client
	if from == wire.AgentSide {
		p = c.agent
	}
	p.Parse(line, &c.frame)
	return c.Parsed(from, line, &c.frame)
}

// blank judges a line without a message. Many readers pass over them, and one finding a side will do.
func (c *Checker) blank(from wire.Side) []Finding {
	c.n++
	c.out = c.out[:0]
	x := &c.step
	*x = step{c: c, st: &c.st, n: c.n, from: from, f: &c.frame, blank: true}
	c.frame = acp.Frame{}
	if c.st.once("blank "+from.String(), c.n) {
		x.runAll(c.table.fault[x.notAMessage()])
	}
	return c.out
}

// Parsed is [Checker.Frame] for a frame that the caller has parsed, strictly, by a parser whose Pending is that of the checker.
func (c *Checker) Parsed(from wire.Side, line []byte, f *acp.Frame) []Finding {
	c.n++
	c.out = c.out[:0]
	x := &c.step
	*x = step{c: c, st: &c.st, n: c.n, from: from, f: f, line: line}
	x.resolve()
	c.table.run(x)
	x.apply()
	return c.out
}

// Closed sets [Options.Closed], for a caller that knows only at the end how the connection came to it.
func (c *Checker) Closed() { c.opts.Closed = true }

// End says that the connection has ended and returns what is missing.
func (c *Checker) End() []Finding {
	c.out = nil
	x := &step{c: c, st: &c.st, n: c.n, f: &acp.Frame{}}
	x.runAll(c.table.end)
	slices.SortStableFunc(c.out, func(a, b Finding) int { return cmp.Compare(a.Frame, b.Frame) })
	return c.out
}
