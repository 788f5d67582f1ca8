package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

// A site is an HTTP server that remembers the requests it got.
type site struct {
	*httptest.Server
	end     chan struct{} // closed when it closes
	mu      sync.Mutex
	headers []http.Header
}

func newSite(t *testing.T, handler http.Handler) *site {
	t.Helper()
	s := &site{end: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.headers = append(s.headers, r.Header.Clone())
		s.mu.Unlock()
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), endKey{}, s.end)))
	}))
	t.Cleanup(s.close)
	return s
}

type endKey struct{}

// endOf returns what is closed when the request's site closes.
func endOf(r *http.Request) <-chan struct{} { return r.Context().Value(endKey{}).(chan struct{}) }

func (s *site) close() {
	select {
	case <-s.end:
	default:
		close(s.end)
	}
	s.CloseClientConnections()
	s.Close()
}

// keys counts the requests for each value of the header Key.
func (s *site) keys() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := make(map[string]int)
	for _, h := range s.headers {
		keys[h.Get("Key")]++
	}
	return keys
}

// byKey returns a server whose label is the header Key of the request that began the session.
func byKey(r *http.Request) *sdk.Server { return newServer(r.Header.Get("Key"), endOf(r)) }

type kind struct {
	name    string
	handler func() http.Handler
	server  func(name, url, key string) server.MCPServer
}

var kinds = []kind{
	{"http", func() http.Handler { return sdk.NewStreamableHTTPHandler(byKey, nil) }, func(name, url, key string) server.MCPServer {
		return &server.MCPHTTP{Name: name, URL: url, Headers: map[string][]string{"key": {key}}}
	}},
	{"sse", func() http.Handler { return sdk.NewSSEHandler(byKey, nil) }, func(name, url, key string) server.MCPServer {
		return &server.MCPSSE{Name: name, URL: url, Headers: map[string][]string{"Key": {key}}}
	}},
}

// TestHTTP calls one site from two sessions: each request has its own session's headers and no other's.
func TestHTTP(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			web := newSite(t, kind.handler())
			a := connect(t, nil, kind.server("web", web.URL, "alpha"))
			b := connect(t, nil, kind.server("web", web.URL, "beta"))
			for range 3 {
				if got := call(t, a, "web__label", ""); got != "alpha" {
					t.Errorf("session a is %q", got)
				}
				if got := call(t, b, "web__label", ""); got != "beta" {
					t.Errorf("session b is %q", got)
				}
			}
			_ = a.Close()
			if got := call(t, b, "web__echo", `{"x":1}`); got != `{"x":1}` {
				t.Errorf("after the other session was closed: %q", got)
			}
			_ = b.Close()
			keys := web.keys()
			if len(keys) != 2 || keys["alpha"] < 4 || keys["beta"] < 4 {
				t.Errorf("requests by key: %v, want only alpha and beta", keys)
			}
			if _, err := a.Call(t.Context(), "web__echo", nil); !errors.Is(err, mcp.ErrClosed) {
				t.Errorf("error %v, want %v", err, mcp.ErrClosed)
			}
			web.close()
			nothingLeft(t)
		})
	}
}

// hang answers nothing until the client goes away.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the server looks for the end of the connection only then
	select {
	case <-r.Context().Done():
	case <-endOf(r): // a request that came while the site was being closed is never told of its end
	}
}

// TestRedirect does not take the headers along to another site.
func TestRedirect(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			other := newSite(t, kind.handler())
			first := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL+r.URL.RequestURI(), http.StatusTemporaryRedirect)
			}))
			s, _ := mcp.Connect(t.Context(), []server.MCPServer{kind.server("web", first.URL, "alpha")}, nil)
			_ = s.Close()
			if keys := first.keys(); keys["alpha"] == 0 {
				t.Errorf("requests by key of the first site: %v", keys)
			}
			if keys := other.keys(); keys["alpha"] != 0 || keys[""] == 0 {
				t.Errorf("requests by key of the other site: %v, want none with the key", keys)
			}
		})
	}
}

func TestHTTPFailures(t *testing.T) {
	const secret = "hunter22"
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		want    error
	}{
		{"unauthorized", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad key "+r.Header.Get("Key"), http.StatusUnauthorized)
		}, nil},
		{"error", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad key "+r.Header.Get("Key"), http.StatusInternalServerError)
		}, nil},
		{"not MCP", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "Hello "+r.Header.Get("Key")) }, nil},
		{"bad JSON", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s`, r.Header.Get("Key"))
		}, nil},
		{"bad events", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "event: endpoint\ndata: ftp://%s\n\ndata: {\n\n", r.Header.Get("Key"))
		}, nil},
		{"hangs", hang, context.DeadlineExceeded},
		{"drops", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil},
	} {
		for _, kind := range kinds {
			t.Run(test.name+" "+kind.name, func(t *testing.T) {
				web := newSite(t, test.handler)
				opts := &mcp.Options{ConnectTimeout: 500 * time.Millisecond, Grace: 100 * time.Millisecond}
				s, failures := mcp.Connect(t.Context(), []server.MCPServer{kind.server("web", web.URL+"?token="+secret, secret)}, opts)
				defer func() { _ = s.Close() }()
				checkFailure(t, failures, test.want, secret)
				web.close()
				nothingLeft(t)
			})
		}
	}
	for _, kind := range kinds {
		web := newSite(t, http.NotFoundHandler())
		web.close()
		for _, url := range []string{
			strings.Replace(web.URL, "http://", "http://user:"+secret+"@", 1) + "/x?token=" + secret + "#" + secret,
			"ftp://example.com/" + secret, "", "http://", "http://[" + secret, "/" + secret, "http://example.com:" + secret,
		} {
			s, failures := mcp.Connect(t.Context(), []server.MCPServer{kind.server("web", url, secret)}, nil)
			checkFailure(t, failures, nil, secret)
			_ = s.Close()
		}
	}
}

// TestHTTPOutage lets one of two sites drop all connections for a while.
func TestHTTPOutage(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			handler := kind.handler()
			var down atomic.Bool
			web := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if down.Load() {
					panic(http.ErrAbortHandler)
				}
				handler.ServeHTTP(w, r)
			}))
			other := newSite(t, kind.handler())
			s := connect(t, &mcp.Options{Grace: 100 * time.Millisecond}, kind.server("web", web.URL, "hunter22"), kind.server("other", other.URL, "k"))
			down.Store(true)
			for range 2 {
				_, err := s.Call(t.Context(), "web__echo", nil)
				if !errors.Is(err, mcp.ErrUnreachable) && !errors.Is(err, mcp.ErrGone) || strings.Contains(err.Error(), "hunter22") || strings.Contains(err.Error(), "sessionid") {
					t.Errorf("error %v, want %v without the key and the session's ID", err, mcp.ErrUnreachable)
				}
				t.Log(err)
			}
			if got := call(t, s, "other__label", ""); got != "k" {
				t.Errorf("the other server says %q", got)
			}
			down.Store(false)
			if kind.name == "sse" { // its session lives in a connection
				if _, err := s.Call(t.Context(), "web__label", nil); !errors.Is(err, mcp.ErrGone) {
					t.Errorf("after the outage: error %v, want %v", err, mcp.ErrGone)
				}
			} else if got := call(t, s, "web__label", ""); got != "hunter22" {
				t.Errorf("after the outage the server says %q", got)
			}
		})
	}
}

// TestHTTPGone ends a site for good.
func TestHTTPGone(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			web := newSite(t, kind.handler())
			s := connect(t, &mcp.Options{Grace: 100 * time.Millisecond}, kind.server("web", web.URL, "hunter22"))
			web.close()
			_, err := s.Call(t.Context(), "web__echo", nil)
			if !errors.Is(err, mcp.ErrUnreachable) && !errors.Is(err, mcp.ErrGone) || strings.Contains(err.Error(), "hunter22") {
				t.Errorf("error %v, want %v without the key", err, mcp.ErrUnreachable)
			}
			t.Log(err)
		})
	}
}

// TestHTTPClose closes a session whose server answers nothing any more, with a call running.
func TestHTTPClose(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			handler := kind.handler()
			hanging := make(chan struct{})
			web := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-hanging:
					hang(w, r)
				default:
					handler.ServeHTTP(w, r)
				}
			}))
			s := connect(t, &mcp.Options{Grace: 100 * time.Millisecond}, kind.server("web", web.URL, "k"))
			waiting := make(chan error)
			go func() {
				_, err := s.Call(t.Context(), "web__wait", nil)
				waiting <- err
			}()
			call(t, s, "web__echo", "")
			close(hanging)
			begun := time.Now()
			_ = s.Close()
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("closing took %v", took)
			}
			if err := <-waiting; !errors.Is(err, mcp.ErrClosed) {
				t.Errorf("error of the running call %v, want %v", err, mcp.ErrClosed)
			}
			web.close()
			nothingLeft(t)
		})
	}
}
