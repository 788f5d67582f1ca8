package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// The answers to requests for permission.
const (
	permitAsk    = "ask"
	permitAllow  = "allow"
	permitReject = "reject"
)

// settings are what the command line says.
type settings struct {
	cwd        string
	permission string
	mode       string
	load       string
	record     string
	json       bool
	timeout    time.Duration
	config     []setting
	mcp        []acpv1.MCPServer
	secrets    []string
	prompt     string // empty: standard input
	agent      []string
}

// A setting is a --config flag.
type setting struct{ id, value string }

const helpText = `usage: acprun [flags] [PROMPT...] -- AGENT [ARGS...]

Starts AGENT, an agent for the Agent Client Protocol, gives it one prompt and shows what it does. Without PROMPT, the
prompt is read from standard input. A prompt that begins with a dash must be, too. The agent can read and write files in
the directory of --cwd, and in no other; commands that it runs in terminals start there and are not confined further.
A command line that comes as one string without arguments goes to the shell.

Text, thoughts, tool calls, plans and diffs go to standard output; questions, warnings and errors to standard error.
NO_COLOR turns colours off. Ctrl-C cancels the turn, a second one kills the agent.

flags:
`

const jsonHelp = `--json prints one object a line, whose "type" says what it is: agent, session, update (with the update as the agent sent
it), permission_request, permission_answer, file, terminal_started, terminal_output, terminal_exited, and last of all
end, with the stop reason, the exit status and the error.
`

// A list collects the values of a flag that may be given more than once. Setting it never fails, because errors of package flag show the value.
type list []string

func (l *list) String() string     { return "" }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }

// parseArgs reads the command line. After printing help it returns [flag.ErrHelp].
func parseArgs(args []string, stdout io.Writer, getenv func(string) string) (*settings, error) {
	set := new(settings)
	var config, mcp list
	flags := flag.NewFlagSet("acprun", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.StringVar(&set.cwd, "cwd", ".", "`DIR`\tthe session's directory")
	flags.StringVar(&set.permission, "permission", permitAsk, "`ask|allow|reject`\tthe answer to requests for permission; ask refuses without a terminal")
	flags.Var(&mcp, "mcp", "`SERVER`\tan MCP server, as below; may be repeated")
	flags.StringVar(&set.mode, "mode", "", "`ID`\tthe session's mode")
	flags.Var(&config, "config", "`ID=VALUE`\ta configuration option of the session; may be repeated")
	flags.StringVar(&set.load, "load", "", "`ID`\tload that session and show it, instead of making a new one")
	flags.StringVar(&set.record, "record", "", "`FILE`\twrite all frames to FILE, for acpcheck validate")
	flags.BoolVar(&set.json, "json", false, "print JSON, as below")
	flags.DurationVar(&set.timeout, "timeout", 0, "`D`\tend it after that time, such as 90s; 0: never")

	dashes := slices.Index(args, "--")
	own := args
	if dashes >= 0 {
		own, set.agent = args[:dashes], args[dashes+1:]
	}
	prompt, err := parseFlags(flags, own)
	switch {
	case errors.Is(err, flag.ErrHelp):
		if _, err := io.WriteString(stdout, help(flags)); err != nil {
			return nil, err
		}
		return nil, flag.ErrHelp
	case err != nil:
		return nil, usageError("%w; see acprun --help", err)
	case len(set.agent) == 0 || set.agent[0] == "":
		return nil, usageError("the command of the agent is missing, behind --; see acprun --help")
	}
	set.prompt = strings.Join(prompt, " ")
	if err := set.check(config, len(prompt) > 0); err != nil {
		return nil, err
	}
	parser := mcpParser{getenv: getenv}
	for _, value := range mcp {
		server, err := parser.parse(value)
		if err != nil {
			return nil, err
		}
		set.mcp = append(set.mcp, server)
	}
	set.secrets = parser.secrets
	return set, nil
}

// parseFlags parses flags before, between and behind other words, which it returns.
func parseFlags(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return rest, nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// check looks at the values of the flags.
func (s *settings) check(config []string, prompted bool) error {
	switch s.permission {
	case permitAsk, permitAllow, permitReject:
	default:
		return usageError("--permission %q: ask, allow or reject expected", s.permission)
	}
	if s.timeout < 0 {
		return usageError("--timeout %v: it is negative", s.timeout)
	}
	for _, c := range config {
		id, value, ok := strings.Cut(c, "=")
		if !ok || id == "" {
			return usageError("--config %q: ID=VALUE expected", c)
		}
		s.config = append(s.config, setting{id, value})
	}
	if prompted {
		return checkPrompt(s.prompt)
	}
	return nil
}

func checkPrompt(prompt string) error {
	switch {
	case strings.TrimSpace(prompt) == "":
		return usageError("the prompt is empty")
	case !utf8.ValidString(prompt):
		return usageError("the prompt is not UTF-8")
	}
	return nil
}

// help is the text of --help. A flag's usage begins with its value's name in back quotes and a tab.
func help(flags *flag.FlagSet) string {
	var b strings.Builder
	b.WriteString(helpText)
	flags.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		text = strings.TrimPrefix(text, value+"\t")
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0s" {
			text += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(&b, "  %-31s %s\n", strings.TrimSpace("--"+f.Name+" "+value), text)
	})
	b.WriteString("\n" + mcpHelp + "\n" + jsonHelp + "\n" + statuses)
	return b.String()
}
