//go:build unix

package tap

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
)

// BenchmarkRoundTrip compares a frame's way to an agent and back without the tap and with it.
func BenchmarkRoundTrip(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(agentEnv, "echo")
	b.Run("direct", func(b *testing.B) {
		cmd := exec.Command(exe)
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		bounce(b, in, bufio.NewReader(out))
		_ = in.Close()
		_ = cmd.Wait()
	})
	b.Run("tap", func(b *testing.B) {
		in, client := osPipe(b)
		back, out := osPipe(b)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = Run(context.Background(), &Options{
				Command: []string{exe}, In: in, Out: out, Err: io.Discard, Report: io.Discard, Record: io.Discard, Format: report.JSON{}, MaxFrame: 1 << 20,
				Judge: judge.Options{Surface: acpv1.Surface, Judges: judge.Generated},
			})
		}()
		bounce(b, client, bufio.NewReader(back))
		_ = client.Close()
		<-done
	})
}

func osPipe(b *testing.B) (r, w *os.File) {
	b.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	return r, w
}

func bounce(b *testing.B, in io.Writer, out *bufio.Reader) {
	b.Helper()
	frame := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words"}}}}` + "\n")
	for b.Loop() {
		if _, err := in.Write(frame); err != nil {
			b.Fatal(err)
		}
		if line, err := out.ReadSlice('\n'); err != nil || len(line) != len(frame) {
			b.Fatal(fmt.Errorf("%d bytes: %w", len(line), err))
		}
	}
}
