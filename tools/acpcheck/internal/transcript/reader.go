// Package transcript reads recorded traffic: one frame a line, as it stood on the wire or wrapped in a record that says who sent it.
//
// A record is an object with the frame as the string "raw" or the value "message", usually with its direction as "dir" and its time as "t"; its other members do not matter.
// What tells it from a frame is that a frame has "jsonrpc". Memory is bounded by the longest line that the caller allows, whatever the size of the input.
package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// firstBuffer is the size of a buffer that has met no long line yet.
const firstBuffer = 256 << 10

// sniffed is how much of the input decides whether it is text.
const sniffed = 512

// ErrBinary is wrapped by the error for input that is no text at all.
var ErrBinary = errors.New("binary data, not a transcript")

// A Line is one line of a transcript that is not blank.
type Line struct {
	// Number counts from 1. Blank lines count.
	Number int
	// Frame is the frame of the line, without its line end. It is valid until the next call of [Reader.Next]. It is nil if Fault is not empty.
	Frame []byte
	// Direction is what the line says about it, Unknown if nothing.
	Direction Direction
	// Time is the record's time, in milliseconds from any moment, as "t". It is known only if Timed.
	Time time.Duration
	// Timed reports whether the record has a time.
	Timed bool
	// Fault says why the line holds no frame that could be judged. It is empty otherwise.
	Fault string
	// TooLong reports whether the fault is the length of the line.
	TooLong bool
}

// A Reader reads the lines of a transcript. It is not safe for concurrent use.
type Reader struct {
	src    io.Reader
	max    int
	buf    []byte
	start  int // of what is not consumed yet
	end    int // of what was read
	srcErr error
	number int
	frame  []byte // the unescaped frame of a record
}

// NewReader returns a reader of src for lines of at most longest bytes.
func NewReader(src io.Reader, longest int) *Reader {
	return &Reader{src: src, max: longest, buf: make([]byte, min(firstBuffer, longest+1))}
}

// Next returns the next line that is not blank. The error is io.EOF after the last one, wraps [ErrBinary] if the input is not text, and is the error of the
// source if it fails; every line before that has been returned.
func (r *Reader) Next() (Line, error) {
	if r.number == 0 {
		r.fill()
		if err := binary(r.buf[:r.end]); err != nil {
			return Line{}, err
		}
	}
	for {
		line, tooLong, err := r.read()
		if err != nil {
			return Line{}, err
		}
		r.number++
		l := Line{Number: r.number}
		switch {
		case tooLong > 0:
			l.TooLong = true
			l.Fault = fmt.Sprintf("line of %d bytes, more than the %d that are read", tooLong, r.max)
			return l, nil
		case blank(line):
			continue
		}
		if r.split(&l, line); l.Fault == "" && blank(l.Frame) {
			continue
		}
		return l, nil
	}
}

// read returns the next line without its line end, or the length of one that is too long. The last line needs no line end.
func (r *Reader) read() (line []byte, tooLong int64, err error) {
	for searched := r.start; ; {
		if i := bytes.IndexByte(r.buf[searched:r.end], '\n'); i >= 0 {
			line = r.buf[r.start : searched+i]
			r.start = searched + i + 1
			if len(line) > r.max {
				return nil, int64(len(line)), nil
			}
			return line, 0, nil
		}
		if r.end-r.start > r.max {
			tooLong, err = r.discard()
			return nil, tooLong, err
		}
		if r.srcErr != nil {
			line = r.buf[r.start:r.end]
			r.start = r.end
			if len(line) > 0 {
				return line, 0, nil
			}
			return nil, 0, r.srcErr
		}
		pending := r.end - r.start
		r.fill()
		searched = r.start + pending
	}
}

// fill reads more behind what is not consumed, which it moves to the front or, if it fills the buffer, to a larger one.
func (r *Reader) fill() {
	switch {
	case r.start > 0:
		copy(r.buf, r.buf[r.start:r.end])
		r.end -= r.start
		r.start = 0
	case r.end == len(r.buf):
		size := 2 * len(r.buf)
		if 2*size > r.max {
			size = r.max + 1 // so that the last step is no small one
		}
		larger := make([]byte, size)
		copy(larger, r.buf)
		r.buf = larger
	}
	n, err := readSome(r.src, r.buf[r.end:])
	r.end += n
	r.srcErr = err
}

// readSome reads at least one byte or returns an error.
func readSome(src io.Reader, b []byte) (int, error) {
	for range 100 {
		if n, err := src.Read(b); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// discard passes over the rest of a line and returns the line's length.
func (r *Reader) discard() (int64, error) {
	var length int64
	for {
		if i := bytes.IndexByte(r.buf[r.start:r.end], '\n'); i >= 0 {
			length += int64(i)
			r.start += i + 1
			return length, nil
		}
		length += int64(r.end - r.start)
		r.start, r.end = 0, 0
		if r.srcErr != nil {
			return length, nil
		}
		r.fill()
	}
}

// blank reports whether a line holds nothing but JSON's white space.
func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// binary returns an error if the start of the input shows that it is no text that a frame could stand in. Noise between frames is not that: it is judged line by
// line.
func binary(head []byte) error {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return fmt.Errorf("%w (UTF-16; ACP is UTF-8)", ErrBinary)
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		return fmt.Errorf("%w (gzip: unpack it first)", ErrBinary)
	}
	head = head[:min(len(head), sniffed)]
	if text := bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return nil
	}
	if i := bytes.IndexByte(head, 0); i >= 0 {
		return fmt.Errorf("%w (a zero byte at offset %d)", ErrBinary, i)
	}
	return nil
}
