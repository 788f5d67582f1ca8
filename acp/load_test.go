package acp_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

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
