package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

func options(out io.Writer, files ...string) *Options {
	return &Options{
		Files: files, Output: out, Judge: judge.Options{Surface: acpv1.Surface, Judges: judge.Generated}, MaxFrame: 1 << 20, Format: report.JSON{},
	}
}

// file writes a transcript of n invalid frames.
func file(t *testing.T, dir, name string, n int) string {
	t.Helper()
	path := filepath.Join(dir, name)
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"no/such"}`+"\n", i)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOutputIsInOrder(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i := range 12 {
		files = append(files, file(t, dir, fmt.Sprintf("%d.jsonl", i), 3000*(i%3)+i))
	}
	var want bytes.Buffer
	for _, f := range files {
		if _, err := Run(t.Context(), options(&want, f)); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.SplitAfter(want.String(), "\n")
	findings := lines[:0]
	for _, line := range lines {
		if !strings.HasPrefix(line, `{"type":"summary"`) {
			findings = append(findings, line)
		}
	}
	var got bytes.Buffer
	summary, err := Run(t.Context(), options(&got, files...))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(findings, "") + string(report.JSON{}.Summary(nil, summary))
	if got.String() != all {
		t.Errorf("the output of %d files at once is not that of one after the other", len(files))
	}
	// The first file is empty, which is a warning.
	if summary.Files != 12 || summary.Warnings != 1 || summary.Errors+summary.Warnings != len(findings)-1 {
		t.Errorf("summary %+v, want 12 files and %d findings", summary, len(findings)-1)
	}
}

func TestLinesWithoutFrame(t *testing.T) {
	opts := options(io.Discard, Stdin)
	var out bytes.Buffer
	opts.Output = &out
	opts.MaxFrame = 60
	opts.Direction = transcript.AgentToClient
	opts.Verdicts = true
	opts.Stdin = strings.NewReader(strings.Repeat("x", 99) + "\n" + `{"raw":"{}` + "\n\n" + `{"dir":"c2a","raw":5}`)
	if _, err := Run(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"finding","file":"<stdin>","line":1,"dir":"a2c","kind":"unknown","rule":"limit","severity":"error","pointer":"","message":"line of 99 bytes, more than the 60 that are read"}
{"type":"verdict","file":"<stdin>","line":1,"dir":"a2c","kind":"unknown","strict":"invalid","lenient":"invalid","repairs":[]}
{"type":"finding","file":"<stdin>","line":2,"dir":"a2c","kind":"unknown","rule":"json","severity":"error","pointer":"","message":"the record is cut off"}
{"type":"verdict","file":"<stdin>","line":2,"dir":"a2c","kind":"unknown","strict":"invalid","lenient":"invalid","repairs":[]}
{"type":"finding","file":"<stdin>","line":4,"dir":"c2a","kind":"unknown","rule":"json","severity":"error","pointer":"","message":"the record's \"raw\" is no string"}
{"type":"verdict","file":"<stdin>","line":4,"dir":"c2a","kind":"unknown","strict":"invalid","lenient":"invalid","repairs":[]}
{"type":"summary","files":1,"frames":3,"valid":0,"repaired":0,"invalid":3,"errors":3,"warnings":0}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	good := file(t, dir, "good.jsonl", 2)
	binary := filepath.Join(dir, "binary")
	if err := os.WriteFile(binary, []byte("\x1f\x8b\x08\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	var out bytes.Buffer
	summary, err := Run(t.Context(), options(&out, missing, good, binary, dir))
	for _, name := range []string{missing, binary + ": binary data", dir + ": is a directory"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not name %s", err, name)
		}
	}
	if !errors.Is(err, os.ErrNotExist) || !errors.Is(err, transcript.ErrBinary) {
		t.Errorf("error %v hides its causes", err)
	}
	if summary.Files != 1 || summary.Frames != 2 || !strings.Contains(out.String(), `"type":"summary"`) {
		t.Errorf("summary %+v, want that of the good file", summary)
	}
}

func TestReadErrorInTheMiddle(t *testing.T) {
	broken := errors.New("disk on fire")
	opts := options(io.Discard, Stdin)
	opts.Stdin = io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","method":"_x"}`+"\n"), iotest.ErrReader(broken))
	summary, err := Run(t.Context(), opts)
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "<stdin>: ") {
		t.Errorf("error %v, want that of standard input", err)
	}
	if summary.Frames != 1 || summary.Valid != 1 {
		t.Errorf("summary %+v, want the frame before the error", summary)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestReportCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which waits until every worker has ended
		dir := t.TempDir()
		_, err := Run(t.Context(), options(failingWriter{}, file(t, dir, "a", 9000), file(t, dir, "b", 9000), file(t, dir, "c", 9000)))
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v, want io.ErrClosedPipe", err)
		}
	})
}

func TestInterruptWhileStdinWaits(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	opts := options(io.Discard, Stdin)
	opts.Stdin = r
	go func() {
		_, _ = io.WriteString(w, "\n")
		cancel()
	}()
	if _, err := Run(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// A slow source takes a second for each line.
type slow struct{ lines []string }

func (s *slow) Read(b []byte) (int, error) {
	if len(s.lines) == 0 {
		return 0, io.EOF
	}
	time.Sleep(time.Second)
	n := copy(b, s.lines[0])
	s.lines = s.lines[1:]
	return n, nil
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		opts := options(&terminal, Stdin)
		opts.Progress = &terminal
		opts.Stdin = &slow{[]string{"\n", `{"jsonrpc":"2.0","method":"no/such"}` + "\n", "\n"}}
		if _, err := Run(t.Context(), opts); err != nil {
			t.Fatal(err)
		}
		const wipe = "\r\x1b[K"
		got := terminal.String()
		if !strings.HasPrefix(got, wipe+"0 B  0 B/s"+wipe) {
			t.Errorf("%q does not start with a bar", got)
		}
		if !strings.Contains(got, wipe+`{"type":"finding"`) {
			t.Errorf("%q does not wipe the bar before what it reports", got)
		}
		if bar := strings.LastIndex(got, "B/s"); bar < strings.Index(got, `"finding"`) || !strings.HasPrefix(got[bar:], "B/s"+wipe+`{"type":"summary"`) {
			t.Errorf("%q does not report on standard input as it comes, or leaves a bar behind", got)
		}
	})
}

func TestNoProgressOnShortRuns(t *testing.T) {
	var terminal bytes.Buffer
	opts := options(io.Discard, Stdin)
	opts.Progress = &terminal
	opts.Stdin = strings.NewReader("\n")
	if _, err := Run(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	if terminal.Len() > 0 {
		t.Errorf("a short run shows %q", terminal.String())
	}
}

func TestPicture(t *testing.T) {
	tests := []struct {
		read, size int64
		elapsed    time.Duration
		want       string
	}{
		{0, 0, time.Second, "0 B  0 B/s"},
		{2_000_000, 0, 2 * time.Second, "2.0 MB  1.0 MB/s"},
		{0, 100, time.Second, "  0% [>                             ] 0 B of 100 B  0 B/s  ? left"},
		{500, 1000, time.Second, " 50% [===============>              ] 500 B of 1.0 kB  500 B/s  1s left"},
		{1000, 1000, time.Second, "100% [==============================] 1.0 kB of 1.0 kB  1.0 kB/s  0s left"},
		{1500, 1000, time.Second, "1.5 kB  1.5 kB/s"}, // standard input beside a file
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, picture(test.read, test.size, test.elapsed)); diff != "" {
			t.Errorf("%d of %d: mismatch (-want +got):\n%s", test.read, test.size, diff)
		}
	}
}
