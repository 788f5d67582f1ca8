package server

// A Finish says why an engine's turn ended.
type Finish string

// The reasons. The protocol has fewer: a mapping says which stop reason each becomes.
const (
	// Stop is the ordinary end: the model has said what it had to say.
	Stop Finish = "stop"
	// ToolCalls means that the model wants more tool results but the engine does not go on.
	ToolCalls Finish = "tool-calls"
	// Length means that the model's output limit was reached.
	Length Finish = "length"
	// ContentFilter means that the model or its provider refused.
	ContentFilter Finish = "content-filter"
	// Pause means that the provider paused a long turn; a further prompt continues it.
	Pause Finish = "pause"
	// Failed means that the turn failed; the engine returns the error beside it, and the error is what the client gets.
	Failed Finish = "error"
	// Aborted means that the engine stopped because its context ended.
	Aborted Finish = "aborted"
	// TurnLimit means that the engine's own limit of model requests per turn was reached.
	TurnLimit Finish = "turn-limit"
)
