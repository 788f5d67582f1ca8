package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/acpwire/acpwire/server"
)

// outputLimit is how much of a command's output is kept, in bytes.
const outputLimit = 64 << 10

func runCommand(ctx context.Context, t *turn, arg string) error {
	if arg == "" {
		return errArgument
	}
	call := t.Tool("run", server.Execute, arg, server.Input(map[string]string{"command": arg}))
	switch ok, err := t.allowed(ctx, call); {
	case err != nil:
		return err
	case !ok:
		return t.Say("Not run: you did not allow it.")
	}
	said, err := t.runIn(ctx, call, arg)
	if err != nil {
		return t.failed(ctx, call, err)
	}
	return t.Say(said)
}

// runIn runs a command in a terminal of its own, which the call shows, and says how it ended.
func (t *turn) runIn(ctx context.Context, call *server.Call, command string) (said string, err error) {
	terminal, err := t.Terminals().Run(ctx, server.CommandLine{Command: "sh", Args: []string{"-c", command}, OutputLimit: outputLimit})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, terminal.Release(ctx)) }()
	if err := call.Output(shown(terminal, "")); err != nil {
		return "", err
	}
	exit, err := terminal.Wait(ctx)
	if err != nil {
		return "", err
	}
	out, err := terminal.Output(ctx)
	if err != nil {
		return "", err
	}
	end := call.Done
	if exit.Code != 0 {
		end = call.FailWith
	}
	return describeExit(exit, out), end(shown(terminal, out.Text))
}

// shown is a terminal of the client, live, or what came out of one on this machine.
func shown(terminal *server.Terminal, output string) server.Result {
	switch {
	case terminal.ID() != "":
		return server.Result{Items: []server.Item{&server.TerminalItem{TerminalID: terminal.ID(), Output: output}}}
	case output != "":
		return server.Text(output)
	}
	return server.Result{}
}

func describeExit(exit server.Exit, out server.TerminalOutput) string {
	how := fmt.Sprintf("ended with exit status %d", exit.Code)
	if exit.Signal != "" {
		how = "was killed by " + exit.Signal
	}
	kept := ""
	if out.Truncated {
		kept = ", of which the beginning is lost"
	}
	return fmt.Sprintf("The command %s after %d lines of output%s.", how, countLines(out.Text), kept)
}
