package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/suite"
)

var testCommand = command{
	name:    "test",
	summary: "drive an agent through scenarios",
	status:  suiteStatus,
	help: `usage: acpcheck test [flags] -- AGENT ARGS...

Plays the client of an agent. Each scenario starts the agent anew, talks to it on its standard streams, and judges what it
does by the rules of the protocol. The agent gets no more than a directory of its own; files are read and written in it,
and commands that it wants to run are not run. When a scenario is over, the agent's process group is killed if the agent
does not end by itself.

What an agent does depends on the prompt. Without --prompt-map, prompts are the slash commands of acpagent. For another
agent, write a YAML file with a prompt for each of these names; leave out what the agent cannot be made to do.
--print-prompts prints one to begin with:

` + suite.PromptHelp() + `
In a prompt, {dir} stands for the session's directory, {file} for a file in it, {marker} for a word and {mode} for a mode.

A scenario that could not happen is "not exercised", and has not passed. What an agent has not answered in three scenarios,
and never, no other scenario waits for.

areas: ` + strings.Join(suite.Areas(suite.AgentScenarios()), ", ") + `
`,
	declare: func(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
		var f suiteFlags
		f.declare(flags)
		promptMap := flags.String("prompt-map", "", "`FILE`\twhat to say to the agent, in YAML; default: the commands of acpagent")
		printPrompts := flags.Bool("print-prompts", false, "print a prompt map to begin with, and exit")
		auth := flags.String("auth", "", "`METHOD`\thow to log in if the agent asks for that: the id of one of its ways; default: not at all")
		return func(ctx context.Context, args []string) error {
			if *printPrompts {
				_, err := fmt.Fprint(std.out, suite.SamplePrompts())
				return err
			}
			opts, err := f.options(std, args)
			if err != nil {
				return fmt.Errorf("test: %w; see acpcheck test --help", err)
			}
			if *promptMap != "" {
				f.again = append(f.again, "--prompt-map", *promptMap)
				if opts.Prompts, err = readPrompts(*promptMap); err != nil {
					return fmt.Errorf("test: --prompt-map: %w", err)
				}
			}
			if opts.Auth = *auth; *auth != "" {
				f.again = append(f.again, "--auth", *auth)
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
