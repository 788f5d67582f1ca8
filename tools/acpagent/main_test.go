package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// roleEnv makes the test binary be another program: the agent, with its arguments, or an MCP server.
const roleEnv = "ACPAGENT_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "agent":
		main()
	case "mcp":
		if err := toolServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// toolServer is an MCP server with two tools: one that only reads and answers with its arguments, and one that fails.
func toolServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, readOnly, fails bool) {
		tool := &sdk.Tool{Name: name, Description: "It is for " + name + ".", InputSchema: json.RawMessage(`{"type":"object"}`)}
		tool.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: readOnly}
		s.AddTool(tool, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}, IsError: fails}, nil
		})
	}
	add("look", true, false)
	add("fail", false, true)
	return s
}
