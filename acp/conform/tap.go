package conform

import (
	"fmt"
	"sync"
	"time"

	"github.com/acpwire/acpwire/gen/wire"
)

// A TB is what [Test] needs of a testing.TB.
type TB interface {
	// Helper marks the caller as a helper.
	Helper()
	// Logf logs what is not an error.
	Logf(format string, args ...any)
	// Errorf fails the test.
	Errorf(format string, args ...any)
	// Cleanup calls the function when the test ends.
	Cleanup(func())
}

// A Tap checks a connection of package acp: it is an acp.Tap, to be set as Options.Tap of one end. Create it with [NewTap] or [Test]. It is safe for concurrent
// use. It never changes or refuses a frame. The time of a frame is that at which the tap gets it, so that the rules about time work.
type Tap struct {
	mu     sync.Mutex
	c      *Checker
	start  time.Time
	side   wire.Side
	report func(f Finding, line []byte)
	ended  bool
}

// NewTap returns a tap of the end that plays side. It calls report for each finding, one at a time, with the line, which is valid during the call and nil at the
// end of the connection. If opts is nil, the zero Options.
func NewTap(side wire.Side, opts *Options, report func(f Finding, line []byte)) *Tap {
	return &Tap{c: New(opts), start: time.Now(), side: side, report: report}
}

// Received checks a line that was received.
func (t *Tap) Received(line []byte) { t.frame(opposite(t.side), line) }

// Sent checks a line that is sent.
func (t *Tap) Sent(line []byte) { t.frame(t.side, line) }

// End says that the connection has ended. Frames after it are not checked.
func (t *Tap) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.ended = true
	for _, f := range t.c.End() {
		t.report(f, nil)
	}
}

func (t *Tap) frame(from wire.Side, line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.c.At(time.Since(t.start))
	for _, f := range t.c.Frame(from, line) {
		t.report(f, line)
	}
}

// excerpt is how much of a frame [Test] prints.
const excerpt = 400

// Test returns a tap of the end that plays side, for the Options.Tap of a connection in a test. When the test ends, it fails with the findings that are errors;
// others are logged. The connection should be closed by then. If opts is nil, the zero Options.
//
//	client := acp.NewClient(transport, handler, &acp.Options{Tap: conform.Test(t, wire.ClientSide, nil)})
func Test(t TB, side wire.Side, opts *Options) *Tap {
	t.Helper()
	type result struct {
		failed bool
		text   string
	}
	var results []result
	tap := NewTap(side, opts, func(f Finding, line []byte) {
		text := f.String()
		if len(line) > 0 {
			text += fmt.Sprintf("\n\t%s", line[:min(len(line), excerpt)])
		}
		if r, ok := Explain(f.Rule); ok {
			text += fmt.Sprintf("\n\t%s %s", r.Doc, r.Page)
		}
		results = append(results, result{f.Severity == Error, text})
	})
	t.Cleanup(func() {
		t.Helper()
		tap.End()
		for _, r := range results {
			if r.failed {
				t.Errorf("conform: %s", r.text)
			} else {
				t.Logf("conform: %s", r.text)
			}
		}
	})
	return tap
}
