// Command acpcheck checks traffic of the Agent Client Protocol: whether each frame is what the protocol's schema asks for, and may come where it
// does.
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
	if status == 2 && !errors.As(err, new(agentStatus)) {
		fmt.Fprintln(os.Stderr, "acpcheck:", err)
	}
	os.Exit(status)
}

// exitStatus returns 0 if no error was found, 1 if one was, 2 for everything that kept the command from doing its work.
// The status of an agent that was run is passed through.
func exitStatus(err error) int {
	var agent agentStatus
	switch {
	case errors.As(err, &agent):
		return int(agent)
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFound):
		return 1
	}
	return 2
}
