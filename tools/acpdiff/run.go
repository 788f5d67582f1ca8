package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// errDisagreement is the result of a comparison that found disagreements, after they have been reported.
var errDisagreement = errors.New("the generated codec and the reference validator disagree")

// options are the flags.
type options struct {
	n, first uint64
	seed     uint64
	method   string
	workers  int
	corpus   string
}

func parseFlags(args []string, stdout io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("acpdiff", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Uint64Var(&o.n, "n", 100000, "how many `instances` to make")
	flags.Uint64Var(&o.seed, "seed", 1, "`number` that all instances follow from")
	flags.Uint64Var(&o.first, "first", 0, "`index` of the first instance, to make some of another run again; the goldens and the corpus must be the same")
	flags.StringVar(&o.method, "method", "", "`name` of the only method to make instances for; all if empty")
	flags.IntVar(&o.workers, "j", runtime.GOMAXPROCS(0), "how many `workers` run at the same time")
	flags.StringVar(&o.corpus, "corpus", "", "`directory` of recorded traffic to start from; ../shared/corpus beside the module if empty and if that is there")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		fmt.Fprint(stdout, "usage: acpdiff [flags]\n\nCompares the generated codecs with the reference validator on damaged instances.\n\n")
		flags.PrintDefaults()
		return o, err
	case err != nil:
		return o, err
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.workers < 1:
		return o, fmt.Errorf("-j %d: at least one worker is needed", o.workers)
	}
	return o, nil
}

// run runs acpdiff with the arguments after the program name. It returns nil, flag.ErrHelp after printing help, errDisagreement after reporting
// disagreements, or the reason why it could not run to the end.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseFlags(args, stdout)
	if err != nil {
		return err
	}
	j, err := newJudge(acpv1.Surface.Name)
	if err != nil {
		return err
	}
	all, err := targets(acpv1.Surface, o.method)
	if err != nil {
		return err
	}
	seeds, goldens, corpus, err := readSeeds(j, acpv1.Surface, o.corpus)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "seed %d, instances %d to %d, %d workers, starting from %d goldens, %d recorded params and results, and generated instances\n\n",
		o.seed, o.first, o.first+o.n-1, o.workers, goldens, corpus)
	d := &differ{judge: j, targets: all, schedule: schedule(j.schema, all), seeds: seeds, seed: o.seed}
	start := time.Now()
	total := d.run(ctx, o, func(done uint64) {
		fmt.Fprintf(stderr, "%d instances in %v\n", done, time.Since(start).Round(time.Second))
	})
	if err := total.print(stdout, d, time.Since(start)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("stopped: %w", err)
	}
	if len(total.disagreements) > 0 {
		return errDisagreement
	}
	return nil
}

// A differ makes instances and has them judged. Its fields are not changed while it runs.
type differ struct {
	judge    *judge
	targets  []target
	schedule []int
	seeds    mutate.Seeds
	seed     uint64
}

// block is how many instances a worker takes at a time.
const block = 512

// progressEvery is how often a long run says how far it is.
const progressEvery = 30 * time.Second

// run runs the workers and returns what they found. When ctx ends, it returns what was found until then.
func (d *differ) run(ctx context.Context, o options, progress func(done uint64)) *tally {
	var next atomic.Uint64
	var workers sync.WaitGroup
	tallies := make([]*tally, o.workers)
	for i := range tallies {
		tallies[i] = d.newTally()
		workers.Go(func() {
			w := newWorker(d, tallies[i])
			for ctx.Err() == nil {
				from := next.Add(block) - block
				if from >= o.n {
					return
				}
				for index := from; index < min(from+block, o.n); index++ {
					w.instance(o.first + index)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		workers.Wait()
		close(ended)
	}()
	ticks := time.NewTicker(progressEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			progress(min(next.Load(), o.n))
		case <-ended:
			total := d.newTally()
			for _, t := range tallies {
				total.merge(t)
			}
			return total
		}
	}
}

// A worker makes instances on one goroutine.
type worker struct {
	differ  *differ
	pcg     *rand.PCG
	mutator *mutate.Mutator
	tally   *tally
}

func newWorker(d *differ, t *tally) *worker {
	pcg := rand.NewPCG(0, 0)
	mutator := mutate.New(d.judge.schema, d.seeds, rand.New(pcg))
	mutator.Cover(t.coverage)
	return &worker{d, pcg, mutator, t}
}

// instance makes the instance of an index, has it judged, and counts it.
func (w *worker) instance(index uint64) {
	d := w.differ
	which := d.schedule[index%uint64(len(d.schedule))]
	t := d.targets[which]
	w.pcg.Seed(d.seed, index)
	raw, done := w.mutator.Instance(t.def)
	o := d.judge.check(t, raw)
	w.tally.count(which, done, o)
	if o.problem != nil {
		w.tally.disagree(disagreement{t, index, o.problem, raw}, d.judge)
	}
}

// A disagreement is an instance that shows a problem.
type disagreement struct {
	target  target
	index   uint64
	problem *problem
	raw     []byte
}

// key tells disagreements apart that probably have different causes.
func (d disagreement) key() string { return d.target.def + ": " + d.problem.kind }

// reduce makes the instance as small as it can.
func (d *disagreement) reduce(j *judge) {
	d.raw = mutate.Reduce(d.raw, func(raw []byte) bool {
		p := j.check(d.target, raw).problem
		return p != nil && p.kind == d.problem.kind
	})
	d.problem = j.check(d.target, d.raw).problem
}
