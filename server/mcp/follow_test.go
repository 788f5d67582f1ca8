package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

// stateless is a site that speaks the version of MCP in which clients subscribe to changes.
func stateless() http.Handler {
	s := newServer("", nil)
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
}

// A change is a call of ToolsChanged.
type change struct {
	server   string
	failures []mcp.Failure
}

// await waits until a server has announced a change and has the tool.
func await(t *testing.T, s *mcp.Session, changes <-chan change, tool string) change {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for {
		select {
		case c := <-changes:
			if slices.ContainsFunc(s.Tools(), func(o mcp.Tool) bool { return o.Name == tool }) {
				return c
			}
		case <-timeout:
			t.Fatalf("the session never got the tool %s", tool)
		}
	}
}

// TestToolsChanged has a server add tools and remove one, on each transport, and beside it one that changes nothing.
func TestToolsChanged(t *testing.T) {
	onStdio := func(name, _, key string) server.MCPServer { return stdio(t, name, "serve", "SECRET="+key) }
	kinds := append(slices.Clone(kinds), kind{"stateless http", stateless, kinds[0].server}, kind{"stdio", nil, onStdio})
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			var urls [2]string
			for i := range urls {
				if kind.handler != nil {
					urls[i] = newSite(t, kind.handler()).URL
				}
			}
			changes := make(chan change, 100)
			s := connect(t, &mcp.Options{ToolsChanged: func(server string, failures []mcp.Failure) {
				changes <- change{server, failures}
			}}, kind.server("one", urls[0], "alpha"), kind.server("two", urls[1], "beta"))
			call(t, s, "one__change", "")
			c := await(t, s, changes, "one__fresh")
			if c.server != "one" || len(c.failures) != 1 || c.failures[0].Tool != longName || !errors.Is(c.failures[0].Err, mcp.ErrName) {
				t.Errorf("change %+v, want one of server one with the failure of its tool whose name is too long", c)
			}
			if got := call(t, s, "one__fresh", ""); got != "fresh" {
				t.Errorf("the new tool says %q", got)
			}
			if _, err := s.Call(t.Context(), "one__label", nil); !errors.Is(err, mcp.ErrUnknownTool) {
				t.Errorf("the removed tool: error %v, want %v", err, mcp.ErrUnknownTool)
			}
			if _, err := s.Call(t.Context(), "two__label", nil); err != nil {
				t.Errorf("the other server's tool: %v", err)
			}
			if tools := s.Tools(); tools[0].Server != "one" || tools[len(tools)-1].Server != "two" {
				t.Errorf("the tools are not in the order of the servers: %+v", tools)
			}
			_ = s.Close()
			if n := len(changes); n > 0 {
				t.Errorf("%d more changes", n)
			}
			nothingLeft(t)
		})
	}
}

// TestChangeMissed changes the tools while the stream on which that would be said is broken.
func TestChangeMissed(t *testing.T) {
	handler := kinds[0].handler()
	var down atomic.Bool
	web := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() && r.Method == http.MethodGet {
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(w, r)
	}))
	changes := make(chan change, 100)
	s := connect(t, &mcp.Options{ToolsChanged: func(server string, failures []mcp.Failure) { changes <- change{server, failures} }}, kinds[0].server("web", web.URL, "k"))
	down.Store(true)
	web.CloseClientConnections()
	// The first request may still be sent on a connection that is closed.
	_, _ = s.Call(t.Context(), "web__echo", nil)
	call(t, s, "web__change", "")
	down.Store(false)
	await(t, s, changes, "web__fresh")
}

// TestNoStream shows that a session goes on whatever a server makes of the request for the stream of what it says by itself.
func TestNoStream(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"405":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) },
		"404":   http.NotFound,
		"500":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"page":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<p>Hello") },
		"drops": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifica`)
		},
		"hangs": hang,
	} {
		t.Run(name, func(t *testing.T) {
			handler := kinds[0].handler()
			asked := make(chan struct{}, 100)
			web := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					handler.ServeHTTP(w, r)
					return
				}
				asked <- struct{}{}
				answer(w, r)
			}))
			begun := time.Now()
			s := connect(t, nil, kinds[0].server("web", web.URL, "k"))
			<-asked
			if got := call(t, s, "web__label", ""); got != "k" {
				t.Errorf("the server says %q", got)
			}
			_ = s.Close()
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			web.close()
			nothingLeft(t)
		})
	}
}

// TestListen has a server that never answers the subscription to its changes.
func TestListen(t *testing.T) {
	handler := stateless()
	web := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"subscriptions/listen"`)) {
			hang(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	begun := time.Now()
	s, failures := mcp.Connect(t.Context(), []server.MCPServer{kinds[0].server("web", web.URL, "hunter22")}, &mcp.Options{ConnectTimeout: 300 * time.Millisecond, Grace: 50 * time.Millisecond})
	checkFailure(t, failures, context.DeadlineExceeded, "hunter22")
	_ = s.Close()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	web.close()
	nothingLeft(t)
}

// TestDeaf calls a server that no longer reads: the call ends with its context, and closing ends the server.
func TestDeaf(t *testing.T) {
	s := connect(t, &mcp.Options{Grace: 100 * time.Millisecond}, stdio(t, "one", "deaf"))
	_ = call(t, s, "one__echo", "")
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		begun := time.Now()
		_, err := s.Call(ctx, "one__echo", json.RawMessage(`{"a":"`+strings.Repeat("x", 1<<20)+`"}`))
		cancel()
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > 3*time.Second {
			t.Errorf("error %v after %v, want %v", err, took, context.DeadlineExceeded)
		}
	}
	begun := time.Now()
	_ = s.Close()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("closing took %v", took)
	}
	nothingLeft(t)
}
