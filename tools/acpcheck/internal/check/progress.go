package check

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
)

const (
	// patience is how long a run takes before it shows a bar.
	patience = 500 * time.Millisecond
	// interval is the time between two pictures of the bar.
	interval = 100 * time.Millisecond
	// cells is the length of the bar itself.
	cells = 30
)

// A bar shows on a terminal how far the run has come. A nil bar shows nothing.
type bar struct {
	w     io.Writer
	size  int64 // 0 if nobody knows
	read  *atomic.Int64
	start time.Time
	timer *time.Ticker
	shown bool
}

func newBar(w io.Writer, size int64, read *atomic.Int64) *bar {
	if w == nil {
		return nil
	}
	return &bar{w: w, size: size, read: read, start: time.Now(), timer: time.NewTicker(interval)}
}

// tick returns the channel that says when to draw.
func (b *bar) tick() <-chan time.Time {
	if b == nil {
		return nil
	}
	return b.timer.C
}

func (b *bar) draw() {
	if elapsed := time.Since(b.start); elapsed >= patience {
		b.shown = true
		b.print("\r\x1b[K" + picture(b.read.Load(), b.size, elapsed))
	}
}

// picture returns the bar.
func picture(read, size int64, elapsed time.Duration) string {
	speed := float64(read) / elapsed.Seconds()
	rate := report.Size(int64(speed)) + "/s"
	if size <= 0 || read > size {
		return report.Size(read) + "  " + rate
	}
	full := int(read * cells / size)
	line := strings.Repeat("=", full)
	if full < cells {
		line += ">" + strings.Repeat(" ", cells-full-1)
	}
	left := "?"
	if read > 0 {
		left = time.Duration(float64(size-read) / speed * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%3d%% [%s] %s of %s  %s  %s left", read*100/size, line, report.Size(read), report.Size(size), rate, left)
}

// clear takes the bar away, so that output can be written where it was.
func (b *bar) clear() {
	if b != nil && b.shown {
		b.shown = false
		b.print("\r\x1b[K")
	}
}

func (b *bar) close() {
	if b == nil {
		return
	}
	b.timer.Stop()
	b.clear()
}

// print drops the error: a terminal that is gone takes nothing of the report with it.
func (b *bar) print(s string) {
	_, _ = io.WriteString(b.w, s)
}
