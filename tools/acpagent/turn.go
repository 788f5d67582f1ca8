package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

// A turn is what commands speak through.
type turn struct {
	*server.Turn
	engine *engine
	finish server.Finish
}

// run runs a turn. What the client cannot do or refuses to do is told to the user and no failure of the turn.
func (e *engine) run(ctx context.Context, st *server.Turn, work func(t *turn) error) (server.Finish, error) {
	t := &turn{Turn: st, engine: e, finish: server.Stop}
	stateOf(t.Session()).servers.report(t)
	if title := titleOf(t.Text()); t.Session().Title() == "" && title != "" {
		if err := t.SetTitle(title); err != nil {
			return t.finish, err
		}
	}
	err := work(t)
	if text := reason(err); text != "" && ctx.Err() == nil {
		err = t.Say(text)
	}
	return t.finish, err
}

// Say adds text to the answer.
func (t *turn) Say(text string) error {
	if _, loud := stateOf(t.Session()).settings.get(); loud {
		text = strings.ToUpper(text)
	}
	return t.Turn.Say(text)
}

// allowed reports whether the call may go on: in the mode that asks, the user says. In the mode that changes nothing, the call cannot be started.
func (t *turn) allowed(ctx context.Context, call *server.Call) (bool, error) {
	if t.Session().Mode() != modeAsk {
		return true, nil
	}
	return t.Allow(ctx, call)
}

// work starts a call, does what it is for, and ends it with the result or the reason why there is none.
func (t *turn) work(ctx context.Context, call *server.Call, do func() (server.Result, error)) error {
	if err := call.Start(); err != nil {
		return err
	}
	result, err := do()
	if err != nil {
		return t.failed(ctx, call, err)
	}
	return call.Done(result)
}

// failed fails a call and returns why. That of a cancelled turn is left to the server.
func (t *turn) failed(ctx context.Context, call *server.Call, err error) error {
	if text := reason(err); text != "" && ctx.Err() == nil {
		return errors.Join(err, call.Fail(errors.New(text)))
	}
	return err
}

var reasons = []struct {
	err  error
	text string
}{
	{server.ErrReadOnly, "the mode is read-only"},
	{server.ErrOutsideRoots, "it is outside the session's directories"},
	{fs.ErrNotExist, "it does not exist"},
	{fs.ErrPermission, "the system forbids it"},
	{server.ErrNotRegular, "it is not a file"},
	{server.ErrNotText, "it is not text"},
	{server.ErrFileTooLarge, "it is too large"},
	{server.ErrNoMatch, "the text is not there"},
	{server.ErrAmbiguous, "the text is there more than once"},
	{server.ErrNoChange, "it would change nothing"},
	{server.ErrInvalidAnswer, "the answer does not fit the form"},
	{server.ErrUnknownClientTool, "there is no such tool"},
	{mcp.ErrUnknownTool, "there is no such tool"},
	{mcp.ErrArguments, "the arguments are not a JSON object"},
}

// reason is what the user is told of an error that is not the agent's own; empty if it is.
func reason(err error) string {
	var unsupported *acp.UnsupportedError
	var said *acp.Error
	var tool *mcp.Error
	switch {
	case errors.As(err, &unsupported):
		return "The client does not offer " + unsupported.Capability + "."
	case errors.As(err, &said) && said.Remote():
		return fmt.Sprintf("The client refused: %s (code %d).", said.Message, said.Code)
	case errors.Is(err, mcp.ErrTool), errors.Is(err, server.ErrClientTool):
		return "The tool failed."
	}
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return "Not done: " + r.text + "."
		}
	}
	if errors.As(err, &tool) {
		return "Not done: " + tool.Error() + "."
	}
	return ""
}
