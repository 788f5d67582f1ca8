package acp

import (
	"io"
	"sync"
)

// A Transport carries lines. Close must make a Read or Write that waits return.
type Transport interface {
	io.Reader
	io.Writer
	io.Closer
}

// pipeLimit is how many bytes a direction of a [Pipe] holds before Write waits.
const pipeLimit = 64 << 10

var pipeChunks = sync.Pool{New: func() any { return new([pipeLimit]byte) }}

// Pipe returns the two ends of a buffered connection in memory. What one end writes, the other reads. Closing an end makes the other read what is left and
// then [io.EOF], and its writes fail with [io.ErrClosedPipe].
func Pipe() (Transport, Transport) {
	a, b := newStream(), newStream()
	return &pipeEnd{r: a, w: b}, &pipeEnd{r: b, w: a}
}

type pipeEnd struct{ r, w *stream }

func (p *pipeEnd) Read(b []byte) (int, error)  { return p.r.read(b) }
func (p *pipeEnd) Write(b []byte) (int, error) { return p.w.write(b) }

// CloseWrite lets the other end read to the end, while this end may go on reading.
func (p *pipeEnd) CloseWrite() error {
	p.w.end(false)
	return nil
}

// Close ends both directions.
func (p *pipeEnd) Close() error {
	p.w.end(false)
	p.r.end(true)
	return nil
}

// A stream is one direction of a pipe.
type stream struct {
	mu         sync.Mutex
	readable   *sync.Cond
	writable   *sync.Cond
	chunk      *[pipeLimit]byte // ring buffer, borrowed while there is something in it
	start, len int
	ended      bool // no more is written
	abandoned  bool // no more is read
}

func newStream() *stream {
	s := new(stream)
	s.readable, s.writable = sync.NewCond(&s.mu), sync.NewCond(&s.mu)
	return s
}

func (s *stream) read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.len == 0 && !s.ended && !s.abandoned {
		s.readable.Wait()
	}
	if s.abandoned {
		return 0, io.ErrClosedPipe
	}
	if s.len == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.chunk[s.start:min(s.start+s.len, pipeLimit)])
	if rest := s.len - n; rest > 0 && n < len(b) && s.start+n == pipeLimit {
		n += copy(b[n:], s.chunk[:rest])
	}
	s.start, s.len = (s.start+n)%pipeLimit, s.len-n
	if s.len == 0 {
		s.release()
	}
	s.writable.Signal()
	return n, nil
}

func (s *stream) write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := 0
	for {
		for s.len == pipeLimit && !s.ended && !s.abandoned {
			s.writable.Wait()
		}
		if s.ended || s.abandoned {
			return done, io.ErrClosedPipe
		}
		if done == len(b) {
			return done, nil
		}
		if s.chunk == nil {
			s.chunk = pipeChunks.Get().(*[pipeLimit]byte)
		}
		end := (s.start + s.len) % pipeLimit
		free := min(pipeLimit-s.len, pipeLimit-end)
		n := copy(s.chunk[end:end+free], b[done:])
		s.len += n
		done += n
		s.readable.Signal()
		if done == len(b) {
			return done, nil
		}
	}
}

func (s *stream) end(abandon bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if abandon {
		s.abandoned = true
		s.release()
	}
	s.readable.Broadcast()
	s.writable.Broadcast()
}

func (s *stream) release() {
	if s.chunk != nil {
		pipeChunks.Put(s.chunk)
	}
	s.chunk, s.start, s.len = nil, 0, 0
}
