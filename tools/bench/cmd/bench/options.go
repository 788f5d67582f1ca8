package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/acpwire/acpwire/tools/bench/internal/report"
)

// options are the flags of the command.
type options struct {
	sections []section

	rounds    int
	benchTime time.Duration
	pattern   *regexp.Regexp
	raw       string
	out       string

	size       int64
	updates    int
	typeScript bool
}

// A section is one part of the results.
type section struct {
	name, title string
	measure     func(ctx context.Context, o *options, progress func(string)) (text string, err error)
}

var sections = []section{
	{"codec", "Messages", measureCodec},
	{"instructions", "Instructions", measureInstructions},
	{"checker", "Checker", measureChecker},
	{"tap", "Tap", measureTap},
	{"connection", "Connection", measureConnection},
}

const usage = `usage: bench [flags] [SECTION...]

Measures and prints each SECTION, and replaces it in the file of results: codec, instructions, checker, tap, connection.
No SECTION measures all of them.

`

func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.IntVar(&o.rounds, "count", 10, "`rounds` of the codec section; the others make at most 5")
	flags.DurationVar(&o.benchTime, "benchtime", 100*time.Millisecond, "`time` of each benchmark in each round")
	pattern := flags.String("bench", "", "`regexp` of the codec section's cases, such as ^decode/chunk/")
	flags.StringVar(&o.raw, "raw", "", "also write the codec section's measurements to `file`, for benchstat")
	flags.StringVar(&o.out, "o", "RESULTS.md", "`file` of results; empty: only print")
	size := flags.Float64("size", 1000, "`MB` of the checker section's transcript")
	flags.IntVar(&o.updates, "updates", 100_000, "`number` of updates in the prompt of the tap and connection sections")
	flags.BoolVar(&o.typeScript, "typescript", true, "also measure the official TypeScript SDK in the connection section, if Node.js is installed")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	o.size = int64(*size * 1e6)
	switch {
	case o.rounds < 1 || o.benchTime <= 0 || o.size < 1 || o.updates < 1:
		return nil, errors.New("a number is not positive; see -help")
	case *pattern != "" && o.out != "" && o.out == flags.Lookup("o").DefValue:
		return nil, errors.New("-bench leaves cases out, so the results would not be whole: add -o '' or the name of another file")
	}
	var err error
	if o.pattern, err = regexp.Compile(*pattern); err != nil {
		return nil, err
	}
	o.sections, err = choose(flags.Args())
	return o, err
}

func choose(names []string) ([]section, error) {
	if len(names) == 0 {
		return sections, nil
	}
	var chosen []section
	for _, name := range names {
		i := slices.IndexFunc(sections, func(s section) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no section %q; see -help", name)
		}
		chosen = append(chosen, sections[i])
	}
	return chosen, nil
}

// measure measures each section and writes it as soon as it is done, so that an interrupt loses little.
func measure(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	var order []string
	for _, s := range sections {
		order = append(order, s.title)
	}
	for _, s := range o.sections {
		progress := func(line string) { fmt.Fprintf(stderr, "%s: %s\n", s.name, line) }
		machine := report.Machine(ctx)
		text, err := s.measure(ctx, o, progress)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		text = machine + ".\n\n" + strings.TrimSpace(text) + "\n"
		if _, err := fmt.Fprintf(stdout, "## %s\n\n%s\n", s.title, text); err != nil {
			return err
		}
		if o.out == "" {
			continue
		}
		if err := report.Write(o.out, []report.Section{{Title: s.title, Text: text}}, order); err != nil {
			return err
		}
	}
	return nil
}

// children are what the command runs itself as: a process of its own for what must not disturb, or be disturbed by, other measurements.
var children = map[string]func(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error{
	"-loop":       loopChild,
	"-scan":       scanChild,
	"-connection": connectionChild,
	"-agent":      agentChild,
	"-between":    betweenChild,
	"-relay":      relayChild,
}

// self is the path of this program.
func self() (string, error) { return os.Executable() }
