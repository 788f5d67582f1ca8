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
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errStale):
		fmt.Fprintln(os.Stderr, "acpgen:", err)
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "acpgen:", err)
		os.Exit(2)
	}
}
