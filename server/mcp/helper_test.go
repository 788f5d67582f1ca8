package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

// The test binary is its own MCP server: this variable says how it behaves.
const behaviourEnv = "ACPWIRE_MCP_BEHAVIOUR"

func TestMain(m *testing.M) {
	behaviour := os.Getenv(behaviourEnv)
	if behaviour == "" {
		os.Exit(m.Run())
	}
	if err := behave(behaviour); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func behave(behaviour string) error {
	switch behaviour {
	case "serve":
	case "crash":
		fmt.Fprintln(os.Stderr, "crashed with", os.Getenv("SECRET"))
		os.Exit(3)
	case "garbage":
		fmt.Println("starting up with", os.Getenv("SECRET"))
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	case "silent":
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		}
	case "deaf":
		// It reads no more once it has seen a call of the tool echo.
		return newServer("", nil).Run(context.Background(), &sdk.IOTransport{Reader: &deaf{ReadCloser: os.Stdin}, Writer: os.Stdout})
	case "stubborn":
		// It goes on when its input is closed, and has a child.
		child := exec.Command(os.Args[0])
		child.Env = []string{behaviourEnv + "=sleep"}
		if err := child.Start(); err != nil {
			return err
		}
		_ = newServer(fmt.Sprint(child.Process.Pid), nil).Run(context.Background(), &sdk.StdioTransport{})
		select {}
	case "sleep":
		time.Sleep(time.Minute)
	default:
		return fmt.Errorf("behaviour %q", behaviour)
	}
	return newServer("", nil).Run(context.Background(), &sdk.StdioTransport{})
}

// longName is one that does not fit behind a server's name.
var longName = strings.Repeat("x", 127)

type deaf struct {
	io.ReadCloser
	seen bool
}

func (d *deaf) Read(b []byte) (int, error) {
	if d.seen {
		select {}
	}
	n, err := d.ReadCloser.Read(b)
	d.seen = bytes.Contains(b[:n], []byte(`"tools/call"`))
	return n, err
}

// newServer returns a server with the tools of the tests. Those that wait give up when end is closed: a session that nobody deletes keeps its calls, also when the client
// has gone.
func newServer(label string, end <-chan struct{}) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	add := func(name string, handle func(ctx context.Context, args json.RawMessage) (*sdk.CallToolResult, error)) {
		tool := &sdk.Tool{Name: name, Description: "It is for " + name + ".", InputSchema: schema}
		if name == "echo" {
			tool.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: true, Title: "Echo"}
		}
		s.AddTool(tool, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return handle(ctx, req.Params.Arguments)
		})
	}
	add("echo", func(_ context.Context, args json.RawMessage) (*sdk.CallToolResult, error) {
		return says(string(args)), nil
	})
	add("env", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		return says(strings.Join(os.Environ(), "\n")), nil
	})
	add("label", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) { return says(label), nil })
	add("pid", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		return says(fmt.Sprint(os.Getpid())), nil
	})
	add("cwd", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		dir, err := os.Getwd()
		return says(dir), err
	})
	add("fail", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		r := says("it went wrong")
		r.IsError = true
		return r, nil
	})
	add("refuse", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: -32050, Message: "not with " + os.Getenv("SECRET")}
	})
	add("die", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "dying with", os.Getenv("SECRET"))
		os.Exit(4)
		return nil, errors.New("dead")
	})
	add("wait", func(ctx context.Context, _ json.RawMessage) (*sdk.CallToolResult, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-end:
			return nil, errors.New("nobody cancelled the call")
		}
	})
	add("change", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		s.RemoveTools("label")
		for _, name := range []string{"fresh", longName} {
			s.AddTool(&sdk.Tool{Name: name, InputSchema: schema}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return says(name), nil
			})
		}
		return says(""), nil
	})
	add("media", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) { return media(), nil })
	return s
}

func says(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

func media() *sdk.CallToolResult {
	size := int64(12)
	return &sdk.CallToolResult{
		Content: []sdk.Content{
			&sdk.TextContent{Text: ""},
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte{1, 2}},
			&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte{3}},
			&sdk.ResourceLink{URI: "file:///a%20b.txt", Name: "a b.txt", Title: "T", Description: "D", MIMEType: "text/plain", Size: &size},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///c.txt", MIMEType: "text/plain", Text: "c"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "https://example.com/d", MIMEType: "image/gif", Blob: []byte{4}}},
		},
		StructuredContent: map[string]any{"n": 1},
	}
}

// stdio returns a server that is this binary.
func stdio(t *testing.T, name, behaviour string, env ...string) *server.MCPStdio {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &server.MCPStdio{Name: name, Command: self, Env: append([]string{behaviourEnv + "=" + behaviour}, env...)}
}

// connect connects to servers that all work.
func connect(t *testing.T, opts *mcp.Options, servers ...server.MCPServer) *mcp.Session {
	t.Helper()
	s, failures := mcp.Connect(t.Context(), servers, opts)
	t.Cleanup(func() { _ = s.Close() })
	for _, f := range failures {
		t.Fatalf("server %s, tool %s: %v", f.Server, f.Tool, f.Err)
	}
	return s
}

// call returns the text of a result.
func call(t *testing.T, s *mcp.Session, tool, args string) string {
	t.Helper()
	r, err := s.Call(t.Context(), tool, json.RawMessage(args))
	if err != nil {
		t.Fatalf("call %s: %v", tool, err)
	}
	return textOf(t, r)
}

func textOf(t *testing.T, r server.Result) string {
	t.Helper()
	if len(r.Items) != 1 {
		t.Fatalf("%d items, want one text", len(r.Items))
	}
	text, ok := r.Items[0].(*server.TextItem)
	if !ok {
		t.Fatalf("item %T, want a text", r.Items[0])
	}
	return text.Text
}

// serverSide matches stacks of the servers that run in the test's own process, whose sessions stay for a while.
var serverSide = regexp.MustCompile(`[sS]erver(Conn|Session|Transport)|SSEHandler|StreamableHTTPHandler`)

// nothingLeft waits until no goroutine of this package or of the SDK is left.
func nothingLeft(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ; ; <-tick.C {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, stack := range strings.Split(b.String(), "\n\n") {
			mine := strings.Contains(stack, "nothingLeft") || serverSide.MatchString(stack)
			of := strings.Contains(stack, "go-sdk/") || strings.Contains(stack, "acpwire/server/mcp.") || strings.Contains(stack, "acpwire/acp.") || strings.Contains(stack, "persistConn")
			if of && !mine {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines left:\n%s", len(left), strings.Join(left, "\n\n"))
		}
	}
}
