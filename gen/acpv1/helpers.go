package acpv1

// Text returns a prompt or message content of one text block.
func Text(text string) []ContentBlock { return []ContentBlock{&TextContent{Text: text}} }

// TextOf returns the text of b if it is a text block or an embedded text resource, and whether it has one.
func TextOf(b ContentBlock) (string, bool) {
	switch b := b.(type) {
	case *TextContent:
		return b.Text, true
	case *EmbeddedResource:
		if r, ok := b.Resource.(*TextResourceContents); ok {
			return r.Text, true
		}
	case *ImageContent, *AudioContent, *ResourceLink, *UnknownContentBlock:
	}
	return "", false
}

// MessageText returns an update that adds text to the agent's answer.
func MessageText(text string) *AgentMessageChunk {
	return &AgentMessageChunk{Content: &TextContent{Text: text}}
}

// ThoughtText returns an update that adds text to the agent's reasoning.
func ThoughtText(text string) *AgentThoughtChunk {
	return &AgentThoughtChunk{Content: &TextContent{Text: text}}
}

// ToolText returns tool call content of one text block.
func ToolText(text string) *Content { return &Content{Content: &TextContent{Text: text}} }

// Selected returns the answer to a permission request that picks an option.
func Selected(option PermissionOptionID) *RequestPermissionResponse {
	return &RequestPermissionResponse{Outcome: &SelectedPermissionOutcome{OptionID: option}}
}

// Cancelled returns the answer to a permission request whose turn was cancelled.
func Cancelled() *RequestPermissionResponse {
	return &RequestPermissionResponse{Outcome: &CancelledPermissionOutcome{}}
}
