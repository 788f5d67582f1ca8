package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// errDifferent is the result of a comparison that found a difference, after the difference has been printed.
var errDifferent = errors.New("different")

const usage = `acpsync keeps the committed protocol schemas in step with their upstream package.

usage: acpsync COMMAND [flags]

  fetch          download the pinned version (or --version V), derive the schemas, write them
  check          derive again and compare with the committed files, byte by byte
  diff OLD NEW   say what changes between two versions or two schema files

"acpsync COMMAND --help" describes one command.

exit status: 0 done, nothing differs; 1 a difference was found; 2 could not run
`

// A command is one subcommand: flags are already declared on flags, action runs it after they are parsed.
type command struct {
	flags  *flag.FlagSet
	help   string
	nargs  int
	action func(ctx context.Context, args []string) error
}

// run runs acpsync with the arguments after the program name. It returns nil, [flag.ErrHelp] after printing help,
// an error that wraps errDifferent after printing a difference, or the reason why it could not run.
func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errors.New("a command is missing: fetch, check or diff; see acpsync --help")
	}
	var c *command
	switch args[0] {
	case "fetch":
		c = newFetch(stdout, stderr)
	case "check":
		c = newCheck(stdout, stderr)
	case "diff":
		c = newDiff(stdout, stderr)
	case "help", "-h", "-help", "--help":
		if _, err := io.WriteString(stdout, usage); err != nil {
			return err
		}
		return flag.ErrHelp
	default:
		return fmt.Errorf("unknown command %q; see acpsync --help", args[0])
	}
	rest, err := c.parse(args[0], args[1:], stdout)
	if err != nil {
		return err
	}
	return c.action(ctx, rest)
}

// parse parses flags before, between and after the positional arguments, and returns the latter.
func (c *command) parse(name string, args []string, stdout io.Writer) ([]string, error) {
	c.flags.Init(name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	c.flags.Usage = func() {}
	var rest []string
	for len(args) > 0 {
		if err := c.flags.Parse(args); err != nil {
			if !errors.Is(err, flag.ErrHelp) {
				return nil, fmt.Errorf("%s: %w; see acpsync %s --help", name, err, name)
			}
			if _, err := stdout.Write(c.helpText()); err != nil {
				return nil, err
			}
			return nil, flag.ErrHelp
		}
		if args = c.flags.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	if len(rest) != c.nargs {
		return nil, fmt.Errorf("%s: %d arguments expected, %d given; see acpsync %s --help", name, c.nargs, len(rest), name)
	}
	return rest, nil
}

func (c *command) helpText() []byte {
	var b bytes.Buffer
	b.WriteString(c.help)
	b.WriteString("\nflags:\n")
	c.flags.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %-18s %s", "--"+f.Name+" "+value, text)
		if f.DefValue != "" {
			fmt.Fprintf(&b, " (default %s)", f.DefValue)
		}
		b.WriteByte('\n')
	})
	b.WriteString("\nexit status: 0 done, nothing differs; 1 a difference was found; 2 could not run\n")
	return b.Bytes()
}
