package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/rules"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/tap"
)

var tapCommand = command{
	name:    "tap",
	summary: "stand between a client and an agent, and check what they say",
	help: `usage: acpcheck tap [flags] -- AGENT ARGS...

Runs the agent and passes every byte between it and whoever started acpcheck, unchanged and at once. Beside that, it records
the traffic, checks it as "acpcheck validate" does, and reports findings as they come and a summary at the end. Put it in
front of the agent's command in the editor's settings. If the check fails or falls behind, the traffic is passed on all the
same and the report says so.

What is missing at the end, such as the answer to a request, is an error if the agent ended by itself with exit status 0
while its client still read; otherwise something may have been cut off, and it is a warning.
`,
	status:  "the agent's; 2 if it could not be run",
	declare: declareTap,
}

// An agentStatus is the exit status of an agent that was run. It is nothing to print.
type agentStatus int

// Error names the status.
func (s agentStatus) Error() string {
	return "the agent ended with exit status " + strconv.Itoa(int(s))
}

// tapFlags are the flags of tap as they were given.
type tapFlags struct {
	record, report, format, surface string
	rules                           ruleFlags
	maxFrame                        int
	quiet                           bool
}

func declareTap(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
	var f tapFlags
	flags.StringVar(&f.record, "record", "", "`FILE|DIR`\twrite the transcript to this file, or to a new one in this directory, which is there")
	flags.StringVar(&f.report, "report", "-", "`FILE|-`\twhere to report; -: to standard error")
	flags.StringVar(&f.format, "format", "text", "`text|json`\tfor people, or one record a line")
	flags.StringVar(&f.surface, "surface", "v1", "`NAME`\tschema surface to judge by: "+oneOf(slices.Sorted(maps.Keys(surfaces))...))
	flags.IntVar(&f.maxFrame, "max-frame", defaultMaxFrame, "`BYTES`\tlongest line that is judged; longer ones are errors")
	flags.BoolVar(&f.quiet, "quiet", false, "report findings only: no summary in text")
	f.rules.declare(flags)
	return func(_ context.Context, args []string) error {
		if len(args) == 0 {
			return errors.New("tap: the agent's command is missing; see acpcheck tap --help")
		}
		err := f.run(args, std)
		if err != nil && !errors.As(err, new(agentStatus)) {
			err = fmt.Errorf("tap: %w", err)
		}
		return err
	}
}

func (f *tapFlags) run(command []string, std streams) (err error) {
	opts, err := f.options(std)
	if err != nil {
		return err
	}
	opts.Command = command
	opts.Name = "<tap>"
	if f.record != "" {
		file, name, err := transcriptFile(f.record)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		opts.Record, opts.Name = file, name
	}
	if f.report != "-" {
		file, err := create(f.report)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		opts.Report = file
	}
	signals, stop := tap.Signals()
	defer stop()
	opts.Signals = signals
	// A signal that asks this process to end is the agent's to answer.
	status, err := tap.Run(context.Background(), opts)
	if err == nil && status != 0 {
		err = agentStatus(status)
	}
	return err
}

func (f *tapFlags) options(std streams) (*tap.Options, error) {
	opts := &tap.Options{In: std.in, Out: std.out, Err: std.err, Report: std.err, MaxFrame: f.maxFrame, Judge: judge.Options{Judges: judge.Generated}}
	if f.maxFrame < 1 {
		return nil, fmt.Errorf("--max-frame %d: expected at least 1", f.maxFrame)
	}
	if err := choose("surface", f.surface, &opts.Judge.Surface, surfaces); err != nil {
		return nil, err
	}
	err := choose("format", f.format, &opts.Format, map[string]report.Formatter{"json": report.JSON{}, "text": report.Text{Quiet: f.quiet}})
	if err != nil {
		return nil, err
	}
	opts.Judge.Rules, err = f.rules.check(rules.FromStart, &opts.Filter)
	return opts, err
}

// transcriptFile makes the file that name is, or a new one in the directory that it is: an agent may be started many times, also at once, by the same command.
func transcriptFile(name string) (io.WriteCloser, string, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		file, err := os.CreateTemp(name, time.Now().UTC().Format("20060102-150405")+"-*.jsonl")
		if err != nil {
			return nil, "", err
		}
		return file, file.Name(), nil
	}
	file, err := create(name)
	return file, name, err
}

// create makes a file that only its owner reads: traffic may be confidential.
func create(name string) (io.WriteCloser, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}
