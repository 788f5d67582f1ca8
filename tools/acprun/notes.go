package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/tools/acprun/internal/view"
)

const (
	// maxNotes is how many notes wait to be written. More are dropped: nobody who has something to say waits for standard error.
	maxNotes = 256
	// maxWarnings is how many warnings are shown.
	maxWarnings = 20
)

// notes writes to standard error, without secrets and control characters. It is safe for concurrent use.
type notes struct {
	done chan struct{}

	mu       sync.Mutex
	queue    chan<- string // nil after close
	hide     func(string) string
	warnings int
}

func newNotes(w io.Writer) *notes {
	queue := make(chan string, maxNotes)
	n := &notes{queue: queue, done: make(chan struct{}), hide: func(s string) string { return s }}
	go func() {
		defer close(n.done)
		for text := range queue {
			_, _ = io.WriteString(w, text) // there is nowhere to say that it failed
		}
	}()
	return n
}

// print writes text as it is but for what must not be shown.
func (n *notes) print(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.queue == nil {
		return
	}
	select {
	case n.queue <- view.Visible(n.hide(text)):
	default:
	}
}

// say writes a line about acprun itself.
func (n *notes) say(format string, args ...any) {
	n.print("acprun: " + strings.TrimRight(fmt.Sprintf(format, args...), "\n") + "\n")
}

// warn says something that is likely of interest, unless that has been done often.
func (n *notes) warn(format string, args ...any) {
	n.mu.Lock()
	n.warnings++
	count := n.warnings
	n.mu.Unlock()
	switch {
	case count <= maxWarnings:
		n.say("warning: "+format, args...)
	case count == maxWarnings+1:
		n.say("further warnings are not shown")
	}
}

// hideSecrets sets what is done to everything from now on.
func (n *notes) hideSecrets(hide func(string) string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hide = hide
}

// close waits until all is written, or ctx ends.
func (n *notes) close(ctx context.Context) {
	n.mu.Lock()
	close(n.queue)
	n.queue = nil
	n.mu.Unlock()
	select {
	case <-n.done:
	case <-ctx.Done():
	}
}

// repaired is told of what a lenient connection has repaired.
func (n *notes) repaired(f acp.RepairedFrame) {
	n.warn("repaired what the agent sent: %s: %v", f.Method, f.Repairs[0])
}

// A logHandler makes warnings of what a connection logs as such.
type logHandler struct{ notes *notes }

// Enabled implements [slog.Handler].
func (h logHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements [slog.Handler].
func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(r.Message, "acp: "))
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "stack" {
			fmt.Fprintf(&b, ", %s %s", a.Key, view.OneLine(a.Value.String()))
		}
		return true
	})
	h.notes.warn("%s", b.String())
	return nil
}

// WithAttrs implements [slog.Handler]. The connection uses none.
func (h logHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements [slog.Handler]. The connection uses none.
func (h logHandler) WithGroup(string) slog.Handler { return h }
