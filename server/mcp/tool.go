package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/server"
)

const (
	// separator stands between the names of a server and its tool.
	separator = "__"
	// maxName is the length that providers of models allow for the name of a tool.
	maxName = 128
)

// A Tool is a tool of a server.
type Tool struct {
	// Name is what to call it by: the server's name, two underscores and the tool's own name.
	Name string
	// Server is the name of its server.
	Server string
	// Title is for people; empty if there is none.
	Title string
	// Description is for the model.
	Description string
	// InputSchema is the JSON Schema of its arguments.
	InputSchema json.RawMessage
	// ReadOnly is the server's claim that the tool changes nothing. It is not to be trusted if the server is not.
	ReadOnly bool
}

// Tools returns the tools of all servers, in the order of the servers and in that in which each listed its own. They change when a server says so; see
// [Options].ToolsChanged.
func (s *Session) Tools() []Tool {
	s.mu.Lock()
	tools := slices.Clone(s.tools)
	s.mu.Unlock()
	for i := range tools {
		tools[i].InputSchema = slices.Clone(tools[i].InputSchema)
	}
	return tools
}

// checkServer returns an error if a server cannot be one of those with the names.
func checkServer(srv server.MCPServer, names map[string]bool) error {
	if srv == nil {
		return fmt.Errorf("%w: %w", ErrConfig, errNoServer)
	}
	if err := checkName(srv.ServerName()); err != nil {
		return err
	}
	if names[srv.ServerName()] {
		return fmt.Errorf("%w: another server has it", ErrName)
	}
	return nil
}

func checkName(name string) error {
	if name == "" {
		return fmt.Errorf("%w: it is empty", ErrName)
	}
	if len(name) > maxName {
		return fmt.Errorf("%w: it is longer than %d characters", ErrName, maxName)
	}
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return fmt.Errorf("%w: it has the character %q; allowed are ASCII letters, digits, _, . and -", ErrName, c)
		}
	}
	return nil
}

// offer makes the tools of all servers those of the session. The first tool of a name keeps it. It returns what cannot be used.
func (s *Session) offer() map[*connection][]Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools, s.byName = nil, make(map[string]*route)
	failures := make(map[*connection][]Failure)
	for _, c := range s.connections {
		for _, t := range c.tools {
			tool, err := toolOf(c.server, t)
			if err == nil && s.byName[tool.Name] != nil {
				err = fmt.Errorf("%w: another tool is called %s", ErrName, tool.Name)
			}
			if err != nil {
				failures[c] = append(failures[c], Failure{Server: c.server, Tool: c.redact.clean(t.Name), Err: c.failed("list tools", err)})
				continue
			}
			s.tools = append(s.tools, tool)
			s.byName[tool.Name] = &route{c, t.Name}
		}
	}
	return failures
}

func toolOf(srv string, t *sdk.Tool) (Tool, error) {
	if err := checkName(t.Name); err != nil {
		return Tool{}, err
	}
	tool := Tool{Name: srv + separator + t.Name, Server: srv, Title: t.Title, Description: t.Description}
	if err := checkName(tool.Name); err != nil {
		return Tool{}, fmt.Errorf("with its server's name: %w", err)
	}
	if t.Annotations != nil {
		tool.ReadOnly = t.Annotations.ReadOnlyHint
		if tool.Title == "" {
			tool.Title = t.Annotations.Title
		}
	}
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return Tool{}, fmt.Errorf("input schema: %w", err)
	}
	tool.InputSchema = schema
	return tool, nil
}

// Call calls a tool by its name with prefix, and waits for its result as long as ctx lives. args is a JSON object; nil is an empty one.
//
// The error is an [*Error]. If it wraps [ErrTool], the tool has failed and the result says why; the model should see it. If it wraps [ErrGone], its server will not
// answer any more; if [ErrUnreachable], it may. [ErrUnknownTool], [ErrArguments], [ErrClosed] and the context's errors are wrapped, too.
func (s *Session) Call(ctx context.Context, tool string, args json.RawMessage) (server.Result, error) {
	s.mu.Lock()
	to := s.byName[tool]
	s.mu.Unlock()
	if to == nil {
		return server.Result{}, newError("", "call", newRedactor(nil), fmt.Errorf("%w: %.200q", ErrUnknownTool, tool))
	}
	c := to.connection
	failed := func(err error) error { return c.failed("call "+to.name, err) }
	switch args = bytes.TrimSpace(args); {
	case len(args) == 0:
		args = json.RawMessage("{}")
	case args[0] != '{' || !json.Valid(args):
		return server.Result{}, failed(ErrArguments)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.untilClosed(func() { cancel(ErrClosed) })()
	result, err := c.call(ctx, &sdk.CallToolParams{Name: to.name, Arguments: args})
	if err != nil {
		return server.Result{}, failed(s.explain(ctx, c, err))
	}
	out, err := resultOf(result)
	if err == nil && result.IsError {
		err = ErrTool
	}
	if err != nil {
		return out, failed(err)
	}
	return out, nil
}

// call does not wait for a server that does not even read what it is sent. The goroutine ends with the connection at the latest.
func (c *connection) call(ctx context.Context, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	type answer struct {
		result *sdk.CallToolResult
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		result, err := c.session.CallTool(ctx, params)
		answered <- answer{result, err}
	}()
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// explain says what an error of a call comes from.
func (s *Session) explain(ctx context.Context, c *connection, err error) error {
	if isClosed(s.closing) {
		return ErrClosed
	}
	if rpc := (*jsonrpc.Error)(nil); ctx.Err() == nil && errors.As(err, &rpc) {
		return err
	}
	return c.explain(ctx, err)
}
