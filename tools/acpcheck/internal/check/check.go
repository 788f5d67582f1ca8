// Package check runs the judges over whole transcripts: several at a time, with their output in the order in which they were named.
package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

const (
	// Stdin is the file name that stands for standard input.
	Stdin = "-"

	// chunk is how much output a file gathers before it is handed on, and ahead how many such chunks may wait for the files before it. Together they
	// bound the memory that output takes.
	chunk = 64 << 10
	ahead = 4
)

// Options say what to check and how.
type Options struct {
	// Files are the transcripts, [Stdin] among them or not.
	Files []string
	// Stdin is read for the file name [Stdin].
	Stdin io.Reader
	// Output gets the report. Required.
	Output io.Writer
	// Progress, if not nil, is a terminal that shows how far a long run has come.
	Progress io.Writer
	// Judge says how frames are judged.
	Judge judge.Options
	// Direction is that of lines which carry none. If Unknown, it is told from the frame.
	Direction transcript.Direction
	// MaxFrame is the longest line that is judged, in bytes. Required.
	MaxFrame int
	// Format writes the report. Required.
	Format report.Formatter
	// Filter says which findings count.
	Filter Filter
	// Verdicts adds the verdict on every frame to the report.
	Verdicts bool
	// Now is the clock. If nil, time.Now.
	Now func() time.Time
}

// A job is one file.
type job struct {
	name    string
	out     chan []byte
	summary report.Summary
	err     error
}

// A run is the state of checking.
type run struct {
	*Options
	jobs []*job
	size int64 // of all regular files
	read atomic.Int64
	bar  *bar
}

// Run checks the files and writes the report. The error says which files could not be read, or that the report could not be written; what could be read has been
// checked and counted all the same. If ctx ends, Run returns its error at once, even if a read of standard input is still waiting.
func Run(ctx context.Context, opts *Options) (report.Summary, error) {
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	start := now()
	r := &run{Options: opts}
	for _, name := range opts.Files {
		r.jobs = append(r.jobs, &job{name: name, out: make(chan []byte, ahead)})
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && name != Stdin {
			r.size += info.Size()
		}
	}
	r.bar = newBar(opts.Progress, r.size, &r.read)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	doc, isDocument := opts.Format.(report.Document)
	out := opts.Output
	var body bytes.Buffer
	if isDocument {
		out = &body
	}
	r.start(ctx)
	if err := r.copy(ctx, out); err != nil {
		return report.Summary{}, err
	}
	var total report.Summary
	var failures []error
	for _, j := range r.jobs {
		total.Add(j.summary)
		failures = append(failures, j.err)
	}
	total.Bytes = r.read.Load()
	total.Elapsed = now().Sub(start)
	tail := r.baseline(&total)
	tail = opts.Format.Summary(tail, total)
	if isDocument {
		tail = doc.Document(append(body.Bytes(), tail...), total)
	}
	if _, err := opts.Output.Write(tail); err != nil {
		return total, fmt.Errorf("writing the report: %w", err)
	}
	return total, errors.Join(failures...)
}

// baseline returns the report on entries of the baseline that are of no use.
func (r *run) baseline(total *report.Summary) (b []byte) {
	list := r.Filter.Baseline
	if list == nil {
		return nil
	}
	list.Report(r.checks, func(line int, f judge.Finding) {
		v := judge.Verdict{Findings: []judge.Finding{f}}
		total.CountFindings(&v)
		b = r.Format.Findings(b, report.Place{File: list.Name, Line: line}, &v)
	})
	return b
}

// checks reports whether this run looks for findings of the rule.
func (r *run) checks(rule string) bool {
	known, ok := catalog.Find(rule)
	return r.Filter.counts(rule) && (r.Judge.Rules != nil || !ok || known.Scope != catalog.ScopeConversation)
}

// start starts the workers. They take the files in order, so that the one whose output is due is always being worked on; they end when all is done or ctx is.
func (r *run) start(ctx context.Context) {
	next := make(chan *job, len(r.jobs))
	for _, j := range r.jobs {
		next <- j
	}
	close(next)
	for range min(len(r.jobs), runtime.GOMAXPROCS(0)) {
		go func() {
			for j := range next {
				j.err = r.file(ctx, j)
				close(j.out)
			}
		}()
	}
}

// copy writes the output of the files in their order, and the progress bar in between.
func (r *run) copy(ctx context.Context, out io.Writer) error {
	defer r.bar.close()
	for _, j := range r.jobs {
		for open := true; open; {
			var b []byte
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-r.bar.tick():
				r.bar.draw()
			case b, open = <-j.out:
				r.bar.clear()
				if _, err := out.Write(b); err != nil {
					return fmt.Errorf("writing the report: %w", err)
				}
			}
		}
	}
	return nil
}

// file checks one file.
func (r *run) file(ctx context.Context, j *job) error {
	if ctx.Err() != nil {
		return nil
	}
	src, name := r.Stdin, "<stdin>"
	if j.name != Stdin {
		f, err := os.Open(j.name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		src, name = f, j.name
	}
	w := &writer{run: r, job: j, name: name}
	err := w.lines(ctx, transcript.NewReader(&counter{src, &r.read}, r.MaxFrame))
	if f, ok := r.Format.(report.FileFormatter); ok && err == nil {
		w.out = f.File(w.out, name, j.summary)
	}
	w.flush(ctx)
	if err == nil || j.summary.Frames > 0 {
		j.summary.Files = 1
	}
	if err != nil && !errors.As(err, new(*os.PathError)) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// A counter counts what is read through it.
type counter struct {
	src io.Reader
	n   *atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.src.Read(b)
	c.n.Add(int64(n))
	return n, err
}
