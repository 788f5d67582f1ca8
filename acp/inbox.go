package acp

import (
	"sync"

	"github.com/acpwire/acpwire/gen/wire"
)

// queueBytes is how many bytes of received frames wait for their handlers before reading stops.
const queueBytes = 8 << 20

// An item is one received frame that waits for its turn. Exactly one of note, request and call is set.
type item struct {
	note    *note
	request *incoming
	call    *call
	size    int
}

// A note is a notification for a handler.
type note struct {
	spec   *wire.Method // nil for an extension that the fallback handles
	method string
	value  wire.Message
	raw    wire.Raw
}

// An inbox is the queue between the read loop, which adds frames in batches, and the dispatcher, which takes all there are. There is a dispatcher only while there
// are frames.
type inbox struct {
	limit int
	start func() // starts a dispatcher

	mu      sync.Mutex
	room    sync.Cond // the read loop waits here
	items   []item
	bytes   int
	ended   bool // nothing more will be added
	stopped bool // what was added is not wanted
	busy    bool // there is a dispatcher
	done    chan struct{}
}

func newInbox(limit int, start func()) *inbox {
	b := &inbox{limit: limit, start: start, done: make(chan struct{})}
	b.room.L = &b.mu
	return b
}

// add adds a batch, as soon as the queue is below its limit. It reports false if the queue is stopped.
func (b *inbox) add(batch []item) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for (len(b.items) >= b.limit || b.bytes >= queueBytes) && !b.stopped {
		b.room.Wait()
	}
	if b.ended {
		return false
	}
	b.items = append(b.items, batch...)
	for i := range batch {
		b.bytes += batch[i].size
	}
	if !b.busy {
		b.busy = true
		b.start()
	}
	return true
}

// end says that nothing more is added. done is closed once everything has been dispatched.
func (b *inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.endLocked()
}

// stop is end, and drops what waits.
func (b *inbox) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	b.items = nil
	b.room.Broadcast()
	b.endLocked()
}

func (b *inbox) endLocked() {
	if b.ended {
		return
	}
	b.ended = true
	if !b.busy {
		close(b.done)
	}
}

// take returns all items there are. If there are none, the dispatcher must end. used is the slice it got before.
func (b *inbox) take(used []item) []item {
	clear(used)
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	b.items, b.bytes = nil, 0
	if cap(used) <= 64 || len(items) > 0 {
		b.items = used[:0]
	}
	b.room.Signal()
	if len(items) == 0 {
		b.busy = false
		if b.ended {
			close(b.done)
		}
	}
	return items
}
