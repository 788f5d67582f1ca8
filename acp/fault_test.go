package acp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A lineReader reads lines from a pipe.
type lineReader struct {
	r    io.Reader
	held []byte
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: r} }

func (l *lineReader) next(t *testing.T) string {
	t.Helper()
	buf := make([]byte, 64<<10)
	for {
		if line, rest, ok := bytes.Cut(l.held, []byte("\n")); ok {
			l.held = rest
			return string(line)
		}
		n, err := l.r.Read(buf)
		l.held = append(l.held, buf[:n]...)
		if err != nil {
			t.Fatalf("read: %v", err)
		}
	}
}

const newSessionResult = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`

var newSession = &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{}}

// TestLastResponse checks, 3,000 times, that the response that a peer writes just before it exits is not lost.
func TestLastResponse(t *testing.T) {
	for range 3000 {
		ours, theirs := acp.Pipe()
		client := acp.NewClient(ours, &funcClient{}, nil)
		go func() {
			lines := newLineReader(theirs)
			lines.next(t)
			_, _ = io.WriteString(theirs, newSessionResult+"\n")
			_ = theirs.Close()
		}()
		if _, err := client.NewSession(t.Context(), newSession); err != nil {
			t.Fatal(err)
		}
		if err := client.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPeerEnds checks how calls end with their connection.
func TestPeerEnds(t *testing.T) {
	broken := errors.New("cable cut")
	tests := []struct {
		name   string
		write  string
		reason acp.Reason
		fail   error
	}{
		{"without a word", "", acp.ReasonEOF, nil},
		{"within a frame", `{"jsonrpc":"2.0","id":1,"result":{"sess`, acp.ReasonEOF, nil},
		{"within another frame", `{"jsonrpc":"2.0","method":"session/upd`, acp.ReasonEOF, nil},
		{"with a read error", "", acp.ReasonRead, broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := acp.Pipe()
				client := acp.NewClient(&failing{Transport: ours, err: tt.fail}, &funcClient{}, nil)
				go func() {
					newLineReader(theirs).next(t)
					_, _ = io.WriteString(theirs, tt.write)
					_ = theirs.Close()
				}()
				_, err := client.NewSession(t.Context(), newSession)
				if tt.name == "within a frame" {
					// What there is of the frame is enough to know that it answers the call.
					var re *acp.ResponseError
					if !errors.As(err, &re) && !errors.Is(err, acp.ErrClosed) {
						t.Errorf("error %v", err)
					}
				} else {
					var ce *acp.ClosedError
					if !errors.As(err, &ce) || !ce.Sent || ce.Reason != tt.reason || tt.fail != nil && !errors.Is(err, tt.fail) {
						t.Errorf("error %v, want reason %q, %v", err, tt.reason, tt.fail)
					}
				}
				if err := client.Wait(); tt.fail == nil && err != nil || tt.fail != nil && !errors.Is(err, tt.fail) {
					t.Errorf("Wait: %v", err)
				}
				if _, err := client.NewSession(t.Context(), newSession); !errors.Is(err, acp.ErrClosed) {
					t.Errorf("a call afterwards: %v", err)
				}
			})
		})
	}
}

// A failing transport reports err where the inner one reports the end.
type failing struct {
	acp.Transport
	err error
}

func (f *failing) Read(b []byte) (int, error) {
	n, err := f.Transport.Read(b)
	if errors.Is(err, io.EOF) && f.err != nil {
		err = f.err
	}
	return n, err
}

// TestLastLine checks that a last line counts without its line end.
func TestLastLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		client := acp.NewClient(ours, &funcClient{}, nil)
		go func() {
			newLineReader(theirs).next(t)
			_, _ = io.WriteString(theirs, newSessionResult)
			_ = theirs.Close()
		}()
		if _, err := client.NewSession(t.Context(), newSession); err != nil {
			t.Error(err)
		}
		if err := client.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestDrain checks that requests that were received before the end of the input are answered, as in a shell pipeline.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		agent := acp.NewAgent(ours, func(client *acp.AgentConn) acpv1.Agent {
			return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
				if p.SessionID == "long" {
					return untilCancelled(ctx, p)
				}
				time.Sleep(time.Second)
				if _, err := client.RequestPermission(ctx, &acpv1.RequestPermissionRequest{ToolCall: acpv1.ToolCallUpdate{ToolCallID: "t"}, Options: []acpv1.PermissionOption{}}); !errors.Is(err, acp.ErrClosed) {
					t.Errorf("a call to a peer that has gone: %v", err)
				}
				return endTurn, client.SessionUpdate(ctx, chunk(p.SessionID, "done"))
			}}
		}, nil)
		for i, session := range []string{"s", "long"} {
			fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[]}}`+"\n", i, session)
		}
		_ = theirs.(interface{ CloseWrite() error }).CloseWrite()
		start := time.Now()
		out, err := io.ReadAll(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), `"text":"done"`) || !strings.Contains(string(out), `"id":0,"result":{"stopReason":"end_turn"}`) {
			t.Errorf("output %s", out)
		}
		if !strings.Contains(string(out), `"id":1,"error"`) {
			t.Errorf("the long request was not answered: %s", out)
		}
		if d := time.Since(start); d != acp.DefaultDrainTimeout {
			t.Errorf("the connection ended after %v", d)
		}
		if err := agent.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestPeerNeverReads checks that writes honour contexts when the peer does not read, and that what it reads later is whole.
func TestPeerNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		client := acp.NewClient(ours, &funcClient{}, nil)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		big := acpv1.PromptRequest{SessionID: "s", Prompt: []acpv1.ContentBlock{&acpv1.TextContent{Text: strings.Repeat("x", 50<<10)}}}
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() {
				if _, err := client.Prompt(ctx, &big); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Prompt: %v", err)
				}
			})
		}
		wait.Wait()
		for range 20 { // what cancels never waits
			if err := client.Cancel(ctx, &acpv1.CancelNotification{SessionID: "s"}); err != nil {
				t.Errorf("Cancel: %v", err)
			}
		}
		go func() { _ = theirs.(interface{ CloseWrite() error }).CloseWrite() }()
		lines := newLineReader(theirs)
		parser := acp.NewParser(acpv1.Surface, wire.ClientSide)
		cancels := 0
		for cancels < 20 {
			var f acp.Frame
			parser.Parse([]byte(lines.next(t)), &f)
			if !f.Valid() {
				t.Fatalf("frame in pieces: %v", f.Violations)
			}
			if f.Method == acpv1.MethodCancel {
				cancels++
			}
		}
		end(t, client.Conn)
	})
}

// TestPeerClosesInput checks that a call fails when the peer reads no more, while one that it has read can still be answered.
func TestPeerClosesInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clientReads, agentWrites := io.Pipe()
		agentReads, clientWrites := io.Pipe()
		client := acp.NewClient(&halves{clientReads, clientWrites}, &funcClient{}, nil)
		first := make(chan error, 1)
		go func() {
			_, err := client.NewSession(t.Context(), newSession)
			first <- err
		}()
		newLineReader(agentReads).next(t)
		_ = agentReads.Close()
		if _, err := client.NewSession(t.Context(), newSession); !errors.Is(err, acp.ErrClosed) || !acp.Retryable(err) {
			t.Errorf("a call that could not be written: %v", err)
		}
		_, _ = io.WriteString(agentWrites, newSessionResult+"\n")
		if err := <-first; err != nil {
			t.Errorf("a call that had been read: %v", err)
		}
		end(t, client.Conn)
	})
}

// halves is a transport of two one-way pipes.
type halves struct {
	*io.PipeReader
	*io.PipeWriter
}

func (h *halves) Close() error {
	return errors.Join(h.PipeReader.Close(), h.PipeWriter.Close())
}

// TestCloseEndsAll checks that Close ends calls, handlers and goroutines, also when the peer does nothing.
func TestCloseEndsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		handling := make(chan struct{})
		client := acp.NewClient(ours, &funcClient{read: func(ctx context.Context, _ *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
			close(handling)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}}, nil)
		_, _ = io.WriteString(theirs, `{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/f"}}`+"\n")
		<-handling
		errs := make(chan error, 1)
		go func() {
			_, err := client.NewSession(t.Context(), newSession)
			errs <- err
		}()
		synctest.Wait()
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		var ce *acp.ClosedError
		if err := <-errs; !errors.As(err, &ce) || ce.Reason != acp.ReasonClosed {
			t.Errorf("the call ended with %v", err)
		}
		if err := client.Wait(); err != nil {
			t.Error(err)
		}
		if err := client.Notify(t.Context(), "_x", nil); !errors.Is(err, acp.ErrClosed) {
			t.Errorf("Notify after Close: %v", err)
		}
	})
}

// TestCloseFlushes checks that what was accepted before Close is written.
func TestCloseFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		client := acp.NewClient(ours, &funcClient{}, nil)
		for range 100 {
			if err := client.Notify(t.Context(), "_test/n", nil); err != nil {
				t.Fatal(err)
			}
		}
		_ = client.Close()
		out, err := io.ReadAll(theirs)
		if err != nil || bytes.Count(out, []byte("\n")) != 100 {
			t.Errorf("%d lines, %v", bytes.Count(out, []byte("\n")), err)
		}
		_ = client.Wait()
	})
}

// TestByteByByte delivers frames one byte at a time, with both kinds of line ends.
func TestByteByByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = "中€😀"
		var got []string
		ours, theirs := acp.Pipe()
		client := acp.NewClient(acp.Duplex(iotest.OneByteReader(ours), ours), &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
			got = append(got, textOf(t, p))
			return nil
		}}, nil)
		frame, err := wire.Marshal(chunk("s", text))
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"\n", "\r\n", "\n\n\r\n", ""} {
			fmt.Fprintf(theirs, `{"jsonrpc":"2.0","method":"session/update","params":%s}%s`, frame, end)
		}
		_ = theirs.Close()
		if err := client.Wait(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{text, text, text, text}, got); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
}
