// Command acpcheck checks traffic of the Agent Client Protocol: whether each frame is what the protocol's schema asks for.
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
	if status == 2 {
		fmt.Fprintln(os.Stderr, "acpcheck:", err)
	}
	os.Exit(status)
}

// exitStatus returns 0 if no error was found, 1 if one was, 2 for everything that kept the command from doing its work.
func exitStatus(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFound):
		return 1
	}
	return 2
}
