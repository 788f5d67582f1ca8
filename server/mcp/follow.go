package mcp

import (
	"context"
	"reflect"
)

// follow keeps up with the tools of the servers until the session is closed.
func (s *Session) follow(ctx context.Context, o Options) {
	ctx = context.WithoutCancel(ctx)
	for _, c := range s.connections {
		s.followers.Go(func() {
			for {
				select {
				case <-s.closing:
					return
				case <-c.changed:
					s.relist(ctx, c, o)
				}
			}
		})
	}
}

// relist lists the tools of a server again.
func (s *Session) relist(ctx context.Context, c *connection, o Options) {
	ctx, cancel := context.WithTimeout(ctx, o.ConnectTimeout)
	defer cancel()
	stop := s.untilClosed(cancel)
	defer stop()
	tools, err := listTools(ctx, c.session)
	if isClosed(s.closing) {
		return
	}
	var failures []Failure
	same := false
	if err != nil {
		failures = []Failure{{Server: c.server, Err: c.failed("list tools", c.explain(ctx, err))}}
	} else {
		s.mu.Lock()
		same = reflect.DeepEqual(c.tools, tools)
		c.tools = tools
		s.mu.Unlock()
		failures = s.offer()[c]
	}
	if same || o.ToolsChanged == nil {
		return
	}
	s.telling.Lock()
	defer s.telling.Unlock()
	if !isClosed(s.closing) {
		o.ToolsChanged(c.server, failures)
	}
}

// untilClosed calls f when the session is closed, unless stop is called before.
func (s *Session) untilClosed(f func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-s.closing:
			f()
		case <-done:
		}
	}()
	return func() { close(done) }
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
