//go:build unix

package tap

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// A buffer is safe for concurrent use, and says when it has grown.
type buffer struct {
	mu   sync.Mutex
	b    bytes.Buffer
	grew chan struct{}
}

func newBuffer() *buffer { return &buffer{grew: make(chan struct{}, 1)} }

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.grew <- struct{}{}:
	default:
	}
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// await waits until the buffer holds text.
func (b *buffer) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !strings.Contains(b.String(), text) {
		select {
		case <-b.grew:
		case <-limit:
			t.Fatalf("%q did not come; got %.500q", text, b.String())
		}
	}
}

// options run the fake agent of a kind with a report in the buffer.
func options(t *testing.T, in io.Reader, out io.Writer, kind string, args ...string) (*Options, *buffer) {
	t.Helper()
	t.Setenv(agentEnv, kind)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	reported := newBuffer()
	return &Options{
		Command: append([]string{exe}, args...), In: in, Out: out, Err: io.Discard, Name: "t.jsonl", Report: reported, Format: report.Text{},
		Judge: judge.Options{Surface: acpv1.Surface, Judges: judge.Generated}, MaxFrame: 1 << 20,
	}, reported
}

func run(t *testing.T, opts *Options) int {
	t.Helper()
	status, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// garbage is what no checker likes: random bytes, malformed frames, a huge line, no line end at the end.
func garbage() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for range 200 {
		switch r.IntN(5) {
		case 0:
			for range r.IntN(5000) {
				b.WriteByte(byte(r.Uint32()))
			}
		case 1:
			b.WriteString(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":7}` + "\r\n\n")
		case 2:
			b.WriteString(strings.Repeat("[", r.IntN(3000)) + "\n")
		case 3:
			b.WriteString(`{"jsonrpc":"2.0","method":"_x","params":{"a":"` + "\xff\x00\\\"\x1f" + `"}}` + "\n")
		case 4:
			b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")
		}
	}
	b.WriteString(strings.Repeat("huge ", 1<<19) + "\n")
	b.WriteString("no line end")
	return b.Bytes()
}

func TestBytesPassUnchanged(t *testing.T) {
	in := garbage()
	var out, recorded bytes.Buffer
	opts, reported := options(t, bytes.NewReader(in), &out, "echo")
	opts.Record = &recorded
	if status := run(t, opts); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	if !bytes.Equal(in, out.Bytes()) {
		t.Errorf("%d bytes went in and %d others came out", len(in), out.Len())
	}
	for _, text := range []string{"line of 2621440 bytes, more than the 1048576", "the last of the agent, has no line end", "that are no message; the first is line", "exit status 0"} {
		if !strings.Contains(reported.String(), text) {
			t.Errorf("the report does not say %q", text)
		}
	}
	want := [][]byte{nil}
	for line := range bytes.SplitSeq(in, []byte("\n")) {
		if len(line) > opts.MaxFrame {
			line = line[:cutTo]
		}
		want = append(want, bytes.TrimSuffix(line, []byte("\r")))
	}
	for _, d := range []transcript.Direction{transcript.ClientToAgent, transcript.AgentToClient} {
		compareTranscript(t, d, want[1:], recorded.Bytes())
	}
}

// compareTranscript reads a transcript as acpcheck does. Blank lines are not among what that returns.
func compareTranscript(t *testing.T, d transcript.Direction, want [][]byte, recorded []byte) {
	t.Helper()
	src := transcript.NewReader(bytes.NewReader(recorded), 8<<20)
	for i, line := range want {
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		var got transcript.Line
		for {
			var err error
			if got, err = src.Next(); err != nil {
				t.Fatalf("%s: line %d is missing: %v", d, i, err)
			}
			if got.Direction == d {
				break
			}
		}
		if got.Fault != "" || !got.Timed || !bytes.Equal(line, got.Frame) {
			t.Fatalf("%s: line %d (%s): mismatch (-want +got):\n%s", d, i, got.Fault, cmp.Diff(line, got.Frame))
		}
	}
}

func TestExitStatusPassesThrough(t *testing.T) {
	for _, want := range []int{0, 1, 2, 77} {
		opts, _ := options(t, strings.NewReader(""), io.Discard, "exit", strconv.Itoa(want))
		stderr := newBuffer()
		opts.Err = stderr
		if got := run(t, opts); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
		if stderr.String() != "going\n" {
			t.Errorf("standard error %q", stderr.String())
		}
	}
	opts, _ := options(t, strings.NewReader(""), io.Discard, "killed")
	if got := run(t, opts); got != 128+9 {
		t.Errorf("status %d of a killed agent, want 137", got)
	}
}

func TestAgentCannotBeStarted(t *testing.T) {
	opts, _ := options(t, strings.NewReader(""), io.Discard, "echo")
	opts.Command = []string{"/no/such/agent"}
	if _, err := Run(t.Context(), opts); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "/no/such/agent") {
		t.Errorf("error %v does not say what is missing", err)
	}
}

func TestClientClosesFirst(t *testing.T) {
	out := newBuffer()
	opts, _ := options(t, strings.NewReader(""), out, "late")
	if status := run(t, opts); status != 4 || out.String() != "bye" {
		t.Errorf("status %d and %q, want 4 and what the agent said last", status, out.String())
	}
}

// A closedPipe is a client that reads no more.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestClientReadsNoMore(t *testing.T) {
	in, keep := io.Pipe()
	defer func() { _ = keep.Close() }()
	opts, _ := options(t, in, closedPipe{}, "spout")
	if status := run(t, opts); status != 5 {
		t.Errorf("status %d; the agent should have failed to write", status)
	}
}

func TestPanicOfTheCheckIsIsolated(t *testing.T) {
	in := strings.Repeat(`{"jsonrpc":"2.0","method":"_x"}`+"\n", 1000)
	var out, recorded bytes.Buffer
	opts, reported := options(t, strings.NewReader(in), &out, "echo")
	opts.Record = &recorded
	n := 0
	opts.judge = func([]byte, transcript.Direction) *judge.Verdict {
		if n++; n == 3 {
			panic("injected")
		}
		return &judge.Verdict{Findings: []judge.Finding{{Violation: wire.Violation{Rule: acp.RuleMethod, Offset: -1, Message: "found"}}}}
	}
	if status := run(t, opts); status != 0 || out.String() != in {
		t.Errorf("status %d, %d bytes of %d", status, out.Len(), len(in))
	}
	if got := bytes.Count(recorded.Bytes(), []byte("\n")); got != 2000 {
		t.Errorf("%d lines recorded, want all 2000", got)
	}
	for _, text := range []string{"t.jsonl:2: found", "nothing is checked from line 3 on, because the check has failed: injected"} {
		if !strings.Contains(reported.String(), text) {
			t.Errorf("the report does not say %q: %s", text, reported)
		}
	}
}

func TestCheckFallsBehind(t *testing.T) {
	in := strings.Repeat(`{"jsonrpc":"2.0","method":"_x"}`+"\n", 20000)
	out := newBuffer()
	opts, reported := options(t, strings.NewReader(in), out, "echo")
	opts.Queue = 128 << 10
	release := make(chan struct{})
	opts.judge = func([]byte, transcript.Direction) *judge.Verdict {
		<-release
		return &judge.Verdict{}
	}
	done := make(chan int)
	go func() {
		status, _ := Run(t.Context(), opts)
		done <- status
	}()
	for limit := time.After(20 * time.Second); len(out.String()) < len(in); {
		select {
		case <-out.grew:
		case <-limit:
			t.Fatal("the traffic waits for the check")
		}
	}
	close(release)
	if status := <-done; status != 0 || out.String() != in {
		t.Errorf("status %d, %d bytes of %d", status, len(out.String()), len(in))
	}
	if !strings.Contains(reported.String(), "the check fell behind and stopped at line ") {
		t.Errorf("the report hides that: %s", reported)
	}
}

// A stuck writer takes nothing, ever.
type stuck struct{ release chan struct{} }

func (s stuck) Write(b []byte) (int, error) {
	<-s.release
	return len(b), nil
}

func TestReportThatNobodyReads(t *testing.T) {
	in := strings.Repeat("noise\n", 1000)
	out := newBuffer()
	opts, _ := options(t, strings.NewReader(in), out, "echo")
	release := make(chan struct{})
	defer close(release)
	opts.Report = stuck{release}
	opts.Grace = 200 * time.Millisecond
	if status := run(t, opts); status != 0 || out.String() != in {
		t.Errorf("status %d, %d bytes of %d", status, len(out.String()), len(in))
	}
}

func TestRecordFails(t *testing.T) {
	in := "{}\n{}\n"
	out := newBuffer()
	opts, reported := options(t, strings.NewReader(in), out, "echo")
	opts.Record = closedPipe{}
	if status := run(t, opts); status != 0 || out.String() != in {
		t.Errorf("status %d, %q", status, out.String())
	}
	if !strings.Contains(reported.String(), "the transcript ends before line 1: broken pipe") {
		t.Errorf("the report hides that: %s", reported)
	}
}

func TestFindingsAreReportedLive(t *testing.T) {
	in, client := io.Pipe()
	opts, reported := options(t, in, newBuffer(), "noisy")
	done := make(chan int)
	go func() {
		status, _ := Run(t.Context(), opts)
		done <- status
	}()
	reported.await(t, "t.jsonl:1: a2c: not JSON") // while the agent waits
	_ = client.Close()
	<-done
	reported.await(t, "the agent wrote a line to its standard output that is no message: line 1")
}

func TestRequestsAreSeenBeforeAnswers(t *testing.T) {
	var in strings.Builder
	for id := range 3000 {
		in.WriteString(`{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"_ping"}` + "\n")
	}
	opts, reported := options(t, strings.NewReader(in.String()), newBuffer(), "answer")
	run(t, opts)
	if !strings.Contains(reported.String(), "6000 frames in 1 file: 6000 valid, 0 repaired, 0 invalid; 0 errors") {
		t.Errorf("got %.2000s", reported)
	}
}

func TestSignals(t *testing.T) {
	for kind, want := range map[string]int{"terminates": 3, "deaf": 128 + 9} {
		t.Run(kind, func(t *testing.T) {
			in, client := io.Pipe()
			defer func() { _ = client.Close() }()
			out := newBuffer()
			opts, _ := options(t, in, out, kind)
			signals := make(chan os.Signal, 1)
			opts.Signals = signals
			opts.Grace = 300 * time.Millisecond
			done := make(chan int)
			go func() {
				status, _ := Run(t.Context(), opts)
				done <- status
			}()
			out.await(t, "ready")
			signals <- syscall.SIGTERM
			if status := <-done; status != want {
				t.Errorf("status %d, want %d", status, want)
			}
		})
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	out := newBuffer()
	opts, _ := options(t, strings.NewReader(""), out, "leaves")
	opts.Grace = 300 * time.Millisecond
	if status := run(t, opts); status != 0 {
		t.Fatalf("status %d", status)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Errorf("process %d goes on", pid)
	}
}

// gone waits until no such process runs. One that nobody has waited for counts as gone.
func gone(pid int) bool {
	for range 100 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return syscall.Kill(pid, 0) != nil
		}
		if i := bytes.LastIndexByte(stat, ')'); i >= 0 && bytes.HasPrefix(stat[i:], []byte(") Z")) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}
