// Command acpdiff compares the generated codecs with the reference validator on damaged instances of every method's params and result.
//
// It exits with 1 if they disagree about an instance in a way that the table of deliberate divergences does not explain, and shows the smallest instance
// it finds for each kind of disagreement.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// gcPercent trades memory for time: nearly everything is garbage as soon as an instance is judged.
const gcPercent = 800

func main() {
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	status := exitStatus(err)
	if status == 2 {
		fmt.Fprintln(os.Stderr, "acpdiff:", err)
	}
	os.Exit(status)
}

// exitStatus returns 0 if there was no disagreement, 1 if there was one, 2 for everything that kept the command from doing its work.
func exitStatus(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errDisagreement):
		return 1
	}
	return 2
}
