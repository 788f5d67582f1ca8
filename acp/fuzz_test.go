package acp_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// FuzzConn writes anything to an agent's connection. Whatever it was, the connection lives and answers what comes next, all that it writes is valid, and it ends.
func FuzzConn(f *testing.F) {
	f.Add([]byte("no JSON\n{}\n[]\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}` + "\n" + `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"_x","params":[` + strings.Repeat("9", 3000) + `]}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}` + "\r\n\r\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		ours, theirs := acp.Pipe()
		agent := acp.NewAgent(ours, func(*acp.AgentConn) acpv1.Agent { return &funcAgent{} }, &acp.Options{MaxFrame: 2000})
		const probe = `{"jsonrpc":"2.0","id":"the probe","method":"initialize","params":{"protocolVersion":1}}`
		go func() {
			_, _ = theirs.Write(append(append([]byte(nil), input...), "\n"+probe+"\n"...))
			_ = theirs.(interface{ CloseWrite() error }).CloseWrite()
		}()
		out, err := io.ReadAll(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if err := agent.Wait(); err != nil {
			t.Errorf("Wait: %v", err)
		}
		if !bytes.Contains(out, []byte(`"id":"the probe","result":{"protocolVersion":1}`)) {
			t.Errorf("the probe was not answered: %s", out)
		}
		parser := acp.NewParser(acpv1.Surface, wire.AgentSide)
		parser.Pending = func(wire.RequestID) (acp.Pending, bool) { return acp.Pending{}, true }
		for line := range bytes.Lines(out) {
			var frame acp.Frame
			if parser.Parse(bytes.TrimSuffix(line, []byte("\n")), &frame); !frame.Valid() {
				t.Errorf("wrote %s: %v", line, frame.Violations)
			}
		}
	})
}

// TestPipe moves bytes of all sizes through a pipe.
func TestPipe(t *testing.T) {
	a, b := acp.Pipe()
	want := bytes.Repeat([]byte("0123456789"), 100_000)
	go func() {
		for rest, n := want, 1; len(rest) > 0; n = n*3 + 1 {
			n := min(n, len(rest))
			if _, err := a.Write(rest[:n]); err != nil {
				t.Error(err)
			}
			rest = rest[n:]
		}
		_ = a.Close()
	}()
	got, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v, want %d", len(got), err, len(want))
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("write to a closed end: %v", err)
	}
	if _, err := a.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("read from a closed end: %v", err)
	}
}
