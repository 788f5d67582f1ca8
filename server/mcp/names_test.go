package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

// named returns a site with tools of the names, each of which says label and its name.
func named(t *testing.T, name, label string, tools ...string) server.MCPServer {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "named", Version: "1"}, nil)
	for _, tool := range tools {
		s.AddTool(&sdk.Tool{Name: tool, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return says(label + " " + tool), nil
		})
	}
	web := newSite(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	return &server.MCPHTTP{Name: name, URL: web.URL}
}

// TestCollision has two servers whose tools would be called the same. The first keeps the name, in the order in which the client sent the servers.
func TestCollision(t *testing.T) {
	s, failures := mcp.Connect(t.Context(), []server.MCPServer{named(t, "a", "first", "b__c", "d"), named(t, "a__b", "second", "c", "e")}, nil)
	defer func() { _ = s.Close() }()
	if len(failures) != 1 || failures[0].Server != "a__b" || failures[0].Tool != "c" || !errors.Is(failures[0].Err, mcp.ErrName) {
		t.Errorf("failures %v, want one of the tool c of a__b", failures)
	}
	want := []string{"a__b__c", "a__d", "a__b__e"}
	var got []string
	for _, tool := range s.Tools() {
		got = append(got, tool.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools mismatch (-want +got):\n%s", diff)
	}
	for tool, text := range map[string]string{"a__b__c": "first b__c", "a__b__e": "second e"} {
		if got := call(t, s, tool, ""); got != text {
			t.Errorf("%s says %q, want %q", tool, got, text)
		}
	}
}

// TestToolNames leaves out the tools that cannot be called by their names, and nothing else.
func TestToolNames(t *testing.T) {
	long := strings.Repeat("x", 125)
	s, failures := mcp.Connect(t.Context(), []server.MCPServer{named(t, "srv", "it is", "good", "also-good.1", long)}, nil)
	defer func() { _ = s.Close() }()
	if len(failures) != 1 || failures[0].Tool != long || !errors.Is(failures[0].Err, mcp.ErrName) {
		t.Errorf("failures %v, want one of the tool whose name is too long", failures)
	}
	if n := len(s.Tools()); n != 2 {
		t.Errorf("%d tools, want 2", n)
	}
}

// TestNoTools connects to a server that has none.
func TestNoTools(t *testing.T) {
	if tools := connect(t, nil, named(t, "srv", "it is")).Tools(); len(tools) != 0 {
		t.Errorf("tools %v", tools)
	}
}
