package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// perTarget is how many instances the short run makes of the params and the result of every method.
const perTarget = 300 / slowdown

// TestDifferential is a short run: every definition gets the same number of instances.
func TestDifferential(t *testing.T) {
	d := newDiffer(t, "")
	d.schedule = d.schedule[:0]
	for i := range d.targets {
		d.schedule = append(d.schedule, i)
	}
	total := d.run(t.Context(), options{n: uint64(perTarget * len(d.targets)), workers: 2}, func(uint64) {})
	for _, e := range total.disagreements {
		t.Errorf("%s (%s), index %d: %s\n%s\n%q", e.target, e.target.def, e.index, e.problem.kind, e.problem.detail, e.raw)
	}
	for i, v := range total.verdicts {
		if v[accepted]+v[rejected]+v[notJSON] != perTarget || v[accepted] == 0 || v[rejected] == 0 || v[notJSON] == 0 {
			t.Errorf("%s: %d accepted, %d rejected, %d not JSON; want %d in all and some of each", d.targets[i], v[accepted], v[rejected], v[notJSON], perTarget)
		}
	}
	for _, m := range mutate.Mutations() {
		if total.mutations[m] == 0 {
			t.Errorf("mutation %q was not tried", m)
		}
	}
}

// TestMethodsCovered wants what is generated for the methods to reach every definition, member and variant that they can hold.
func TestMethodsCovered(t *testing.T) {
	d := newDiffer(t, "")
	var defs []string
	for _, target := range d.targets {
		defs = append(defs, target.def)
	}
	g := mutate.NewGenerator(d.judge.schema, rand.New(rand.NewPCG(1, 1)))
	g.Coverage = mutate.NewCoverage(d.judge.schema)
	complete := func(def string) bool { return len(g.Coverage.Missing(def)) == 0 }
	left := slices.Clone(defs)
	for round := 0; len(left) > 0 && round < 400; round++ {
		for _, def := range left {
			for range 50 {
				g.Def(def)
			}
		}
		left = slices.DeleteFunc(left, complete)
	}
	for _, pointer := range g.Coverage.Missing(defs...) {
		t.Errorf("never produced: %s", pointer)
	}
}

// TestReproducible makes one instance of a run again, alone.
func TestReproducible(t *testing.T) {
	d := newDiffer(t, "")
	const index = 12345
	want := text(d, newWorker(d, d.newTally()), index)
	w := newWorker(d, d.newTally())
	for i := range uint64(100) {
		text(d, w, i)
	}
	if got := text(d, w, index); got != want {
		t.Errorf("instance %d is\n%s\nafter others, and\n%s\nalone", index, got, want)
	}
	other := *d
	other.seed++
	if got := text(&other, newWorker(&other, d.newTally()), index); got == want {
		t.Errorf("another seed gives the same instance %s", got)
	}
}

func text(d *differ, w *worker, index uint64) string {
	w.pcg.Seed(d.seed, index)
	raw, done := w.mutator.Instance(d.targets[d.schedule[index%uint64(len(d.schedule))]].def)
	return fmt.Sprintf("%s %q", done, raw)
}

// FuzzStrictAgainstOracle has the fuzzer choose a method and every decision that leads to an instance, so that its coverage guides them.
func FuzzStrictAgainstOracle(f *testing.F) {
	d := newDiffer(f, "")
	for i := range d.targets {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte("decisions, two bytes for each"))
	}
	f.Fuzz(func(t *testing.T, method uint8, decisions []byte) {
		target := d.targets[int(method)%len(d.targets)]
		raw, done := mutate.New(d.judge.schema, d.seeds, rand.New(newChoices(decisions))).Instance(target.def)
		if p := d.judge.check(target, raw).problem; p != nil {
			e := disagreement{target: target, problem: p, raw: raw}
			e.reduce(d.judge)
			t.Errorf("%s (%s) after %s: %s\n%s\n%q", target, target.def, done, e.problem.kind, e.problem.detail, e.raw)
		}
	})
}

// choices is a random source whose numbers start with given bytes, and go on at random when those are used up.
type choices struct {
	given []byte
	rest  *rand.PCG
}

func newChoices(given []byte) *choices {
	h := fnv.New64a()
	h.Write(given)
	return &choices{given, rand.NewPCG(1, h.Sum64())}
}

// Uint64 has the given bytes on top, because those decide which of a few things is chosen.
func (c *choices) Uint64() uint64 {
	n := c.rest.Uint64()
	if len(c.given) < 2 {
		return n
	}
	n = n>>16 | uint64(c.given[0])<<56 | uint64(c.given[1])<<48
	c.given = c.given[2:]
	return n
}
