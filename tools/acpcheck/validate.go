package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/baseline"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/check"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/rules"
)

// defaultMaxFrame is the largest frame that a connection accepts by default, too.
const defaultMaxFrame = 64 << 20

// surfaces are what traffic can be judged by, by their names in package schema.
var surfaces = map[string]*wire.Surface{"v1": acpv1.Surface}

var validateCommand = command{
	name:    "validate",
	summary: "check recorded traffic: every frame, and the conversation they make",
	help: `usage: acpcheck validate [flags] [FILE...]

Checks every frame of each transcript: JSON, JSON-RPC envelope, method, response ids, and params, results and errors
against the schema of the protocol. Then holds each frame against those before it: the rules that "acpcheck rules" lists.
Each file is one connection. No FILE, or "-", reads standard input.

A line of a transcript is a frame as it stood on the wire, or a record that says who sent it, c2a for the client and a2c
for the agent:

  {"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",...}"}
  {"dir":"a2c","message":{"jsonrpc":"2.0",...}}

Blank lines are skipped. A file whose first frame is no initialize request is taken for an excerpt of a connection.

A baseline is a YAML list, or JSON lines, of findings that are known. Entries need rule, reason and expires (YYYY-MM-DD);
file, method, pointer (patterns) and message (a part of it) narrow them down. --write-baseline makes one to begin with.
`,
	declare: declareValidate,
}

// validateFlags are the flags of validate as they were given.
type validateFlags struct {
	surface, mode, dir, format, color, judge string
	failOn, baseline, writeBaseline          string
	rules                                    ruleFlags
	verdicts, quiet, complete                bool
	maxFrame                                 int
}

func declareValidate(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
	var f validateFlags
	flags.StringVar(&f.surface, "surface", "v1", "`NAME`\tschema surface to judge by: "+oneOf(slices.Sorted(maps.Keys(surfaces))...))
	flags.StringVar(&f.mode, "mode", "strict", "`strict|lenient`\tlenient: what the protocol's own leniency repairs is a warning, not an error")
	flags.StringVar(&f.dir, "dir", "auto", "`auto|c2a|a2c`\tdirection of lines that carry none; auto: told by the method, or by the request that is answered")
	flags.StringVar(&f.format, "format", "text", "`text|json|junit|sarif|github`\tfor people, one record a line, or for what CI services read")
	flags.StringVar(&f.judge, "judge", "both", "`both|generated|reference`\tthe generated decoder, the reference validator, or both, compared")
	flags.StringVar(&f.color, "color", "auto", "`auto|always|never`\tcolor of text; auto: on a terminal")
	flags.BoolVar(&f.verdicts, "verdicts", false, "also report the verdict on every frame")
	flags.BoolVar(&f.quiet, "quiet", false, "report findings only: no summary in text, no progress bar")
	flags.IntVar(&f.maxFrame, "max-frame", defaultMaxFrame, "`BYTES`\tlongest line that is judged; longer ones are errors")
	f.rules.declare(flags)
	flags.BoolVar(&f.complete, "complete", false, "each file holds a whole connection, from its first frame to its end in order")
	flags.StringVar(&f.failOn, "fail-on", "error", "`error|warning`\tthe least severity that makes the exit status 1")
	flags.StringVar(&f.baseline, "baseline", "", "`FILE`\tfindings that are known and do not count")
	flags.StringVar(&f.writeBaseline, "write-baseline", "", "`FILE`\twrite a baseline of what makes the exit status 1, with the reasons to be filled in; the exit status is 0 then")
	return func(ctx context.Context, args []string) error {
		opts, err := f.options(std)
		if err != nil {
			return fmt.Errorf("validate: %w; see acpcheck validate --help", err)
		}
		if opts.Files = args; len(args) == 0 {
			opts.Files = []string{check.Stdin}
		}
		if f.writeBaseline != "" {
			return writeBaseline(ctx, opts, f.writeBaseline, f.failOn == "warning", std)
		}
		return validateFiles(ctx, opts, f.failOn == "warning")
	}
}

func validateFiles(ctx context.Context, opts *check.Options, strict bool) error {
	summary, err := check.Run(ctx, opts)
	switch {
	case err != nil:
		return err
	case summary.Errors > 0, strict && summary.Warnings > 0:
		return errFound
	}
	return nil
}

// options checks the flags. It loads the reference validator only if that has a say.
func (f *validateFlags) options(std streams) (*check.Options, error) {
	opts := &check.Options{Stdin: std.in, Output: std.out, Verdicts: f.verdicts, MaxFrame: f.maxFrame, Now: time.Now}
	if f.maxFrame < 1 {
		return nil, fmt.Errorf("--max-frame %d: expected at least 1", f.maxFrame)
	}
	var color string
	err := cmp.Or(
		choose("surface", f.surface, &opts.Judge.Surface, surfaces),
		choose("mode", f.mode, &opts.Judge.Lenient, map[string]bool{"strict": false, "lenient": true}),
		choose("dir", f.dir, &opts.Direction, directions),
		choose("judge", f.judge, &opts.Judge.Judges, map[string]judge.Judges{"both": judge.Both, "generated": judge.Generated, "reference": judge.Reference}),
		choose("color", f.color, &color, map[string]string{"auto": "auto", "always": "always", "never": "never"}),
	)
	if err != nil {
		return nil, err
	}
	var strict bool
	if err := choose("fail-on", f.failOn, &strict, map[string]bool{"error": false, "warning": true}); err != nil {
		return nil, err
	}
	colored := color == "always" || color == "auto" && isTerminal(std.out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // files are named as they were given
	}
	err = choose("format", f.format, &opts.Format, map[string]report.Formatter{
		"json": report.JSON{}, "text": report.Text{Color: colored, Quiet: f.quiet}, "junit": report.JUnit{Strict: strict},
		"sarif": report.SARIF{Version: buildVersion(), Dir: dir}, "github": report.GitHub{Quiet: f.quiet},
	})
	if err != nil {
		return nil, err
	}
	if opts.Judge.Rules, err = f.rules.check(f.extent(), &opts.Filter); err != nil {
		return nil, err
	}
	if f.baseline != "" {
		if opts.Filter.Baseline, err = baseline.Read(f.baseline, time.Now()); err != nil {
			return nil, err
		}
	}
	if !f.quiet && isTerminal(std.err) {
		opts.Progress = std.err
	}
	if opts.Judge.Judges != judge.Generated {
		if opts.Judge.Reference, err = validate.New(f.surface); err != nil {
			return nil, err
		}
	}
	return opts, nil
}

func (f *validateFlags) extent() rules.Extent {
	if f.complete {
		return rules.Complete
	}
	return rules.Guess
}

// choose sets to to the choice of that name.
func choose[T any](flag, name string, to *T, choices map[string]T) error {
	choice, ok := choices[name]
	if !ok {
		return fmt.Errorf("--%s %q: expected %s", flag, name, oneOf(slices.Sorted(maps.Keys(choices))...))
	}
	*to = choice
	return nil
}

func oneOf(names ...string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// isTerminal reports whether w is a character device, which is near enough: what else is one takes colors and bars without harm.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
