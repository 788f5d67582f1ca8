package main

import "testing"

// BenchmarkInstance makes instances and has them judged, on one goroutine.
func BenchmarkInstance(b *testing.B) {
	d := newDiffer(b, "")
	w := newWorker(d, d.newTally())
	for i := range 1000 {
		w.instance(uint64(i)) // compiles the oracle's definitions
	}
	for i := 0; b.Loop(); i++ {
		w.instance(uint64(i))
	}
	if n := len(w.tally.disagreements); n > 0 {
		b.Errorf("%d disagreements", n)
	}
}

// BenchmarkMutate makes instances only.
func BenchmarkMutate(b *testing.B) {
	d := newDiffer(b, "")
	w := newWorker(d, d.newTally())
	bytes := 0
	for i := 0; b.Loop(); i++ {
		w.pcg.Seed(1, uint64(i))
		raw, _ := w.mutator.Instance(d.targets[d.schedule[i%len(d.schedule)]].def)
		bytes += len(raw)
	}
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes/instance")
}
