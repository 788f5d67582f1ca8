package tap

import (
	"slices"
	"sync"
	"time"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// A chunk is some bytes that were passed on; none at the end of a direction.
type chunk struct {
	from transcript.Direction
	b    []byte
	at   time.Duration // since the start
}

// A queue holds what waits for the check. Offering never waits for whoever takes.
type queue struct {
	start time.Time
	limit int

	mu     sync.Mutex
	wake   sync.Cond
	list   []chunk
	size   int
	lost   int64 // bytes that did not fit
	closed bool  // nobody takes any more
	ended  bool  // nothing more is offered
	end    end   // once ended
}

// An end is how the connection came to its end.
type end struct {
	status  int  // the agent's exit status
	inOrder bool // nothing was cut off by whoever ended it
}

func newQueue(limit int) *queue {
	q := &queue{start: time.Now(), limit: limit}
	q.wake.L = &q.mu
	return q
}

// offer adds a copy of b; nothing if the direction has ended. Once something did not fit, nothing more is taken: what comes after a gap cannot be judged.
func (q *queue) offer(from transcript.Direction, b []byte) {
	c := chunk{from: from, b: slices.Clone(b)}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
	case q.lost > 0 || q.size+len(b) > q.limit:
		q.lost += int64(len(b))
	default:
		c.at = time.Since(q.start)
		q.list = append(q.list, c)
		q.size += len(b)
		q.wake.Signal()
	}
}

// take waits for chunks. ok is false after the last.
func (q *queue) take() (list []chunk, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 && !q.ended {
		q.wake.Wait()
	}
	list, q.list, q.size = q.list, nil, 0
	return list, len(list) > 0
}

// finish says that nothing more will be offered.
func (q *queue) finish(e end) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended, q.end = true, e
	q.wake.Broadcast()
}

// close says that nobody will take any more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.list, q.size = true, nil, 0
}

// result returns how the connection ended and how many bytes did not fit.
func (q *queue) result() (e end, lost int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.end, q.lost
}
