// Command bench measures acpwire side by side with its peers, in one run, and writes what it found into RESULTS.md. See the module's README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		if child, ok := children[args[0]]; ok {
			return child(ctx, args[1:], stdin, stdout)
		}
	}
	opts, err := parse(args, stderr)
	if err != nil {
		return err
	}
	return measure(ctx, opts, stdout, stderr)
}
