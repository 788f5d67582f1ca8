package view

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acprun/internal/diff"
)

const (
	// maxText is how many lines of text of a tool call are shown.
	maxText = 50
	// maxDiff is how many lines of a diff are shown.
	maxDiff = 200
	// context is how many lines around a change are shown.
	context = 2
	// indent is in front of the content of a tool call.
	indent = "    "
)

// A tool is what was shown of a tool call.
type tool struct {
	title     string
	kind      acpv1.ToolKind
	status    acpv1.ToolCallStatus
	locations []string
	content   []acpv1.ToolCallContent
	lines     int // of text
}

// toolCall shows a call that is announced. An agent that announces one again means an update.
func (t *Text) toolCall(c *acpv1.ToolCall) {
	t.toolUpdate(&acpv1.ToolCallUpdate{
		ToolCallID: c.ToolCallID, Title: &c.Title, Kind: c.Kind, Status: c.Status, Content: c.Content, Locations: c.Locations,
	})
}

// toolUpdate shows what is new about a call: a line if its title, kind, status or places changed, and content that was not there before.
func (t *Text) toolUpdate(u *acpv1.ToolCallUpdate) {
	c := t.tools[u.ToolCallID]
	first := c == nil
	if first {
		c = &tool{title: string(u.ToolCallID), status: acpv1.ToolCallStatusPending}
		if t.tools == nil {
			t.tools = map[acpv1.ToolCallID]*tool{}
		}
		t.tools[u.ToolCallID] = c
	}
	before := *c
	if u.Title != nil {
		c.title = *u.Title
	}
	if u.Kind != nil {
		c.kind = *u.Kind
	}
	if u.Status != nil {
		c.status = *u.Status
	}
	if u.Locations != nil {
		c.locations = t.places(u.Locations)
	}
	placed := strings.Join(c.locations, " ") != strings.Join(before.locations, " ")
	if first || placed || c.title != before.title || c.status != before.status {
		t.toolLine(c, first, placed)
	}
	if u.Content != nil {
		t.content(c, u.Content)
	}
}

func (t *Text) places(locations []acpv1.ToolCallLocation) []string {
	list := []string{}
	for _, l := range locations {
		place := t.rel(l.Path)
		if l.Line != nil {
			place = fmt.Sprintf("%s:%d", place, *l.Line)
		}
		list = append(list, place)
	}
	return list
}

// toolLine writes the line about a call: its title and what is new.
func (t *Text) toolLine(c *tool, first, placed bool) {
	symbol, style := "○", yellow
	switch c.status {
	case acpv1.ToolCallStatusPending:
	case acpv1.ToolCallStatusInProgress:
		symbol, style = "◐", cyan
	case acpv1.ToolCallStatusCompleted:
		symbol, style = "✓", green
	case acpv1.ToolCallStatusFailed:
		symbol, style = "✗", red
	}
	var details []string
	if first && c.kind != "" && c.kind != acpv1.ToolKindOther {
		details = append(details, word(string(c.kind)))
	}
	if !first || c.status != acpv1.ToolCallStatusPending {
		details = append(details, word(string(c.status)))
	}
	title := OneLine(c.title)
	if placed {
		for i, place := range c.locations {
			if i == 3 {
				details = append(details, fmt.Sprintf("%d more", len(c.locations)-i))
				break
			}
			if !strings.Contains(title, place) {
				details = append(details, place)
			}
		}
	}
	tail := ""
	if details != nil {
		tail = t.paint(dim, " ("+strings.Join(details, ", ")+")")
	}
	t.line("", "%s %s%s", t.paint(style, symbol), title, tail)
	t.lastTool = c
}

// content shows the parts of a call's content that are new. The whole of it takes the place of what was there, so most parts usually are not.
func (t *Text) content(c *tool, list []acpv1.ToolCallContent) {
	old := c.content
	c.content = list
	for i, part := range list {
		var before acpv1.ToolCallContent
		if i < len(old) {
			before = old[i]
		}
		if before != nil && reflect.DeepEqual(before, part) {
			continue
		}
		if t.lastTool != c {
			t.line(dim, "… %s", OneLine(c.title))
			t.lastTool = c
		}
		t.part(c, before, part)
	}
}

func (t *Text) part(c *tool, before, part acpv1.ToolCallContent) {
	switch p := part.(type) {
	case *acpv1.Content:
		text := describe(p.Content)
		if old, ok := before.(*acpv1.Content); ok {
			text = grown(describe(old.Content), text)
		}
		t.toolText(c, text)
	case *acpv1.Diff:
		t.diff(p)
	case *acpv1.Terminal:
		t.line(dim, indent+"terminal %s", OneLine(string(p.TerminalID)))
	case *acpv1.UnknownToolCallContent:
		t.line(dim, indent+"[%s]", OneLine(p.Tag))
	}
}

// grown returns what is new in a text that may have grown at its end, from the start of a line on.
func grown(before, text string) string {
	if !strings.HasPrefix(text, before) {
		return text
	}
	return text[strings.LastIndexByte(before, '\n')+1:]
}

func (t *Text) toolText(c *tool, text string) {
	skipped := 0
	for line := range strings.Lines(text) {
		if c.lines >= maxText {
			skipped++
			continue
		}
		c.lines++
		t.line("", "%s", strings.TrimRight(indent+line, " \n"))
	}
	if skipped > 0 {
		t.line(dim, indent+"… %s not shown", count(skipped, "more line"))
	}
}

func (t *Text) diff(d *acpv1.Diff) {
	before, from, to := "", "/dev/null", t.rel(d.Path)
	if d.OldText != nil {
		before, from = *d.OldText, to
	}
	lines := diff.Unified(before, d.NewText, context)
	t.line(bold, indent+"--- %s", from)
	t.line(bold, indent+"+++ %s", to)
	for i, l := range lines {
		if i == maxDiff {
			t.line(dim, indent+"… %s not shown", count(len(lines)-i, "more line"))
			return
		}
		style, text := "", string(l.Op)
		switch l.Op {
		case diff.Insert:
			style = green
		case diff.Delete:
			style = red
		case diff.Hunk:
			style, text = cyan, ""
		case diff.Note:
			style, text = dim, ""
		case diff.Keep:
		}
		text = indent + text + Visible(l.Text)
		if l.Op == diff.Keep && l.Text == "" {
			text = ""
		}
		t.line(style, "%s", text)
	}
}
