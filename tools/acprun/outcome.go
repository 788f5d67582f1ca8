package main

import (
	"errors"
	"fmt"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// The exit statuses. Those above 100 are what timeout(1) and shells use.
const (
	statusDone      = 0
	statusLocal     = 1
	statusUsage     = 2
	statusAgent     = 3
	statusRefusal   = 4
	statusLimit     = 5
	statusTimeout   = 124
	statusCancelled = 130
)

// statuses explains them for --help.
const statuses = `exit status:
    0  the agent has ended its turn
    1  something failed here: standard output or FILE could not be written
    2  wrong usage: the command line, the directory, the prompt, or a mode or option that the agent does not have
    3  the agent failed: it could not be started, crashed, broke the protocol or answered with an error
    4  the agent refused
    5  the agent ran into its limit of tokens or of requests in a turn
  124  the time of --timeout was over
  130  cancelled, by Ctrl-C or otherwise
`

var (
	errInterrupted = errors.New("interrupted")
	errTerminated  = errors.New("terminated")
	errTimeout     = errors.New("the time is over")
)

// A failure is an error with its exit status.
type failure struct {
	status int
	err    error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func usageError(format string, args ...any) error {
	return &failure{statusUsage, fmt.Errorf(format, args...)}
}

// exitStatus returns the status that err stands for.
func exitStatus(err error) int {
	var f *failure
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &f):
		return f.status
	case errors.Is(err, errTimeout):
		return statusTimeout
	case errors.Is(err, errInterrupted), errors.Is(err, errTerminated):
		return statusCancelled
	}
	return statusLocal
}

// stopped turns the end of a turn into an error, unless it is the ordinary one.
func stopped(reason acpv1.StopReason) error {
	switch reason {
	case acpv1.StopReasonEndTurn:
		return nil
	case acpv1.StopReasonRefusal:
		return &failure{statusRefusal, errors.New("the agent refuses to go on")}
	case acpv1.StopReasonMaxTokens:
		return &failure{statusLimit, errors.New("the agent has reached the limit of tokens")}
	case acpv1.StopReasonMaxTurnRequests:
		return &failure{statusLimit, errors.New("the agent has reached the limit of requests in a turn")}
	case acpv1.StopReasonCancelled:
		return &failure{statusCancelled, errors.New("cancelled")}
	}
	return &failure{statusAgent, fmt.Errorf("the agent stopped for a reason that is not known: %q", string(reason))}
}

// agentError turns the error of a call into that of the program. What the user asked for and the agent cannot do is a matter of usage.
func agentError(doing string, err error) error {
	var unsupported *acp.UnsupportedError
	if errors.As(err, &unsupported) {
		return usageError("%s: the agent does not support it: it did not advertise %s", doing, unsupported.Capability)
	}
	return &failure{statusAgent, fmt.Errorf("%s: %w", doing, err)}
}
