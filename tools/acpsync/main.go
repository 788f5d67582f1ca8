// Command acpsync keeps the committed protocol schemas in step with the package they are published in: it fetches a
// pinned version, derives the schemas, checks that the committed ones are what comes out, and says what a new version
// changes.
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
	if status := exitStatus(err); status != 0 {
		if status == 2 {
			fmt.Fprintln(os.Stderr, "acpsync:", err)
		}
		os.Exit(status)
	}
}

// exitStatus returns 0 for success, 1 for a difference that was found and reported, 2 for everything that kept the
// command from doing its work.
func exitStatus(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errDifferent):
		return 1
	}
	return 2
}
