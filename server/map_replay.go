package server

import (
	"fmt"
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// updatesOf maps a session's history to the updates that replay it, in order. A tool call is one update that has its result: completed, or failed if it failed or
// there is no result. Every message gets an id that no other has, also in parts of different kinds. Relative paths are taken from cwd.
// https://agentclientprotocol.com/protocol/session-setup#loading-sessions
func updatesOf(history []Entry, cwd string) ([]acpv1.SessionUpdate, []Dropped) {
	r := &replay{cwd: cwd, losses: newLosses(), results: map[blockAt]*ToolResultBlock{}, paired: map[blockAt]bool{}, used: map[string]bool{}}
	r.pair(history)
	for i, e := range history {
		r.entry(i, e, r.losses.index(i))
	}
	return r.updates, *r.losses.list
}

// replay holds what updatesOf knows so far.
type replay struct {
	cwd     string
	losses  losses
	updates []acpv1.SessionUpdate
	// results are the results of the calls at a place; paired are the places of results that have a call.
	results map[blockAt]*ToolResultBlock
	paired  map[blockAt]bool
	// plan is the place of the last plan: it replaced those before.
	plan *blockAt
	// used are the message and tool call ids on the wire, with a prefix for which they are.
	used map[string]bool
	// run is the message that the last chunk was of.
	run struct {
		base, kind string
		id         acpv1.MessageID
	}
}

type blockAt struct{ entry, block int }

// pair finds the result of each call, and the last plan. A call id that comes again is another call: its results go to the earliest that has none.
func (r *replay) pair(history []Entry) {
	open := map[string][]blockAt{}
	for i, e := range history {
		for j, b := range e.Blocks {
			switch b := b.(type) {
			case *ToolCallBlock:
				open[b.ID] = append(open[b.ID], blockAt{i, j})
			case *ToolResultBlock:
				if calls := open[b.CallID]; len(calls) > 0 {
					r.results[calls[0]] = b
					r.paired[blockAt{i, j}] = true
					open[b.CallID] = calls[1:]
				}
			case *PlanBlock:
				r.plan = &blockAt{i, j}
			case *TextBlock, *ThinkingBlock, *MediaBlock:
			}
		}
	}
}

func (r *replay) entry(i int, e Entry, l losses) {
	base := e.MessageID
	if base == "" {
		base = fmt.Sprintf("replay-%d", i)
	}
	thoughtBase := base
	if slices.ContainsFunc(e.Blocks, isSaid) {
		thoughtBase += ".thought"
	}
	for j, b := range e.Blocks {
		at := blockAt{i, j}
		l := l.index(j)
		switch b := b.(type) {
		case *TextBlock:
			r.chunk(e.Role, base, &acpv1.TextContent{Text: l.text(b.Text)}, l)
		case *ThinkingBlock:
			if e.Role != AgentRole {
				l.add(DropUnmapped, "thinking", "only the agent's is shown", "")
				continue
			}
			r.add(&acpv1.AgentThoughtChunk{Content: &acpv1.TextContent{Text: l.text(b.Text)}, MessageID: r.messageID(thoughtBase, "thought", l)})
		case *MediaBlock:
			if block := blockOf(b.Part, l); block != nil {
				r.chunk(e.Role, base, block, l)
			}
		case *ToolCallBlock:
			r.toolCall(at, b, l)
		case *ToolResultBlock:
			if !r.paired[at] {
				l.add(DropMalformed, "tool result", "there is no call that it could belong to", "")
			}
		case *PlanBlock:
			if at == *r.plan {
				r.add(planUpdate(b.Todos, l.at("todos")))
			}
		case nil:
			l.add(DropMalformed, "block", "there is none", "")
		}
	}
	if e.Torn {
		l.add(DropUnmapped, "mark of a torn turn", "updates have none", "")
	}
}

// isSaid reports whether a block is of the message itself. Its id is theirs; reasoning beside them has another.
func isSaid(b Block) bool {
	switch b.(type) {
	case *TextBlock, *MediaBlock:
		return true
	case *ThinkingBlock, *ToolCallBlock, *ToolResultBlock, *PlanBlock:
	}
	return false
}

func (r *replay) add(u acpv1.SessionUpdate) { r.updates = append(r.updates, u) }

func (r *replay) chunk(role Role, base string, block acpv1.ContentBlock, l losses) {
	switch role {
	case UserRole:
		r.add(&acpv1.UserMessageChunk{Content: block, MessageID: r.messageID(base, "user", l)})
	case AgentRole:
		r.add(&acpv1.AgentMessageChunk{Content: block, MessageID: r.messageID(base, "agent", l)})
	default:
		l.add(DropMalformed, "message", "its role is unknown", "")
	}
}

// messageID returns the id of a chunk: that of the chunk before if both are of one message and one kind, and else one that was not used yet.
func (r *replay) messageID(base, kind string, l losses) *acpv1.MessageID {
	if r.run.base != base || r.run.kind != kind {
		r.run.base, r.run.kind = base, kind
		r.run.id = acpv1.MessageID(r.unused("message", l.text(base)))
	}
	return new(r.run.id)
}

// unused returns id, or id with a number behind it if that is taken.
func (r *replay) unused(what, id string) string {
	free := id
	for n := 2; r.used[what+" "+free]; n++ {
		free = fmt.Sprintf("%s.%d", id, n)
	}
	r.used[what+" "+free] = true
	return free
}

func (r *replay) toolCall(at blockAt, b *ToolCallBlock, l losses) {
	id := l.text(b.ID)
	if id == "" {
		id = fmt.Sprintf("replay-%d-%d", at.entry, at.block)
		l.add(DropMalformed, "tool call id", "there is none", "one that was made up")
	}
	wireID := r.unused("call", id)
	if wireID != id {
		l.add(DropMalformed, "tool call id", "another call has it", "one with a number behind it")
	}
	kind := b.Kind
	if kind == "" {
		kind = KindOf(b.Name)
	}
	call := &acpv1.ToolCall{
		ToolCallID: acpv1.ToolCallID(wireID),
		Title:      titleOf(l.text(b.Title), l.text(b.Name)),
		Name:       optional(l.text(b.Name)),
		Kind:       new(wireKind(kind)),
		Status:     new(acpv1.ToolCallStatusFailed),
		Locations:  wireLocations(b.Locations, r.cwd, l.at("locations")),
		RawInput:   rawJSON(b.Input, "tool input", l.at("input")),
	}
	if result := r.results[at]; result != nil {
		l := l.at("result")
		call.Content = toolContent(result.Result, r.cwd, false, l.at("items"))
		call.RawOutput = rawJSON(result.Result.Output, "tool output", l.at("output"))
		if !result.Failed {
			call.Status = new(acpv1.ToolCallStatusCompleted)
		}
	} else {
		l.add(DropMalformed, "tool call", "it has no result", "a failed one")
	}
	r.add(call)
}

func titleOf(title, name string) string {
	switch {
	case title != "":
		return title
	case name != "":
		return name
	}
	return "Tool"
}
