package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
)

const (
	// outputLimit is how much of a command's output the client keeps, in bytes.
	outputLimit = 64 << 10
	// terminalTimeout is how long the client may take to create a terminal, and to end and release one.
	terminalTimeout = 5 * time.Second
)

func runCommand(ctx context.Context, t *turn, arg string) (err error) {
	if arg == "" {
		return errArgument
	}
	if err := needs(acpv1.MethodCreateTerminal, "terminal", t.client.ClientCapabilities().GetTerminal()); err != nil {
		return err
	}
	call, err := t.tool(ctx, acpv1.ToolKindExecute, arg, nil)
	if err != nil {
		return err
	}
	switch ok, err := call.allowed(ctx); {
	case err != nil:
		return err
	case !ok:
		return t.say(ctx, "Not run: you did not allow it.")
	}
	id, err := t.create(ctx, arg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.release(ctx, id)) }()
	if err := ctx.Err(); err != nil {
		return err
	}
	t.session.record(call.update(acpv1.ToolCallStatusInProgress))
	if err := t.show(ctx, call.update(acpv1.ToolCallStatusInProgress, &acpv1.Terminal{TerminalID: id})); err != nil {
		return err
	}
	exit, err := t.await(ctx, id)
	if err != nil {
		return err
	}
	out, err := t.client.TerminalOutput(ctx, &acpv1.TerminalOutputRequest{SessionID: t.session.id, TerminalID: id})
	if err != nil {
		return err
	}
	status := acpv1.ToolCallStatusFailed
	if exit.ExitCode != nil && *exit.ExitCode == 0 {
		status = acpv1.ToolCallStatusCompleted
	}
	// The client goes on to show the terminal. In a replay there is none.
	if err := call.finishAs(ctx, status, nil, []acpv1.ToolCallContent{acpv1.ToolText(out.Output)}); err != nil {
		return err
	}
	return t.say(ctx, describeExit(exit, out))
}

func describeExit(exit *acpv1.WaitForTerminalExitResponse, out *acpv1.TerminalOutputResponse) string {
	how := "ended"
	switch {
	case exit.ExitCode != nil:
		how = fmt.Sprintf("ended with exit status %d", *exit.ExitCode)
	case exit.Signal != nil:
		how = "was killed by " + *exit.Signal
	}
	kept := ""
	if out.Truncated {
		kept = ", of which the beginning is lost"
	}
	return fmt.Sprintf("The command %s after %d lines of output%s.", how, countLines(out.Output), kept)
}

// create makes a terminal. It waits for the answer also if the turn is cancelled: the client may have made the terminal already, and who does not know its id can
// never release it.
func (t *turn) create(ctx context.Context, command string) (acpv1.TerminalID, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), terminalTimeout)
	defer stop()
	r, err := t.client.CreateTerminal(ctx, &acpv1.CreateTerminalRequest{
		SessionID: t.session.id, Command: "sh", Args: []string{"-c", command}, Cwd: new(t.session.cwd), OutputByteLimit: new(uint64(outputLimit)),
	})
	if err != nil {
		return "", err
	}
	return r.TerminalID, nil
}

// await waits for the command's end. If the turn is cancelled it ends the command and waits all the same, so that nothing is left in the air.
func (t *turn) await(ctx context.Context, id acpv1.TerminalID) (*acpv1.WaitForTerminalExitResponse, error) {
	patient, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	kill := context.AfterFunc(ctx, func() {
		time.AfterFunc(terminalTimeout, stop)
		// If it fails, the command has ended or the client does not answer; the wait shows which.
		_, _ = t.client.KillTerminal(patient, &acpv1.KillTerminalRequest{SessionID: t.session.id, TerminalID: id})
	})
	defer kill()
	exit, err := t.client.WaitForTerminalExit(patient, &acpv1.WaitForTerminalExitRequest{SessionID: t.session.id, TerminalID: id})
	return exit, errors.Join(ctx.Err(), err)
}

// release gives a terminal back, also if the turn was cancelled.
func (t *turn) release(ctx context.Context, id acpv1.TerminalID) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), terminalTimeout)
	defer stop()
	_, err := t.client.ReleaseTerminal(ctx, &acpv1.ReleaseTerminalRequest{SessionID: t.session.id, TerminalID: id})
	return err
}
