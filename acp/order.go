package acp

import "context"

// InOrder runs f after every request of the same session that the peer sent before this one has run its own InOrder, or has been answered. Requests are
// handled at the same time, so a handler whose effect depends on the order in which they were sent, such as a place in a queue, has that part in f. If ctx is
// not that of a request's handler, or the request names no session, f is run at once. The error is f's, or ctx's if that ends first; f is then not run.
func InOrder(ctx context.Context, f func() error) error {
	h, ok := ctx.Value(handlingKey{}).(*handling)
	if !ok || h.request == nil || h.request.placed == nil {
		return f()
	}
	r := h.request
	if r.before != nil {
		select {
		case <-r.before:
		case <-ctx.Done():
			return ended(ctx)
		}
	}
	defer h.conn.place(r)
	return f()
}

// lineUp puts a request behind those of its session that came before. It is called in wire order.
func (c *Conn) lineUp(r *incoming) {
	if r.session == "" {
		return
	}
	r.placed = make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	r.before = c.places[r.session]
	c.places[r.session] = r.placed
}

// place lets the next request of the session have its place, once those before have theirs.
func (c *Conn) place(r *incoming) {
	c.mu.Lock()
	again := r.placed == nil || r.isPlaced
	r.isPlaced = true
	c.mu.Unlock()
	if again {
		return
	}
	select {
	case <-r.before:
		c.placed(r)
		return
	default:
	}
	if r.before == nil {
		c.placed(r)
		return
	}
	c.serving.Go(func() { // answered before its turn came
		<-r.before
		c.placed(r)
	})
}

func (c *Conn) placed(r *incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(r.placed)
	if c.places[r.session] == r.placed {
		delete(c.places, r.session)
	}
}
