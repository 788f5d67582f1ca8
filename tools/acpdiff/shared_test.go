package main

import (
	"sync"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// The tests share one judge and one set of seeds, because compiling the oracle and reading the corpus take longer than most tests.
var (
	sharedJudge = sync.OnceValues(func() (*judge, error) { return newJudge(acpv1.Surface.Name) })
	sharedSeeds = sync.OnceValues(func() (mutate.Seeds, error) {
		j, err := sharedJudge()
		if err != nil {
			return nil, err
		}
		seeds, _, _, err := readSeeds(j, acpv1.Surface, "")
		return seeds, err
	})
)

func testJudge(t testing.TB) *judge {
	t.Helper()
	j, err := sharedJudge()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// newDiffer returns a differ for one method, or all if that is empty. Its slices are the test's own.
func newDiffer(t testing.TB, method string) *differ {
	t.Helper()
	j := testJudge(t)
	seeds, err := sharedSeeds()
	if err != nil {
		t.Fatal(err)
	}
	all, err := targets(acpv1.Surface, method)
	if err != nil {
		t.Fatal(err)
	}
	return &differ{judge: j, targets: all, schedule: schedule(j.schema, all), seeds: seeds, seed: 1}
}
