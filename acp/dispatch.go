package acp

import (
	"context"
	"slices"
	"sync"
)

// A dispatcher hands out received frames in wire order. At any time one goroutine does so: it runs the handlers of notifications itself, one after another. A
// handler that waits for the peer gives that duty to a fresh goroutine; when its answer comes, that goroutine stands still until the handler has returned or
// waits again. So handlers of notifications never run at once, and never wait for what is stuck behind them.
type dispatcher struct {
	c     *Conn
	batch []item // taken from the inbox; of the goroutine on duty
	next  int

	mu   sync.Mutex
	seq  int64
	open []*delivery // handlers that have given up duty and not returned, by seq
	held []heldCall  // answers that wait for some of open
}

// A delivery is one notification in its handler.
type delivery struct {
	seq      int64
	onDuty   bool          // its goroutine is the one on duty
	finished bool          // the handler has returned
	waiting  int           // calls whose answer it waits for
	resumed  chan struct{} // the goroutine on duty waits here until it returns or waits again
}

type heldCall struct {
	call *call
	seq  int64 // waits for open deliveries up to this
}

// run hands out frames until there are no more or duty was given away.
func (d *dispatcher) run(ctx context.Context) {
	for {
		if d.next == len(d.batch) {
			used := d.batch
			d.batch, d.next = nil, 0
			batch := d.c.inbox.take(used)
			if len(batch) == 0 {
				return // and another goroutine may be on duty already
			}
			d.batch = batch
		}
		it := &d.batch[d.next]
		d.next++
		switch {
		case it.note != nil:
			if !d.notify(ctx, it.note) {
				return
			}
		case it.request != nil && it.request.spec != nil && it.request.method == d.c.role.Handshake:
			// What comes behind it depends on what it settles, also when the peer does not wait for the answer.
			d.c.serving.Add(1)
			d.c.serve(ctx, it.request)
		case it.request != nil:
			d.c.start(ctx, it.request)
		case it.call != nil:
			d.deliver(it.call)
		}
	}
}

// notify runs the handler of a notification. It reports whether this goroutine is still on duty.
func (d *dispatcher) notify(ctx context.Context, n *note) bool {
	h := &handling{Context: ctx, conn: d.c, note: n}
	del := &h.delivery
	del.onDuty = true
	d.c.handleNote(h, n)

	d.mu.Lock()
	defer d.mu.Unlock()
	del.finished = true
	if del.onDuty {
		return true
	}
	if del.resumed != nil {
		close(del.resumed)
		del.resumed = nil
	}
	d.open = slices.DeleteFunc(d.open, func(o *delivery) bool { return o == del })
	d.letGo()
	return false
}

// letGo delivers held answers that wait for nothing any more. It needs mu.
func (d *dispatcher) letGo() {
	d.held = slices.DeleteFunc(d.held, func(h heldCall) bool {
		if len(d.open) > 0 && d.open[0].seq <= h.seq {
			return false
		}
		close(h.call.done)
		return true
	})
}

// await says that the handler of a notification is about to wait for the answer to a call. If it is on duty, another goroutine takes over.
func (d *dispatcher) await(h *handling) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	del := &h.delivery
	switch {
	case del.finished:
	case del.onDuty:
		if len(d.open) >= d.c.opts.MaxInFlight {
			return ErrTooManyWaiting
		}
		del.onDuty = false
		d.seq++
		del.seq = d.seq
		d.open = append(d.open, del)
		d.c.routines.Go(func() { d.run(h.Context) })
	case del.resumed != nil:
		close(del.resumed)
		del.resumed = nil
	}
	del.waiting++
	return nil
}

// deliver gives a call its answer, in turn.
func (d *dispatcher) deliver(c *call) {
	d.mu.Lock()
	switch {
	case c.waiter != nil && !c.waiter.finished:
		c.waiter.waiting--
		c.settled = true
		if c.waiter.waiting > 0 || c.waiter.onDuty {
			break
		}
		resumed := make(chan struct{})
		c.waiter.resumed = resumed
		d.mu.Unlock()
		close(c.done)
		<-resumed
		return
	case c.inHandler || len(d.open) == 0:
	default:
		d.held = append(d.held, heldCall{c, d.seq})
		d.mu.Unlock()
		return
	}
	d.mu.Unlock()
	close(c.done)
}

// leave says that a call ended without an answer: it was given up or failed.
func (d *dispatcher) leave(c *call) {
	if c.waiter == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !c.settled {
		c.settled = true
		c.waiter.waiting--
	}
}
