package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/tools/bench/internal/codec"
	"github.com/acpwire/acpwire/tools/bench/internal/payload"
	"github.com/acpwire/acpwire/tools/bench/internal/process"
	"github.com/acpwire/acpwire/tools/bench/internal/report"
)

// loopChild runs one case n times: -loop CASE N.
func loopChild(ctx context.Context, args []string, _ io.Reader, _ io.Writer) error {
	if len(args) != 2 {
		return errors.New("usage: bench -loop CASE N")
	}
	c, err := codec.Find(args[0])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	const warmUp = 3 // fills pools and grows buffers
	for i := range n + warmUp {
		if err := c.Run(); err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// A counter counts the instructions of a process.
type counter struct {
	name  string
	args  []string
	count *regexp.Regexp // the number, in what the tool prints
}

var counters = []counter{
	{"perf stat -e instructions:u", []string{"perf", "stat", "-x,", "-e", "instructions:u", "--"}, regexp.MustCompile(`(?m)^(\d+),.*instructions`)},
	{"valgrind --tool=callgrind", []string{"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"}, regexp.MustCompile(`(?m)Collected : (\d+)`)},
}

// counted are the payloads of the section, with how often each is run: enough for what varies between runs to vanish.
var counted = []struct {
	payload string
	n       int
}{{payload.Chunk, 4000}, {payload.ToolCall, 400}, {payload.Text, 8}}

const instructionsText = `Instructions of one operation, by %s: the difference of two runs of "bench -loop CASE N" divided by that of their N, so that the start cancels. They do
not depend on what else the machine does. No garbage is collected (GOGC=off), one processor, no asynchronous preemption. The last column is what our instructions
are to those of the baseline.
`

func measureInstructions(ctx context.Context, _ *options, progress func(string)) (string, error) {
	tool, tried := chooseCounter(ctx)
	if tool == nil {
		return "Skipped: nothing here counts instructions. " + tried, nil
	}
	progress(tool.name)
	var b strings.Builder
	fmt.Fprintf(&b, instructionsText, tool.name)
	if tried != "" {
		fmt.Fprintf(&b, "\n%s\n", tried)
	}
	t := report.Table{Names: 2, Head: []string{"operation", "payload", "acpwire", "baseline", "acpwire / baseline"}}
	for _, op := range []struct{ op, ours, baseline string }{
		{codec.Decode, codec.Strict, codec.Scan},
		{codec.Decode, codec.Lenient, codec.Scan},
		{codec.Encode, codec.Append, codec.QuoteCopy},
	} {
		for _, c := range counted {
			id := op.op + "/" + c.payload + "/"
			ours, err := tool.each(ctx, id+op.ours, c.n)
			if err != nil {
				return "", err
			}
			baseline, err := tool.each(ctx, id+op.baseline, c.n)
			if err != nil {
				return "", err
			}
			progress(fmt.Sprintf("%s%s: %.0f, %s: %.0f", id, op.ours, ours, op.baseline, baseline))
			t.Add(op.op+" "+op.ours+" / "+op.baseline, c.payload, report.Count(ours), report.Count(baseline), report.Times(ours/baseline))
		}
	}
	fmt.Fprintf(&b, "\n%s", t.String())
	return b.String(), nil
}

// chooseCounter returns the first tool that works here, and why those before it do not.
func chooseCounter(ctx context.Context) (*counter, string) {
	var tried []string
	for i := range counters {
		c := &counters[i]
		if _, err := c.run(ctx, codec.Decode+"/"+payload.Chunk+"/"+codec.Scan, 1); err != nil {
			tried = append(tried, fmt.Sprintf("%s does not work here: %v.", c.name, err))
			continue
		}
		return c, strings.Join(tried, " ")
	}
	return nil, strings.Join(tried, " ")
}

// each returns the instructions of one run of the case.
func (c *counter) each(ctx context.Context, id string, n int) (float64, error) {
	few, err := c.run(ctx, id, n)
	if err != nil {
		return 0, err
	}
	many, err := c.run(ctx, id, 3*n)
	if err != nil {
		return 0, err
	}
	return (many - few) / float64(2*n), nil
}

// run returns the instructions of a process that runs the case n times.
func (c *counter) run(ctx context.Context, id string, n int) (float64, error) {
	program, err := self()
	if err != nil {
		return 0, err
	}
	args := append(c.args[1:len(c.args):len(c.args)], program, "-loop", id, strconv.Itoa(n))
	cmd := exec.CommandContext(ctx, c.args[0], args...)
	// valgrind does not bear the signals of asynchronous preemption.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return 0, errors.New("not installed")
		}
		return 0, fmt.Errorf("%w: %s", err, process.LastLine(out))
	}
	m := c.count.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no count in %q", process.LastLine(out))
	}
	return strconv.ParseFloat(string(m[1]), 64)
}
