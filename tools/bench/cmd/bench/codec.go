package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/tools/bench/internal/codec"
	"github.com/acpwire/acpwire/tools/bench/internal/payload"
	"github.com/acpwire/acpwire/tools/bench/internal/report"
)

// A series is one case in all rounds.
type series struct {
	*codec.Case
	nanoseconds   []float64 // of one run, by round
	bytes, allocs int64     // of one run
}

// runs are all series by the case's id.
type runs map[string]*series

const codecText = `Processor time of one operation on one message. GOMAXPROCS is 1, so that who allocates also pays for collecting it. %d rounds of %v each. Operations:
decode reads params or a result into a typed value (ours checks it against the schema on the way, the others do not), validate reads the same bytes for a verdict,
encode writes the value (ours checks it on the way), frame reads a whole line with its envelope. Implementations: jsontext-scan is a pooled jsontext decoder that
reads all tokens and keeps nothing; jsontext-quote-copy appends each free string of the message with jsontext.AppendQuote and copies the rest; acpwire-append writes
to memory that is there already, and acpwire-marshal returns new memory, as encoding/json does; coder is the types of acp-go-sdk with encoding/json.

Versions: %s.
`

// peers are the modules whose versions stand in the results.
var peers = []string{
	"github.com/coder/acp-go-sdk", "github.com/go-json-experiment/json", "github.com/santhosh-tekuri/jsonschema/v5", "github.com/santhosh-tekuri/jsonschema/v6",
}

func peerVersions() string {
	var list []string
	for _, module := range peers {
		list = append(list, module+" "+report.Version(module))
	}
	return strings.Join(list, ", ")
}

func measureCodec(ctx context.Context, o *options, progress func(string)) (string, error) {
	cases, err := codec.Cases(codec.Ops()...)
	if err != nil {
		return "", err
	}
	all := make(runs)
	var chosen []*series
	for _, c := range cases {
		if o.pattern.MatchString(c.ID()) {
			s := &series{Case: c}
			all[c.ID()] = s
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return "", errors.New("no case matches -bench")
	}
	for _, s := range chosen {
		if err := s.Verify(); err != nil {
			return "", fmt.Errorf("%s does not do its work: %w", s.ID(), err)
		}
	}
	raw, err := benchmark(ctx, o, chosen, progress)
	if err != nil {
		return "", err
	}
	if o.raw != "" {
		if err := os.WriteFile(o.raw, []byte(raw), 0o644); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, codecText, o.rounds, o.benchTime, peerVersions())
	fmt.Fprintf(&b, "\n### Targets\n\n%s", codecTargets(all))
	for _, op := range codec.Ops() {
		if table := codecTable(op, chosen, all); table != "" {
			fmt.Fprintf(&b, "\n### %s\n\n%s", op, table)
		}
	}
	return b.String(), nil
}

// benchmark measures the series in rounds, each once in each, and returns the measurements as go test prints them.
func benchmark(ctx context.Context, o *options, list []*series, progress func(string)) (string, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	testing.Init()
	if err := flag.Set("test.benchtime", o.benchTime.String()); err != nil {
		return "", err
	}
	var raw strings.Builder
	fmt.Fprintf(&raw, "goos: %s\ngoarch: %s\npkg: github.com/acpwire/acpwire/tools/bench/internal/codec\ncpu: %s\n", runtime.GOOS, runtime.GOARCH, report.CPU())
	for round := range o.rounds {
		progress(fmt.Sprintf("round %d of %d", round+1, o.rounds))
		for _, s := range rotated(list, round) {
			if err := ctx.Err(); err != nil {
				return "", err
			}
			r := testing.Benchmark(s.Bench)
			if r.N == 0 {
				return "", fmt.Errorf("%s failed: %w", s.ID(), s.Run())
			}
			nanoseconds, ok := r.Extra[codec.CPUTime]
			if !ok {
				nanoseconds = float64(r.T.Nanoseconds()) / float64(r.N)
			}
			s.nanoseconds = append(s.nanoseconds, nanoseconds)
			s.bytes, s.allocs = r.AllocedBytesPerOp(), r.AllocsPerOp()
			op := strings.ToUpper(s.Op[:1]) + s.Op[1:]
			fmt.Fprintf(&raw, "Benchmark%s/%s\t%s\t%s\n", op, s.Name(), r, r.MemString())
		}
	}
	return raw.String(), nil
}

// rotated returns the series in another order each round, in which those that are compared still stand next to each other: what comes first may pay for memory
// that those behind it use, too.
func rotated(list []*series, round int) []*series {
	var order []*series
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Op == list[0].Op && list[n].Payload == list[0].Payload {
			n++
		}
		order = append(order, list[round%n:n]...)
		order = append(order, list[:round%n]...)
		list = list[n:]
	}
	return order
}

// The columns of ratios: what the others are compared with.
var compared = map[string][]string{
	codec.Decode:   {codec.Scan, codec.Strict},
	codec.Validate: {codec.Scan, codec.Strict},
	codec.Encode:   {codec.QuoteCopy, codec.Append},
	codec.Frame:    {codec.Scan, codec.Strict},
}

func codecTable(op string, list []*series, all runs) string {
	t := report.Table{Names: 2, Head: []string{"payload", "implementation", "time", "spread", "MB/s", "B/op", "allocs/op"}}
	for _, impl := range compared[op] {
		t.Head = append(t.Head, "/ "+impl)
	}
	empty := true
	last := ""
	for _, s := range list {
		if s.Op != op {
			continue
		}
		empty = false
		name := s.Payload
		if name == last {
			name = ""
		}
		last = s.Payload
		m := report.Median(s.nanoseconds)
		row := []string{
			name, s.Impl, report.Duration(m), report.Spread(s.nanoseconds), report.Digits(float64(s.Bytes) / m * 1e3),
			report.Count(float64(s.bytes)), report.Count(float64(s.allocs)),
		}
		for _, impl := range compared[op] {
			row = append(row, report.Times(report.Median(all.ratios(s.ID(), op+"/"+s.Payload+"/"+impl))))
		}
		t.Add(row...)
	}
	if empty {
		return ""
	}
	return t.String()
}

// ratios returns the ratios of two cases by round; none if one was not measured.
func (all runs) ratios(numerator, denominator string) []float64 {
	a, b := all[numerator], all[denominator]
	if a == nil || b == nil {
		return nil
	}
	return report.Ratios(a.nanoseconds, b.nanoseconds)
}

// A comparison is a target for some payloads.
type comparison struct {
	op, numerator, denominator string
	atLeast                    bool
	// limits are by payload; "" is for those not named.
	limits map[string]float64
}

var comparisons = []comparison{
	{codec.Decode, codec.Strict, codec.Scan, false, map[string]float64{payload.Chunk: 3, "": 2.5}},
	{codec.Decode, codec.Coder, codec.Strict, true, map[string]float64{payload.Chunk: 6, payload.ToolCall: 12, payload.Text: 15}},
	{codec.Decode, codec.Lenient, codec.Strict, false, map[string]float64{"": 1.2}},
	{codec.Validate, codec.SchemaV5, codec.Strict, true, map[string]float64{payload.Chunk: 100}},
	{codec.Encode, codec.Append, codec.QuoteCopy, false, map[string]float64{"": 2}},
	{codec.Encode, codec.Coder, codec.Marshal, true, map[string]float64{"": 10}},
}

func codecTargets(all runs) string {
	t := report.NewTargetTable()
	var notes []string
	for _, c := range comparisons {
		for _, p := range payload.Names() {
			limit, ok := c.limits[p]
			if !ok {
				limit, ok = c.limits[""]
			}
			id := c.op + "/" + p + "/"
			ratios := all.ratios(id+c.numerator, id+c.denominator)
			if !ok || len(ratios) == 0 {
				continue
			}
			target := report.Target{What: fmt.Sprintf("%s: %s / %s", c.op, c.numerator, c.denominator), Limit: limit, AtLeast: c.atLeast}
			target.Row(t, p, ratios)
			floor := report.Median(all.ratios(id+c.numerator, id+codec.QuoteCopy))
			if c.op == codec.Encode && c.atLeast && floor < limit {
				notes = append(notes, fmt.Sprintf("\nencode %s: %s is only %s slower than the baseline, which checks nothing, so no encoder can meet %s.\n",
					p, c.numerator, report.Times(floor), target.Bound()))
			}
		}
	}
	return t.String() + strings.Join(notes, "")
}
