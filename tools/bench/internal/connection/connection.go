// Package connection measures whole connections: a client and an agent that streams its answer in small updates within one turn, as agents do. Each library
// plays both ends, in one process over a pipe in memory, or with the agent in a process of its own over its standard input and output.
package connection

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/acpwire/acpwire/tools/bench/internal/payload"
	"github.com/acpwire/acpwire/tools/bench/internal/process"
)

// A Library is one implementation of both sides of the protocol.
type Library struct {
	// Name says which.
	Name string
	// InMemory connects two ends in this process.
	InMemory func(ctx context.Context) (*Session, error)
	// Spawn starts the command, which must be an agent of the library, and connects to it. It is nil, and so is Serve, if only memory is measured.
	Spawn func(ctx context.Context, command []string) (*Session, error)
	// Serve is the agent on this process's standard input and output. It returns when the client has closed.
	Serve func(ctx context.Context) error
}

// Libraries returns what is measured.
func Libraries() []Library { return []Library{acpwireLibrary, unbuffered, coderLibrary} }

// The names of the libraries.
const (
	// Acpwire is ours as it comes: every frame is checked against the schema where it is sent and where it is received.
	Acpwire = "acpwire"
	// AcpwireUnbuffered is ours over io.Pipe, where every write waits for its reader. acp.Pipe has a buffer.
	AcpwireUnbuffered = "acpwire, io.Pipe"
	// Coder is github.com/coder/acp-go-sdk, which does not check frames against the schema. In memory it is measured over io.Pipe, because over a pipe with a
	// buffer its reader gets ahead of its handlers, and then it drops the connection.
	Coder = "coder"
	// TypeScript is the official SDK.
	TypeScript = "typescript"
)

// Find returns the library of that name.
func Find(name string) (Library, error) {
	for _, l := range Libraries() {
		if l.Name == name {
			return l, nil
		}
	}
	return Library{}, fmt.Errorf("no library %q", name)
}

// A Session is a connection with a session, as its client sees it.
type Session struct {
	// Prompt asks for a number of updates and returns when the turn has ended, which must not be before all updates were handled.
	Prompt func(ctx context.Context, updates string) error
	// Tally counts the updates that were handled.
	Tally *Tally
	// AgentPID is the agent's process id; 0 if it is in this process.
	AgentPID int
	// Close ends the connection and the agent.
	Close func() error
}

// A Tally counts updates and the bytes of their texts.
type Tally struct{ updates, bytes atomic.Int64 }

func (t *Tally) add(text string) {
	t.updates.Add(1)
	t.bytes.Add(int64(len(text)))
}

// texts are what the agents stream, over and over.
var texts = payload.Chunks(4096)

// updatesOf reads the prompt.
func updatesOf(prompt string) (int, error) { return strconv.Atoi(prompt) }

// A Result is one measurement. Times are in nanoseconds, memory is in bytes. What is 0 was not measured.
type Result struct {
	Updates int `json:"updates"`
	// Bytes are those of all frames.
	Bytes int64 `json:"bytes"`
	// Wall is the time of the turn, and CPU what both processes used of the processors for everything.
	Wall float64 `json:"wall"`
	CPU  float64 `json:"cpu"`
	// Allocs and AllocBytes are those of the client's process, so over a pipe in memory those of both ends.
	Allocs     uint64 `json:"allocs"`
	AllocBytes uint64 `json:"allocBytes"`
	// Peak and AgentPeak are the most memory of the client's and the agent's process.
	Peak      int64 `json:"peak"`
	AgentPeak int64 `json:"agentPeak"`
}

// warmUp is how many updates come in a turn that is not measured.
const warmUp = 2000

// Measure measures one turn of so many updates and closes the session.
func Measure(ctx context.Context, s *Session, updates int) (r Result, err error) {
	defer func() {
		if closing := s.Close(); err == nil && closing != nil {
			err = fmt.Errorf("close: %w", closing)
		}
		if s.AgentPID != 0 {
			r.CPU = float64(process.ChildrenCPU()) + r.CPU
		}
	}()
	if err := s.Prompt(ctx, strconv.Itoa(warmUp)); err != nil {
		return r, fmt.Errorf("warm-up: %w", err)
	}
	if err := s.Tally.check(warmUp); err != nil {
		return r, fmt.Errorf("warm-up: %w", err)
	}
	r = Result{Updates: updates, Bytes: frameBytes(updates)}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, _ := process.CPU()
	start := time.Now()
	if err := s.Prompt(ctx, strconv.Itoa(updates)); err != nil {
		return r, err
	}
	r.Wall = float64(time.Since(start))
	cpuEnd, _ := process.CPU()
	runtime.ReadMemStats(&after)
	r.CPU = float64(cpuEnd - cpu)
	r.Allocs, r.AllocBytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	r.Peak = process.Peak(os.Getpid())
	if s.AgentPID != 0 {
		r.AgentPeak = process.Peak(s.AgentPID)
	}
	return r, s.Tally.check(updates)
}

// MeasureTrips measures so many turns without updates, one after the other, and closes the session. The updates of the result are the turns.
func MeasureTrips(ctx context.Context, s *Session, turns int) (r Result, err error) {
	defer func() {
		if closing := s.Close(); err == nil && closing != nil {
			err = fmt.Errorf("close: %w", closing)
		}
	}()
	var start time.Time
	for i := range 2 * turns {
		if i == turns { // the first half is to warm up
			start = time.Now()
		}
		if err := s.Prompt(ctx, "0"); err != nil {
			return r, err
		}
	}
	r.Updates, r.Wall = turns, float64(time.Since(start))
	return r, s.Tally.check(0)
}

// check returns an error unless exactly the updates of one turn were handled, and starts anew.
func (t *Tally) check(updates int) error {
	var want int64
	for i := range updates {
		want += int64(len(texts[i%len(texts)]))
	}
	gotUpdates, got := t.updates.Swap(0), t.bytes.Swap(0)
	if gotUpdates != int64(updates) || got != want {
		return fmt.Errorf("%d updates with %d bytes were handled when the turn ended, want %d with %d", gotUpdates, got, updates, want)
	}
	return nil
}

// An Idle is what one end of a connection costs while nothing happens on it.
type Idle struct {
	Goroutines float64 `json:"goroutines"`
	// Bytes are heap and stacks.
	Bytes float64 `json:"bytes"`
}

// MeasureIdle opens so many connections in memory, uses each a little, and counts.
func MeasureIdle(ctx context.Context, l Library, connections int) (Idle, error) {
	bytes, goroutines := inUse()
	var open []*Session
	defer func() {
		for _, s := range open {
			_ = s.Close()
		}
	}()
	for range connections {
		s, err := l.InMemory(ctx)
		if err != nil {
			return Idle{}, err
		}
		open = append(open, s)
		if err := s.Prompt(ctx, "10"); err != nil {
			return Idle{}, err
		}
	}
	bytesAfter, goroutinesAfter := inUse()
	ends := float64(2 * connections)
	return Idle{Goroutines: float64(goroutinesAfter-goroutines) / ends, Bytes: float64(bytesAfter-bytes) / ends}, nil
}

// inUse returns the memory and the goroutines that stay when everything has come to rest.
func inUse() (bytes int64, goroutines int) {
	const rest = 200 * time.Millisecond
	time.Sleep(rest)
	runtime.GC()
	runtime.GC() // pools are empty after the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse), runtime.NumGoroutine()
}
