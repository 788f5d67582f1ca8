package acp

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Stdio returns the transport of a process whose peer is on its standard input and output, as an agent's is.
// https://agentclientprotocol.com/protocol/transports#stdio
//
// It also guards the output, where nothing but frames may be: from the first call on, whatever else the process writes to standard output, by os.Stdout or
// otherwise, goes to standard error, also what its child processes inherit. A peer that has gone makes writes fail and does not kill the process.
//
// Closing it does not always end a Read that waits, because a blocking read of standard input cannot be ended; [Conn.Wait] does not wait for that.
func Stdio() Transport {
	return &stdio{in: os.Stdin, out: guardStdout()}
}

type stdio struct {
	in, out *os.File
}

func (s *stdio) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s *stdio) Write(b []byte) (int, error) { return s.out.Write(b) }
func (s *stdio) uninterruptible() bool       { return true }

func (s *stdio) Close() error {
	return errors.Join(s.out.Close(), s.in.Close())
}

var guard struct {
	sync.Mutex
	out *os.File // the standard output that was there at first
}

// guardStdout returns the standard output and puts standard error in its place. Called again, it returns the same.
func guardStdout() *os.File {
	guard.Lock()
	defer guard.Unlock()
	if guard.out == nil {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		guard.out = divertStdout()
		os.Stdout = os.Stderr
	}
	return guard.out
}

// Duplex returns a transport that reads from r and writes to w. Close closes both, if they are io.Closers.
func Duplex(r io.Reader, w io.Writer) Transport { return &duplex{r, w} }

type duplex struct {
	io.Reader
	io.Writer
}

func (d *duplex) Close() error {
	var errs []error
	if c, ok := d.Writer.(io.Closer); ok {
		errs = append(errs, c.Close())
	}
	if c, ok := d.Reader.(io.Closer); ok {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
