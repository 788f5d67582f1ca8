package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/tools/bench/internal/connection"
	"github.com/acpwire/acpwire/tools/bench/internal/process"
	"github.com/acpwire/acpwire/tools/bench/internal/report"
)

// The ways to connect.
const (
	inMemory = "memory"
	stdio    = "stdio"
	idle     = "idle"
)

// idleConnections is how many connections are open at once when idle ones are measured.
const idleConnections = 100

// connectionChild makes one measurement and prints it as JSON: -connection WAY LIBRARY NUMBER, of updates or of idle connections.
func connectionChild(ctx context.Context, args []string, _ io.Reader, stdout io.Writer) error {
	if len(args) != 3 {
		return errors.New("usage: bench -connection memory|stdio|idle LIBRARY NUMBER")
	}
	l, err := connection.Find(args[1])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	result, err := connectAndMeasure(ctx, args[0], l, n)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(result)
}

func connectAndMeasure(ctx context.Context, way string, l connection.Library, n int) (any, error) {
	switch way {
	case idle:
		return connection.MeasureIdle(ctx, l, n)
	case inMemory:
		s, err := l.InMemory(ctx)
		if err != nil {
			return nil, err
		}
		return connection.Measure(ctx, s, n)
	case stdio:
		program, err := self()
		if err != nil {
			return nil, err
		}
		s, err := l.Spawn(ctx, []string{program, "-agent", l.Name})
		if err != nil {
			return nil, err
		}
		return connection.Measure(ctx, s, n)
	}
	return nil, fmt.Errorf("no way %q", way)
}

// agentChild is an agent: -agent LIBRARY.
func agentChild(ctx context.Context, args []string, _ io.Reader, _ io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: bench -agent LIBRARY")
	}
	l, err := connection.Find(args[0])
	if err != nil {
		return err
	}
	return l.Serve(ctx)
}

const connectionText = `%s session/update chunks within one prompt, from the agent's call to the client's handler, %s in all, after a turn to warm up. %d rounds; medians. Each
measurement is a process of its own. acpwire checks every frame against the schema on both ends, the others on neither, but that the TypeScript SDK parses what it
receives. CPU is the processor time of both ends, for an agent in a process of its own from its start. Allocations and memory are those of the client's process, in
memory thus of both ends. In memory each library uses what suits it: acpwire its acp.Pipe, which has a buffer, and also io.Pipe, in which a write waits for its
reader; coder only io.Pipe. coder drops the connection when its reader is 1024 notifications ahead of its handler, which over a pipe with a buffer is the rule: a
measurement that fails is made again, up to five times a round.
`

// What the connection must do.
var (
	framesTarget     = report.Target{What: "frames/s of acpwire / coder", Limit: 7, AtLeast: true}
	goroutinesTarget = 4.0
	idleTarget       = float64(64 << 10)
)

// A rival is one way to connect with one library, in all rounds.
type rival struct {
	way, name string
	measure   func(ctx context.Context) (connection.Result, error)
	results   []connection.Result // one a round
	attempts  int
	failures  []error
}

// round measures once more, if need be in several attempts.
func (r *rival) round(ctx context.Context, progress func(string)) error {
	const attempts = 5
	var result connection.Result
	for range attempts {
		r.attempts++
		measured, err := r.measure(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			result = measured
			break
		}
		progress(fmt.Sprintf("%s, %s: %v", r.way, r.name, err))
		r.failures = append(r.failures, err)
	}
	r.results = append(r.results, result)
	return nil
}

func measureConnection(ctx context.Context, o *options, progress func(string)) (_ string, err error) {
	tmp, err := os.MkdirTemp("", "acpwire-bench-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	rivals, skipped, err := newRivals(ctx, o, tmp)
	if err != nil {
		return "", err
	}
	rounds := min(o.rounds, 5)
	for round := range rounds {
		progress(fmt.Sprintf("round %d of %d", round+1, rounds))
		for _, r := range rivals {
			if err := r.round(ctx, progress); err != nil {
				return "", err
			}
		}
	}
	idles, err := measureIdle(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, connectionText, report.Count(float64(o.updates)), connectionSize(rivals), rounds)
	fmt.Fprintf(&b, "\n### Targets\n\n%s\n%s\n### Throughput\n\n%s%s\n### Idle connections\n\n%s", connectionTargets(rivals), idleTargets(idles), rivalTable(rivals), failures(rivals)+skipped, idleTable(idles))
	return b.String(), nil
}

// newRivals returns what to measure, and a sentence on what cannot be measured here.
func newRivals(ctx context.Context, o *options, tmp string) (rivals []*rival, skipped string, err error) {
	for _, way := range []string{inMemory, stdio} {
		for _, l := range connection.Libraries() {
			if way == stdio && l.Spawn == nil {
				continue
			}
			rivals = append(rivals, &rival{way: way, name: l.Name, measure: func(ctx context.Context) (r connection.Result, err error) {
				return r, child(ctx, &r, way, l.Name, o.updates)
			}})
		}
	}
	if !o.typeScript {
		return rivals, "\nLeft out: the official TypeScript SDK.\n", nil
	}
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, "", fmt.Errorf("finding the module: %w (run the command in tools/bench)", err)
	}
	node, err := connection.NewNode(ctx, filepath.Join(strings.TrimSpace(string(module)), "node"), tmp)
	if unavailable, ok := errors.AsType[*connection.UnavailableError](err); ok {
		return rivals, fmt.Sprintf("\nSkipped: the official TypeScript SDK. %v.\n", unavailable), nil
	}
	if err != nil {
		return nil, "", err
	}
	return append(rivals, &rival{way: stdio, name: connection.TypeScript, measure: func(ctx context.Context) (connection.Result, error) {
		return node.Measure(ctx, o.updates)
	}}), "", nil
}

// child runs this program for one measurement.
func child(ctx context.Context, result any, way, library string, n int) error {
	program, err := self()
	if err != nil {
		return err
	}
	out, _, err := process.Run(ctx, nil, program, "-connection", way, library, strconv.Itoa(n))
	if err != nil {
		return err
	}
	return json.Unmarshal(out, result)
}

func connectionSize(rivals []*rival) string {
	size := 0.0
	for _, r := range rivals {
		for _, result := range r.results {
			size = max(size, float64(result.Bytes))
		}
	}
	return report.Size(size)
}

// series returns one figure of all rounds, NaN for one that failed.
func (r *rival) series(figure func(connection.Result) float64) []float64 {
	var list []float64
	for _, result := range r.results {
		if result.Updates == 0 {
			list = append(list, math.NaN())
		} else {
			list = append(list, figure(result))
		}
	}
	return list
}

func wallOf(r connection.Result) float64 { return r.Wall }
func cpuOf(r connection.Result) float64  { return r.CPU }

func connectionTargets(rivals []*rival) *report.Table {
	t := report.NewTargetTable()
	t.Head[1] = "connection"
	for _, r := range rivals {
		coder := find(rivals, inMemory, connection.Coder)
		if r.way == inMemory && r != coder {
			framesTarget.Row(t, "in memory ("+r.name+")", report.Ratios(coder.series(wallOf), r.series(wallOf)))
		}
	}
	return t
}

func find(rivals []*rival, way, name string) *rival {
	for _, r := range rivals {
		if r.way == way && r.name == name {
			return r
		}
	}
	return new(rival)
}

func rivalTable(rivals []*rival) *report.Table {
	t := &report.Table{Names: 2, Head: []string{
		"connection", "library", "frames/s", "spread", "MB/s", "CPU/frame", "allocs/frame", "B/frame", "peak memory", "of the agent", "frames/s to coder's", "CPU to coder's",
	}}
	for _, r := range rivals {
		coder := find(rivals, r.way, connection.Coder)
		median := func(figure func(connection.Result) float64) float64 { return report.Median(r.series(figure)) }
		perFrame := func(figure func(connection.Result) float64) float64 {
			return median(func(r connection.Result) float64 { return figure(r) / float64(r.Updates) })
		}
		frames := r.series(func(r connection.Result) float64 { return float64(r.Updates) / r.Wall * 1e9 })
		row := []string{
			r.way, r.name, report.Count(report.Median(frames)), report.Spread(frames), report.Digits(median(func(r connection.Result) float64 { return float64(r.Bytes) / r.Wall * 1e3 })),
			report.Duration(perFrame(cpuOf)), "", "", report.Size(median(func(r connection.Result) float64 { return float64(r.Peak) })), "",
			report.Times(report.Median(report.Ratios(coder.series(wallOf), r.series(wallOf)))),
			report.Times(report.Median(report.Ratios(r.series(cpuOf), coder.series(cpuOf)))),
		}
		if r.name != connection.TypeScript {
			row[6] = report.Digits(perFrame(func(r connection.Result) float64 { return float64(r.Allocs) }))
			row[7] = report.Count(perFrame(func(r connection.Result) float64 { return float64(r.AllocBytes) }))
		}
		if r.way == stdio {
			row[9] = report.Size(median(func(r connection.Result) float64 { return float64(r.AgentPeak) }))
		}
		t.Add(row...)
	}
	return t
}

func failures(rivals []*rival) string {
	var b strings.Builder
	for _, r := range rivals {
		if len(r.failures) > 0 {
			fmt.Fprintf(&b, "\n%s, %s failed in %d of %d attempts: %v.\n", r.way, r.name, len(r.failures), r.attempts, r.failures[0])
		}
	}
	return b.String()
}

// An idleOf is what an end of an idle connection costs.
type idleOf struct {
	library string
	connection.Idle
}

func measureIdle(ctx context.Context) ([]idleOf, error) {
	var list []idleOf
	for _, name := range []string{connection.Acpwire, connection.Coder} {
		i := idleOf{library: name}
		if err := child(ctx, &i.Idle, idle, name, idleConnections); err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, nil
}

func idleTable(idles []idleOf) *report.Table {
	t := &report.Table{Head: []string{"library", "goroutines", "memory"}}
	for _, i := range idles {
		t.Add(i.library, report.Digits(i.Goroutines), report.Size(i.Bytes))
	}
	return t
}

func idleTargets(idles []idleOf) *report.Table {
	t := &report.Table{Head: []string{"one end of an idle connection", "measured", "target", "verdict"}}
	for _, i := range idles {
		if i.library == connection.Acpwire {
			t.Add("goroutines", report.Digits(i.Goroutines), fmt.Sprintf("≤ %.0f", goroutinesTarget), verdict(i.Goroutines <= goroutinesTarget))
			t.Add("memory", report.Size(i.Bytes), fmt.Sprintf("≤ %s (64 KiB)", report.Size(idleTarget)), verdict(i.Bytes <= idleTarget))
		}
	}
	return t
}
