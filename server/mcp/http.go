package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An httpLink is a server that is reached by HTTP. It shares no connection, cookie or header with another.
type httpLink struct {
	url  string
	sse  bool
	http *http.Transport
	rt   http.RoundTripper

	severed chan struct{} // closed when it is cut

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil when it is cut
}

// newHTTPLink returns a link that calls missed when the server may have said something that was lost.
func newHTTPLink(rawURL string, headers map[string][]string, sse bool, missed func()) (link, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%w: the URL is not one of http or https", ErrConfig)
	}
	l := &httpLink{url: rawURL, sse: sse, conns: make(map[net.Conn]struct{}), severed: make(chan struct{})}
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	l.http = &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := l.untilCut(ctx)
			defer cancel()
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return l.keep(conn)
		},
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
	}
	l.rt = &headerTransport{next: l.http, origin: originOf(u), headers: headers}
	if !sse {
		l.rt = &listener{next: l.rt, missed: missed}
	}
	return l, nil
}

func (l *httpLink) transport() sdk.Transport {
	client := &http.Client{Transport: l.rt}
	if l.sse {
		return &sdk.SSEClientTransport{Endpoint: l.url, HTTPClient: client}
	}
	return &sdk.StreamableClientTransport{Endpoint: l.url, HTTPClient: client}
}

func (l *httpLink) gone() error { return nil }

func (l *httpLink) cut() {
	l.mu.Lock()
	conns := l.conns
	l.conns = nil
	if !isClosed(l.severed) {
		close(l.severed)
	}
	l.mu.Unlock()
	for conn := range conns {
		_ = conn.(*trackedConn).Conn.Close()
	}
	l.http.CloseIdleConnections()
}

// untilCut returns ctx, ending also when the link is cut.
func (l *httpLink) untilCut(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-l.severed:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// keep remembers a connection until it is closed.
func (l *httpLink) keep(conn net.Conn) (net.Conn, error) {
	tracked := &trackedConn{Conn: conn, link: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conns == nil {
		return nil, errors.Join(net.ErrClosed, conn.Close())
	}
	l.conns[tracked] = struct{}{}
	return tracked, nil
}

type trackedConn struct {
	net.Conn
	link *httpLink
}

// Close closes the connection.
func (c *trackedConn) Close() error {
	c.link.mu.Lock()
	delete(c.link.conns, c)
	c.link.mu.Unlock()
	return c.Conn.Close()
}

// A headerTransport adds a server's headers to the requests that go to it: not to those that a redirect or the server's answer leads elsewhere.
type headerTransport struct {
	next    http.RoundTripper
	origin  string
	headers map[string][]string
}

// RoundTrip implements [http.RoundTripper].
func (t *headerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if originOf(req.URL) != t.origin {
		return t.next.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	for name, values := range t.headers {
		key := http.CanonicalHeaderKey(name)
		if key == "Host" && len(values) > 0 {
			req.Host = values[0]
			continue
		}
		req.Header[key] = append([]string(nil), values...)
	}
	return t.next.RoundTrip(req)
}

func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}
