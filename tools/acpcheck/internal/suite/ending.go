package suite

import (
	"errors"
	"strings"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// lastWords is how long a connection that breaks may take to say why.
const lastWords = time.Second

// peer is what the other side is called.
func (l *link) peer() string {
	if l.side == wire.AgentSide {
		return "client"
	}
	return "agent"
}

// broken reports that the connection has ended by frame n though nobody asked for it, and ends the scenario.
func (p *party) broken(n int) {
	p.abandoned = true
	p.pause(false)
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	_, err := p.end()
	if p.s.ctx.Err() != nil && err == nil {
		// It has ended because we have ended it.
		p.s.skip("it was not over within %v; see --timeout", p.s.limit)
		return
	}
	rule := ruleAlive
	for _, c := range p.calls {
		if c.answer == nil && c.method == acpv1.MethodInitialize {
			p.s.patience.wasSilent(c.method)
			if p.received() == 1 { // that is all there was
				rule = ruleStart
			}
		}
	}
	p.s.fail(rule, p.link, n, 0, "%s", p.ending(err))
	p.s.stop()
}

// ending says how the connection ended.
func (p *party) ending(err error) string {
	if exit := (*acp.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "the connection broke: " + err.Error()
	}
	if p.process == nil {
		return "the " + p.peer() + " closed the connection"
	}
	state := p.process.State()
	if state == nil {
		return "the " + p.peer() + " closed its standard output"
	}
	said := "the " + p.peer() + " ended with " + state.String()
	if line := lastLine(p.process.Stderr()); line != "" {
		said += "; the last that it wrote to standard error: " + line
	}
	return said
}

// lastLine returns the last line that is not empty.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
