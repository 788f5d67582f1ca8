package report

import "fmt"

// A Target is a bound on a ratio.
type Target struct {
	// What says what is compared: "strict decode / token scan".
	What string
	// Limit is the bound.
	Limit float64
	// AtLeast makes it a lower bound.
	AtLeast bool
}

// Met says whether the ratio meets the target.
func (t Target) Met(ratio float64) bool {
	if t.AtLeast {
		return ratio >= t.Limit
	}
	return ratio <= t.Limit
}

// Bound is the bound for people: "at most 2.5x".
func (t Target) Bound() string {
	if t.AtLeast {
		return fmt.Sprintf("≥ %gx", t.Limit)
	}
	return fmt.Sprintf("≤ %gx", t.Limit)
}

// Verdict is "met" or "NOT MET".
func (t Target) Verdict(ratio float64) string {
	if t.Met(ratio) {
		return "met"
	}
	return "NOT MET"
}

// NewTargetTable returns a table for [Target.Row].
func NewTargetTable() *Table {
	return &Table{Head: []string{"ratio", "payload", "measured", "spread", "target", "verdict"}, Names: 2}
}

// Row adds the target to a table with the ratios of all rounds.
func (t Target) Row(table *Table, payload string, ratios []float64) {
	m := Median(ratios)
	table.Add(t.What, payload, Times(m), Spread(ratios), t.Bound(), t.Verdict(m))
}
