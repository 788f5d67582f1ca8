package workspace

import (
	"bufio"
	"errors"
	"io"
	"os"
	"unicode/utf8"
)

// MaxRead is the most that ReadText returns, in bytes.
const MaxRead = 16 << 20

// ReadText returns a text file, or of it at most limit lines from the line on, which counts from 1. Lines keep their line ends. If line is nil or 0, from the start;
// if limit is nil, to the end. A line behind the end is no error; there is nothing.
func (w *Workspace) ReadText(path string, line, limit *uint32) (string, error) {
	rel, err := w.rel(path)
	if err != nil {
		return "", err
	}
	f, err := w.root.OpenFile(rel, os.O_RDONLY|noWait, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info, err := f.Stat(); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", ErrNotFile
	}
	text, err := readLines(bufio.NewReaderSize(f, 64<<10), line, limit)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(text) {
		return "", ErrNotText
	}
	return string(text), nil
}

func readLines(r *bufio.Reader, line, limit *uint32) ([]byte, error) {
	if line != nil {
		for n := uint32(1); n < *line; n++ {
			if more, err := eachPart(r, func([]byte) error { return nil }); err != nil || !more {
				return nil, err
			}
		}
	}
	var text []byte
	for n := uint32(0); limit == nil || n < *limit; n++ {
		more, err := eachPart(r, func(part []byte) error {
			if len(text)+len(part) > MaxRead {
				return ErrTooLarge
			}
			text = append(text, part...)
			return nil
		})
		if err != nil || !more {
			return text, err
		}
	}
	return text, nil
}

// eachPart calls f with the parts of the next line. It reports whether another line may follow.
func eachPart(r *bufio.Reader, f func([]byte) error) (more bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if e := f(part); e != nil {
			return false, e
		}
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, io.EOF):
			return false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		}
	}
}
