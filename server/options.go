package server

import (
	"log/slog"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/server/store"
)

// The defaults of [Options].
const (
	// DefaultCancelGrace is how long an engine may take to return once its turn is cancelled.
	DefaultCancelGrace = 5 * time.Second
	// DefaultPageSize is how many sessions a page of session/list has.
	DefaultPageSize = 50
)

// A PromptPolicy says what happens to a prompt for a session whose turn is running.
type PromptPolicy int

// The policies.
const (
	// Queue lets it wait until the turns before it have been answered.
	Queue PromptPolicy = iota
	// Preempt cancels the turns before it.
	Preempt
	// Reject refuses it.
	Reject
)

// Options change how a [Server] works. The zero value is ready to use.
type Options struct {
	// Store keeps sessions and their history. If nil, nothing is kept, and the agent offers neither session/list, session/delete, session/load nor session/resume.
	Store store.Store
	// Name, Title and Version say who the agent is. If Name is empty, "agent"; if Version is empty, "0.0.0"; if Title is empty, there is none.
	Name, Title, Version string
	// Policy is for prompts that come while a turn is running. If zero, Queue.
	Policy PromptPolicy
	// Local says what [Turn.Files] and [Turn.Terminals] do for clients without such methods. If zero, LocalInRoots.
	Local LocalPolicy
	// CancelGrace is how long an engine may take to return once its turn is cancelled. After that the client is answered all the same, and what the engine still says is
	// dropped. The next turn of the session waits as long for it again. If zero, DefaultCancelGrace.
	CancelGrace time.Duration
	// RefuseWedged refuses further prompts of a session while the engine is still in a turn that was given up. If false, they are run.
	RefuseWedged bool
	// EchoModes also sends current_mode_update for a change that the client itself asked for with session/set_mode. If false, its response says enough.
	EchoModes bool
	// PageSize is how many sessions a page of session/list has. If zero, DefaultPageSize.
	PageSize int
	// NewID makes the ids of the things of a kind. It must never return an id of that kind twice, also not in another process with the same Store; it must not call
	// the server, and may be called at once. If nil, ids are random.
	NewID func(kind IDKind) string
	// Logger is told what goes wrong, without the content of messages. If nil, nothing is logged.
	Logger *slog.Logger
	// ACP are options of the connections. Extensions of the engine are added to them. Its Logger, if nil, is Logger.
	ACP acp.Options
}

func (o *Options) withDefaults() Options {
	var n Options
	if o != nil {
		n = *o
	}
	if n.Name == "" {
		n.Name = "agent"
	}
	if n.Version == "" {
		n.Version = "0.0.0"
	}
	if n.CancelGrace <= 0 {
		n.CancelGrace = DefaultCancelGrace
	}
	if n.PageSize <= 0 {
		n.PageSize = DefaultPageSize
	}
	if n.Logger == nil {
		n.Logger = slog.New(slog.DiscardHandler)
	}
	if n.ACP.Logger == nil {
		n.ACP.Logger = n.Logger
	}
	return n
}
