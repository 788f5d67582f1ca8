package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// maxMissing is how much of what was never generated is listed.
const maxMissing = 10

// print writes what a run of d found.
func (t *tally) print(w io.Writer, d *differ, took time.Duration) error {
	out := bufio.NewWriter(w) // keeps the first error for Flush
	sum, err := t.printVerdicts(out, d)
	if err != nil {
		return err
	}
	t.printCoverage(out, d)
	fmt.Fprint(out, "mutations:")
	for _, m := range mutate.Mutations() {
		fmt.Fprintf(out, " %s %d", m, t.mutations[m])
	}
	fmt.Fprintf(out, "\nof %d rejected as data, both sides blame exactly the same places in %d\ndeliberate divergences:", sum[rejected], t.exact)
	for _, e := range d.judge.table {
		fmt.Fprintf(out, " %s %d", cmp.Or(e.union, "numbers"), t.explained[e])
	}
	fmt.Fprintln(out)
	for _, key := range slices.Sorted(maps.Keys(t.disagreements)) {
		e := t.disagreements[key]
		fmt.Fprintf(out, "\ninstance %d, %s (%s): %s\n%s\n%q\n", e.index, e.target, e.target.def, e.problem.kind, e.problem.detail, e.raw)
	}
	n := sum[accepted] + sum[rejected] + sum[notJSON]
	fmt.Fprintf(out, "\n%d instances in %v, %.0f a second: %d disagree, %d of them not looked into\n",
		n, took.Round(time.Millisecond), float64(n)/took.Seconds(), t.disagreed, t.disagreed-t.reduced)
	return out.Flush()
}

// printVerdicts writes the table of verdicts and returns its last row.
func (t *tally) printVerdicts(w io.Writer, d *differ) (sum [verdicts]uint64, err error) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, v [verdicts]uint64) {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t\t%s\n", v[accepted]+v[rejected]+v[notJSON], v[accepted], v[rejected], v[notJSON], name)
	}
	fmt.Fprint(table, "instances\taccepted\trejected\tnot JSON\t\tmethod\n")
	for i, v := range t.verdicts {
		row(d.targets[i].String(), v)
		for k := range v {
			sum[k] += v[k]
		}
	}
	row("all", sum)
	return sum, table.Flush()
}

func (t *tally) printCoverage(w io.Writer, d *differ) {
	var defs []string
	for _, target := range d.targets {
		defs = append(defs, target.def)
	}
	missing := t.coverage.Missing(defs...)
	points := t.coverage.Points(defs...)
	fmt.Fprintf(w, "\ngenerated %d of the %d definitions, members, variants, types, elements and values\n", points-len(missing), points)
	for _, pointer := range missing[:min(len(missing), maxMissing)] {
		fmt.Fprintf(w, "  never %s\n", pointer)
	}
}
