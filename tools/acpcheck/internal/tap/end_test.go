//go:build unix

package tap

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/rules"
)

// ruled has the options check the rules of the conversation, as acpcheck tap does.
func ruled(opts *Options) {
	opts.Judge.Rules = rules.New(conform.Options{Only: []string{"RPC-5"}}, rules.FromStart)
}

const (
	greeting   = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}}` + "\n"
	unanswered = "initialize was never answered"
)

// TestMissingAtTheEnd shows that what is missing at the end is an error if the connection ended in order, and a warning if it may have been cut off.
func TestMissingAtTheEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		out    io.Writer
		kind   string
		want   string
		said   bool
	}{
		"in order":         {0, io.Discard, "swallow", "1 error, 0 warnings", false},
		"the agent failed": {3, io.Discard, "swallow", "0 errors, 1 warning", true},
		// An agent that takes long to end is told to.
		"the client went first": {-1, closedPipe{}, "late0", "0 errors, 1 warning", true},
	} {
		t.Run(name, func(t *testing.T) {
			opts, reported := options(t, strings.NewReader(greeting), tt.out, tt.kind, strconv.Itoa(tt.status))
			ruled(opts)
			if status := run(t, opts); status != tt.status && tt.status >= 0 {
				t.Fatalf("status %d, want %d", status, tt.status)
			}
			if got := reported.String(); !strings.Contains(got, unanswered) || !strings.Contains(got, tt.want) || tt.said != strings.Contains(got, "did not end in order") {
				t.Errorf("want %q: %s", tt.want, got)
			}
		})
	}
}

func TestMissingAfterASignal(t *testing.T) {
	in, client := io.Pipe()
	defer func() { _ = client.Close() }()
	out := newBuffer()
	opts, reported := options(t, in, out, "held")
	ruled(opts)
	signals := make(chan os.Signal, 1)
	opts.Signals = signals
	done := make(chan int)
	go func() {
		status, _ := Run(t.Context(), opts)
		done <- status
	}()
	if _, err := io.WriteString(client, greeting); err != nil {
		t.Fatal(err)
	}
	out.await(t, "_ready")
	signals <- syscall.SIGTERM
	if status := <-done; status != 0 {
		t.Errorf("status %d", status)
	}
	if got := reported.String(); !strings.Contains(got, "0 errors, 1 warning") || !strings.Contains(got, unanswered) {
		t.Errorf("want a warning: %s", got)
	}
}
