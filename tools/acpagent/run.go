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
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acpagent/internal/faulty"
)

var (
	// errUsage is what a faulty command line is.
	errUsage = errors.New("see acpagent --help")
	// errCrash is how the command /crash ends the program.
	errCrash = errors.New("crashed as asked")
)

// drainTimeout is how long turns may go on after the client has closed its side. Clients wait a few seconds before they kill an agent.
const drainTimeout = 2 * time.Second

// settings are what the command line says.
type settings struct {
	log, record string
	requireAuth bool
	fault       *faulty.Fault // nil: none
	listFaults  bool
}

// run serves one client on stdin and stdout until it closes its side or ctx ends. It returns [flag.ErrHelp] after printing help.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	var set settings
	flags := flag.NewFlagSet("acpagent", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.StringVar(&set.log, "log", "", "`FILE`\tappend what goes on to FILE, without the content of messages; - is standard error")
	flags.StringVar(&set.record, "record", "", "`FILE`\twrite every frame of both sides to FILE, for acpcheck validate")
	flags.BoolVar(&set.requireAuth, "require-auth", false, "refuse sessions until the client has authenticated")
	flags.Func("fault", "`NAME`\tdo one thing wrong, to show that a checker finds it; list: name them", func(name string) (err error) {
		if name == "list" {
			set.listFaults = true
			return nil
		}
		set.fault, err = faulty.Find(name)
		return err
	})
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		if _, err := io.WriteString(stdout, usage(flags)); err != nil {
			return err
		}
		return flag.ErrHelp
	case err != nil:
		return fmt.Errorf("%w; %w", err, errUsage)
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; %w", flags.Arg(0), errUsage)
	case set.listFaults:
		return listFaults(stdout)
	}
	logger, closeLog, err := openLog(set.log, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	return serve(ctx, &set, logger, transportOf(stdin, stdout))
}

// usage is the text of --help. A flag's usage begins with its value's name in back quotes and a tab.
func usage(flags *flag.FlagSet) string {
	var b strings.Builder
	b.WriteString(`usage: acpagent [flags]

An agent for the Agent Client Protocol that needs no model and no network. It speaks to one client on standard input and
output, repeats plain prompts, and does the same for the same slash command every time.

flags:
`)
	flags.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		text = strings.TrimPrefix(text, value+"\t")
		fmt.Fprintf(&b, "  %-18s %s\n", strings.TrimSpace("--"+f.Name+" "+value), text)
	})
	b.WriteString("\ncommands, in a prompt:\n")
	for _, c := range commandList() {
		fmt.Fprintf(&b, "  %-18s %s\n", strings.TrimSpace("/"+c.name+" "+c.hint), c.about)
	}
	b.WriteString("\nThe extension request " + methodEcho + " answers its params.\n" +
		"\nexit status: 0 the client closed its side, 1 the connection failed, 2 wrong usage, 3 /crash\n")
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

// serve runs the agent on a transport until the connection has ended.
func serve(ctx context.Context, set *settings, logger *slog.Logger, transport acp.Transport) (err error) {
	crashed := make(chan struct{})
	crash := sync.OnceFunc(func() { close(crashed) })
	if set.fault != nil {
		transport = set.fault.Wrap(transport)
	}
	options := &acp.Options{Extensions: extensions(), DrainTimeout: drainTimeout, Logger: logger}
	if set.record != "" {
		r, err := newRecorder(set.record)
		if err != nil {
			return fmt.Errorf("--record: %w", err)
		}
		defer func() { err = errors.Join(err, r.close()) }()
		options.Tap = r
	}
	conn := acp.NewAgent(transport, func(client *acp.AgentConn) acpv1.Agent {
		return newAgent(client, &agentOptions{logger: logger, requireAuth: set.requireAuth, crash: crash})
	}, options)
	select {
	case <-crashed:
		// Whatever is not written yet is lost, as in a crash. How the connection takes that does not matter.
		_ = transport.Close()
		_ = conn.Close()
		_ = conn.Wait()
		return errCrash
	case <-ctx.Done():
	case <-conn.Done():
	}
	return errors.Join(conn.Close(), conn.Wait())
}
