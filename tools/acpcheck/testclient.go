package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/suite"
)

var testClientCommand = command{
	name:    "test-client",
	summary: "be the agent of a client, and go through scenarios",
	status:  suiteStatus,
	help: `usage: acpcheck test-client [flags] -- CLIENT ARGS...

Plays the agent of a client, without a model, and judges what the client does by the rules of the protocol. What happens in
a turn is decided by its prompt: it is the name of a scenario, AREA/NAME, as --list shows them.

How the client finds the agent depends on the places in its command line:

  {agent}     a command line that starts the agent, as one argument or within one: CLIENT --agent {agent}
  {agent...}  the same, as arguments of their own: CLIENT -- {agent...}
  (neither)   the client's own standard streams are the connection: it reads what the agent says and writes what it has to say

  {prompt}    the prompt to send. The client is run once for each scenario. Without this place, it is run once and sends
              the prompts that it has; scenarios that it does not name are "not exercised".

The client works in a directory that it chooses. Scenarios write files there and run commands, echo and sleep.

areas: ` + strings.Join(suite.Areas(suite.ClientIndex()), ", ") + `
`,
	declare: func(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
		var f suiteFlags
		f.declare(flags)
		return func(ctx context.Context, args []string) error {
			opts, err := f.options(std, args)
			if err != nil {
				return fmt.Errorf("test-client: %w; see acpcheck test-client --help", err)
			}
			if f.list {
				return listScenarios(std, suite.ClientIndex(), opts.Suites)
			}
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("test-client: %w", err)
			}
			opts.Bridge = slices.Concat([]string{self}, bridgeArgs)
			return f.run(ctx, std, opts, suite.RunClient)
		}
	},
}

// bridgeArgs are what the command line of the bridge has before the socket.
var bridgeArgs = []string{"agent-side", "--socket"}

// agentSideCommand is what test-client has clients start. It is of no use otherwise.
var agentSideCommand = command{
	name:    "agent-side",
	summary: "the agent that test-client gives to clients",
	help: `usage: acpcheck agent-side --socket FILE

Connects standard input and output with a socket of acpcheck test-client, which puts this command into the command line of
the client.
`,
	declare: func(flags *flag.FlagSet, std streams) func(context.Context, []string) error {
		socket := flags.String("socket", "", "`FILE`\tthe Unix socket to connect to")
		return func(ctx context.Context, args []string) error {
			if *socket == "" || len(args) > 0 {
				return errors.New("agent-side: expected --socket and no arguments")
			}
			if err := bridge(ctx, *socket, std); err != nil {
				return fmt.Errorf("agent-side: %w", err)
			}
			return nil
		}
	},
}

// bridge copies until the other end closes the socket.
func bridge(ctx context.Context, socket string, std streams) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	go func() {
		// It ends with the process, if not before.
		_, _ = io.Copy(conn, std.in)
		if half, ok := conn.(*net.UnixConn); ok {
			_ = half.CloseWrite()
		}
	}()
	_, err = io.Copy(std.out, conn)
	return errors.Join(err, conn.Close())
}
