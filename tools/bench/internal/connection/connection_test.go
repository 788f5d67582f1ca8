package connection

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestMain makes the test program an agent, too.
func TestMain(m *testing.M) {
	if name := os.Getenv("CONNECTION_TEST_AGENT"); name != "" {
		l, err := Find(name)
		if err == nil {
			err = l.Serve(context.Background())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const few = 500

func TestInMemory(t *testing.T) {
	for _, l := range Libraries() {
		t.Run(l.Name, func(t *testing.T) {
			s, err := l.InMemory(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r, err := Measure(t.Context(), s, few)
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, r)
		})
	}
}

func TestSpawn(t *testing.T) {
	for _, l := range Libraries() {
		if l.Spawn == nil {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			t.Setenv("CONNECTION_TEST_AGENT", l.Name)
			s, err := l.Spawn(t.Context(), []string{os.Args[0]})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Measure(t.Context(), s, few)
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, r)
		})
	}
}

func TestNode(t *testing.T) {
	n, err := NewNode(t.Context(), "../../node", t.TempDir())
	if unavailable, ok := errors.AsType[*UnavailableError](err); ok {
		t.Skipf("the official TypeScript SDK: %v", unavailable)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := n.Measure(t.Context(), few)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
}

func checkResult(t *testing.T, r Result) {
	t.Helper()
	if r.Updates != few || r.Wall <= 0 || r.Bytes < few*100 {
		t.Errorf("got %+v", r)
	}
}

func TestIdle(t *testing.T) {
	for _, l := range Libraries() {
		t.Run(l.Name, func(t *testing.T) {
			idle, err := MeasureIdle(t.Context(), l, 10)
			if err != nil {
				t.Fatal(err)
			}
			if idle.Goroutines < 1 || idle.Bytes < 1<<10 {
				t.Errorf("got %+v: the connections are not there", idle)
			}
		})
	}
}

// TestTally shows that lost or repeated updates do not count as work.
func TestTally(t *testing.T) {
	tally := new(Tally)
	for i := range few {
		tally.add(texts[i])
	}
	if err := tally.check(few); err != nil {
		t.Error(err)
	}
	for range few {
		tally.add(texts[0])
	}
	if tally.check(few) == nil {
		t.Error("the wrong updates were accepted")
	}
	tally.add(texts[0])
	if tally.check(few) == nil {
		t.Error("one update was taken for many")
	}
}

// BenchmarkUpdates is the time of one update in memory, from the agent's call to the client's handler.
func BenchmarkUpdates(b *testing.B) {
	for _, l := range Libraries() {
		b.Run("impl="+strings.ReplaceAll(l.Name, ", ", "-"), func(b *testing.B) {
			s, err := l.InMemory(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(frameBytes(len(texts)) / int64(len(texts)))
			b.ResetTimer()
			if err := s.Prompt(b.Context(), strconv.Itoa(b.N)); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			if err := s.Tally.check(b.N); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
