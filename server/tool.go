package server

import "encoding/json"

// A ToolKind says what a tool does, so that clients can show it well. The zero value is Other.
type ToolKind string

// The kinds of tools.
const (
	Read       ToolKind = "read"
	Edit       ToolKind = "edit"
	Delete     ToolKind = "delete"
	Move       ToolKind = "move"
	Search     ToolKind = "search"
	Execute    ToolKind = "execute"
	Think      ToolKind = "think"
	Fetch      ToolKind = "fetch"
	SwitchMode ToolKind = "switch_mode"
	Other      ToolKind = "other"
)

// Mutates reports whether tools of the kind change something outside the session. Read-only modes refuse them.
func (k ToolKind) Mutates() bool {
	switch k {
	case Read, Search, Think, Fetch, SwitchMode:
		return false
	case Edit, Delete, Move, Execute, Other, "":
	}
	return true
}

// A Location is a place in a file that a tool call is about.
type Location struct {
	// Path is absolute; a relative one is taken from the session's working directory.
	Path string
	// Line is 1-based; zero is none.
	Line int
}

// A Result is what a tool call produced.
type Result struct {
	// Items are shown in order. Those that are nil are left out.
	Items []Item
	// Output is the tool's raw output as JSON; nil is none. What is no strict JSON, such as an object that has a name twice, is left out.
	Output json.RawMessage
}

// An Item is one piece of a tool's result. It is one of [*TextItem], [*MediaItem], [*DiffItem], [*TerminalItem].
//
//sumtype:decl
type Item interface{ isItem() }

// A TextItem is text to show.
type TextItem struct{ Text string }

// A MediaItem is an image, audio, a document or a link to show.
type MediaItem struct{ Part Part }

// A DiffItem is a change of a file.
type DiffItem struct {
	// Path is absolute; a relative one is taken from the session's working directory.
	Path string
	// Old is the text before; nil for a file that is new.
	Old *string
	New string
}

// A TerminalItem shows a terminal of the client, live.
type TerminalItem struct {
	TerminalID string
	// Output is the text to show in its place where the terminal is gone: when the session is loaded again. If empty, nothing is.
	Output string
}

func (*TextItem) isItem()     {}
func (*MediaItem) isItem()    {}
func (*DiffItem) isItem()     {}
func (*TerminalItem) isItem() {}

// Text returns a result of one piece of text.
func Text(text string) Result { return Result{Items: []Item{&TextItem{Text: text}}} }
