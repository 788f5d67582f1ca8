package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/suite"
)

// maxJobs bounds how many scenarios run at a time if nobody says.
const maxJobs = 8

// suiteStatus is what test and test-client say of their exit status.
const suiteStatus = "0 nothing failed, 1 a scenario failed, 2 could not run, the program included"

// suiteFlags are the flags that test and test-client have in common.
type suiteFlags struct {
	command          string
	suites, format   string
	record, failOn   string
	timeout          time.Duration
	jobs             int
	list, showStderr bool
	warned           bool     // fail-on is warning
	again            []string // flags that count for reproduction
}

func (f *suiteFlags) declare(flags *flag.FlagSet) {
	f.command = flags.Name()
	flags.StringVar(&f.suites, "suite", "", "`LIST`\tareas, or scenarios as AREA/NAME, with commas between them; what follows a minus sign is left out; default: all")
	flags.StringVar(&f.format, "format", "text", "`text|json|junit`\tfor people, one record a line, or XML for CI")
	flags.StringVar(&f.failOn, "fail-on", "error", "`error|warning`\twhat makes the exit status 1")
	flags.StringVar(&f.record, "record", "", "`DIR`\twrite the frames of each scenario to a file in DIR, for acpcheck validate and report")
	flags.DurationVar(&f.timeout, "timeout", suite.DefaultTimeout, "`DURATION`\thow long an answer may take; a turn, and the first answer of all, six times as long")
	flags.IntVar(&f.jobs, "jobs", min(runtime.GOMAXPROCS(0), maxJobs), "`N`\thow many scenarios run at a time, each with its own process; 1 if processes get in each other's way")
	flags.BoolVar(&f.list, "list", false, "list the scenarios and exit")
	flags.BoolVar(&f.showStderr, "stderr", false, "show what the program writes to standard error")
}

// options checks the flags.
func (f *suiteFlags) options(std streams, args []string) (*suite.Options, error) {
	opts := &suite.Options{Command: args, Timeout: f.timeout, Jobs: f.jobs, Judge: suite.NewJudge}
	for name := range strings.SplitSeq(f.suites, ",") {
		if name = strings.TrimSpace(name); name != "" {
			opts.Suites = append(opts.Suites, name)
		}
	}
	switch {
	case f.timeout <= 0:
		return nil, fmt.Errorf("--timeout %v: expected more than nothing", f.timeout)
	case f.jobs < 1:
		return nil, fmt.Errorf("--jobs %d: expected 1 or more", f.jobs)
	case len(args) == 0 && !f.list:
		return nil, errors.New("the command to test is missing")
	}
	var format suite.Format
	if err := choose("format", f.format, &format, suite.Formats()); err != nil {
		return nil, err
	}
	if err := choose("fail-on", f.failOn, &f.warned, map[string]bool{"error": false, "warning": true}); err != nil {
		return nil, err
	}
	if f.showStderr {
		opts.Stderr = &lockedWriter{w: std.err}
	}
	if f.timeout != suite.DefaultTimeout {
		f.again = append(f.again, "--timeout", f.timeout.String())
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
	if start := (*acp.StartError)(nil); errors.As(err, &start) {
		err = fmt.Errorf("cannot start %s: %w", start.Command, start.Err)
	}
	var tally suite.Tally
	if report != nil {
		tally = report.Tally()
		report.Tool, report.Flags = self(), append([]string{f.command}, f.again...)
		if len(report.Results) > 0 {
			err = errors.Join(err, suite.Formats()[f.format](std.out, report))
		}
	}
	switch err := errors.Join(err, recordErr); {
	case err != nil:
		return fmt.Errorf("%s: %w", f.command, err)
	case tally.Failed > 0, f.warned && tally.Warned > 0:
		return errFound
	case tally.Passed+tally.Warned == 0:
		return fmt.Errorf("%s: no scenario was exercised", f.command)
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

// self returns what a shell starts acpcheck with: its name if that is what the shell finds, or what this process was started from.
func self() string {
	executable, err := os.Executable()
	if err != nil {
		return "acpcheck"
	}
	if found, err := exec.LookPath("acpcheck"); err == nil && sameFile(found, executable) {
		return "acpcheck"
	}
	// What go run and go test make is gone when they are.
	if info, ok := debug.ReadBuildInfo(); ok && strings.Contains(filepath.ToSlash(executable), "/go-build") {
		return "go run " + suite.QuoteWord(strings.TrimSuffix(info.Path, ".test"))
	}
	return suite.QuoteWord(executable)
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// A lockedWriter lets several processes write at once.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes b in one piece.
func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
