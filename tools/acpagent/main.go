// Command acpagent is an ACP agent that needs no model and no network: what it does is told by slash commands in the prompt, and is the same every time. It is
// there to try an editor with and to test a client against.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	status := exitStatus(err)
	if status != 0 {
		fmt.Fprintln(os.Stderr, "acpagent:", err)
	}
	os.Exit(status)
}

// exitStatus returns 0 after a connection that ended in good order, 3 after /crash, 2 for a command line that makes no sense, and 1 for everything else.
func exitStatus(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errCrash):
		return 3
	case errors.Is(err, errUsage):
		return 2
	}
	return 1
}
