package acp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/acpwire/acpwire/gen/wire"
)

// closeTimeout is how long Close waits for frames that were accepted to be written.
const closeTimeout = time.Second

// A Conn is one side of a connection. It is safe for concurrent use. It ends when the peer closes its side or Close is called; [Conn.Wait] waits for that and
// for all that the connection had started.
type Conn struct {
	role      Role
	opts      Options
	log       *slog.Logger
	transport Transport
	parser    *Parser
	methods   map[string]*wire.Method // what may be called, by name
	handlers  map[string]Extension    // of extensions, by name
	outbox    *outbox
	inbox     *inbox
	dispatch  *dispatcher
	reader    reader

	cancel   context.CancelCauseFunc // ends the contexts of all handlers
	routines sync.WaitGroup          // dispatchers, and handlers of notifications
	serving  sync.WaitGroup          // handlers of requests
	written  chan struct{}           // closed when the writer has ended
	closing  chan struct{}           // closed by Close
	done     chan struct{}           // closed when everything has ended

	// mu guards what follows. It is taken before the outbox's.
	mu        sync.Mutex
	pending   map[int64]*call // our requests without an answer
	abandoned int             // how many of them nobody waits for
	lastID    int64
	inFlight  map[wire.RequestID]*incoming // the peer's requests without an answer, by key
	places    map[string]chan struct{}     // of the last request of each session that has requests without a place
	ended     *ClosedError                 // why nothing more can be asked; nil while it can
	closed    bool                         // Close was called
	handshake handshake
}

type handshake struct{ request, response any }

// New starts a connection over t. If opts is nil, the zero Options. Use [NewClient] and [NewAgent] unless you add a version of the protocol.
func New(t Transport, role Role, opts *Options) *Conn {
	c := newConn(t, role, opts)
	c.run()
	return c
}

func newConn(t Transport, role Role, opts *Options) *Conn {
	c := &Conn{
		role: role, opts: opts.withDefaults(), transport: t,
		handlers: map[string]Extension{}, methods: map[string]*wire.Method{},
		pending: map[int64]*call{}, inFlight: map[wire.RequestID]*incoming{}, places: map[string]chan struct{}{},
		written: make(chan struct{}), closing: make(chan struct{}), done: make(chan struct{}),
	}
	c.log = c.opts.Logger
	var misuse error
	var specs []*wire.Method
	for _, x := range c.opts.Extensions {
		spec, err := x.check(c.handlers)
		misuse = errors.Join(misuse, err)
		c.handlers[x.method] = x
		specs = append(specs, spec)
	}
	for _, m := range role.Surface.Methods {
		c.methods[m.Name] = m
	}
	peer := wire.AgentSide
	if role.Side == wire.AgentSide {
		peer = wire.ClientSide
	}
	c.parser = NewParser(role.Surface, peer, specs...)
	c.parser.Decode = c.opts.decode()
	c.parser.Pending = c.claim
	var tap func([]byte)
	if c.opts.Tap != nil {
		tap = c.opts.Tap.Sent
	}
	c.outbox = newOutbox(tap)
	c.dispatch = &dispatcher{c: c}
	if misuse != nil {
		c.stop(&ClosedError{Reason: ReasonMisuse, Err: misuse})
	}
	return c
}

// run starts the connection's goroutines: one reads, one writes. Others come and go with what is received.
func (c *Conn) run() {
	misused := c.Err() != nil // asked now: once the goroutines run, the peer's end is no misuse
	ctx, cancel := context.WithCancelCause(context.Background())
	c.cancel = cancel
	c.inbox = newInbox(c.opts.Queue, func() {
		c.routines.Go(func() { c.dispatch.run(ctx) })
	})
	go c.write()
	go c.supervise(ctx)
	if misused {
		_ = c.Close()
	}
}

// supervise reads until the end, and then lets everything that is under way come to its own.
func (c *Conn) supervise(ctx context.Context) {
	defer close(c.done)
	if u, ok := c.transport.(uninterruptible); ok && u.uninterruptible() {
		read := make(chan struct{})
		go func() {
			defer close(read)
			c.read(ctx)
		}()
		select {
		case <-read:
		case <-c.closing: // the reader is left behind
		}
	} else {
		c.read(ctx)
	}
	c.inbox.end()
	c.drain()
	c.shut()
}

// An uninterruptible transport may have a Read or Write that does not return when it is closed.
type uninterruptible interface{ uninterruptible() bool }

// drain waits until all handlers have returned, and cancels them if that takes too long.
func (c *Conn) drain() {
	quiet := make(chan struct{})
	go func() {
		<-c.inbox.done
		c.routines.Wait()
		c.serving.Wait()
		close(quiet)
	}()
	timer := time.NewTimer(max(c.opts.DrainTimeout, 0))
	defer timer.Stop()
	select {
	case <-quiet:
	case <-c.closing:
	case <-timer.C:
	}
	c.cancel(c.reason())
	<-quiet
}

// shut writes what is left to be written and closes the transport.
func (c *Conn) shut() {
	c.flushAndClose(c.reason())
	if u, ok := c.transport.(uninterruptible); ok && u.uninterruptible() && c.outbox.isDropped() {
		return
	}
	<-c.written
}

func (c *Conn) flushAndClose(reason *ClosedError) {
	end := c.outbox.close(reason)
	ctx, stop := context.WithTimeout(context.Background(), closeTimeout)
	defer stop()
	if !c.outbox.flush(ctx, end) {
		c.outbox.drop(reason)
	}
	if err := c.transport.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		c.log.Debug("acp: closing the transport", "error", err)
	}
}

// write is the writer's goroutine.
func (c *Conn) write() {
	defer close(c.written)
	err := c.outbox.write(c.transport)
	if err == nil {
		return
	}
	reason := &ClosedError{Reason: ReasonWrite, Err: err}
	c.outbox.drop(reason)
	c.log.Warn("acp: writing failed", "error", err)
	// Requests that went out may still have their answers on the way; the others have no hope.
	c.failCalls(reason, c.outbox.sent())
	// The answers of the peer's requests have nowhere to go.
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.inFlight {
		r.cancel(reason)
	}
}

// stop makes all further calls fail with reason, and those that wait for an answer. The first reason stands.
func (c *Conn) stop(reason *ClosedError) {
	c.mu.Lock()
	if c.ended == nil {
		c.ended = reason
	}
	reason = c.ended
	c.mu.Unlock()
	c.failCalls(reason, -1)
}

// reason returns why the connection ended, or is about to because the read loop has.
func (c *Conn) reason() *ClosedError {
	if err := c.Err(); err != nil {
		return err
	}
	return &ClosedError{Reason: ReasonClosed}
}

// Close ends the connection: calls that wait fail, handlers' contexts are cancelled, what was accepted for sending is written if that takes no longer than a
// second, and the transport is closed. It may be called from a handler and more than once. It does not wait for handlers; see Wait.
func (c *Conn) Close() error {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	c.mu.Unlock()
	if again {
		return nil
	}
	c.stop(&ClosedError{Reason: ReasonClosed})
	close(c.closing)
	c.cancel(c.reason())
	c.inbox.stop()
	c.flushAndClose(c.reason())
	return nil
}

// Done returns a channel that is closed when the connection has ended and all it had started has returned.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Wait waits for Done. The error is nil if the connection ended in good order: closed by either side. Otherwise it is a [*ClosedError]. It must not be called
// by a handler.
func (c *Conn) Wait() error {
	<-c.done
	switch err := c.Err(); {
	case err == nil || err.Reason == ReasonClosed || err.Reason == ReasonEOF:
		return nil
	default:
		return err
	}
}

// Err returns why the connection has ended, or is about to; nil while it has not.
func (c *Conn) Err() *ClosedError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// readFailed notes the error that ended the read loop. The calls that wait fail in turn, behind what the peer sent before it ended.
func (c *Conn) readFailed(err error) {
	reason := &ClosedError{Reason: ReasonEOF}
	var exit *ExitError
	switch {
	case errors.Is(err, io.EOF):
	case errors.As(err, &exit):
		reason = &ClosedError{Reason: ReasonExit, Err: err}
	default:
		reason = &ClosedError{Reason: ReasonRead, Err: err}
	}
	c.mu.Lock()
	if c.ended == nil {
		c.ended = reason
	}
	reason = c.ended
	c.mu.Unlock()
	for _, call := range c.takeAfter(-1) {
		call.err = reason
		c.queue(item{call: call})
	}
	c.handOver()
}

// Handshake returns the params and the result of the request that opened the connection, once it has been answered. They are shared and must not be changed.
func (c *Conn) Handshake() (request, response any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.handshake.request, c.handshake.response
}
