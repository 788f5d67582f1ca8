// Package faulty breaks an agent on purpose, one fault at a time: it stands between a correct agent and its client and spoils what goes through. It is there to
// show that checkers find what is wrong.
package faulty

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/acpwire/acpwire/acp"
)

const (
	// maxLine is the longest line that passes.
	maxLine = 64 << 20
	// patience is how long a client that does not read is waited for at the end.
	patience = 2 * time.Second
)

// A Fault is one thing that an agent can do wrong.
type Fault struct {
	// Name chooses it.
	Name string
	// Doc says what goes wrong.
	Doc string

	spoil hooks
}

// hooks spoil what goes through. A hook may change the message, and returns whether it goes on; what it sends itself goes before it.
type hooks struct {
	start func(x *exchange)
	// in is for messages of the client, out for those of the agent.
	in, out func(x *exchange, m msg) bool
	// line is for lines of the client that are no JSON object. If nil, they pass.
	line func(x *exchange, line []byte) bool
	// write says how messages of the agent are written. If nil, on one line.
	write func(m msg) []byte
	// stay says that the end of the client's output is not passed on.
	stay bool
}

// Faults returns all faults.
func Faults() []Fault {
	return slices.Concat(wireFaults, handshakeFaults, sessionFaults, turnFaults, toolFaults, settingFaults)
}

// Find returns the fault of that name.
func Find(name string) (*Fault, error) {
	all := Faults()
	var names []string
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
		names = append(names, all[i].Name)
	}
	return nil, fmt.Errorf("no fault is named %q; there are %s", name, strings.Join(names, ", "))
}

// Wrap returns a transport for an agent that has the fault. The client is behind t.
func (f *Fault) Wrap(t acp.Transport) acp.Transport {
	agent, ours := acp.Pipe()
	x := &exchange{hooks: f.spoil, toClient: newQueue(t), toAgent: newQueue(ours), asked: map[string]string{}, wanted: map[string]string{}, memory: map[string]string{}}
	if x.start != nil {
		x.start(x)
	}
	go x.fromClient(t)
	go func() {
		each(ours, func(line []byte) { x.pass(line, false) })
		x.toClient.end()
	}()
	return &spoiled{Transport: agent, client: t, done: x.toClient.done}
}

// A spoiled transport is the agent's end.
type spoiled struct {
	acp.Transport
	client acp.Transport
	done   <-chan struct{}
}

// Close lets what the agent has written reach the client.
func (s *spoiled) Close() error {
	err := s.Transport.Close()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
	}
	return errors.Join(err, s.client.Close())
}

// An exchange is what goes on between a client and an agent.
type exchange struct {
	hooks
	toClient, toAgent *queue

	mu     sync.Mutex
	asked  map[string]string // methods of the client's requests, by their ids
	wanted map[string]string // methods of the agent's requests, by their ids
	memory map[string]string // of the fault
	after  []msg             // for the client, after the message at hand
}

func (x *exchange) fromClient(t acp.Transport) {
	each(t, func(line []byte) { x.pass(line, true) })
	if !x.stay {
		x.toAgent.end()
	}
}

// each calls f with each line until the end.
func each(r io.Reader, f func(line []byte)) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	for scanner.Scan() {
		f(scanner.Bytes())
	}
}

// pass handles a line.
func (x *exchange) pass(line []byte, fromClient bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	m, ok := parse(line)
	switch {
	case !ok && fromClient:
		if x.line == nil || x.line(x, line) {
			x.toAgent.put(line)
		}
	case !ok:
		x.toClient.put(line)
	case fromClient:
		m.note(x.asked)
		if x.in == nil || x.in(x, m) {
			x.toAgent.put(m.bytes())
		}
	default:
		m.note(x.wanted)
		if x.out == nil || x.out(x, m) {
			x.say(m)
		}
	}
	for _, later := range x.after {
		x.say(later)
	}
	x.after = nil
}

// say sends a message to the client.
func (x *exchange) say(m msg) {
	if x.write != nil {
		x.toClient.put(x.write(m))
		return
	}
	x.toClient.put(m.bytes())
}

// later sends a message to the client after the one at hand.
func (x *exchange) later(m msg) { x.after = append(x.after, m) }

// A queue writes lines in a goroutine of its own, so that nobody who puts one waits.
type queue struct {
	to   acp.Transport
	done chan struct{} // closed when all is written

	mu    sync.Mutex
	more  *sync.Cond
	held  []byte
	ended bool
}

func newQueue(to acp.Transport) *queue {
	q := &queue{to: to, done: make(chan struct{})}
	q.more = sync.NewCond(&q.mu)
	go q.run()
	return q
}

func (q *queue) run() {
	defer close(q.done)
	for {
		q.mu.Lock()
		for len(q.held) == 0 && !q.ended {
			q.more.Wait()
		}
		b := q.held
		q.held = nil
		q.mu.Unlock()
		if len(b) == 0 {
			if half, ok := q.to.(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite()
			}
			return
		}
		if _, err := q.to.Write(b); err != nil {
			return
		}
	}
}

func (q *queue) put(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = append(append(q.held, line...), '\n')
	q.more.Signal()
}

func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.more.Signal()
}
