package server

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
)

// ClientToolMethod is the extension request with which the agent calls a tool that the client has declared. Its params are {sessionId, toolCallId, name, input}, its
// result is {text, output, isError}, all optional: text to show, raw output of any JSON type, and whether the tool failed. It is cancelled with $/cancel_request.
// Agents whose engine is a [ClientTooler] name it in their capabilities as _meta.acpwire.clientTools.
const ClientToolMethod = "_acpwire/tools/call"

// A ClientTooler lets clients declare tools of their own: session/new, session/load and session/resume may have
// _meta.acpwire.clientTools, a list of {name, description, inputSchema, readOnly}, of which only the name is required. For other engines it is ignored.
type ClientTooler interface {
	// ReservedTools are the names of the tools that the session has anyway. A client's tool of such a name is refused, and the session with it. It is called before Open and
	// Restore.
	ReservedTools(s *Session) []string
}

// A ClientTool is a tool that the client has declared, for [Turn.CallClientTool].
type ClientTool struct {
	// Name is of 1 to 64 letters, digits, underscores and hyphens.
	Name        string
	Description string
	// InputSchema is a JSON schema, an object; nil if the client gave none.
	InputSchema stdjson.RawMessage
	// ReadOnly says that the tool changes nothing. Others are refused in read-only modes.
	ReadOnly bool
}

// Kind returns the kind with which to announce calls of the tool: Read if it is read-only, and otherwise Other.
func (c ClientTool) Kind() ToolKind {
	if c.ReadOnly {
		return Read
	}
	return Other
}

// ClientTools returns the tools that the client has declared for the session.
func (s *Session) ClientTools() []ClientTool { return slices.Clone(s.clientTools) }

type declaredTools struct {
	ACPWire struct {
		ClientTools []struct {
			Name        string             `json:"name"`
			Description string             `json:"description"`
			InputSchema stdjson.RawMessage `json:"inputSchema"`
			ReadOnly    bool               `json:"readOnly"`
		} `json:"clientTools"`
	} `json:"acpwire"`
}

var clientToolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// declare takes over the tools that the client declares. It is called before anybody else has the session.
func (s *Session) declare(meta wire.Meta) error {
	tooler, ok := s.conn.server.engine.(ClientTooler)
	if !ok || len(meta) == 0 {
		return nil
	}
	const at = "/_meta/acpwire/clientTools"
	var declared declaredTools
	if err := json.Unmarshal(meta, &declared); err != nil {
		return invalid(at, "it is not a list of tools")
	}
	taken := make(map[string]bool)
	if err := s.conn.guarded("ReservedTools", func() error {
		for _, name := range tooler.ReservedTools(s) {
			taken[name] = true
		}
		return nil
	}); err != nil {
		return s.failed("ReservedTools", err)
	}
	for i, d := range declared.ACPWire.ClientTools {
		at := at + "/" + strconv.Itoa(i)
		schema := d.InputSchema
		switch {
		case !clientToolName.MatchString(d.Name):
			return invalid(at+"/name", "a name has 1 to 64 letters, digits, underscores and hyphens")
		case taken[d.Name]:
			return invalid(at+"/name", "there is another tool of that name")
		case schema != nil && schema[0] != '{':
			return invalid(at+"/inputSchema", "it is not an object")
		}
		taken[d.Name] = true
		s.clientTools = append(s.clientTools, ClientTool{Name: d.Name, Description: d.Description, InputSchema: schema, ReadOnly: d.ReadOnly})
	}
	return nil
}

type clientToolParams struct {
	SessionID  string             `json:"sessionId"`
	ToolCallID string             `json:"toolCallId"`
	Name       string             `json:"name"`
	Input      stdjson.RawMessage `json:"input,omitempty"`
}

// clientToolText is what the user reads of a tool of the client that failed without a word.
const clientToolText = "The client's tool failed."

type clientToolResult struct {
	Text    string             `json:"text"`
	Output  stdjson.RawMessage `json:"output"`
	IsError bool               `json:"isError"`
}

// ErrUnknownClientTool says that the client has declared no such tool.
var ErrUnknownClientTool = errors.New("server: the client has no such tool")

// ErrClientTool says that a tool of the client failed. What it said is in the result.
var ErrClientTool = errors.New("server: the client's tool failed")

// CallClientTool runs a tool that the client has declared, for a call that was announced with [Turn.Tool] and [ClientTool.Kind], and completes or fails the call with the
// result. In a read-only mode it fails with [ErrReadOnly] unless the tool was declared read-only. When ctx or the turn ends, the client is told to stop. Other errors are
// [ErrUnknownClientTool], [ErrClientTool], those of [Call.Start], and those of acp.CallExtension.
func (t *Turn) CallClientTool(ctx context.Context, call *Call, name string, input any) (Result, error) {
	if call == nil || call.t != t {
		return Result{}, &Error{Kind: ErrorInvalid, Message: "the tool call is not one of this turn"}
	}
	i := slices.IndexFunc(t.s.clientTools, func(c ClientTool) bool { return c.Name == name })
	if i < 0 {
		return Result{}, errors.Join(ErrUnknownClientTool, call.FailWith(Text("The client has no such tool.")))
	}
	if !t.s.clientTools[i].ReadOnly && t.s.ReadOnly() {
		return Result{}, errors.Join(ErrReadOnly, call.FailWith(Text(readOnlyText)))
	}
	if err := call.Start(); err != nil {
		return Result{}, err
	}
	ctx, done, err := t.calling(ctx)
	if err != nil {
		return Result{}, err
	}
	defer done()
	answer, err := acp.CallExtension[clientToolResult](ctx, t.s.client, ClientToolMethod, clientToolParams{t.s.id, call.id, name, inputOf(input)})
	if err != nil {
		return Result{}, errors.Join(err, call.FailWith(Text(clientToolText)))
	}
	result := Result{Output: answer.Output}
	if answer.Text != "" {
		result.Items = Text(answer.Text).Items
	}
	if answer.IsError {
		if len(result.Items) == 0 {
			result.Items = Text(clientToolText).Items
		}
		return result, errors.Join(ErrClientTool, call.FailWith(result))
	}
	return result, call.Done(result)
}
