package server

import (
	"encoding/json"
	"time"
)

// A Role says whose message an entry of the history is.
type Role string

// The roles.
const (
	UserRole  Role = "user"
	AgentRole Role = "agent"
)

// An Entry is one message of a session's history, in the order in which it was said.
type Entry struct {
	Role Role
	// MessageID ties chunks of one message together. If empty, none was known.
	MessageID string
	Time      time.Time
	Blocks    []Block
	// Torn marks the last entry of a turn that did not end, because the process died.
	Torn bool
}

// A Block is one piece of a message. It is one of [*TextBlock], [*ThinkingBlock], [*MediaBlock], [*ToolCallBlock], [*ToolResultBlock], [*PlanBlock].
//
//sumtype:decl
type Block interface{ isBlock() }

// A TextBlock is text, as the user or the agent said it.
type TextBlock struct{ Text string }

// A ThinkingBlock is the agent's reasoning.
type ThinkingBlock struct{ Text string }

// A MediaBlock is what is not text: an image, audio, a document or a link.
type MediaBlock struct{ Part Part }

// A ToolCallBlock is a tool call as the agent made it.
type ToolCallBlock struct {
	ID    string
	Name  string
	Title string
	Kind  ToolKind
	// Input is the tool's input as JSON.
	Input     json.RawMessage
	Locations []Location
}

// A ToolResultBlock is how a tool call ended.
type ToolResultBlock struct {
	// CallID is the ID of the call's ToolCallBlock.
	CallID string
	Result Result
	Failed bool
}

// A PlanBlock is what the agent meant to do at that point: all of it. Of a session's plans only the last is shown again.
type PlanBlock struct{ Todos []Todo }

func (*TextBlock) isBlock()       {}
func (*ThinkingBlock) isBlock()   {}
func (*MediaBlock) isBlock()      {}
func (*ToolCallBlock) isBlock()   {}
func (*ToolResultBlock) isBlock() {}
func (*PlanBlock) isBlock()       {}
