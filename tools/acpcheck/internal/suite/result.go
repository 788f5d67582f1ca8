package suite

import (
	"fmt"
	"slices"
	"time"

	"github.com/acpwire/acpwire/gen/wire"
)

// An Outcome is how a scenario ended.
type Outcome uint8

// The outcomes, from the best.
const (
	// Passed: the scenario happened and nothing was wrong.
	Passed Outcome = iota
	// NotExercised: what the scenario is about did not happen.
	NotExercised
	// Warned: something is against a recommendation, or probably wrong.
	Warned
	// Failed: something is against what the protocol demands.
	Failed
)

// String returns "passed", "not exercised", "warned" or "failed".
func (o Outcome) String() string {
	switch o {
	case Passed:
		return "passed"
	case NotExercised:
		return "not exercised"
	case Warned:
		return "warned"
	case Failed:
		return "failed"
	}
	return "unknown"
}

// A Frame is one line of the wire.
type Frame struct {
	// From is the side that sent it; BothSides for a remark about the connection.
	From wire.Side
	// Line is the line without its end.
	Line []byte
	// At is when it was sent or received, since the scenario's start.
	At time.Duration
}

// A Finding is one thing that is wrong.
type Finding struct {
	// Rule is the id of the rule that is broken; see [Explain].
	Rule string
	// Warning says that it is no failure.
	Warning bool
	// Message says what is wrong.
	Message string
	// Frame and Earlier are the numbers of the frames that show it, from 1 in their connection; 0 if there is none.
	Frame, Earlier int
	// Connection is the number of the connection within the scenario, from 1.
	Connection int
}

// String returns the finding on one line.
func (f *Finding) String() string {
	kind := "error"
	if f.Warning {
		kind = "warning"
	}
	return fmt.Sprintf("%s %s: %s", kind, f.Rule, f.Message)
}

// A Result is what became of one scenario.
type Result struct {
	// Area and Name are those of the scenario.
	Area, Name string
	// Doc is what it tests.
	Doc string
	// Outcome is how it ended.
	Outcome Outcome
	// Findings are what is wrong, in the order in which it was found.
	Findings []Finding
	// Why is why it was not exercised.
	Why string
	// Connections are the frames of each connection.
	Connections [][]Frame
	// Took is how long it took.
	Took time.Duration
}

// ID returns the area and the name, which chooses the scenario.
func (r *Result) ID() string { return r.Area + "/" + r.Name }

// has reports whether one of the findings says the same of the same frame.
func (r *Result) has(f *Finding) bool {
	return slices.ContainsFunc(r.Findings, func(g Finding) bool {
		return g.Rule == f.Rule && g.Connection == f.Connection && (g.Frame == f.Frame || f.Frame == g.Earlier)
	})
}

// settle sets the outcome that the findings call for.
func (r *Result) settle() {
	r.Outcome = Passed
	for _, f := range r.Findings {
		if !f.Warning {
			r.Outcome = Failed
			return
		}
		r.Outcome = Warned
	}
	if r.Outcome == Passed && r.Why != "" {
		r.Outcome = NotExercised
	}
}

// A Tally counts outcomes.
type Tally struct {
	// Passed, Failed, Warned and NotExercised are how many scenarios ended so.
	Passed, Failed, Warned, NotExercised int
}

func (t *Tally) add(o Outcome) {
	switch o {
	case Passed:
		t.Passed++
	case NotExercised:
		t.NotExercised++
	case Warned:
		t.Warned++
	case Failed:
		t.Failed++
	}
}

// A Report is what became of a run.
type Report struct {
	// Command is the program that was tested, with its arguments.
	Command []string
	// Tool is how a shell starts acpcheck. If empty, "acpcheck".
	Tool string
	// Flags are the command of acpcheck and its flags without those that choose scenarios, for the command line that runs one scenario again.
	Flags []string
	// Results are in the order in which the scenarios ran.
	Results []Result
}

// Tally counts all outcomes.
func (r *Report) Tally() Tally {
	var t Tally
	for i := range r.Results {
		t.add(r.Results[i].Outcome)
	}
	return t
}

// An areaTally is one row of the matrix.
type areaTally struct {
	area string
	Tally
}

// matrix counts the outcomes of each area, in the order of their first scenarios.
func (r *Report) matrix() []areaTally {
	var rows []areaTally
	index := map[string]int{}
	for i := range r.Results {
		area := r.Results[i].Area
		at, ok := index[area]
		if !ok {
			at = len(rows)
			index[area] = at
			rows = append(rows, areaTally{area: area})
		}
		rows[at].add(r.Results[i].Outcome)
	}
	return rows
}
