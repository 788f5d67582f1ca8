package view

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A Text shows events to people. It is not safe for concurrent use; a [Printer] sees to that.
type Text struct {
	// Color turns colours on.
	Color bool
	// Rel shortens the paths of files. If nil, they are shown as they are.
	Rel func(path string) string

	b         []byte
	block     block
	message   acpv1.MessageID // of the block, if it has one
	midLine   bool            // something is in the current line
	any       bool            // something was shown
	tools     map[acpv1.ToolCallID]*tool
	lastTool  *tool // whose lines were the last
	plan      []acpv1.PlanEntry
	terminals map[string]*screen
	lastShown *screen // of which output was shown last
}

// A block is a kind of output. Blocks of prose stand apart from what is around them.
type block uint8

const (
	noBlock block = iota
	messageBlock
	thoughtBlock
	userBlock
	linesBlock
)

// The styles, as parameters of the terminal's control sequence.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// Append appends the event to b.
func (t *Text) Append(b []byte, e Event) []byte {
	t.b = b
	switch e := e.(type) {
	case *Agent, *Session:
	case *Update:
		t.update(e.Update)
	case *Asked:
		t.toolUpdate(e.ToolCall)
	case *Answered:
		t.answered(e)
	case *File:
		t.file(e)
	case *Started:
		t.started(e)
	case *Output:
		t.output(e)
	case *Exited:
		t.exited(e)
	case *End:
		t.endLine()
	}
	b, t.b = t.b, nil
	return b
}

func (t *Text) update(u acpv1.SessionUpdate) {
	switch u := u.(type) {
	case *acpv1.AgentMessageChunk:
		t.chunk(messageBlock, u.MessageID, u.Content)
	case *acpv1.AgentThoughtChunk:
		t.chunk(thoughtBlock, u.MessageID, u.Content)
	case *acpv1.UserMessageChunk:
		t.chunk(userBlock, u.MessageID, u.Content)
	case *acpv1.ToolCall:
		t.toolCall(u)
	case *acpv1.ToolCallUpdate:
		t.toolUpdate(u)
	case *acpv1.Plan:
		t.planned(u)
	case *acpv1.AvailableCommandsUpdate:
		t.commands(u)
	case *acpv1.CurrentModeUpdate:
		t.note("mode: " + string(u.CurrentModeID))
	case *acpv1.ConfigOptionUpdate:
		t.config(u)
	case *acpv1.SessionInfoUpdate:
		if title, ok := u.Title.Get(); ok {
			t.note("title: " + title)
		}
	case *acpv1.UsageUpdate:
		t.usage(u)
	case *acpv1.Notice:
		t.notice(u)
	case *acpv1.CompactionUpdate:
		t.note("compaction: " + word(string(u.Status)))
	case *acpv1.CompactionSummaryChunk:
		t.note("compaction: " + firstLine(describe(u.Content)))
	case *acpv1.UnknownSessionUpdate:
		t.note("unknown update: " + u.Tag)
	}
}

// paint returns s in a style.
func (t *Text) paint(style, s string) string {
	if !t.Color || style == "" || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[m"
}

// endLine ends the current line, if anything is in it.
func (t *Text) endLine() {
	if t.midLine {
		t.b = append(t.b, '\n')
		t.midLine = false
	}
}

// enter goes on with a block of that kind, or starts one.
func (t *Text) enter(kind block, message acpv1.MessageID) {
	if t.block == kind && (t.message == message || kind == linesBlock) {
		return
	}
	t.endLine()
	if t.any {
		t.b = append(t.b, '\n')
	}
	t.block, t.message, t.any, t.lastTool = kind, message, true, nil
}

// chunk shows a part of a message.
func (t *Text) chunk(kind block, message *acpv1.MessageID, content acpv1.ContentBlock) {
	var id acpv1.MessageID
	if message != nil {
		id = *message
	}
	text, ok := content.(*acpv1.TextContent)
	switch {
	case !ok:
		t.enter(kind, id)
		t.endLine()
		t.prose(kind, describe(content)+"\n")
	case text.Text != "":
		t.enter(kind, id)
		t.prose(kind, Clean(text.Text))
	}
}

// prose writes text of a block. Lines of what is not the agent's answer begin with a mark.
func (t *Text) prose(kind block, text string) {
	mark, style := "", ""
	switch kind {
	case thoughtBlock:
		mark, style = "~ ", dim
	case userBlock:
		mark, style = "> ", cyan
	case noBlock, messageBlock, linesBlock:
	}
	for line := range strings.Lines(text) {
		body, ended := strings.CutSuffix(line, "\n")
		if !t.midLine {
			body = mark + body
		}
		if ended && body == mark {
			body = strings.TrimSpace(mark)
		}
		t.b = append(t.b, t.paint(style, body)...)
		t.midLine = true
		if ended {
			t.endLine()
		}
	}
}

// line writes a line of its own. It must be clean.
func (t *Text) line(style, format string, args ...any) {
	t.enter(linesBlock, "")
	t.b = append(t.b, t.paint(style, fmt.Sprintf(format, args...))...)
	t.b = append(t.b, '\n')
}

// note writes a line about something minor.
func (t *Text) note(text string) {
	t.lastTool = nil
	t.line(dim, "· %s", OneLine(text))
}

func (t *Text) rel(path string) string {
	if t.Rel != nil {
		path = t.Rel(path)
	}
	return OneLine(path)
}

// word makes a value of the protocol one for people.
func word(value string) string { return strings.ReplaceAll(value, "_", " ") }

func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" {
		line += " …"
	}
	return line
}
