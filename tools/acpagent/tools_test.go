package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// TestMCP uses the tools of servers of each kind that works, and is told of one that does not.
func TestMCP(t *testing.T) {
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return toolServer() }, nil))
	t.Cleanup(web.Close)
	events := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return toolServer() }, nil))
	t.Cleanup(events.CloseClientConnections)
	t.Cleanup(events.Close)
	near, far := acp.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(t.Context(), nil, far, far, os.Stderr) }()
	seen := &view{methods: map[string]string{}}
	checked := &checkedView{view: seen, rules: conform.Test(t, wire.ClientSide, nil)}
	fake := newFakeClient()
	conn := acp.NewClient(near, fake, &acp.Options{Tap: checked})
	if _, err := conn.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: fake.capabilities()}); err != nil {
		t.Fatal(err)
	}
	r, err := conn.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: t.TempDir(), MCPServers: []acpv1.MCPServer{
		&acpv1.MCPServerStdio{Name: "local", Command: os.Args[0], Args: []string{}, Env: []acpv1.EnvVariable{{Name: roleEnv, Value: "mcp"}}},
		&acpv1.MCPServerHTTP{Name: "web", URL: web.URL, Headers: []acpv1.HTTPHeader{}},
		&acpv1.MCPServerSSE{Name: "events", URL: events.URL, Headers: []acpv1.HTTPHeader{}},
		&acpv1.MCPServerStdio{Name: "missing", Command: "/no/such/program", Args: []string{}, Env: []acpv1.EnvVariable{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const call = `"kind":"read","status":"pending","rawInput":{"n":1}`
	tests := []struct {
		prompt string
		want   []string
	}{
		{"/mcp", []string{"local__look` — It is for look.", "local__fail`", "web__look`", "events__look`", "The MCP server `missing` cannot be used: "}},
		{`/mcp local__look {"n":1}`, []string{"The MCP server missing cannot be used", call, `{\"n\":1}`, "The tool local__look has answered."}},
		{`/mcp web__look {"n":1}`, []string{call, "The tool web__look has answered."}},
		{`/mcp events__look {"n":1}`, []string{call, "The tool events__look has answered."}},
		{"/mcp web__fail", []string{"session/request_permission", `"status":"failed","content":[{"type":"content","content":{"type":"text","text":"{}"}}]`, "The tool failed."}},
		{"/mcp web__none", []string{`"status":"failed"`, "Not done: there is no such tool."}},
		{"/mcp web__look [1]", []string{`"status":"failed"`, "Not done: the arguments are not a JSON object."}},
	}
	for _, tt := range tests {
		seen.take()
		if _, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: r.SessionID, Prompt: acpv1.Text(tt.prompt)}); err != nil {
			t.Errorf("%s: %v", tt.prompt, err)
		}
		got := seen.take()
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing in\n%s", tt.prompt, want, got)
			}
		}
	}
	if _, err := conn.CloseSession(t.Context(), &acpv1.CloseSessionRequest{SessionID: r.SessionID}); err != nil {
		t.Error(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
