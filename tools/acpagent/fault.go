package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// stop ends the turn for a reason that is neither the ordinary one nor a cancellation, which only the client can ask for.
func stop(ctx context.Context, t *turn, arg string) error {
	switch reason := acpv1.StopReason(arg); reason {
	case acpv1.StopReasonMaxTokens, acpv1.StopReasonMaxTurnRequests, acpv1.StopReasonRefusal:
		t.reason = reason
		return t.say(ctx, "That is all.")
	case acpv1.StopReasonEndTurn, acpv1.StopReasonCancelled:
	}
	return errArgument
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
	t.agent.crash()
	<-ctx.Done()
	return ctx.Err()
}
