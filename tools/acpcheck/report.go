package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/check"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/page"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/rules"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

var reportCommand = command{
	name:    "report",
	summary: "draw a transcript as a web page, with the findings beside the frames",
	help: `usage: acpcheck report [flags] --html OUT FILE

Writes one page that needs nothing else: the conversation as a sequence diagram, each frame to be opened, findings beside
their frames, filters by session, method and severity. FILE is a transcript as "acpcheck validate" reads it; "-" is standard
input. OUT may be "-" for standard output.
`,
	status:  "0 the page is written, 2 it is not",
	declare: declareReport,
}

// reportFlags are the flags of report as they were given.
type reportFlags struct {
	html, surface, dir string
	rules              ruleFlags
	maxFrame, rows     int
	complete           bool
}

func declareReport(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
	var f reportFlags
	flags.StringVar(&f.html, "html", "", "`OUT`\tthe page to write")
	flags.StringVar(&f.surface, "surface", "v1", "`NAME`\tschema surface to judge by: "+oneOf(slices.Sorted(maps.Keys(surfaces))...))
	flags.StringVar(&f.dir, "dir", "auto", "`auto|c2a|a2c`\tdirection of lines that carry none; auto: told by the method, or by the request that is answered")
	flags.IntVar(&f.maxFrame, "max-frame", defaultMaxFrame, "`BYTES`\tlongest line that is judged; longer ones are errors")
	flags.IntVar(&f.rows, "rows", page.DefaultRows, "`N`\tmost frames to draw; more are counted only")
	flags.BoolVar(&f.complete, "complete", false, "the file holds a whole connection, from its first frame to its end in order")
	f.rules.declare(flags)
	return func(ctx context.Context, args []string) error {
		if err := f.run(ctx, args, std); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		return nil
	}
}

func (f *reportFlags) run(ctx context.Context, args []string, std streams) error {
	switch {
	case len(args) != 1:
		return fmt.Errorf("expected one FILE, got %d; see acpcheck report --help", len(args))
	case f.html == "":
		return errors.New("--html is missing; see acpcheck report --help")
	case f.maxFrame < 1 || f.rows < 1:
		return errors.New("--max-frame and --rows: expected at least 1")
	}
	opts := &page.Options{Title: args[0], In: std.in, MaxFrame: f.maxFrame, Rows: f.rows, Judge: judge.Options{Judges: judge.Generated}}
	if err := choose("surface", f.surface, &opts.Judge.Surface, surfaces); err != nil {
		return err
	}
	if err := choose("dir", f.dir, &opts.Direction, directions); err != nil {
		return err
	}
	extent := rules.Guess
	if f.complete {
		extent = rules.Complete
	}
	var err error
	if opts.Judge.Rules, err = f.rules.check(extent, &opts.Filter); err != nil {
		return err
	}
	if args[0] == check.Stdin {
		opts.Title = "<stdin>"
	} else {
		file, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		opts.In = file
	}
	return writeWhole(f.html, std.out, func(w io.Writer) error {
		_, err := page.Write(ctx, w, opts)
		return err
	})
}

var directions = map[string]transcript.Direction{"auto": transcript.Unknown, "c2a": transcript.ClientToAgent, "a2c": transcript.AgentToClient}

// writeWhole writes a file that only its owner reads, whole or not at all. The name "-" is standard output.
func writeWhole(name string, stdout io.Writer, write func(io.Writer) error) (err error) {
	if name == "-" {
		return write(stdout)
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
