package main

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"
	"unicode/utf8"
)

// A recorder is an [acp.Tap] that writes a transcript: one record a line, with the direction and the frame as it stood on the wire. A line that a JSON string cannot
// hold, because it is not UTF-8, stands there as it is.
type recorder struct {
	start time.Time

	mu   sync.Mutex
	file *os.File
	err  error // the first; nothing is written after it
}

func newRecorder(name string) (*recorder, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &recorder{start: time.Now(), file: f}, nil
}

// Received records a line of the client.
func (r *recorder) Received(line []byte) { r.write("c2a", line) }

// Sent records a line of the agent.
func (r *recorder) Sent(line []byte) { r.write("a2c", line) }

func (r *recorder) write(dir string, line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := line
	if utf8.Valid(line) {
		record, err := json.Marshal(struct {
			T   int64  `json:"t"` // milliseconds since the start
			Dir string `json:"dir"`
			Raw string `json:"raw"`
		}{time.Since(r.start).Milliseconds(), dir, string(line)})
		r.err = errors.Join(r.err, err)
		out = record
	}
	if r.err == nil {
		_, r.err = r.file.Write(append(out[:len(out):len(out)], '\n'))
	}
}

// close closes the file. The error is the first that there was.
func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.err, r.file.Close())
}
