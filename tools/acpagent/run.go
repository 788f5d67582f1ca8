package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/store"
	"github.com/acpwire/acpwire/server/store/sqlite"
	"github.com/acpwire/acpwire/tools/acpagent/internal/faulty"
)

var (
	// errUsage is what a faulty command line is.
	errUsage = errors.New("see acpagent --help")
	// errCrash is how the command /crash ends the program.
	errCrash = errors.New("crashed as asked")
)

const (
	// drainTimeout is how long turns may go on after the client has closed its side. Clients wait a few seconds before they kill an agent.
	drainTimeout = 2 * time.Second
	// pageSize is how many sessions a page of session/list has.
	pageSize = 10
)

// flags are what the command line says.
type flags struct {
	log, record string
	store       string
	requireAuth bool
	fault       *faulty.Fault // nil: none
	listFaults  bool
}

// run serves one client on stdin and stdout until it closes its side or ctx ends. It returns [flag.ErrHelp] after printing help.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	var given flags
	set := flag.NewFlagSet("acpagent", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	set.StringVar(&given.log, "log", "", "`FILE`\tappend what goes on to FILE, without the content of messages; - is standard error")
	set.StringVar(&given.record, "record", "", "`FILE`\twrite every frame of both sides to FILE, for acpcheck validate")
	set.StringVar(&given.store, "store", "", "`FILE`\tkeep sessions in FILE, an SQLite database, so that they outlive the agent; otherwise they are lost with it")
	set.BoolVar(&given.requireAuth, "require-auth", false, "refuse sessions until the client has authenticated")
	set.Func("fault", "`NAME`\tdo one thing wrong, to show that a checker finds it; list: name them", func(name string) (err error) {
		if name == "list" {
			given.listFaults = true
			return nil
		}
		given.fault, err = faulty.Find(name)
		return err
	})
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		if _, err := io.WriteString(stdout, usage(set)); err != nil {
			return err
		}
		return flag.ErrHelp
	case err != nil:
		return fmt.Errorf("%w; %w", err, errUsage)
	case set.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; %w", set.Arg(0), errUsage)
	case given.listFaults:
		return listFaults(stdout)
	}
	logger, closeLog, err := openLog(given.log, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	return serve(ctx, &given, logger, transportOf(stdin, stdout))
}

// usage is the text of --help. A flag's usage begins with its value's name in back quotes and a tab.
func usage(set *flag.FlagSet) string {
	var b strings.Builder
	b.WriteString(`usage: acpagent [flags]

An agent for the Agent Client Protocol that needs no model and no network. It speaks to one client on standard input and
output, repeats plain prompts, and does the same for the same slash command every time.

flags:
`)
	set.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		text = strings.TrimPrefix(text, value+"\t")
		fmt.Fprintf(&b, "  %-20s %s\n", strings.TrimSpace("--"+f.Name+" "+value), text)
	})
	b.WriteString("\ncommands, in a prompt:\n")
	for _, c := range commandList() {
		fmt.Fprintf(&b, "  %-20s %s\n", strings.TrimSpace("/"+c.name+" "+c.hint), c.about)
	}
	b.WriteString("\nThe extension request " + methodEcho + " answers its params.\n" +
		"\nexit status: 0 the client closed its side, 1 it could not start or the connection failed, 2 wrong usage, 3 /crash\n")
	return b.String()
}

// listFaults names the faults that --fault knows.
func listFaults(stdout io.Writer) error {
	for _, f := range faulty.Faults() {
		if _, err := fmt.Fprintf(stdout, "%-29s %s\n", f.Name, f.Doc); err != nil {
			return err
		}
	}
	return nil
}

// openLog returns the logger, and what closes its file. Without a name nothing is logged.
func openLog(name string, stderr io.Writer) (logger *slog.Logger, closeLog func() error, err error) {
	none := func() error { return nil }
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	switch name {
	case "":
		return slog.New(slog.DiscardHandler), none, nil
	case "-":
		return slog.New(slog.NewTextHandler(stderr, options)), none, nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("--log: %w", err)
	}
	return slog.New(slog.NewTextHandler(f, options)), f.Close, nil
}

// transportOf guards standard output if that is where the client is.
func transportOf(stdin io.Reader, stdout io.Writer) acp.Transport {
	if stdin == io.Reader(os.Stdin) && stdout == io.Writer(os.Stdout) {
		return acp.Stdio()
	}
	return acp.Duplex(stdin, stdout)
}

// openStore opens the file that keeps sessions. Without a name they are kept in memory.
func openStore(ctx context.Context, name string) (store.Store, error) {
	if name == "" {
		return new(store.Memory), nil
	}
	sessions, err := sqlite.Open(ctx, name, nil)
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	return sessions, nil
}

// serve runs the agent on a transport until the connection has ended.
func serve(ctx context.Context, given *flags, logger *slog.Logger, transport acp.Transport) (err error) {
	sessions, err := openStore(ctx, given.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sessions.Close()) }()
	crashed := make(chan struct{})
	engine := &engine{logger: logger, requireAuth: given.requireAuth, crash: sync.OnceFunc(func() { close(crashed) })}
	options := &server.Options{
		Name: "acpagent", Title: "acpwire reference agent", Version: version(), Store: sessions, PageSize: pageSize, Logger: logger,
		ACP: acp.Options{DrainTimeout: drainTimeout},
	}
	if given.store == "" {
		options.NewID = counted()
	}
	if given.fault != nil {
		transport = given.fault.Wrap(transport)
	}
	if given.record != "" {
		r, openErr := newRecorder(given.record)
		if openErr != nil {
			return fmt.Errorf("--record: %w", openErr)
		}
		defer func() { err = errors.Join(err, r.close()) }()
		options.ACP.Tap = r
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- server.New(engine, options).Serve(ctx, transport) }()
	select {
	case err := <-ended:
		return err
	case <-crashed:
		// Whatever is not written or stored yet is lost, as in a crash. How the connection takes that does not matter.
		_ = sessions.Close()
		_ = transport.Close()
		stop()
		logger.Debug("crashed as asked", "error", <-ended)
		return errCrash
	}
}
