// Command acpgen generates the Go package of one surface of the protocol from its schema. See doc.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if status := exitStatus(err); status != 0 {
		fmt.Fprintln(os.Stderr, "acpgen:", err)
		os.Exit(status)
	}
}

// exitStatus returns 0 for success, 1 for files that are out of date, 2 for everything that kept the command from doing its work.
func exitStatus(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errStale):
		return 1
	}
	return 2
}
