package acpv1

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
)

// TestHelpers writes what each helper makes.
func TestHelpers(t *testing.T) {
	for _, test := range []struct {
		name  string
		value wire.Marshaler
		want  string
	}{
		{"Text", &PromptRequest{SessionID: "s", Prompt: Text("Where is Mars?")}, `{"sessionId":"s","prompt":[{"type":"text","text":"Where is Mars?"}]}`},
		{
			"MessageText", &SessionNotification{SessionID: "s", Update: MessageText("In Leo.")},
			`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"In Leo."}}}`,
		},
		{
			"ThoughtText", &SessionNotification{SessionID: "s", Update: ThoughtText("Hm.")},
			`{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm."}}}`,
		},
		{
			"ToolText", &ToolCallUpdate{ToolCallID: "c", Content: []ToolCallContent{ToolText("")}},
			`{"toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":""}}]}`,
		},
		{"Selected", Selected("yes"), `{"outcome":{"outcome":"selected","optionId":"yes"}}`},
		{"Cancelled", Cancelled(), `{"outcome":{"outcome":"cancelled"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := wire.Marshal(test.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(b)); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
			if def := definition(t, typeName(test.value)); !verdict(t, def, b) {
				t.Errorf("the oracle refuses %s as %s", b, def)
			}
		})
	}
}

func TestTextOf(t *testing.T) {
	type result struct {
		Text string
		OK   bool
	}
	for _, test := range []struct {
		name  string
		block ContentBlock
		want  result
	}{
		{"text", &TextContent{Text: "Mars"}, result{"Mars", true}},
		{"empty text", &TextContent{}, result{"", true}},
		{"text resource", &EmbeddedResource{Resource: &TextResourceContents{Text: "package orbit"}}, result{"package orbit", true}},
		{"blob resource", &EmbeddedResource{Resource: &BlobResourceContents{Blob: "AAE="}}, result{}},
		{"resource without contents", &EmbeddedResource{}, result{}},
		{"image", &ImageContent{Data: "AAE="}, result{}},
		{"audio", &AudioContent{Data: "AAE="}, result{}},
		{"link", &ResourceLink{Name: "README.md"}, result{}},
		{"unknown", &UnknownContentBlock{Tag: "video"}, result{}},
		{"nil", nil, result{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, ok := TextOf(test.block)
			if diff := cmp.Diff(test.want, result{text, ok}); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
		})
	}
}
