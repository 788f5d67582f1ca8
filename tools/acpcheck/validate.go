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
	"github.com/acpwire/acpwire/tools/acpcheck/internal/check"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// defaultMaxFrame is the largest frame that a connection accepts by default, too.
const defaultMaxFrame = 64 << 20

// surfaces are what traffic can be judged by, by their names in package schema.
var surfaces = map[string]*wire.Surface{"v1": acpv1.Surface}

var validateCommand = command{
	name:    "validate",
	summary: "check recorded traffic, frame by frame",
	help: `usage: acpcheck validate [flags] [FILE...]

Checks every frame of each transcript: JSON, JSON-RPC envelope, method, response ids, and params, results and errors
against the schema of the protocol. Each file is one connection. No FILE, or "-", reads standard input.

A line of a transcript is a frame as it stood on the wire, or a record that says who sent it, c2a for the client and a2c
for the agent:

  {"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",...}"}
  {"dir":"a2c","message":{"jsonrpc":"2.0",...}}

Blank lines are skipped.
`,
	declare: declareValidate,
}

// validateFlags are the flags of validate as they were given.
type validateFlags struct {
	surface, mode, dir, format, color, judge string
	verdicts, quiet                          bool
	maxFrame                                 int
}

func declareValidate(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
	var f validateFlags
	flags.StringVar(&f.surface, "surface", "v1", "`NAME`\tschema surface to judge by: "+oneOf(slices.Sorted(maps.Keys(surfaces))...))
	flags.StringVar(&f.mode, "mode", "strict", "`strict|lenient`\tlenient: what the protocol's own leniency repairs is a warning, not an error")
	flags.StringVar(&f.dir, "dir", "auto", "`auto|c2a|a2c`\tdirection of lines that carry none; auto: told by the method, or by the request that is answered")
	flags.StringVar(&f.format, "format", "text", "`text|json`\tfor people, or one record a line")
	flags.StringVar(&f.judge, "judge", "both", "`both|generated|reference`\tthe generated decoder, the reference validator, or both, compared")
	flags.StringVar(&f.color, "color", "auto", "`auto|always|never`\tcolor of text; auto: on a terminal")
	flags.BoolVar(&f.verdicts, "verdicts", false, "also report the verdict on every frame")
	flags.BoolVar(&f.quiet, "quiet", false, "report findings only: no summary in text, no progress bar")
	flags.IntVar(&f.maxFrame, "max-frame", defaultMaxFrame, "`BYTES`\tlongest line that is judged; longer ones are errors")
	return func(ctx context.Context, args []string) error {
		opts, err := f.options(std)
		if err != nil {
			return fmt.Errorf("validate: %w; see acpcheck validate --help", err)
		}
		if opts.Files = args; len(args) == 0 {
			opts.Files = []string{check.Stdin}
		}
		return validateFiles(ctx, opts)
	}
}

func validateFiles(ctx context.Context, opts *check.Options) error {
	summary, err := check.Run(ctx, opts)
	switch {
	case err != nil:
		return err
	case summary.Errors > 0:
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
		choose("dir", f.dir, &opts.Direction, map[string]transcript.Direction{
			"auto": transcript.Unknown, "c2a": transcript.ClientToAgent, "a2c": transcript.AgentToClient,
		}),
		choose("judge", f.judge, &opts.Judge.Judges, map[string]judge.Judges{"both": judge.Both, "generated": judge.Generated, "reference": judge.Reference}),
		choose("color", f.color, &color, map[string]string{"auto": "auto", "always": "always", "never": "never"}),
	)
	if err != nil {
		return nil, err
	}
	colored := color == "always" || color == "auto" && isTerminal(std.out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	err = choose("format", f.format, &opts.Format, map[string]report.Formatter{"json": report.JSON{}, "text": report.Text{Color: colored, Quiet: f.quiet}})
	if err != nil {
		return nil, err
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
