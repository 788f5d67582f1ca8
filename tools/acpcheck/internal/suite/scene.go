package suite

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// maxSame is how many findings of one rule are kept of a connection.
const maxSame = 20

// A Scenario is one test of the program.
type Scenario struct {
	// Area and Name choose it, joined by a slash.
	Area, Name string
	// Doc says what is tested, in one line.
	Doc string
	// Prompts are the names of the prompts that it takes; see [Prompts].
	Prompts []string
	// Alone says that no other scenario may run at the same time: it looks at what agents may keep in common, or takes all of the machine.
	Alone bool

	run func(s *scene)
}

// ID returns the area and the name.
func (s *Scenario) ID() string { return s.Area + "/" + s.Name }

// A scene is a scenario at work. Once it is over, because something stands in its way, what is left of the script does nothing.
type scene struct {
	ctx      context.Context
	opts     *Options
	prompts  *Prompts
	patience *patience
	began    time.Time
	limit    time.Duration // after which ctx ends
	dir      string        // for the files of the program
	result   *Result
	parties  []*party
	over     bool
	err      error // why nothing can be tested
	// forgiven are rules whose warnings do not count: what the script has brought about may be a race.
	forgiven []string
}

func (s *scene) forgive(rule string) { s.forgiven = append(s.forgiven, rule) }

// fail reports that a rule was broken by a frame, which may be 0.
func (s *scene) fail(rule string, c *link, n, earlier int, format string, args ...any) {
	s.find(Finding{Rule: rule, Message: fmt.Sprintf(format, args...), Frame: n, Earlier: earlier}, c)
}

// warn reports what is against a recommendation.
func (s *scene) warn(rule string, c *link, n, earlier int, format string, args ...any) {
	s.find(Finding{Rule: rule, Warning: true, Message: fmt.Sprintf(format, args...), Frame: n, Earlier: earlier}, c)
}

func (s *scene) find(f Finding, l *link) {
	if s.over {
		return
	}
	for i, c := range s.parties {
		if c.link == l {
			f.Connection = i + 1
		}
	}
	s.result.Findings = append(s.result.Findings, f)
}

// skip ends the scenario: what it is about cannot or did not happen.
func (s *scene) skip(format string, args ...any) {
	if !s.over {
		s.over, s.result.Why = true, fmt.Sprintf(format, args...)
	}
}

// stop ends the scenario after a failure that makes the rest pointless.
func (s *scene) stop() { s.over = true }

// finish closes what is open and adds what the judges say.
func (s *scene) finish() {
	own := Result{Findings: s.result.Findings} // what the script itself has found
	for i, c := range s.parties {
		c.finish()
		frames, verdicts := c.judged(c.whole)
		s.result.Connections = append(s.result.Connections, frames)
		seen := map[string]int{}
		for _, v := range verdicts {
			if seen[v.Rule]++; seen[v.Rule] > maxSame {
				continue
			}
			f := Finding{Rule: v.Rule, Warning: v.Warning, Message: v.Message, Frame: v.Frame, Earlier: v.Earlier, Connection: i + 1}
			if v.By != c.side && !own.has(&f) && !(v.Warning && slices.Contains(s.forgiven, v.Rule)) {
				s.result.Findings = append(s.result.Findings, f)
			}
		}
	}
	s.result.Took = time.Since(s.began)
	s.result.settle()
}
