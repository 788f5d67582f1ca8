//go:build unix

package tap

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
)

// A panicker is a format that cannot write findings.
type panicker struct{ report.Text }

func (panicker) Findings([]byte, report.Place, *judge.Verdict) []byte { panic("injected") }

func TestPanicOfTheReportIsIsolated(t *testing.T) {
	in := strings.Repeat("noise\n", 1000)
	var out bytes.Buffer
	opts, reported := options(t, strings.NewReader(in), &out, "echo")
	opts.Format = panicker{}
	if status := run(t, opts); status != 0 || out.String() != in {
		t.Errorf("status %d, %d bytes of %d", status, out.Len(), len(in))
	}
	if got := reported.String(); !strings.Contains(got, "the check has failed: injected") {
		t.Errorf("the report hides that: %s", got)
	}
}

func TestReportFails(t *testing.T) {
	in := strings.Repeat("noise\n", 1000)
	var out, recorded bytes.Buffer
	opts, _ := options(t, strings.NewReader(in), &out, "echo")
	opts.Report, opts.Record = closedPipe{}, &recorded
	if status := run(t, opts); status != 0 || out.String() != in {
		t.Errorf("status %d, %d bytes of %d", status, out.Len(), len(in))
	}
	if got := bytes.Count(recorded.Bytes(), []byte("\n")); got != 2000 {
		t.Errorf("%d lines recorded, want all 2000", got)
	}
}

// TestNothingIsHeldBack sends a frame in pieces: each passes on at once, though no line has ended.
func TestNothingIsHeldBack(t *testing.T) {
	in, client := io.Pipe()
	out := newBuffer()
	opts, _ := options(t, in, out, "echo")
	done := make(chan int)
	go func() {
		status, _ := Run(t.Context(), opts)
		done <- status
	}()
	sent := ""
	for _, piece := range []string{`{"jsonrpc":`, `"2.0","method"`, `:"_x"}`, "\r", "\n", "\xff"} {
		if _, err := io.WriteString(client, piece); err != nil {
			t.Fatal(err)
		}
		sent += piece
		out.await(t, sent)
	}
	_ = client.Close()
	<-done
	if out.String() != sent {
		t.Errorf("%q came out, want %q", out.String(), sent)
	}
}
