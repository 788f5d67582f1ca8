package view

import (
	"io"
	"sync"
)

// maxHeld is how much a [Printer] holds back, in bytes. Then those who show something wait.
const maxHeld = 1 << 20

// A Format turns events into text. It is [*Text] or [JSON].
type Format interface {
	// Append appends the event to b.
	Append(b []byte, e Event) []byte
}

// A Printer writes events. It is safe for concurrent use; each event is written whole. After an error it writes nothing more.
type Printer struct {
	w      io.Writer
	format Format
	failed chan struct{}

	mu   sync.Mutex
	room sync.Cond // what was held is written
	buf  []byte
	held int // how many hold back the output
	err  error
}

// NewPrinter returns a printer to w.
func NewPrinter(w io.Writer, f Format) *Printer {
	p := &Printer{w: w, format: f, failed: make(chan struct{})}
	p.room.L = &p.mu
	return p
}

// Show writes an event.
func (p *Printer) Show(e Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held > 0 && len(p.buf) > maxHeld {
		p.room.Wait()
	}
	p.buf = p.format.Append(p.buf, e)
	p.flushLocked()
}

func (p *Printer) flushLocked() {
	if p.held > 0 {
		return
	}
	if p.err == nil && len(p.buf) > 0 {
		if _, err := p.w.Write(p.buf); err != nil {
			p.err = err
			close(p.failed)
		}
	}
	p.buf = p.buf[:0]
}

// Hold holds back the output until release is called, so that nothing disturbs a question to the user.
func (p *Printer) Hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.held--
		p.flushLocked()
		p.room.Broadcast()
	})
}

// Failed returns a channel that is closed when writing has failed.
func (p *Printer) Failed() <-chan struct{} { return p.failed }

// Err returns the error of writing. It must be called only after Failed is closed, so that it never waits for a write.
func (p *Printer) Err() error {
	<-p.failed
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
