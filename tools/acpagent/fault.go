package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/server"
)

var finishes = map[string]server.Finish{"max_tokens": server.Length, "max_turn_requests": server.TurnLimit, "refusal": server.ContentFilter}

// stop ends the turn for a reason that is neither the ordinary one nor a cancellation, which only the client can ask for.
func stop(_ context.Context, t *turn, arg string) error {
	finish, ok := finishes[arg]
	if !ok {
		return errArgument
	}
	t.finish = finish
	return t.Say("That is all.")
}

func fail(_ context.Context, _ *turn, arg string) error {
	e := &acp.Error{Code: acp.CodeInternalError, Message: "failed as asked", Data: wire.Raw(`{"command":"fail"}`)}
	first, rest, _ := strings.Cut(arg, " ")
	if code, err := strconv.ParseInt(first, 10, 32); err == nil {
		e.Code, arg = int(code), strings.TrimSpace(rest)
	}
	if arg != "" {
		e.Message = arg
	}
	return e
}

// crash ends the program without an answer.
func crash(ctx context.Context, t *turn, _ string) error {
	t.engine.crash()
	<-ctx.Done()
	return ctx.Err()
}
