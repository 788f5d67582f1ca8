package main

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"
	"unicode/utf8"
)

// A recorder writes a transcript: one record a line, with the direction and the frame as it stood on the wire but for secrets. Each record is written at once and
// whole, so that the file is complete whatever happens. A line that a JSON string cannot hold, because it is not UTF-8, stands there as it is.
type recorder struct {
	start  time.Time
	failed chan struct{}

	mu   sync.Mutex
	file *os.File // nil after close
	err  error    // the first; nothing is written after it
}

func newRecorder(name string) (*recorder, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &recorder{start: time.Now(), failed: make(chan struct{}), file: f}, nil
}

type record struct {
	T   int64  `json:"t"` // milliseconds since the start
	Dir string `json:"dir"`
	Raw string `json:"raw"`
}

func (r *recorder) write(dir string, line []byte) {
	out := line
	if utf8.Valid(line) {
		var err error
		if out, err = json.Marshal(record{time.Since(r.start).Milliseconds(), dir, string(line)}); err != nil {
			return // a record cannot fail to be encoded
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil || r.file == nil {
		return
	}
	if _, r.err = r.file.Write(append(out[:len(out):len(out)], '\n')); r.err != nil {
		close(r.failed)
	}
}

// close closes the file. The error is the first that there was.
func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.file
	r.file = nil
	return errors.Join(r.err, f.Close())
}
