package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// planned shows a plan, unless it is the one that was shown last.
func (t *Text) planned(p *acpv1.Plan) {
	same := func(a, b acpv1.PlanEntry) bool {
		return a.Content == b.Content && a.Status == b.Status && a.Priority == b.Priority
	}
	if t.plan != nil && slices.EqualFunc(t.plan, p.Entries, same) {
		return
	}
	t.plan = append([]acpv1.PlanEntry{}, p.Entries...)
	if len(p.Entries) == 0 {
		t.note("the plan is empty")
		return
	}
	t.lastTool = nil
	t.line(bold, "Plan")
	for _, e := range p.Entries {
		symbol, style := "○", ""
		switch e.Status {
		case acpv1.PlanEntryStatusPending:
		case acpv1.PlanEntryStatusInProgress:
			symbol, style = "◐", cyan
		case acpv1.PlanEntryStatusCompleted:
			symbol, style = "✓", green
		}
		priority := ""
		if e.Priority == acpv1.PlanEntryPriorityHigh {
			priority = " (high)"
		}
		t.line("", "  %s %s%s", t.paint(style, symbol), OneLine(e.Content), priority)
	}
}

// maxCommands is how many slash commands are named.
const maxCommands = 8

func (t *Text) commands(u *acpv1.AvailableCommandsUpdate) {
	var names []string
	for i, c := range u.AvailableCommands {
		if i == maxCommands {
			names = append(names, fmt.Sprintf("and %d more", len(u.AvailableCommands)-i))
			break
		}
		names = append(names, "/"+c.Name)
	}
	if names != nil {
		t.note("commands: " + strings.Join(names, " "))
	}
}

func (t *Text) config(u *acpv1.ConfigOptionUpdate) {
	var values []string
	for _, o := range u.ConfigOptions {
		switch v := o.Type.(type) {
		case *acpv1.SessionConfigSelect:
			values = append(values, fmt.Sprintf("%s=%s", o.ID, v.CurrentValue))
		case *acpv1.SessionConfigBoolean:
			values = append(values, fmt.Sprintf("%s=%v", o.ID, v.CurrentValue))
		case *acpv1.UnknownSessionConfigOptionType:
		}
	}
	if values != nil {
		t.note("config: " + strings.Join(values, " "))
	}
}

func (t *Text) usage(u *acpv1.UsageUpdate) {
	text := fmt.Sprintf("usage: %d of %d tokens", u.Used, u.Size)
	if u.Cost != nil {
		text += fmt.Sprintf(", %g %s", u.Cost.Amount, u.Cost.Currency)
	}
	t.note(text)
}

func (t *Text) notice(n *acpv1.Notice) {
	style := ""
	switch n.Severity {
	case acpv1.NoticeSeverityError:
		style = red
	case acpv1.NoticeSeverityWarning:
		style = yellow
	case acpv1.NoticeSeverityInfo:
	}
	text := OneLine(n.Title)
	if n.Description != nil {
		text += ": " + OneLine(*n.Description)
	}
	t.lastTool = nil
	t.line(style, "! %s: %s", OneLine(string(n.Severity)), text)
}

func (t *Text) answered(a *Answered) {
	title := string(a.ToolCallID)
	if call := t.tools[a.ToolCallID]; call != nil {
		title = call.title
	}
	answer := "not answered"
	if a.Option != nil {
		answer = a.Option.Name
	}
	t.lastTool = nil
	t.line(yellow, "? %s: %s", OneLine(title), OneLine(answer))
}

func (t *Text) file(f *File) {
	done, tried := "read", "reading"
	if f.Write {
		done, tried = "wrote", "writing"
	}
	if f.Error != "" {
		t.note(fmt.Sprintf("%s %s failed: %s", tried, t.rel(f.Path), f.Error))
		return
	}
	t.note(fmt.Sprintf("%s %s, %s", done, t.rel(f.Path), size(f.Bytes)))
}

// A screen is what was shown of a terminal.
type screen struct {
	command string
	partial string // a line that has not ended yet
	lines   int    // how many were shown
	skipped int    // how many were not
}

// maxOutput is how many lines of a terminal are shown.
const maxOutput = 100

func (t *Text) started(s *Started) {
	if t.terminals == nil {
		t.terminals = map[string]*screen{}
	}
	t.lastShown = &screen{command: s.Command}
	t.terminals[s.Terminal] = t.lastShown
	t.lastTool = nil
	t.line(bold, "$ %s", strings.ReplaceAll(Visible(s.Command), "\n", "\n  "))
}

func (t *Text) output(o *Output) {
	s := t.terminals[o.Terminal]
	if s == nil {
		return
	}
	text := s.partial + o.Text
	end := strings.LastIndexByte(text, '\n') + 1
	text, s.partial = text[:end], text[end:]
	if len(s.partial) > maxPartial {
		text, s.partial = text+s.partial+"\n", ""
	}
	t.outputLines(s, text)
}

// maxPartial is how much of a line of output is waited for, in bytes.
const maxPartial = 4 << 10

func (t *Text) outputLines(s *screen, text string) {
	for line := range strings.Lines(text) {
		if s.lines >= maxOutput {
			s.skipped++
			continue
		}
		s.lines++
		t.turnTo(s)
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if i := strings.LastIndexByte(line, '\r'); i >= 0 {
			line = line[i+1:] // it overwrites what is before
		}
		t.line(dim, "  │ %s", strings.TrimRight(Clean(line), " "))
	}
}

// turnTo names the command whose output comes next, if that of another was last.
func (t *Text) turnTo(s *screen) {
	t.lastTool = nil
	if t.lastShown != s {
		t.line(dim, "… %s", cutLine(OneLine(s.command)))
		t.lastShown = s
	}
}

// cutLine shortens what only has to be recognised.
func cutLine(s string) string {
	const limit = 60
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

func (t *Text) exited(e *Exited) {
	s := t.terminals[e.Terminal]
	if s == nil {
		return
	}
	if s.partial != "" {
		t.outputLines(s, s.partial+"\n")
		s.partial = ""
	}
	if s.skipped > 0 {
		t.turnTo(s)
		t.line(dim, "  │ … %s not shown", count(s.skipped, "more line"))
	}
	switch {
	case e.Signal != nil:
		t.turnTo(s)
		t.line(dim, "  └ ended by %s", OneLine(*e.Signal))
	case e.Code != nil && *e.Code != 0:
		t.turnTo(s)
		t.line(dim, "  └ exit status %d", *e.Code)
	}
}
