package suite

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

const (
	// maxLine is the longest line that is read.
	maxLine = 128 << 20
	// maxTotal is how much is read in one connection, and maxLines how many lines: a peer that never stops is cut off.
	maxTotal = 1 << 30
	maxLines = 1 << 18
	// maxQueued is how much may wait for the scenario before reading stops, in bytes.
	maxQueued = 256 << 20
)

var errFlood = errors.New("the peer never stops writing")

// A message is a line of the peer.
type message struct {
	n    int // number of the frame in the connection
	line []byte
	f    acp.Frame
}

// A link is a connection as a scenario sees it: lines, logged and judged in the order in which they are sent and received. One goroutine reads; all else is for the
// scenario's.
type link struct {
	side      wire.Side // who we are
	transport acp.Transport
	start     time.Time
	parser    *acp.Parser
	done      chan struct{} // closed when reading has ended

	mu       sync.Mutex
	frames   []Frame
	judge    Judge
	verdicts []Verdict
	pending  map[wire.RequestID]*wire.Method // our requests that have no answer
	queue    []*message
	queued   int           // bytes in queue
	ready    chan struct{} // holds a token if the queue or ended has changed
	room     *sync.Cond    // the queue has become shorter, or paused has changed
	paused   bool
	closed   bool
	ended    bool
	err      error // why reading ended; nil after an ordinary end
}

// newLink starts reading.
func newLink(side wire.Side, transport acp.Transport, start time.Time, judge Judge) *link {
	l := &link{
		side: side, transport: transport, start: start, judge: judge, done: make(chan struct{}), ready: make(chan struct{}, 1), pending: map[wire.RequestID]*wire.Method{},
	}
	l.room = sync.NewCond(&l.mu)
	from := wire.AgentSide
	if side == wire.AgentSide {
		from = wire.ClientSide
	}
	l.parser = acp.NewParser(acpv1.Surface, from)
	l.parser.Pending = func(id wire.RequestID) (acp.Pending, bool) {
		m, ok := l.pending[id.Key()]
		return acp.Pending{Method: m}, ok
	}
	go func() {
		defer close(l.done)
		l.read(from)
	}()
	return l
}

// read reads until the end.
func (l *link) read(from wire.Side) {
	scanner := bufio.NewScanner(gate{l})
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	scanner.Split(splitLines)
	total, count := 0, 0
	var err error
	for err == nil && scanner.Scan() {
		l.take(from, bytes.Clone(scanner.Bytes()))
		total += len(scanner.Bytes())
		if count++; total > maxTotal || count > maxLines {
			err = errFlood
		}
	}
	err = cmp.Or(err, scanner.Err())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed && !errors.Is(err, bufio.ErrTooLong) && !errors.Is(err, errFlood) {
		err = nil
	}
	l.ended, l.err = true, err
	l.signal()
}

// splitLines is bufio.ScanLines without its kindness to carriage returns.
func splitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// A gate is a link's transport, for reading. It is shut while the link is paused.
type gate struct{ *link }

func (g gate) Read(b []byte) (int, error) {
	g.mu.Lock()
	for (g.paused || g.queued > maxQueued) && !g.closed {
		g.room.Wait()
	}
	g.mu.Unlock()
	return g.transport.Read(b)
}

// take logs, judges and queues a line.
func (l *link) take(from wire.Side, line []byte) {
	m := &message{line: line}
	l.mu.Lock()
	defer l.mu.Unlock()
	m.n = l.log(from, line)
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	l.parser.Parse(line, &m.f)
	if m.f.IsResponse() && m.f.HasID {
		delete(l.pending, m.f.ID.Key())
	}
	l.queue = append(l.queue, m)
	l.queued += len(line)
	l.signal()
}

// log adds a frame and returns its number.
func (l *link) log(from wire.Side, line []byte) int {
	l.frames = append(l.frames, Frame{From: from, Line: line, At: time.Since(l.start)})
	if l.judge != nil {
		l.verdicts = append(l.verdicts, l.judge.Frame(from, line)...)
	}
	return len(l.frames)
}

func (l *link) signal() {
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// write sends lines in one piece. It returns the number of the last frame.
func (l *link) write(lines ...string) (n int, err error) {
	l.mu.Lock()
	for _, line := range lines {
		n = l.log(l.side, []byte(line))
	}
	l.mu.Unlock()
	var b []byte
	for _, line := range lines {
		b = append(append(b, line...), '\n')
	}
	_, err = l.transport.Write(b)
	return n, err
}

// expect notes that a request is about to be sent. A method that the surface does not have is answered by anything.
func (l *link) expect(id wire.RequestID, method string) {
	var spec *wire.Method
	if i := slices.IndexFunc(acpv1.Surface.Methods, func(m *wire.Method) bool { return m.Name == method && !m.IsNotification() }); i >= 0 {
		spec = acpv1.Surface.Methods[i]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending[id.Key()] = spec
}

// next returns the next message. It waits until the timer's time has come; nil then, or if the connection has ended.
func (l *link) next(timer <-chan time.Time) *message {
	for {
		l.mu.Lock()
		if len(l.queue) > 0 {
			m := l.queue[0]
			l.queue[0] = nil
			l.queue = l.queue[1:]
			l.queued -= len(m.line)
			l.room.Signal()
			l.mu.Unlock()
			return m
		}
		ended := l.ended
		l.mu.Unlock()
		if ended {
			return nil
		}
		select {
		case <-l.ready:
		case <-timer:
			return nil
		}
	}
}

// end reports whether the connection has ended and everything has been taken from it, and why.
func (l *link) end() (ended bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended && len(l.queue) == 0, l.err
}

// pause stops reading until resume.
func (l *link) pause(paused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paused = paused
	l.room.Broadcast()
}

// close ends the connection. It returns whether it was still up.
func (l *link) close() (up bool) {
	l.mu.Lock()
	up = !l.ended
	l.closed, l.paused = true, false
	l.room.Broadcast()
	l.mu.Unlock()
	if err := l.transport.Close(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		up = false
	}
	<-l.done
	return up
}

// judged returns the frames and what the judge says of them, for a connection that was closed; whole says that it ended in order.
func (l *link) judged(whole bool) ([]Frame, []Verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if whole && l.judge != nil {
		l.verdicts = append(l.verdicts, l.judge.End()...)
	}
	return l.frames, l.verdicts
}
