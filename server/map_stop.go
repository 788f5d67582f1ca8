package server

import (
	"strconv"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A finishError says that a turn ended in a way for which the protocol has no stop reason: what the client gets is an error.
type finishError struct{ Finish Finish }

// Error names the reason.
func (e *finishError) Error() string {
	switch e.Finish {
	case Failed:
		return "server: the turn failed"
	case Aborted:
		return "server: the turn was aborted, and not by the client"
	case "":
		return "server: the turn ended without a reason"
	case Stop, ToolCalls, Length, ContentFilter, Pause, TurnLimit:
	}
	return "server: the turn ended for an unknown reason " + strconv.Quote(string(e.Finish))
}

// stopReasonOf maps why a turn ended. Only the client's own cancelling makes a turn cancelled, so no reason of an engine becomes that. The error is a
// *finishError.
// https://agentclientprotocol.com/protocol/prompt-turn#stop-reasons
func stopReasonOf(f Finish) (acpv1.StopReason, error) {
	switch f {
	case Stop, ToolCalls, Pause:
		return acpv1.StopReasonEndTurn, nil
	case Length:
		return acpv1.StopReasonMaxTokens, nil
	case ContentFilter:
		return acpv1.StopReasonRefusal, nil
	case TurnLimit:
		return acpv1.StopReasonMaxTurnRequests, nil
	case Failed, Aborted:
	}
	return "", &finishError{Finish: f}
}
