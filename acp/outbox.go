package acp

import (
	"context"
	"io"
	"sync"
)

const (
	// outboxHigh is how many bytes wait to be written before senders wait.
	outboxHigh = 64 << 10
	// outboxKeep is the largest buffer that an idle outbox keeps.
	outboxKeep = 4 << 10
)

// An outbox holds frames until the writer has written them. Senders append whole frames and wait only while too much is waiting, so that one slow write takes
// many frames, no sender waits longer than its context, and no frame is ever written in part and followed by another.
type outbox struct {
	tap func(line []byte)

	mu      sync.Mutex
	work    sync.Cond     // the writer waits here
	moved   chan struct{} // closed when the buffer was taken or written; nil if nobody waits for that
	buf     []byte
	queued  int64 // bytes ever accepted
	taken   int64 // bytes ever given to the transport
	written int64 // bytes ever written
	failed  bool  // the transport failed
	closing bool  // nothing more is accepted
	err     error // why nothing more is accepted
	dropped bool  // what is not written yet never will be
	idle    bool  // the writer waits
}

func newOutbox(tap func([]byte)) *outbox {
	o := &outbox{tap: tap}
	o.work.L = &o.mu
	return o
}

// send accepts one frame, which ends in a line end, as soon as there is room. It returns the position of the frame's end, for flush. If the error is not nil,
// nothing of the frame will be written.
func (o *outbox) send(ctx context.Context, frame []byte) (end int64, err error) {
	for {
		end, full, err := o.offer(frame)
		if full == nil {
			return end, err
		}
		select {
		case <-full:
		case <-ctx.Done():
			return 0, ended(ctx)
		}
	}
}

// offer is send that does not wait: if there is no room, it returns a channel that is closed when there may be.
func (o *outbox) offer(frame []byte) (end int64, full <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closing:
		return 0, nil, o.err
	case len(o.buf) >= outboxHigh:
		return 0, o.movedLocked(), nil
	}
	return o.appendLocked(frame), nil, nil
}

// push accepts one small frame at once, also when there is no room.
func (o *outbox) push(frame []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing {
		return o.err
	}
	o.appendLocked(frame)
	return nil
}

func (o *outbox) appendLocked(frame []byte) int64 {
	if o.tap != nil {
		o.tap(frame[:len(frame)-1])
	}
	o.buf = append(o.buf, frame...)
	o.queued += int64(len(frame))
	if o.idle {
		o.work.Signal()
	}
	return o.queued
}

func (o *outbox) movedLocked() <-chan struct{} {
	if o.moved == nil {
		o.moved = make(chan struct{})
	}
	return o.moved
}

func (o *outbox) announceLocked() {
	if o.moved != nil {
		close(o.moved)
		o.moved = nil
	}
}

// flush waits until everything up to the position is written. It reports whether it is.
func (o *outbox) flush(ctx context.Context, end int64) bool {
	o.mu.Lock()
	for o.written < end && !o.dropped {
		moved := o.movedLocked()
		o.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
		}
		o.mu.Lock()
		if ctx.Err() != nil {
			break
		}
	}
	defer o.mu.Unlock()
	return o.written >= end
}

// sent returns the position up to which everything is written.
func (o *outbox) sent() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written
}

// reached reports whether the peer may have seen the frame that ends at the position.
func (o *outbox) reached(end int64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed {
		return end <= o.written // the rest of the last frame was lost
	}
	return end <= o.taken
}

// close makes the outbox refuse further frames with err. What it holds is still written; end is its position.
func (o *outbox) close(err error) (end int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closing {
		o.closing, o.err = true, err
	}
	o.work.Signal()
	return o.queued
}

// drop gives up what is not written yet.
func (o *outbox) drop(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closing {
		o.closing, o.err = true, err
	}
	o.buf, o.dropped = nil, true
	o.announceLocked()
	o.work.Signal()
}

func (o *outbox) isDropped() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
}

// write writes to w until the outbox is closed and empty, or w fails; then it returns w's error.
func (o *outbox) write(w io.Writer) error {
	var spare []byte
	for {
		o.mu.Lock()
		for len(o.buf) == 0 && !o.closing {
			if cap(o.buf) > outboxKeep {
				o.buf = nil
			}
			if cap(spare) > outboxKeep {
				spare = nil
			}
			o.idle = true
			o.work.Wait()
			o.idle = false
		}
		if len(o.buf) == 0 {
			o.announceLocked()
			o.mu.Unlock()
			return nil
		}
		frames := o.buf
		o.buf = spare[:0]
		o.taken += int64(len(frames))
		o.announceLocked()
		o.mu.Unlock()

		n, err := w.Write(frames)
		if err == nil && n < len(frames) {
			err = io.ErrShortWrite
		}

		o.mu.Lock()
		o.written += int64(n)
		o.failed = err != nil
		o.announceLocked()
		o.mu.Unlock()
		if err != nil {
			return err
		}
		spare = frames
		if cap(spare) > 4*outboxHigh {
			spare = nil
		}
	}
}
