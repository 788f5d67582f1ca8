package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestHistoryJSON shows that every kind of block, item and part comes back from JSON as it was.
func TestHistoryJSON(t *testing.T) {
	parts := []Part{
		&TextPart{"a\u2028b"}, &ImagePart{MIMEType: "image/png", Data: []byte{0, 255}, URI: "file:///x.png"}, &AudioPart{MIMEType: "audio/wav", Data: []byte{1}},
		&DocumentPart{URI: "file:///x", MIMEType: "text/plain", Path: "/x", Lines: LineRange{1, 2}, Text: "t"}, &DocumentPart{URI: "file:///y", Data: []byte{3}},
		&ResourcePart{URI: "file:///z", Name: "z", Title: "Z", Description: "d", MIMEType: "m", Path: "/z", Lines: LineRange{3, 0}, Size: 4},
	}
	old := "old"
	want := Entry{Role: AgentRole, MessageID: "m", Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Blocks: []Block{
		&TextBlock{"hi"}, &ThinkingBlock{"hm"}, &PlanBlock{Todos: []Todo{{"look", TodoInProgress, TodoHigh}, {Text: "say"}}},
		&ToolCallBlock{ID: "c", Name: "n", Title: "t", Kind: Edit, Input: json.RawMessage(`{"a":1}`), Locations: []Location{{"/x", 3}}},
		&ToolResultBlock{CallID: "c", Failed: true, Result: Result{Output: json.RawMessage(`[1]`), Items: []Item{
			&TextItem{"o"}, &MediaItem{parts[1]}, &DiffItem{Path: "/x", Old: &old, New: "new"}, &DiffItem{Path: "/y", New: ""}, &TerminalItem{"t", "out"},
		}}},
	}}
	for _, p := range parts {
		want.Blocks = append(want.Blocks, &MediaBlock{p})
	}
	data, err := encodeEntry(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeEntry(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestHistoryJSONFaults shows that what this version does not know is an error that says where, and not something else.
func TestHistoryJSONFaults(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"no JSON", `{`, "unexpected end"},
		{"role", `{"role":"ghost","blocks":[]}`, "/role"},
		{"block", `{"role":"user","blocks":[{"type":"text"},{"type":"smell"}]}`, `/blocks/1: /type: unknown type "smell"`},
		{"part", `{"role":"user","blocks":[{"type":"media","part":{"type":"smell"}}]}`, `/blocks/0: /type: unknown type "smell"`},
		{"no part", `{"role":"user","blocks":[{"type":"media"}]}`, `/blocks/0: /part: missing`},
		{"item", `{"role":"agent","blocks":[{"type":"tool_result","items":[{"type":"smell"}]}]}`, `/blocks/0: /items/0: /type`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := decodeEntry(json.RawMessage(tt.data)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
	for _, e := range []Entry{{Blocks: []Block{nil}}, {Blocks: []Block{&MediaBlock{}}}, {Blocks: []Block{&ToolResultBlock{Result: Result{Items: []Item{nil}}}}}} {
		if _, err := encodeEntry(e); err == nil {
			t.Errorf("%v: no error", e)
		}
	}
}
