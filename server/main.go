package server

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/acpwire/acpwire/acp"
)

// Main is the whole main function of an agent: it serves the client on standard input and output until that goes away or a signal asks to stop (interrupt or
// terminate), and exits with status 1 if the connection broke. Whatever else the process prints goes to standard error. If opts is nil, the zero Options.
func Main(engine Engine, opts *Options) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := Run(ctx, engine, opts)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // this is the main function of the engine's program
	}
}

// Run is Main without signals and exit, for programs that have a main function of their own.
func Run(ctx context.Context, engine Engine, opts *Options) error {
	return New(engine, opts).Serve(ctx, acp.Stdio())
}
