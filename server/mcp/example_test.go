package mcp_test

import (
	"context"
	"fmt"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

// A helper is an agent that can use the tools of the MCP servers that its client has sent.
type helper struct{ server.Base }

func (helper) Open(ctx context.Context, s *server.Session) error {
	tools, failures := mcp.Connect(ctx, s.MCPServers(), &mcp.Options{Name: "helper", Version: "1", Dir: s.Cwd()})
	for _, f := range failures {
		fmt.Println("not connected to", f.Server) // the session goes on without it
	}
	s.SetData(tools)
	return nil
}

func (helper) Close(_ context.Context, s *server.Session) { _ = s.Data().(*mcp.Session).Close() }

func (helper) Prompt(ctx context.Context, turn *server.Turn) (server.Finish, error) {
	tools := turn.Session().Data().(*mcp.Session)
	for _, tool := range tools.Tools() {
		call := turn.Tool(tool.Name, server.Other, tool.Title)
		if ok, err := turn.Allow(ctx, call); err != nil || !ok {
			return server.Stop, err
		}
		result, err := tools.Call(ctx, tool.Name, []byte(`{}`))
		if err != nil {
			return server.Stop, call.Fail(err)
		}
		if err := call.Done(result); err != nil {
			return server.Stop, err
		}
	}
	return server.Stop, nil
}

func ExampleConnect() {
	_ = server.New(helper{}, nil) // a program has only: func main() { server.Main(helper{}, nil) }
	tools, failures := mcp.Connect(context.Background(), []server.MCPServer{&server.MCPStdio{Name: "missing", Command: "/no/such/program"}}, nil)
	defer tools.Close()
	for _, f := range failures {
		fmt.Println("not connected to", f.Server)
	}
	fmt.Println(len(tools.Tools()), "tools")
	// Output:
	// not connected to missing
	// 0 tools
}
