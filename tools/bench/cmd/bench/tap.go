package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/tools/bench/internal/connection"
	"github.com/acpwire/acpwire/tools/bench/internal/process"
	"github.com/acpwire/acpwire/tools/bench/internal/report"
)

// What is measured through something between client and agent.
const (
	streaming = "stream"
	tripping  = "trips"
)

// roundTrips is how many turns without updates are measured.
const roundTrips = 2000

// betweenChild makes one measurement and prints it as JSON: -between stream|trips NUMBER [PROGRAM ARGS...], where the program runs the agent's command, which is
// appended, and stands between it and the client.
func betweenChild(ctx context.Context, args []string, _ io.Reader, stdout io.Writer) error {
	if len(args) < 2 {
		return errors.New("usage: bench -between stream|trips NUMBER [PROGRAM ARGS...]")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	program, err := self()
	if err != nil {
		return err
	}
	l, err := connection.Find(connection.Acpwire)
	if err != nil {
		return err
	}
	s, err := l.Spawn(ctx, append(args[2:], program, "-agent", l.Name))
	if err != nil {
		return err
	}
	var r connection.Result
	switch args[0] {
	case streaming:
		r, err = connection.Measure(ctx, s, n)
	case tripping:
		r, err = connection.MeasureTrips(ctx, s, n)
	default:
		err = errors.Join(fmt.Errorf("no measurement %q", args[0]), s.Close())
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(r)
}

// relayChild runs a program and copies between it and its own standard input and output: the least that something between a client and an agent does.
func relayChild(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) == 0 {
		return errors.New("usage: bench -relay PROGRAM ARGS...")
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = relay(in, stdin) // the agent has ended, which Wait tells
		_ = in.Close()
	}()
	_, err = relay(stdout, out)
	return errors.Join(err, cmd.Wait())
}

// relay copies through memory, as anyone must who looks at what passes: io.Copy would have the kernel move it.
func relay(w io.Writer, r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, 64<<10))
}

const tapText = `A client and an agent, both acpwire, over standard input and output: without anything between them, with a process that copies bytes and does nothing else, and
with "acpcheck tap", which also checks every frame and every rule of the conversation, without and with --record. %s streamed updates in one turn, and %s turns without
updates, one after the other. %d rounds; medians. CPU is that of all processes together. Memory is that of the process between.
`

// A between is something between client and agent, with its results in all rounds.
type between struct {
	name    string
	command []string
	stream  []connection.Result
	trips   []connection.Result
}

func measureTap(ctx context.Context, o *options, progress func(string)) (_ string, err error) {
	dir, checker, program, err := prepare(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	findings := filepath.Join(dir, "findings.jsonl")
	tap := []string{checker, "tap", "--format", "json", "--quiet", "--report", findings}
	list := []*between{
		{name: "nothing"},
		{name: "copy", command: []string{program, "-relay"}},
		{name: "acpcheck tap", command: append(tap[:len(tap):len(tap)], "--")},
		{name: "acpcheck tap --record", command: append(tap[:len(tap):len(tap)], "--record", filepath.Join(dir, "transcript.jsonl"), "--")},
	}
	rounds := min(o.rounds, 5)
	for round := range rounds {
		progress(fmt.Sprintf("round %d of %d", round+1, rounds))
		for _, b := range list {
			if err := cmp.Or(b.run(ctx, program, streaming, o.updates, &b.stream), b.run(ctx, program, tripping, min(roundTrips, o.updates), &b.trips), clean(findings)); err != nil {
				return "", fmt.Errorf("%s: %w", b.name, err)
			}
		}
	}
	return fmt.Sprintf(tapText, report.Count(float64(o.updates)), report.Count(float64(min(roundTrips, o.updates))), rounds) + "\n" + tapTable(list).String(), nil
}

func (b *between) run(ctx context.Context, program, what string, n int, results *[]connection.Result) error {
	args := append([]string{"-between", what, strconv.Itoa(n)}, b.command...)
	out, _, err := process.Run(ctx, nil, program, args...)
	if err != nil {
		return err
	}
	var r connection.Result
	if err := json.Unmarshal(out, &r); err != nil {
		return err
	}
	*results = append(*results, r)
	return nil
}

// clean returns an error if the tap has found something: what it costs to report is not what is measured, and neither is a check that was given up.
func clean(findings string) error {
	b, err := os.ReadFile(findings)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		var record struct{ Type, Message string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			return err
		}
		if record.Type != "summary" && record.Message != "the agent ended with exit status 0" {
			return fmt.Errorf("the tap reports %s", strings.TrimSpace(line))
		}
	}
	return err
}

func tapTable(list []*between) *report.Table {
	t := &report.Table{Head: []string{"between", "frames/s", "time to nothing's", "spread", "CPU/frame", "turn", "turn to nothing's", "spread", "memory"}}
	each := func(results []connection.Result, figure func(connection.Result) float64) []float64 {
		var out []float64
		for _, r := range results {
			out = append(out, figure(r)/float64(r.Updates))
		}
		return out
	}
	for _, b := range list {
		stream, trip := each(b.stream, wallOf), each(b.trips, wallOf)
		ratio, tripRatio := report.Ratios(stream, each(list[0].stream, wallOf)), report.Ratios(trip, each(list[0].trips, wallOf))
		row := []string{
			b.name, report.Count(1e9 / report.Median(stream)), report.Times(report.Median(ratio)), report.Spread(ratio), report.Duration(report.Median(each(b.stream, cpuOf))),
			report.Duration(report.Median(trip)), report.Times(report.Median(tripRatio)), report.Spread(tripRatio), "",
		}
		if len(b.command) > 0 {
			var peaks []float64
			for _, r := range b.stream {
				peaks = append(peaks, float64(r.AgentPeak))
			}
			row[8] = report.Size(report.Median(peaks))
		}
		t.Add(row...)
	}
	return t
}
