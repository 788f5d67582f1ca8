package acp

import (
	"context"
	"log/slog"
	"time"

	"github.com/acpwire/acpwire/gen/wire"
)

// The defaults of [Options].
const (
	// DefaultMaxFrame is the longest line that is read, in bytes.
	DefaultMaxFrame = 64 << 20
	// DefaultMaxInFlight is how many requests of the peer may be in work, and how many notifications' handlers may wait for the peer.
	DefaultMaxInFlight = 4096
	// DefaultQueue is how many received frames wait for their handlers before reading stops.
	DefaultQueue = 1024
	// DefaultDrainTimeout is how long requests in work may go on after the peer has closed its side.
	DefaultDrainTimeout = 10 * time.Second
)

// Options change how a connection works. The zero value is ready to use: strict in both directions, no logging.
type Options struct {
	// Lenient repairs what the peer sends where the schema says how (its x-deserialize-* annotations), instead of refusing it.
	Lenient bool
	// KeepUnknownVariants also keeps variants that a closed union does not know, as their Unknown type. It has no effect unless Lenient is set.
	KeepUnknownVariants bool
	// OnRepair is told of every frame that a lenient connection repaired. It is called on the read loop and must not wait. If nil, repairs are only logged.
	OnRepair func(RepairedFrame)
	// Reference checks every frame in both directions a second time; package acp/reference has one. If nil, frames are checked once.
	Reference Reference

	// Extensions are the extension methods that this side handles; see [HandleExtension] and [HandleExtensionNotification].
	Extensions []Extension
	// Fallback handles extension methods that no Extension handles. If nil, such requests are answered with -32601 and such notifications are ignored.
	Fallback Fallback

	// MaxFrame is the longest line that is read, in bytes. A longer one is passed over and answered with an error. If zero, DefaultMaxFrame.
	MaxFrame int
	// MaxDepth is how deep a received value may nest. If zero, wire.DefaultMaxDepth.
	MaxDepth int
	// MaxInFlight is how many requests of the peer may be in work at once; more are answered with an error. It also limits how many handlers of notifications may
	// wait for the peer at once. If zero, DefaultMaxInFlight.
	MaxInFlight int
	// Queue is how many received frames may wait for their handlers. Then reading stops until there is room; it also stops while more than 8 MiB wait. If zero,
	// DefaultQueue.
	Queue int
	// DrainTimeout is how long requests in work may go on after the peer has closed its side, before their contexts are cancelled. If zero,
	// DefaultDrainTimeout; if negative, they are cancelled at once.
	DrainTimeout time.Duration

	// AllowUnadvertised lets calls out that need a capability the peer did not advertise. If false, they fail with an [*UnsupportedError] and nothing is sent.
	AllowUnadvertised bool

	// Logger is told what goes wrong, without the content of messages. If nil, nothing is logged.
	Logger *slog.Logger
	// Tap sees every line. If nil, nobody does.
	Tap Tap
}

// A Tap sees every line of a connection, as it is on the wire but without its line end: what was received, also what is malformed, and what is about to be
// sent. Within a direction the calls are in wire order and one at a time; the directions may call at once. Of a line that is too long only the beginning is seen. A line is valid during the call only, which must not wait.
type Tap interface {
	// Received is called with each line that came in.
	Received(line []byte)
	// Sent is called with each line that is about to go out.
	Sent(line []byte)
}

// A Reference is a second opinion on frames, such as the schema's own validator. It must be safe for concurrent use.
type Reference interface {
	// Check returns what is wrong with the params or result body of the method. Pointers start at the body. A nil body was absent.
	Check(method *wire.Method, result bool, body []byte) []wire.Violation
}

// A RepairedFrame says what a lenient connection changed in a frame to make it valid.
type RepairedFrame struct {
	// Method is the frame's method or, for a response, that of its request.
	Method string
	// Kind is KindRequest, KindNotification or KindResponse.
	Kind Kind
	// Repairs has at least one entry. Pointers start at the frame.
	Repairs []wire.Repair
}

// A Fallback handles an extension request or notification. The result of a notification is ignored. An error is answered like that of any handler.
type Fallback func(ctx context.Context, method string, params wire.Raw) (wire.Raw, error)

// A Handler handles a valid request or notification of the peer. The result of a notification is ignored. It may be called by many goroutines at once, but
// never for two notifications at once, but for one that goes on because its context ended while it waited for the peer.
type Handler func(ctx context.Context, m *wire.Method, params wire.Message) (wire.Message, error)

// A Role is one side of one version of the protocol: all that a [Conn] needs to know about it. [NewClient] and [NewAgent] fill it in.
type Role struct {
	// Surface is the version of the protocol.
	Surface *wire.Surface
	// Side is the side that the connection plays.
	Side wire.Side
	// Handle is called for the peer's requests and notifications.
	Handle Handler

	// SessionOf returns the session that params belong to. If nil, params belong to none.
	SessionOf func(params any) (session string, ok bool)
	// Handshake is the request that opens a connection. Its params and result are kept; see [Conn.Handshake].
	Handshake string
	// Turn is the request that the notification Cancel cancels, for all that are running in its session.
	Turn, Cancel string
	// CancelRequest is the notification that cancels one request, and RequestToCancel reads and NewCancelRequest makes its params.
	CancelRequest    string
	RequestToCancel  func(params wire.Message) (wire.RequestID, bool)
	NewCancelRequest func(id wire.RequestID) wire.Message
	// CancelledTurn returns the result of a turn that was cancelled.
	CancelledTurn func() wire.Message
	// Permission is the request that a client must answer with CancelledPermission when it cancels the turn.
	Permission          string
	CancelledPermission func() wire.Message
	// Allowed returns an error if the peer did not advertise what it takes to call the method. It may be nil.
	Allowed func(method string, params any, request, response any) error
}

func (o *Options) withDefaults() Options {
	var n Options
	if o != nil {
		n = *o
	}
	if n.MaxFrame <= 0 {
		n.MaxFrame = DefaultMaxFrame
	}
	if n.MaxInFlight <= 0 {
		n.MaxInFlight = DefaultMaxInFlight
	}
	if n.Queue <= 0 {
		n.Queue = DefaultQueue
	}
	if n.DrainTimeout == 0 {
		n.DrainTimeout = DefaultDrainTimeout
	}
	if n.Logger == nil {
		n.Logger = slog.New(slog.DiscardHandler)
	}
	return n
}

func (o *Options) decode() wire.DecodeOptions {
	return wire.DecodeOptions{Lenient: o.Lenient, KeepUnknownVariants: o.KeepUnknownVariants, MaxDepth: o.MaxDepth}
}
