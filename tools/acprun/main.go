// Command acprun runs one prompt against any agent that speaks the Agent Client Protocol, and shows what the agent does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt)
	// When the reader of standard output has gone, writing fails instead, so that the agent and its commands are ended in good order.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, &host{interrupts: interrupts, start: spawn, getenv: os.Getenv, isTerminal: isTerminal})
	stop()
	os.Exit(exitStatus(err))
}
