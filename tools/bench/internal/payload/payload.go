// Package payload makes the messages that the benchmarks measure. They are made by code, always the same, and in the subset of the protocol that every peer
// measured against knows, so that all of them do the same work.
package payload

import (
	"fmt"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// The names of the payloads.
const (
	// Chunk is a streamed piece of an answer, the message that there are most of.
	Chunk = "chunk"
	// ToolCall is a tool call of 4 KB with a diff of source code.
	ToolCall = "tool-call-4k"
	// Text is a chunk of 1 MB.
	Text = "text-1m"
	// Image is a prompt with an image that has 256 KB in base64.
	Image = "image-256k"
	// Permission is a permission request for a command.
	Permission = "permission"
	// NewSession is the result of session/new with modes and config options.
	NewSession = "new-session"
)

// A Payload is the params or the result of one method.
type Payload struct {
	// Name is one of the constants of this package.
	Name string
	// Method is the method's name.
	Method string
	// Def is the name of the type's definition in the schema.
	Def string
	// Value is the message. It must not be changed.
	Value wire.Message
	// JSON is Value on the wire, without its envelope. It must not be changed.
	JSON []byte
	// Frame is JSON in its envelope, a whole line without the line end. A result answers the request with id 7. It must not be changed.
	Frame []byte
	// New returns a new zero value of Value's type.
	New func() wire.Message
}

// All returns the payloads, the small one first.
func All() ([]*Payload, error) {
	recipes := []struct {
		name, method string
		value        wire.Message
	}{
		{Chunk, acpv1.MethodSessionUpdate, chunk()},
		{ToolCall, acpv1.MethodSessionUpdate, toolCall()},
		{Text, acpv1.MethodSessionUpdate, update(acpv1.MessageText(prose(1 << 20)))},
		{Image, acpv1.MethodPrompt, imagePrompt()},
		{Permission, acpv1.MethodRequestPermission, permission()},
		{NewSession, acpv1.MethodNewSession, newSession()},
	}
	var list []*Payload
	for _, r := range recipes {
		p, err := build(r.name, r.method, r.value)
		if err != nil {
			return nil, fmt.Errorf("payload %s: %w", r.name, err)
		}
		list = append(list, p)
	}
	return list, nil
}

func build(name, method string, value wire.Message) (*Payload, error) {
	b, err := wire.Marshal(value)
	if err != nil {
		return nil, err
	}
	p := &Payload{Name: name, Method: method, Value: value, JSON: b}
	m := acpv1.Surface.Notification(method)
	if m == nil {
		m = acpv1.Surface.Request(method)
	}
	_, isResult := value.(*acpv1.NewSessionResponse)
	switch {
	case isResult:
		p.Def, p.New = m.Result, m.NewResult
		p.Frame = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"result":%s}`, b)
	case m.IsNotification():
		p.Def, p.New = m.Params, m.NewParams
		p.Frame = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"%s","params":%s}`, method, b)
	default:
		p.Def, p.New = m.Params, m.NewParams
		p.Frame = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":"%s","params":%s}`, method, b)
	}
	return p, nil
}

const session acpv1.SessionID = "sess_5f0c2a9be41d4c83"

func update(u acpv1.SessionUpdate) wire.Message {
	return &acpv1.SessionNotification{SessionID: session, Update: u}
}

func chunk() wire.Message {
	return update(acpv1.MessageText("The scanner reads a line once, and names what it rejects."))
}

func toolCall() wire.Message {
	const path = "/home/me/project/internal/table/table.go"
	return update(&acpv1.ToolCall{
		ToolCallID: "call_0017",
		Title:      "Edit " + path,
		Kind:       new(acpv1.ToolKindEdit),
		Status:     new(acpv1.ToolCallStatusPending),
		Content:    []acpv1.ToolCallContent{&acpv1.Diff{Path: path, OldText: new(code(1450, 1)), NewText: code(1700, 2)}},
		Locations:  []acpv1.ToolCallLocation{{Path: path, Line: new(uint32(12))}, {Path: path, Line: new(uint32(48))}},
		RawInput:   wire.Raw(`{"path":"` + path + `","edits":[{"line":12,"count":3,"force":true},{"line":48,"count":1,"force":false}],"comment":null}`),
	})
}

func imagePrompt() wire.Message {
	return &acpv1.PromptRequest{SessionID: session, Prompt: []acpv1.ContentBlock{
		&acpv1.TextContent{Text: "What is wrong with the layout in this screenshot?\nIt was fine \"yesterday\"."},
		&acpv1.ImageContent{Data: base64Noise(192 << 10), MIMEType: "image/png"},
		&acpv1.ResourceLink{Name: "layout.css", URI: "file:///home/me/project/layout.css"},
	}}
}

func permission() wire.Message {
	return &acpv1.RequestPermissionRequest{
		SessionID: session,
		ToolCall: acpv1.ToolCallUpdate{
			ToolCallID: "call_0018",
			Title:      new("Run go test ./internal/table/ -run 'TestRow|TestColumn'"),
			Kind:       new(acpv1.ToolKindExecute),
			Status:     new(acpv1.ToolCallStatusPending),
			RawInput:   wire.Raw(`{"command":["go","test","./internal/table/","-run","TestRow|TestColumn"],"timeout":120}`),
		},
		Options: []acpv1.PermissionOption{
			{OptionID: "once", Name: "Allow", Kind: acpv1.PermissionOptionKindAllowOnce},
			{OptionID: "always", Name: "Always allow \"go test\"", Kind: acpv1.PermissionOptionKindAllowAlways},
			{OptionID: "no", Name: "Reject", Kind: acpv1.PermissionOptionKindRejectOnce},
		},
	}
}

func newSession() wire.Message {
	modes := []acpv1.SessionMode{
		{ID: "ask", Name: "Ask", Description: new("Asks before it changes anything")},
		{ID: "code", Name: "Code", Description: new("Changes files without asking")},
		{ID: "plan", Name: "Plan"},
	}
	models := acpv1.SessionConfigUngroupedOptions{
		{Value: "small", Name: "Small", Description: new("Quick answers")},
		{Value: "medium", Name: "Medium"},
		{Value: "large", Name: "Large", Description: new("Hard problems, slower")},
	}
	efforts := acpv1.SessionConfigUngroupedOptions{{Value: "low", Name: "Low"}, {Value: "high", Name: "High"}}
	return &acpv1.NewSessionResponse{
		SessionID: session,
		Modes:     &acpv1.SessionModeState{CurrentModeID: "ask", AvailableModes: modes},
		ConfigOptions: []acpv1.SessionConfigOption{
			{
				ID: "model", Name: "Model", Category: new(acpv1.SessionConfigOptionCategoryModel), Description: new("What answers"),
				Type: &acpv1.SessionConfigSelect{CurrentValue: "medium", Options: models},
			},
			{
				ID: "effort", Name: "Effort", Category: new(acpv1.SessionConfigOptionCategoryThoughtLevel),
				Type: &acpv1.SessionConfigSelect{CurrentValue: "low", Options: efforts},
			},
			{ID: "web", Name: "Web search", Type: &acpv1.SessionConfigBoolean{CurrentValue: true}},
		},
	}
}

// Names returns the names of the payloads in the order of [All].
func Names() []string { return []string{Chunk, ToolCall, Text, Image, Permission, NewSession} }
