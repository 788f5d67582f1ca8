package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/suite"
)

var testCommand = command{
	name:    "test",
	summary: "drive an agent through scenarios",
	help: `usage: acpcheck test [flags] -- AGENT ARGS...

Plays the client of an agent. Each scenario starts the agent anew, talks to it on its standard streams, and judges what it
does by the rules of the protocol. The agent gets no more than a directory of its own; files are read and written in it,
and commands that it wants to run are not run.

What an agent does depends on the prompt. Without --prompt-map, prompts are the slash commands of acpagent. For another
agent, write a YAML file with a prompt for each of these names; leave out what the agent cannot be made to do:

` + suite.PromptHelp() + `
In a prompt, {dir} stands for the session's directory, {file} for a file in it, {marker} for a word and {mode} for a mode.

A scenario that could not happen is "not exercised", and has not passed.

areas: ` + strings.Join(suite.Areas(suite.AgentScenarios()), ", ") + `
`,
	declare: func(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
		var f suiteFlags
		f.declare(flags)
		promptMap := flags.String("prompt-map", "", "`FILE`\twhat to say to the agent, in YAML; default: the commands of acpagent")
		return func(ctx context.Context, args []string) error {
			opts, err := f.options(std, args)
			if err != nil {
				return fmt.Errorf("test: %w; see acpcheck test --help", err)
			}
			if *promptMap != "" {
				f.set = append(f.set, "--prompt-map", *promptMap)
				if opts.Prompts, err = readPrompts(*promptMap); err != nil {
					return fmt.Errorf("test: --prompt-map: %w", err)
				}
			}
			if f.list {
				return listScenarios(std, suite.AgentScenarios(), opts.Suites)
			}
			return f.run(ctx, std, opts, suite.RunAgent)
		}
	},
}

func readPrompts(file string) (*suite.Prompts, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return suite.ParsePrompts(file, text)
}

// suiteFlags are the flags that test and test-client have in common.
type suiteFlags struct {
	command          string
	suites, format   string
	record           string
	timeout          time.Duration
	list, showStderr bool
	set              []string // flags that were given, for reproduction
}

func (f *suiteFlags) declare(flags *flag.FlagSet) {
	f.command = flags.Name()
	flags.StringVar(&f.suites, "suite", "", "`LIST`\tareas, or scenarios as AREA/NAME, with commas between them; default: all")
	flags.StringVar(&f.format, "format", "text", "`text|json|junit`\tfor people, one record a line, or XML for CI")
	flags.StringVar(&f.record, "record", "", "`DIR`\twrite the frames of each scenario to a file in DIR, for acpcheck validate")
	flags.DurationVar(&f.timeout, "timeout", suite.DefaultTimeout, "`DURATION`\thow long an answer may take; a turn may take six times as long")
	flags.BoolVar(&f.list, "list", false, "list the scenarios and exit")
	flags.BoolVar(&f.showStderr, "stderr", false, "show what the program writes to standard error")
}

// options checks the flags.
func (f *suiteFlags) options(std streams, args []string) (*suite.Options, error) {
	opts := &suite.Options{Command: args, Timeout: f.timeout, Judge: suite.NewJudge}
	for name := range strings.SplitSeq(f.suites, ",") {
		if name = strings.TrimSpace(name); name != "" {
			opts.Suites = append(opts.Suites, name)
		}
	}
	switch {
	case f.timeout <= 0:
		return nil, fmt.Errorf("--timeout %v: expected more than nothing", f.timeout)
	case len(args) == 0 && !f.list:
		return nil, errors.New("the command to test is missing")
	}
	var format suite.Format
	if err := choose("format", f.format, &format, suite.Formats()); err != nil {
		return nil, err
	}
	if f.showStderr {
		opts.Stderr = std.err
	}
	return opts, nil
}

// run runs the scenarios and reports.
func (f *suiteFlags) run(ctx context.Context, std streams, opts *suite.Options, all func(context.Context, *suite.Options) (*suite.Report, error)) error {
	if f.record != "" {
		if err := os.MkdirAll(f.record, 0o700); err != nil {
			return fmt.Errorf("%s: --record: %w", f.command, err)
		}
	}
	var recordErr error
	terminal := isTerminal(std.err)
	opts.Progress = func(r *suite.Result) {
		if f.record != "" {
			recordErr = errors.Join(recordErr, suite.Record(f.record, r))
		}
		if terminal {
			fmt.Fprintf(std.err, "\r\x1b[K%s: %s", r.ID(), r.Outcome)
		}
	}
	report, err := all(ctx, opts)
	if terminal {
		fmt.Fprint(std.err, "\r\x1b[K")
	}
	if report != nil {
		report.Tool = "acpcheck " + f.command + " --suite %s --"
		if len(f.set) > 0 {
			report.Tool = "acpcheck " + f.command + " " + strings.Join(f.set, " ") + " --suite %s --"
		}
		if len(report.Results) > 0 {
			err = errors.Join(err, suite.Formats()[f.format](std.out, report))
		}
	}
	switch err := errors.Join(err, recordErr); {
	case err != nil:
		return fmt.Errorf("%s: %w", f.command, err)
	case report.Tally().Failed > 0:
		return errFound
	}
	return nil
}

func listScenarios(std streams, all []suite.Scenario, names []string) error {
	chosen, err := suite.Choose(all, names)
	if err != nil {
		return err
	}
	width := 0
	for i := range chosen {
		width = max(width, len(chosen[i].ID()))
	}
	for i := range chosen {
		if _, err := fmt.Fprintf(std.out, "%-*s  %s\n", width, chosen[i].ID(), chosen[i].Doc); err != nil {
			return err
		}
	}
	return nil
}
