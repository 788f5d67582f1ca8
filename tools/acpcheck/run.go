package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errFound is the result of a check that found errors, after they have been reported.
var errFound = errors.New("errors found")

// A command is one subcommand.
type command struct {
	name    string
	summary string // in the list of commands
	help    string // above the list of flags
	status  string // what the exit status says; empty if the usual
	// declare adds the command's flags, and returns what runs it once they are parsed, with the other arguments.
	declare func(flags *flag.FlagSet, std streams) func(ctx context.Context, args []string) error
}

// streams are what the process reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

var commands = []command{validateCommand, explainCommand, rulesCommand, tapCommand, reportCommand, testCommand, testClientCommand, agentSideCommand}

// run runs acpcheck with the arguments after the program name. It returns nil, [flag.ErrHelp] after printing help or the version, an error that wraps errFound after
// reporting errors, or the reason why it could not run.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errors.New("a command is missing; see acpcheck --help")
	}
	std := streams{stdin, stdout, stderr}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return print(stdout, usage())
	case "version", "-version", "--version":
		return print(stdout, version())
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		return fmt.Errorf("unknown command %q; see acpcheck --help", args[0])
	}
	return commands[i].run(ctx, args[1:], std)
}

func usage() string {
	var b strings.Builder
	b.WriteString("acpcheck checks traffic of the Agent Client Protocol.\n\nusage: acpcheck COMMAND [flags] [arguments]\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-12s %s\n", c.name, c.summary)
	}
	b.WriteString("\n\"acpcheck COMMAND --help\" describes one command, \"acpcheck --version\" prints the version.\n")
	return b.String()
}

// run parses the flags, which may stand before, between and behind the other arguments, and runs the command.
func (c *command) run(ctx context.Context, args []string, std streams) error {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	showVersion := flags.Bool("version", false, "print the version and exit")
	action := c.declare(flags, std)
	rest, err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return print(std.out, c.describe(flags))
	case err != nil:
		return fmt.Errorf("%s: %w; see acpcheck %s --help", c.name, err, c.name)
	case *showVersion:
		return print(std.out, version())
	}
	return action(ctx, rest)
}

// parse returns what is left beside the flags. Everything behind "--" is.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		left := flags.Args()
		if used := args[:len(args)-len(left)]; len(used) > 0 && used[len(used)-1] == "--" {
			return append(rest, left...), nil
		}
		if args = left; len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return rest, nil
}

// describe returns the help of the command. A usage text that begins with the value's name in back quotes and a tab shows it only beside the flag.
func (c *command) describe(flags *flag.FlagSet) string {
	var b strings.Builder
	b.WriteString(c.help)
	b.WriteString("\nflags:\n")
	flags.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		text = strings.TrimPrefix(text, value+"\t")
		if f.DefValue != "" && f.DefValue != "false" {
			text += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(&b, "  %-32s %s\n", strings.TrimSpace("--"+f.Name+" "+value), text)
	})
	b.WriteString("\nexit status: " + cmp.Or(c.status, "0 no error, 1 errors found, 2 could not run") + "\n")
	return b.String()
}

// print writes text that was asked for. It returns flag.ErrHelp: there is nothing else to do.
func print(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return flag.ErrHelp
}
