package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/acpwire/acpwire/acp"
)

// A plainClient is a client that keeps nothing, so that what memory there is, is the agent's. Its frames are in no other format than the agent's encoder writes.
type plainClient struct {
	t      *testing.T
	pipe   acp.Transport
	served chan error
	lastID atomic.Int64
	paused atomic.Bool // reads nothing

	writing sync.Mutex
	mu      sync.Mutex
	answers map[string]chan string
	heard   map[string]int // updates by session
}

// newPlainClient connects a client that reads frames of up to size bytes.
func newPlainClient(t *testing.T, srv *Server, size int) *plainClient {
	t.Helper()
	client, agent := acp.Pipe()
	c := &plainClient{t: t, pipe: client, served: make(chan error, 1), answers: make(map[string]chan string), heard: make(map[string]int)}
	go func() { c.served <- srv.Serve(context.Background(), agent) }()
	go c.read(bufio.NewReaderSize(client, size))
	c.ask("initialize", `{"protocolVersion":1}`)
	return c
}

// read checks that what is said in a session is that session's: its text begins with the session's id.
func (c *plainClient) read(in *bufio.Reader) {
	for {
		for c.paused.Load() {
			time.Sleep(time.Millisecond)
		}
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		if bytes.Contains(line, []byte(`"method":"session/update"`)) {
			id := string(between(line, `"sessionId":"`, `"`))
			if text := between(line, `"text":"`, ` `); string(text) != id {
				c.t.Errorf("session %s got %s", id, line)
			}
			c.mu.Lock()
			c.heard[id]++
			c.mu.Unlock()
			continue
		}
		id := string(between(line, `"id":`, `,`))
		c.mu.Lock()
		answer := c.answers[id]
		delete(c.answers, id)
		c.mu.Unlock()
		if answer == nil || bytes.Contains(line, []byte(`"error"`)) {
			c.t.Errorf("unexpected: %s", line)
			continue
		}
		answer <- string(line)
	}
}

func between(line []byte, before, after string) []byte {
	_, rest, _ := bytes.Cut(line, []byte(before))
	found, _, _ := bytes.Cut(rest, []byte(after))
	return found
}

// ask sends a request and returns its answer.
func (c *plainClient) ask(method, params string) string {
	id := strconv.FormatInt(c.lastID.Add(1), 10)
	answer := make(chan string, 1)
	c.mu.Lock()
	c.answers[id] = answer
	c.mu.Unlock()
	c.writing.Lock()
	_, err := io.WriteString(c.pipe, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":`+params+"}\n")
	c.writing.Unlock()
	if err != nil {
		c.t.Errorf("%s: %v", method, err)
	}
	return <-answer
}

func (c *plainClient) open() string {
	return string(between([]byte(c.ask("session/new", `{"cwd":"/w","mcpServers":[]}`)), `"sessionId":"`, `"`))
}

func (c *plainClient) prompt(session string) {
	c.ask("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, session))
}

func (c *plainClient) closeSession(session string) {
	c.ask("session/close", fmt.Sprintf(`{"sessionId":%q}`, session))
}

func (c *plainClient) leave() {
	_ = c.pipe.Close()
	if err := <-c.served; err != nil {
		c.t.Errorf("Serve: %v", err)
	}
}

// heap returns the bytes that are in use once what is not has been collected.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC() // pools take two
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// peak returns the most that was in use while f ran, garbage included.
func peak(f func()) int64 {
	done := make(chan struct{})
	most := make(chan int64)
	go func() {
		var top int64
		var m runtime.MemStats
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			runtime.ReadMemStats(&m)
			top = max(top, int64(m.HeapAlloc+m.StackInuse))
			select {
			case <-done:
				most <- top
				return
			case <-tick.C:
			}
		}
	}()
	f()
	close(done)
	return <-most
}

const (
	loadSessions = 200
	loadChunks   = 250
)

// streams is an engine whose turns say a hundred bytes at a time.
var streams = script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
	text := t.Text() + " " + strings.Repeat("x", 100-len(t.Text())-1)
	for range loadChunks {
		if err := t.Say(text); err != nil {
			return Failed, err
		}
	}
	return Stop, nil
}}

// TestLoad opens sessions, all on one connection and each on its own, lets all stream at once and closes them. What is said does not mix, and the memory is bounded while
// they stream and free when they are closed. It logs the figures.
func TestLoad(t *testing.T) {
	srv := New(streams, nil)
	for _, tt := range []struct {
		name        string
		connections int
		idle        int64 // at most, for each session with its share of the connections
		streaming   int64 // at most, beyond what idle sessions take
	}{
		{"one connection", 1, 16 << 10, 64 << 20},
		{"200 connections", loadSessions, 96 << 10, 192 << 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, routines := heap(), runtime.NumGoroutine()
			clients := make([]*plainClient, tt.connections)
			for i := range clients {
				clients[i] = newPlainClient(t, srv, 4<<10)
			}
			connected := heap()
			sessions := make([]string, loadSessions)
			for i := range sessions {
				sessions[i] = clients[i%len(clients)].open()
			}
			idle := heap()
			each := func(f func(c *plainClient, session string)) {
				var all sync.WaitGroup
				for i, id := range sessions {
					all.Go(func() { f(clients[i%len(clients)], id) })
				}
				all.Wait()
			}
			begun := time.Now()
			top := peak(func() { each((*plainClient).prompt) })
			took := time.Since(begun)
			after := heap()
			for i, id := range sessions {
				if got := clients[i%len(clients)].heard[id]; got != loadChunks {
					t.Errorf("session %s: %d of %d chunks", id, got, loadChunks)
				}
			}
			each((*plainClient).closeSession)
			closed := heap()
			for _, c := range clients {
				c.leave()
			}
			clients = nil
			end := heap()
			t.Logf("connection %d B, session %d B, peak while streaming %d KiB above idle, %d chunks in %v, after the turns %d KiB, after closing sessions %d KiB, at the end %d KiB",
				(connected-before)/int64(tt.connections), (idle-connected)/loadSessions, (top-idle)>>10, loadSessions*loadChunks, took.Round(time.Millisecond),
				(after-before)>>10, (closed-before)>>10, (end-before)>>10)
			if got := (idle - before) / loadSessions; got > tt.idle {
				t.Errorf("an idle session takes %d bytes, want at most %d", got, tt.idle)
			}
			if got := top - idle; got > tt.streaming {
				t.Errorf("streaming takes %d bytes, want at most %d", got, tt.streaming)
			}
			if got := end - before; got > 4<<20 {
				t.Errorf("%d bytes are left when all have gone, want none", got)
			}
			settled(t, routines)
		})
	}
}

// settled waits until there are no more goroutines than there were.
func settled(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%d goroutines, before there were %d", runtime.NumGoroutine(), before)
			return
		}
	}
}

// TestSlowReader has a client that reads nothing while all its sessions have much to say: the engines wait, and what waits is bounded. Then it reads all.
func TestSlowReader(t *testing.T) {
	var said atomic.Int64
	text := strings.Repeat("x", 100<<10)
	c := newPlainClient(t, New(script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		for range 10 {
			if err := t.Say(t.Text() + " " + text); err != nil {
				return Failed, err
			}
			said.Add(1)
		}
		return Stop, nil
	}}, nil), 128<<10)
	defer c.leave()
	sessions := make([]string, loadSessions)
	for i := range sessions {
		sessions[i] = c.open()
	}
	before := heap()
	c.paused.Store(true)
	var all sync.WaitGroup
	for _, id := range sessions {
		all.Go(func() { c.prompt(id) })
	}
	// All that can be said without the reader has been said when nothing more is.
	for last := int64(-1); last != said.Load(); time.Sleep(200 * time.Millisecond) {
		last = said.Load()
	}
	waiting := heap() - before
	t.Logf("%d of %d messages of 100 KiB are accepted, %d KiB wait", said.Load(), 10*loadSessions, waiting>>10)
	if waiting > 96<<20 || said.Load() > loadSessions {
		t.Errorf("%d messages are accepted and %d bytes wait, though nobody reads", said.Load(), waiting)
	}
	c.paused.Store(false)
	all.Wait()
	if i := slices.IndexFunc(sessions, func(id string) bool { return c.heard[id] != 10 }); i >= 0 {
		t.Errorf("session %d got %d of 10 messages", i, c.heard[sessions[i]])
	}
}
