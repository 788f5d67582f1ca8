package suite

import (
	"context"
	"sync"
)

// A queue runs scenarios, some of them side by side, and keeps their results in the order of the scenarios.
type queue struct {
	opts      *Options
	scenarios []Scenario

	slots chan struct{} // one for each scenario at work; one that must be alone takes all
	door  chan struct{} // held by the one that takes slots

	mu      sync.Mutex
	next    int
	results [][]Result
}

// A player plays one scenario. It has one result, or several if the program has done more.
type player func(context.Context, *Scenario) ([]Result, error)

// runAll plays all scenarios and returns when none of them is at work any more. After an error it begins no more, and ends what is at work.
func runAll(ctx context.Context, opts *Options, scenarios []Scenario, play player) (*Report, error) {
	q := &queue{opts: opts, scenarios: scenarios, results: make([][]Result, len(scenarios)), slots: make(chan struct{}, opts.Jobs), door: make(chan struct{}, 1)}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var workers sync.WaitGroup
	for range min(opts.Jobs, len(scenarios)) {
		workers.Go(func() {
			for i := q.take(); i >= 0 && ctx.Err() == nil; i = q.take() {
				results, err := q.play(ctx, &scenarios[i], play)
				if err != nil {
					stop(err)
					return
				}
				q.done(i, results)
			}
		})
	}
	workers.Wait()
	r := &Report{Command: opts.Command}
	for _, results := range q.results {
		r.Results = append(r.Results, results...)
	}
	return r, context.Cause(ctx)
}

func (q *queue) play(ctx context.Context, s *Scenario, play player) ([]Result, error) {
	slots := 1
	if s.Alone {
		slots = cap(q.slots)
	}
	q.door <- struct{}{}
	for range slots {
		q.slots <- struct{}{}
	}
	<-q.door
	defer func() {
		for range slots {
			<-q.slots
		}
	}()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	results, err := play(ctx, s)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx) // what was cut off says nothing
	}
	return results, err
}

// take returns the number of the next scenario; -1 if there is none.
func (q *queue) take() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == len(q.scenarios) {
		return -1
	}
	q.next++
	return q.next - 1
}

func (q *queue) done(i int, results []Result) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.results[i] = results
	for j := range results {
		if q.opts.Progress != nil {
			q.opts.Progress(&results[j])
		}
	}
}

// A patience remembers what the program has never answered, so that not every scenario has to wait for it. The scenarios of a run share one.
type patience struct {
	mu       sync.Mutex
	answered map[string]bool
	silent   map[string]int
}

// enough is how many scenarios wait in vain for the answer to one method before no other does.
const enough = 3

// whyOver says, with the method and enough, that no scenario waits for it any more.
const whyOver = "%s was not answered in any of %d scenarios"

func newPatience() *patience { return &patience{answered: map[string]bool{}, silent: map[string]int{}} }

func (p *patience) hasAnswered(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered[method] = true
}

func (p *patience) wasSilent(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent[method]++
}

// isOver reports whether waiting for another answer is of no use.
func (p *patience) isOver(method string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.silent[method] >= enough && !p.answered[method]
}
