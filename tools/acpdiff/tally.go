package main

import (
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// maxReduced is how many disagreements a worker reduces, which takes time. Further ones are only counted.
const maxReduced = 50

// A tally counts what came of instances. Each worker has its own.
type tally struct {
	verdicts  [][verdicts]uint64 // by target
	exact     uint64
	coverage  *mutate.Coverage
	mutations map[mutate.Mutation]uint64
	explained map[*divergence]uint64
	reduced   uint64
	disagreed uint64
	// disagreements are reduced, one for each kind.
	disagreements map[string]disagreement
}

func (d *differ) newTally() *tally {
	return &tally{
		verdicts: make([][verdicts]uint64, len(d.targets)), coverage: mutate.NewCoverage(d.judge.schema),
		mutations: map[mutate.Mutation]uint64{}, explained: map[*divergence]uint64{},
		disagreements: map[string]disagreement{},
	}
}

func (t *tally) count(target int, done []mutate.Mutation, o outcome) {
	t.verdicts[target][o.verdict]++
	for _, m := range done {
		t.mutations[m]++
	}
	for _, d := range o.explained {
		t.explained[d]++
	}
	if o.exact {
		t.exact++
	}
}

// disagree notes a disagreement.
func (t *tally) disagree(d disagreement, j *judge) {
	t.disagreed++
	if t.reduced >= maxReduced {
		return
	}
	t.reduced++
	d.reduce(j)
	t.keep(d)
}

// keep keeps the shortest instance of each kind.
func (t *tally) keep(d disagreement) {
	if old, ok := t.disagreements[d.key()]; !ok || len(d.raw) < len(old.raw) {
		t.disagreements[d.key()] = d
	}
}

func (t *tally) merge(other *tally) {
	for i, v := range other.verdicts {
		for k, n := range v {
			t.verdicts[i][k] += n
		}
	}
	for m, n := range other.mutations {
		t.mutations[m] += n
	}
	for d, n := range other.explained {
		t.explained[d] += n
	}
	for _, d := range other.disagreements {
		t.keep(d)
	}
	t.coverage.Merge(other.coverage)
	t.exact += other.exact
	t.disagreed += other.disagreed
	t.reduced += other.reduced
}
