package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	// DefaultTimeout is how long an answer may take.
	DefaultTimeout = 10 * time.Second
	// turns is how many times longer a turn may take than another answer.
	turns = 6
	// scenes is how many times longer than a turn a scenario may take.
	scenes = 3
)

// Options say how to run scenarios.
type Options struct {
	// Command is the program and its arguments. It must have one element at least.
	Command []string
	// Dir is the working directory of the program. If empty, that of this process.
	Dir string
	// Suites choose scenarios: areas, or areas and names joined by a slash, as [Choose] takes them. If empty, all run.
	Suites []string
	// Prompts are what makes an agent do things. If nil, [DefaultPrompts].
	Prompts *Prompts
	// Auth is the id of the way to log in that is used if the agent asks for a login. If empty, scenarios that need a session are not exercised then.
	Auth string
	// Jobs is how many scenarios may run at a time, each with a process of its own. If zero, one.
	Jobs int
	// Timeout is how long an answer may take. If zero, DefaultTimeout.
	Timeout time.Duration
	// TurnTimeout is how long a turn may take. If zero, six times Timeout.
	TurnTimeout time.Duration
	// Judge makes a judge for each connection. If nil, only what the scenarios look at is checked.
	Judge func() Judge
	// Stderr also gets what the program writes to standard error. If nil, nobody does.
	Stderr io.Writer
	// Progress is told of each result as it comes, which is not the order of the report if there are several jobs. It is never called twice at a time. If nil, nobody is.
	Progress func(*Result)
	// Bridge is a command that connects its standard streams to the Unix socket that its last argument names. Only the test of a client needs one.
	Bridge []string
}

func (o *Options) withDefaults() (*Options, error) {
	n := *o
	if len(n.Command) == 0 {
		return nil, errors.New("no command to test")
	}
	if n.Timeout == 0 {
		n.Timeout = DefaultTimeout
	}
	if n.TurnTimeout == 0 {
		n.TurnTimeout = turns * n.Timeout
	}
	n.TurnTimeout = max(n.TurnTimeout, n.Timeout)
	n.Jobs = max(n.Jobs, 1)
	if n.Prompts == nil {
		var err error
		if n.Prompts, err = DefaultPrompts(); err != nil {
			return nil, err
		}
	}
	return &n, nil
}

func (o *Options) judge() Judge {
	if o.Judge == nil {
		return nil
	}
	return o.Judge()
}

// Choose returns the scenarios that the names of areas, or of areas and names joined by a slash, stand for, without those whose name stands behind a minus sign. If no name
// is without one, it starts from all.
func Choose(all []Scenario, names []string) ([]Scenario, error) {
	var in, out []string
	for _, name := range names {
		name, minus := strings.CutPrefix(name, "-")
		if minus {
			out = append(out, name)
		} else {
			in = append(in, name)
		}
		if !slices.ContainsFunc(all, func(s Scenario) bool { return s.Area == name || s.ID() == name }) {
			return nil, fmt.Errorf("unknown suite %q; the areas are %s", name, strings.Join(Areas(all), ", "))
		}
	}
	named := func(names []string, s *Scenario) bool {
		return slices.Contains(names, s.Area) || slices.Contains(names, s.ID())
	}
	return slices.DeleteFunc(slices.Clone(all), func(s Scenario) bool {
		return len(in) > 0 && !named(in, &s) || named(out, &s)
	}), nil
}

// Areas returns the areas of scenarios, in their order.
func Areas(all []Scenario) []string {
	var names []string
	for _, s := range all {
		if !slices.Contains(names, s.Area) {
			names = append(names, s.Area)
		}
	}
	return names
}

// RunAgent goes through the scenarios for agents, several at a time if the options say so. The error says why it could not go on, a [*acp.StartError] if the agent cannot
// be started; what was found until then is in the report.
func RunAgent(ctx context.Context, o *Options) (*Report, error) { return run(ctx, o, AgentScenarios()) }

func run(ctx context.Context, o *Options, all []Scenario) (*Report, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	chosen, err := Choose(all, opts.Suites)
	if err != nil {
		return nil, err
	}
	patience := newPatience()
	return runAll(ctx, opts, chosen, func(ctx context.Context, s *Scenario) ([]Result, error) {
		r, err := play(ctx, opts, patience, s)
		if err != nil {
			return nil, err
		}
		return []Result{*r}, nil
	})
}

// play runs one scenario.
func play(ctx context.Context, opts *Options, patience *patience, scenario *Scenario) (r *Result, err error) {
	dir, err := os.MkdirTemp("", "acpcheck-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// Every wait has its own limit. This one is for what is stuck in between, such as a write that nobody reads.
	limit := scenes * opts.TurnTimeout
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	s := &scene{
		ctx: ctx, opts: opts, prompts: opts.Prompts, patience: patience, began: time.Now(), limit: limit, dir: dir,
		result: &Result{Area: scenario.Area, Name: scenario.Name, Doc: scenario.Doc},
	}
	for _, name := range scenario.Prompts {
		s.prompt(name, nil)
	}
	if !s.over {
		scenario.run(s)
	}
	s.finish()
	return s.result, s.err
}
