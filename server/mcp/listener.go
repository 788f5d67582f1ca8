package mcp

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The stream of what a server says by itself is opened again after a pause when it ends, which grows until it has said something.
const (
	minReopen = time.Second
	maxReopen = time.Minute
)

// A listener makes the stream of what a server says by itself, for example that its tools have changed, one that lasts as long as the connection, whatever the server
// makes of the request for it. To the SDK a stream that cannot be opened, or not any more, is the end of the connection, and one that is slow to begin holds everything up.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
type listener struct {
	next http.RoundTripper
	// missed is called when the stream has been opened again: what the server said meanwhile is lost.
	missed func()
}

// RoundTrip implements [http.RoundTripper].
func (l *listener) RoundTrip(req *http.Request) (*http.Response, error) {
	// With an event's ID it is the stream of an answer that is taken up again.
	if req.Method != http.MethodGet || req.Header.Get("Last-Event-ID") != "" {
		return l.next.RoundTrip(req)
	}
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(req.Context())
	go func() {
		defer cancel()
		l.listen(req.Clone(ctx), w)
		_ = w.CloseWithError(context.Canceled)
	}()
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: &heard{r, cancel}, ContentLength: -1, Request: req,
	}, nil
}

// listen copies the stream to w until the request's context ends.
func (l *listener) listen(req *http.Request, w io.Writer) {
	ctx := req.Context()
	pause := minReopen
	for again := false; ; again = true {
		resp, err := l.next.RoundTrip(req)
		if err == nil {
			said := resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
			if said && again {
				l.missed()
			}
			if said && copyEvents(w, resp.Body) > 0 {
				pause = minReopen
			}
			_ = resp.Body.Close()
			if !said && resp.StatusCode < http.StatusInternalServerError {
				<-ctx.Done() // the server has none
				return
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		pause = min(2*pause, maxReopen)
	}
}

// copyEvents copies whole events as long as they come, and returns how many. What is cut off at the end is none.
func copyEvents(w io.Writer, r io.Reader) (n int) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, sdk.DefaultMaxEventSize)
	var event []byte
	for in.Scan() && len(event) <= sdk.DefaultMaxEventSize {
		event = append(append(event, in.Bytes()...), '\n')
		if len(in.Bytes()) > 0 {
			continue
		}
		if _, err := w.Write(event); err != nil {
			return n
		}
		event = event[:0]
		n++
	}
	return n
}

// heard is the body of the stream.
type heard struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close ends the stream.
func (h *heard) Close() error {
	h.cancel()
	return h.PipeReader.Close()
}
