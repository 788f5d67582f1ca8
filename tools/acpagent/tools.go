package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

// servers are the MCP servers of a session. They are connected while the session is in use already: those that are slow must not hold it up.
type servers struct {
	stop      context.CancelFunc
	connected chan struct{} // closed when what is below is set
	session   *mcp.Session
	failures  []mcp.Failure
	told      sync.Once
}

func connectServers(s *server.Session) *servers {
	ctx, stop := context.WithCancel(context.Background())
	c := &servers{stop: stop, connected: make(chan struct{})}
	go func() {
		defer close(c.connected)
		c.session, c.failures = mcp.Connect(ctx, s.MCPServers(), &mcp.Options{Name: "acpagent", Version: version(), Dir: s.Cwd()})
	}()
	return c
}

func (c *servers) close() {
	c.stop()
	<-c.connected
	_ = c.session.Close() // it never fails
}

// report tells the user, once, which servers cannot be used.
func (c *servers) report(t *turn) {
	select {
	case <-c.connected:
	default:
		return
	}
	c.told.Do(func() {
		for _, f := range c.failures {
			t.engine.logger.Warn("MCP server", "session", t.Session().ID(), "error", f.Err)
			_ = t.Notice(server.Warning, "The MCP server "+f.Server+" cannot be used", f.Err.Error())
		}
	})
}

// unusable lists the servers that cannot be used: a client that takes no notices has not been told.
func (c *servers) unusable(s *server.Session) string {
	var b strings.Builder
	for _, d := range s.Dropped() {
		fmt.Fprintf(&b, "- In the list of MCP servers, %s\n", d)
	}
	for _, f := range c.failures {
		fmt.Fprintf(&b, "- The MCP server `%s` cannot be used: %v\n", f.Server, f.Err)
	}
	return b.String()
}

// A tool is what somebody else offers.
type tool struct {
	name, title, about string
	readOnly           bool
}

func mcpTool(ctx context.Context, t *turn, arg string) error {
	c := stateOf(t.Session()).servers
	select {
	case <-c.connected:
	case <-ctx.Done():
		return ctx.Err()
	}
	var tools []tool
	for _, o := range c.session.Tools() {
		tools = append(tools, tool{o.Name, o.Title, o.Description, o.ReadOnly})
	}
	if unusable := c.unusable(t.Session()); arg == "" && unusable != "" {
		return t.Say(strings.TrimSuffix(listOf(tools), "\n") + "\n" + unusable)
	}
	return t.useTool(ctx, tools, arg, func(call *server.Call, name string, input json.RawMessage) error {
		if err := call.Start(); err != nil {
			return err
		}
		result, err := c.session.Call(ctx, name, input)
		switch {
		case err == nil:
			return call.Done(result)
		case len(result.Items) > 0:
			return errors.Join(err, call.FailWith(result))
		}
		return t.failed(ctx, call, err)
	})
}

// ReservedTools are the names that the agent's own tools have.
func (e *engine) ReservedTools(*server.Session) []string {
	return []string{"read", "write", "edit", "run", "ask", "count", "search", "exit_plan"}
}

func clientTool(ctx context.Context, t *turn, arg string) error {
	var tools []tool
	for _, o := range t.Session().ClientTools() {
		tools = append(tools, tool{o.Name, "", o.Description, o.ReadOnly})
	}
	return t.useTool(ctx, tools, arg, func(call *server.Call, name string, input json.RawMessage) error {
		_, err := t.CallClientTool(ctx, call, name, input)
		return err
	})
}

// useTool lists the tools, or calls the one that the argument names with the JSON behind it.
func (t *turn) useTool(ctx context.Context, tools []tool, arg string, run func(call *server.Call, name string, input json.RawMessage) error) error {
	name, input, _ := strings.Cut(arg, " ")
	if name == "" {
		return t.Say(listOf(tools))
	}
	use := tool{name: name}
	for _, known := range tools {
		if known.name == name {
			use = known
		}
	}
	kind := server.Other
	if use.readOnly {
		kind = server.Read
	}
	args := json.RawMessage(cmp.Or(strings.TrimSpace(input), "{}"))
	call := t.Tool(use.name, kind, cmp.Or(use.title, use.name), server.Input(args))
	if !use.readOnly {
		switch ok, err := t.allowed(ctx, call); {
		case err != nil:
			return err
		case !ok:
			return t.Say("Not called: you did not allow it.")
		}
	}
	if err := run(call, use.name, args); err != nil {
		return err
	}
	return t.Say("The tool " + use.name + " has answered.")
}

func listOf(tools []tool) string {
	var b strings.Builder
	for _, o := range tools {
		fmt.Fprintf(&b, "- `%s` — %s\n", o.name, cmp.Or(o.about, o.title, "no description"))
	}
	return cmp.Or(b.String(), "There are none in this session.")
}
