package acp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
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

// TestLargeFrames sends 11 MB both ways.
func TestLargeFrames(t *testing.T) {
	text := strings.Repeat("a long line of text, with a quote \" and a line end \n", 11<<20/50)
	var got string
	client := &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
		got = textOf(t, p)
		return nil
	}}
	conn, _ := connect(t, client, func(client *acp.AgentConn) *funcAgent {
		return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			return endTurn, client.SessionUpdate(ctx, chunk(p.SessionID, p.Prompt[0].(*acpv1.TextContent).Text))
		}}
	})
	if _, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: "s", Prompt: []acpv1.ContentBlock{&acpv1.TextContent{Text: text}}}); err != nil {
		t.Fatal(err)
	}
	if got != text {
		t.Errorf("%d bytes came back, want %d", len(got), len(text))
	}
}

// TestBusyConsumer sends 100,000 updates to a handler that lags: nothing is lost, and what waits is bounded, because the sender is held back.
func TestBusyConsumer(t *testing.T) {
	n := 100_000
	if raceEnabled {
		n /= 10
	}
	var sent, most int
	got := 0
	var mu sync.Mutex
	client := &funcClient{update: func(context.Context, *acpv1.SessionNotification) error {
		mu.Lock()
		defer mu.Unlock()
		got++
		most = max(most, sent-got)
		if got%(n/10) == 0 {
			mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			mu.Lock()
		}
		return nil
	}}
	conn, _ := connect(t, client, func(client *acp.AgentConn) *funcAgent {
		return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			u := chunk(p.SessionID, strings.Repeat("x", 100))
			for range n {
				if err := client.SessionUpdate(ctx, u); err != nil {
					return nil, err
				}
				mu.Lock()
				sent++
				mu.Unlock()
			}
			return endTurn, nil
		}}
	})
	if _, err := conn.Prompt(t.Context(), promptFor("s")); err != nil {
		t.Fatal(err)
	}
	if got != n {
		t.Errorf("%d updates handled, want %d", got, n)
	}
	// Two queues of frames, the pipe and the buffers around it.
	if limit := 2*acp.DefaultQueue + 5*(64<<10)/200; most > limit {
		t.Errorf("%d updates were under way at once, want at most %d", most, limit)
	}
}

// TestManyRequests has 1,000 requests in work at once, both ways.
func TestManyRequests(t *testing.T) {
	const n = 1000
	var all sync.WaitGroup
	all.Add(n)
	client := &funcClient{read: func(_ context.Context, p *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
		all.Done()
		all.Wait() // nobody is answered before all have asked
		return &acpv1.ReadTextFileResponse{Content: p.Path}, nil
	}}
	conn, _ := connect(t, client, func(client *acp.AgentConn) *funcAgent {
		return &funcAgent{prompt: func(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			path := "/" + string(p.SessionID)
			r, err := client.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: p.SessionID, Path: path})
			if err == nil && r.Content != path {
				err = fmt.Errorf("content %q for %q", r.Content, path)
			}
			return endTurn, err
		}}
	})
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			if _, err := conn.Prompt(t.Context(), promptFor(acpv1.SessionID(fmt.Sprint(i)))); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// TestRequestLimit checks that more requests than the limit are answered with an error, and that the connection lives.
func TestRequestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		agent := acp.NewAgent(ours, func(*acp.AgentConn) acpv1.Agent { return &funcAgent{prompt: untilCancelled} }, &acp.Options{MaxInFlight: 1})
		for i := range 2 {
			fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`+"\n", i)
		}
		lines := newLineReader(theirs)
		if got, want := lines.next(t), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"too many requests in work"}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		fmt.Fprintln(theirs, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
		if got, want := lines.next(t), `{"jsonrpc":"2.0","id":0,"result":{"stopReason":"cancelled"}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		end(t, agent.Conn)
	})
}

// TestIdle checks what a connection costs while nothing happens.
func TestIdle(t *testing.T) {
	const n = 20
	measure := func() (goroutines int, bytes uint64) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc + m.StackInuse
	}
	var clients []*acp.ClientConn
	var peers []acp.Transport
	goroutines, bytes := measure()
	for range n {
		ours, theirs := acp.Pipe()
		client := acp.NewClient(ours, &funcClient{}, nil)
		clients, peers = append(clients, client), append(peers, theirs)
		// Something has happened before: a long frame, and many.
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 200 {
				text := "x"
				if i == 0 {
					text = strings.Repeat("x", 200<<10)
				}
				frame, err := wire.Marshal(chunk("s", text))
				if err != nil {
					t.Error(err)
				}
				fmt.Fprintf(theirs, `{"jsonrpc":"2.0","method":"session/update","params":%s}`+"\n", frame)
			}
			newLineReader(theirs).next(t)
			_, _ = io.WriteString(theirs, newSessionResult+"\n")
		}()
		if _, err := client.NewSession(t.Context(), newSession); err != nil {
			t.Fatal(err)
		}
		<-done
	}
	after, used := measure()
	if per := float64(after-goroutines) / n; per > 4 {
		t.Errorf("%.1f goroutines a connection, want at most 4", per)
	}
	if per := (int64(used) - int64(bytes)) / n; per > 64<<10 && !raceEnabled {
		t.Errorf("%d bytes a connection, want at most 64 KB", per)
	} else {
		t.Logf("%d bytes a connection", per)
	}
	for i, c := range clients {
		end(t, c.Conn)
		_ = peers[i].Close()
	}
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
