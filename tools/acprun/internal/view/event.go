// Package view shows what happens between acprun and an agent: for people, or as one JSON object a line.
package view

import (
	"github.com/acpwire/acpwire/gen/acpv1"
)

// An Event is something that happens. It is one of:
//
//   - [*Agent]: the agent has answered initialize.
//   - [*Session]: there is a session.
//   - [*Update]: the agent has sent an update of it.
//   - [*Asked] and [*Answered]: it wants permission, and the answer.
//   - [*File]: it has read or written a file, or tried to.
//   - [*Started], [*Output] and [*Exited]: of a command in a terminal.
//   - [*End]: it is over.
//
//sumtype:decl
type Event interface{ kind() string }

// Agent is who the agent is and what it can do.
type Agent struct {
	// Result is the agent's answer to initialize.
	Result *acpv1.InitializeResponse `json:"result"`
}

// Session is a session that was opened.
type Session struct {
	// ID is the session's.
	ID acpv1.SessionID `json:"sessionId"`
	// Loaded is true for one that was there before.
	Loaded bool `json:"loaded"`
	// Modes and ConfigOptions are as the agent answered. Optional.
	Modes         *acpv1.SessionModeState     `json:"modes,omitzero"`
	ConfigOptions []acpv1.SessionConfigOption `json:"configOptions,omitzero"`
}

// Update is an update of the session.
type Update struct {
	// SessionID is the session's.
	SessionID acpv1.SessionID
	// Replayed is true while a session is loaded.
	Replayed bool
	// Update is what the agent sent.
	Update acpv1.SessionUpdate
}

// Asked is a request for permission.
type Asked struct {
	// ToolCall is what the agent wants to do.
	ToolCall *acpv1.ToolCallUpdate
	// Options are the possible answers.
	Options []acpv1.PermissionOption
}

// Answered is the answer to such a request.
type Answered struct {
	// ToolCallID is what the request was about.
	ToolCallID acpv1.ToolCallID `json:"toolCallId"`
	// Option is the answer; nil if the turn was cancelled, or none of the options would do.
	Option *acpv1.PermissionOption `json:"option"`
}

// File is an access to a file.
type File struct {
	// Write is true for writing and false for reading.
	Write bool `json:"write"`
	// Path is as the agent named it.
	Path string `json:"path"`
	// Bytes is how much was read or written.
	Bytes int `json:"bytes"`
	// Error says why it was refused; empty if it was not.
	Error string `json:"error,omitempty"`
}

// Started is a command that was started in a terminal.
type Started struct {
	// Terminal is its id.
	Terminal string `json:"terminalId"`
	// Command is the command line. It is not for a shell to read.
	Command string `json:"command"`
}

// Output is what a command has written.
type Output struct {
	// Terminal is the id of its terminal.
	Terminal string `json:"terminalId"`
	// Text is some of the output. Lines may be cut anywhere.
	Text string `json:"text"`
}

// Exited is the end of a command.
type Exited struct {
	// Terminal is the id of its terminal.
	Terminal string `json:"terminalId"`
	// Code is the exit status, and Signal the name of the signal that ended the command; one of them is nil.
	Code   *uint32 `json:"exitCode"`
	Signal *string `json:"signal"`
}

// End is the last event.
type End struct {
	// StopReason is why the agent ended its turn; empty if it did not.
	StopReason acpv1.StopReason `json:"stopReason,omitempty"`
	// Status is the exit status of acprun.
	Status int `json:"status"`
	// Error says why it is not 0.
	Error string `json:"error,omitempty"`
}

func (*Agent) kind() string    { return "agent" }
func (*Session) kind() string  { return "session" }
func (*Update) kind() string   { return "update" }
func (*Asked) kind() string    { return "permission_request" }
func (*Answered) kind() string { return "permission_answer" }
func (*File) kind() string     { return "file" }
func (*Started) kind() string  { return "terminal_started" }
func (*Output) kind() string   { return "terminal_output" }
func (*Exited) kind() string   { return "terminal_exited" }
func (*End) kind() string      { return "end" }
