package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMapReplay(t *testing.T) {
	call := func(id, name string) Block { return &ToolCallBlock{ID: id, Name: name} }
	result := func(id, text string) Block { return &ToolResultBlock{CallID: id, Result: Text(text)} }
	agent := func(id string, blocks ...Block) Entry { return Entry{Role: AgentRole, MessageID: id, Blocks: blocks} }
	user := func(id string, blocks ...Block) Entry { return Entry{Role: UserRole, MessageID: id, Blocks: blocks} }
	tests := []struct {
		name    string
		history []Entry
		want    string
		dropped string
	}{
		{"messages", []Entry{user("u", &TextBlock{"hi"}), agent("a", &ThinkingBlock{"hm"}, &TextBlock{"yes"}, &TextBlock{"!"})}, `
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"},"messageId":"u"}
{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"},"messageId":"a.thought"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"yes"},"messageId":"a"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"!"},"messageId":"a"}`, ""},
		{"a message of thinking alone", []Entry{agent("a", &ThinkingBlock{"hm"})}, `
{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"},"messageId":"a"}`, ""},
		{"text goes on after thinking", []Entry{agent("a", &TextBlock{"1"}, &ThinkingBlock{"2"}, &TextBlock{"3"})}, `
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1"},"messageId":"a"}
{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"2"},"messageId":"a.thought"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"3"},"messageId":"a.2"}`, ""},
		{"one message in two entries", []Entry{agent("a", &TextBlock{"1"}), agent("a", &TextBlock{"2"})}, `
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1"},"messageId":"a"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"2"},"messageId":"a"}`, ""},
		{"an id of both sides", []Entry{user("x", &TextBlock{"1"}), agent("x", &TextBlock{"2"})}, `
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"1"},"messageId":"x"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"2"},"messageId":"x.2"}`, ""},
		{"no ids", []Entry{user("", &TextBlock{"1"}), user("", &TextBlock{"2"})}, `
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"1"},"messageId":"replay-0"}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"2"},"messageId":"replay-1"}`, ""},
		{"media", []Entry{user("u", &MediaBlock{&ImagePart{MIMEType: "image/png", Data: []byte("hi")}}, &MediaBlock{&AudioPart{}})}, `
{"sessionUpdate":"user_message_chunk","content":{"type":"image","data":"aGk=","mimeType":"image/png"},"messageId":"u"}`,
			"malformed /0/1: audio: it has no data\n"},
		{"completed call", []Entry{
			agent("a", &ToolCallBlock{
				ID: "c", Name: "edit_file", Title: "Edit a.go", Input: json.RawMessage(`{"path":"a.go"}`), Locations: []Location{{"a.go", 3}},
			}),
			user("r", &ToolResultBlock{CallID: "c", Result: Result{
				Items: []Item{&DiffItem{Path: "a.go", Old: new("1"), New: "2"}, &TextItem{"ok"}}, Output: json.RawMessage(`"ok"`),
			}}),
		}, `
{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit a.go","name":"edit_file","kind":"edit","status":"completed","content":[{"type":"diff","path":"/w/a.go","oldText":"1","newText":"2"},{"type":"content","content":{"type":"text","text":"ok"}}],"locations":[{"path":"/w/a.go","line":3}],"rawInput":{"path":"a.go"},"rawOutput":"ok"}`, ""},
		{"failed call", []Entry{agent("a", call("c", "bash"), &ToolResultBlock{CallID: "c", Failed: true, Result: Text("no")})}, `
{"sessionUpdate":"tool_call","toolCallId":"c","title":"bash","name":"bash","kind":"execute","status":"failed","content":[{"type":"content","content":{"type":"text","text":"no"}}]}`, ""},
		{"call without a result", []Entry{{Role: AgentRole, Blocks: []Block{call("c", "")}, Torn: true}}, `
{"sessionUpdate":"tool_call","toolCallId":"c","title":"Tool","kind":"other","status":"failed"}`,
			"malformed /0/0: tool call: it has no result; became a failed one\nunmapped /0: mark of a torn turn: updates have none\n"},
		{"released terminal", []Entry{agent("a", call("c", "bash"), &ToolResultBlock{CallID: "c", Result: Result{Items: []Item{&TerminalItem{TerminalID: "t"}, &TextItem{"out"}}}})}, `
{"sessionUpdate":"tool_call","toolCallId":"c","title":"bash","name":"bash","kind":"execute","status":"completed","content":[{"type":"content","content":{"type":"text","text":"out"}}]}`,
			"unmapped /0/0/result/items/0: terminal: it was released\n"},
		{"output of a released terminal", []Entry{agent("a", call("c", "bash"), &ToolResultBlock{CallID: "c", Result: Result{Items: []Item{&TerminalItem{"t", "out"}}}})}, `
{"sessionUpdate":"tool_call","toolCallId":"c","title":"bash","name":"bash","kind":"execute","status":"completed","content":[{"type":"content","content":{"type":"text","text":"out"}}]}`,
			"unmapped /0/0/result/items/0: terminal: it was released; became its output\n"},
		{"plans", []Entry{agent("", &PlanBlock{[]Todo{{Text: "look"}}}), agent("", &PlanBlock{[]Todo{{Text: "look", Status: TodoCompleted}}}), agent("a", &TextBlock{"done"})}, `
{"sessionUpdate":"plan","entries":[{"content":"look","priority":"medium","status":"completed"}]}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"done"},"messageId":"a"}`, ""},
		{"an id that comes again", []Entry{agent("a", call("c", "read"), result("c", "1")), agent("b", call("c", "read"), result("c", "2"))}, `
{"sessionUpdate":"tool_call","toolCallId":"c","title":"read","name":"read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"1"}}]}
{"sessionUpdate":"tool_call","toolCallId":"c.2","title":"read","name":"read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"2"}}]}`,
			"malformed /1/0: tool call id: another call has it; became one with a number behind it\n"},
		{"calls that overlap", []Entry{agent("a", call("c", "read"), call("d", "read")), user("r", result("d", "D"), result("c", "C"))}, `
{"sessionUpdate":"tool_call","toolCallId":"c","title":"read","name":"read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"C"}}]}
{"sessionUpdate":"tool_call","toolCallId":"d","title":"read","name":"read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"D"}}]}`, ""},
		{"results without a call", []Entry{agent("a", call("c", "read"), result("c", "1"), result("c", "2"), result("x", "3"))}, `
{"sessionUpdate":"tool_call","toolCallId":"c","title":"read","name":"read","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"1"}}]}`,
			"malformed /0/2: tool result: there is no call that it could belong to\nmalformed /0/3: tool result: there is no call that it could belong to\n"},
		{"what cannot be", []Entry{
			{Role: "system", Blocks: []Block{&TextBlock{"x"}}}, user("u", &ThinkingBlock{"x"}, nil), agent("a", &ToolCallBlock{Input: json.RawMessage(`{`)}, result("", "r")),
		}, `
{"sessionUpdate":"tool_call","toolCallId":"replay-2-0","title":"Tool","kind":"other","status":"completed","content":[{"type":"content","content":{"type":"text","text":"r"}}]}`,
			"malformed /0/0: message: its role is unknown\nunmapped /1/0: thinking: only the agent's is shown\nmalformed /1/1: block: there is none\n" +
				"malformed /2/0: tool call id: there is none; became one that was made up\nmalformed /2/0/input: tool input: it is not strict JSON\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, dropped := updatesOf(tt.history, "/w")
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n")+"\n", frames(t, got)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.dropped, reports(dropped)); diff != "" {
				t.Errorf("dropped: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
