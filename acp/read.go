package acp

import (
	"context"
	"errors"
	"io"

	"github.com/acpwire/acpwire/gen/wire"
)

// batchSize is how many frames the read loop collects before it hands them to the dispatcher.
const batchSize = 64

// A reader is the state of the read loop, which alone may use it.
type reader struct {
	lines   lines
	frame   Frame
	batch   []item
	claimed *call // the call whose answer is being parsed; its mutex is held
	stopped bool
}

// read is the read loop. It parses frames, acts on cancellation at once, and queues everything else.
func (c *Conn) read(ctx context.Context) {
	r := &c.reader
	r.lines = lines{r: c.transport, max: c.opts.MaxFrame, before: c.beforeRead}
	for !r.stopped {
		line, long, last, err := r.lines.next()
		switch {
		case err != nil:
			c.handOver()
			if !errors.Is(err, io.EOF) && c.isClosed() {
				err = io.EOF
			}
			c.readFailed(err)
			r.stopped = true
		case long != nil:
			c.tooLong(ctx, long)
		default:
			c.line(ctx, line, last)
		}
	}
	r.lines.buf, r.batch = nil, nil
}

func (c *Conn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// line handles one line. last means that it had no line end and nothing follows.
func (c *Conn) line(ctx context.Context, line []byte, last bool) {
	if blank(line) {
		return
	}
	if c.opts.Tap != nil {
		c.opts.Tap.Received(line)
	}
	r := &c.reader
	f := &r.frame
	c.parser.Parse(line, f)
	claimed := r.claimed
	if claimed != nil {
		r.claimed = nil
		claimed.mu.Unlock()
	}
	if last && f.Rule() == wire.RuleJSON {
		c.log.Warn("acp: the peer ended within a frame", "bytes", len(line))
		return
	}
	if c.opts.Reference != nil {
		c.check(f)
	}
	if len(f.Repairs) > 0 {
		c.repaired(f)
	}
	switch {
	case claimed != nil:
		c.answered(claimed, f, len(line))
	case !f.Valid():
		c.refuse(ctx, f, len(line))
	case f.IsResponse():
		c.log.Warn("acp: error without a request", "code", f.Error.Code)
	default:
		c.receive(ctx, f, len(line))
	}
}

func blank(line []byte) bool {
	for _, b := range line {
		if b != ' ' && b != '\t' && b != '\r' {
			return false
		}
	}
	return true
}

// queue adds an item to the batch that goes to the dispatcher.
func (c *Conn) queue(it item) {
	r := &c.reader
	r.batch = append(r.batch, it)
	if len(r.batch) >= batchSize {
		c.handOver()
	}
}

// beforeRead is called before a read that may take long.
func (c *Conn) beforeRead() {
	c.reader.frame = Frame{} // what it holds is no longer needed
	c.handOver()
}

// handOver gives the batch to the dispatcher. It waits while the queue is full, and then nothing is read: that is the back-pressure.
func (c *Conn) handOver() {
	r := &c.reader
	if len(r.batch) == 0 {
		return
	}
	if !c.inbox.add(r.batch) {
		r.stopped = true
	}
	clear(r.batch)
	r.batch = r.batch[:0]
}

// check asks the reference for its opinion. It knows no leniency and is not asked about repaired frames.
func (c *Conn) check(f *Frame) {
	if !f.Valid() || len(f.Repairs) > 0 || f.Spec == nil || f.Kind == KindError {
		return
	}
	part := "/params"
	if f.Kind == KindResponse {
		part = "/result"
	}
	for _, v := range c.opts.Reference.Check(f.Spec, f.Kind == KindResponse, f.Raw) {
		v.Pointer = part + v.Pointer
		f.Violations = append(f.Violations, v)
	}
}

func (c *Conn) repaired(f *Frame) {
	method := f.Method
	if f.Spec != nil {
		method = f.Spec.Name
	}
	c.log.Info("acp: repaired a frame", "method", method, "kind", f.Kind.String(), "repairs", len(f.Repairs))
	if c.opts.OnRepair != nil {
		c.opts.OnRepair(RepairedFrame{Method: method, Kind: f.Kind, Repairs: f.Repairs})
	}
}
