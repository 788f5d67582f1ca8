package acp

import (
	"bytes"
	"errors"
	"io"
)

const (
	// readBuffer is the size of the read buffer while lines are short.
	readBuffer = 32 << 10
	// headSize and tailSize are how much of an overlong line is kept to find out whose answer it would have been.
	headSize = 4 << 10
	tailSize = 512
)

// lines cuts a stream into lines. A line longer than max is passed over without being held in memory.
type lines struct {
	r   io.Reader
	max int
	// before is called before each read that may wait.
	before func()

	buf        []byte
	start, end int // what was read and not yet returned
	scanned    int // where to look for the next line end
	err        error
}

// An overlong is what is known of a line that was too long.
type overlong struct {
	head, tail []byte
	size       int
}

// next returns the next line without its line end; it is valid until the next call. Instead of an overlong line it returns what is left of it. The error is
// [io.EOF] at the end; a last line without line end counts, and last is then true.
func (l *lines) next() (line []byte, long *overlong, last bool, err error) {
	for {
		if i := bytes.IndexByte(l.buf[l.scanned:l.end], '\n'); i >= 0 {
			line = l.buf[l.start : l.scanned+i]
			l.start = l.scanned + i + 1
			l.scanned = l.start
			if len(line) > l.max {
				return nil, newOverlong(line), false, nil
			}
			return line, nil, false, nil
		}
		l.scanned = l.end
		if l.end-l.start > l.max {
			long, err = l.pass()
			return nil, long, false, err
		}
		if l.err != nil {
			line = l.buf[l.start:l.end]
			l.start = l.end
			if len(line) > 0 {
				return line, nil, true, nil
			}
			return nil, nil, false, l.err
		}
		l.fill()
	}
}

// fill makes room and reads once.
func (l *lines) fill() {
	held := l.end - l.start
	switch {
	case held == 0 && len(l.buf) != readBuffer:
		l.buf = make([]byte, readBuffer)
		l.start = 0
	case l.start > 0:
		copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	case l.end == len(l.buf):
		grown := make([]byte, 2*len(l.buf))
		copy(grown, l.buf[:l.end])
		l.buf = grown
	}
	l.end = l.start + held
	l.scanned = l.end
	l.before()
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if err != nil {
			l.err = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// pass skips the rest of a line that is too long.
func (l *lines) pass() (*overlong, error) {
	long := newOverlong(l.buf[l.start:l.end])
	l.buf = make([]byte, readBuffer)
	for {
		l.start, l.end, l.scanned = 0, 0, 0
		if l.err != nil {
			if errors.Is(l.err, io.EOF) {
				return long, nil
			}
			return nil, l.err
		}
		l.fill()
		i := bytes.IndexByte(l.buf[:l.end], '\n')
		if i < 0 {
			long.add(l.buf[:l.end])
			continue
		}
		long.add(l.buf[:i])
		l.start = i + 1
		l.scanned = l.start
		return long, nil
	}
}

func newOverlong(b []byte) *overlong {
	return &overlong{
		head: bytes.Clone(b[:min(len(b), headSize)]),
		tail: bytes.Clone(b[max(0, len(b)-tailSize):]),
		size: len(b),
	}
}

func (o *overlong) add(b []byte) {
	o.size += len(b)
	if len(b) > tailSize {
		b = b[len(b)-tailSize:]
	}
	o.tail = append(o.tail, b...)
	o.tail = append(o.tail[:0], o.tail[max(0, len(o.tail)-tailSize):]...)
}
