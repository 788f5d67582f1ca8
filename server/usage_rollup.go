package server

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A UsageTurn is what one turn has used: its own requests to models, and the turns that it started, for sub-agents.
type UsageTurn struct {
	// ID names the turn in a [UsageReport].
	ID string
	// Requests is what each request used, in order.
	Requests []Usage
	// Children are the turns that it started.
	Children []*UsageTurn
}

// A UsageTotal sums up usages.
type UsageTotal struct {
	// Usage has the sums. Its Model is set if all were of one model, its Cost if all costs are in one currency. Its Context and Window are those of the last request
	// of the turn itself, for they do not add up.
	Usage
	// Requests is how many usages there were.
	Requests int
	// Unpriced is how many of them had no cost: if it is not zero, the costs are only what is known.
	Unpriced int
	// Costs has one amount for each currency, in the order of the codes.
	Costs []Cost
}

// A UsageReport is the roll-up of a session.
type UsageReport struct {
	// Session sums up all turns. Its Context and Window are those of the last of the session's own turns that has requests.
	Session UsageTotal
	// Turns sums up each of the session's own turns, with the turns that these started.
	Turns []UsageOf
	// Models sums up all turns for each model, in the order of the names.
	Models []UsageOf
}

// A UsageOf is the total of a turn or a model.
type UsageOf struct {
	// Name is the ID of the turn, or the name of the model.
	Name string
	UsageTotal
}

// plus returns the counts of two usages of one conversation, v after u. Sums that an int64 cannot hold stay at its limit. The Context and Window are v's, if it knows
// them. There is no Model and no Cost, which may differ.
func (u Usage) plus(v Usage) Usage {
	sum := Usage{
		InputTokens:      addCounts(u.InputTokens, v.InputTokens),
		OutputTokens:     addCounts(u.OutputTokens, v.OutputTokens),
		ThoughtTokens:    addCounts(u.ThoughtTokens, v.ThoughtTokens),
		CacheReadTokens:  addCounts(u.CacheReadTokens, v.CacheReadTokens),
		CacheWriteTokens: addCounts(u.CacheWriteTokens, v.CacheWriteTokens),
		Context:          u.Context, Window: u.Window,
	}
	if v.Context != 0 || v.Window != 0 {
		sum.Context, sum.Window = v.Context, v.Window
	}
	return sum
}

// RollUpUsage sums up the turns of a session. A turn that is in the tree more than once counts once.
func RollUpUsage(turns []*UsageTurn) UsageReport {
	var report UsageReport
	session := newUsageSum()
	models := map[string]*usageSum{}
	seen := map[*UsageTurn]bool{}
	for _, t := range turns {
		if t == nil || seen[t] {
			continue
		}
		turn := newUsageSum()
		t.walk(seen, func(u Usage, own bool) {
			turn.add(u, own)
			session.add(u, own)
			if models[u.Model] == nil {
				models[u.Model] = newUsageSum()
			}
			models[u.Model].add(u, true)
		})
		report.Turns = append(report.Turns, UsageOf{t.ID, turn.total()})
	}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		report.Models = append(report.Models, UsageOf{name, models[name].total()})
	}
	report.Session = session.total()
	return report
}

// walk calls visit for the turn's own requests and then for those of the turns it started.
func (t *UsageTurn) walk(seen map[*UsageTurn]bool, visit func(u Usage, own bool)) {
	seen[t] = true
	for _, u := range t.Requests {
		visit(u, true)
	}
	for _, child := range t.Children {
		if child != nil && !seen[child] {
			child.walk(seen, func(u Usage, _ bool) { visit(u, false) })
		}
	}
}

type usageSum struct {
	sum      Usage
	requests int
	unpriced int
	costs    map[string]float64
	model    string
	mixed    bool
}

func newUsageSum() *usageSum { return &usageSum{costs: map[string]float64{}} }

// add counts a request. Only one of the turn itself says how full the window is.
func (s *usageSum) add(u Usage, own bool) {
	if s.requests > 0 && u.Model != s.model {
		s.mixed = true
	}
	s.model = u.Model
	s.requests++
	if (u.Cost == Cost{}) {
		s.unpriced++
	} else {
		s.costs[u.Cost.Currency] += u.Cost.Amount
	}
	if !own {
		u.Context, u.Window = 0, 0
	}
	s.sum = s.sum.plus(u)
}

func (s *usageSum) total() UsageTotal {
	t := UsageTotal{Usage: s.sum, Requests: s.requests, Unpriced: s.unpriced}
	for currency, amount := range s.costs {
		t.Costs = append(t.Costs, Cost{Amount: amount, Currency: currency})
	}
	slices.SortFunc(t.Costs, func(a, b Cost) int { return cmp.Compare(a.Currency, b.Currency) })
	if !s.mixed {
		t.Model = s.model
	}
	if len(t.Costs) == 1 {
		t.Cost = t.Costs[0]
	}
	return t
}

func addCounts(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}
