package server

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUsageRollUp(t *testing.T) {
	usd := func(x float64) Cost { return Cost{x, "USD"} }
	helper := &UsageTurn{ID: "helper", Requests: []Usage{
		{Model: "small", InputTokens: 100, OutputTokens: 10, Context: 110, Window: 1000, Cost: usd(0.25)},
		{Model: "small", InputTokens: 1},
	}}
	first := &UsageTurn{ID: "first", Requests: []Usage{
		{Model: "big", InputTokens: 5, OutputTokens: 2, ThoughtTokens: 1, CacheReadTokens: 7, CacheWriteTokens: 3, Context: 17, Window: 200, Cost: usd(1)},
		{Model: "big", InputTokens: 6, Context: 23, Window: 200, Cost: usd(2)},
	}, Children: []*UsageTurn{helper, nil, helper}}
	second := &UsageTurn{ID: "second", Requests: []Usage{{Model: "big", InputTokens: 1, Context: 30, Window: 200, Cost: Cost{4, "EUR"}}}}
	helper.Children = []*UsageTurn{first} // a circle
	want := UsageReport{
		Session: UsageTotal{
			Usage:    Usage{InputTokens: 113, OutputTokens: 12, ThoughtTokens: 1, CacheReadTokens: 7, CacheWriteTokens: 3, Context: 30, Window: 200},
			Requests: 5, Unpriced: 1, Costs: []Cost{{4, "EUR"}, usd(3.25)},
		},
		Turns: []UsageOf{
			{"first", UsageTotal{
				Usage: Usage{
					InputTokens: 112, OutputTokens: 12, ThoughtTokens: 1, CacheReadTokens: 7, CacheWriteTokens: 3, Context: 23, Window: 200, Cost: usd(3.25),
				},
				Requests: 4, Unpriced: 1, Costs: []Cost{usd(3.25)},
			}},
			{"second", UsageTotal{
				Usage:    Usage{Model: "big", InputTokens: 1, Context: 30, Window: 200, Cost: Cost{4, "EUR"}},
				Requests: 1, Costs: []Cost{{4, "EUR"}},
			}},
		},
		Models: []UsageOf{
			{"big", UsageTotal{
				Usage: Usage{
					Model: "big", InputTokens: 12, OutputTokens: 2, ThoughtTokens: 1, CacheReadTokens: 7, CacheWriteTokens: 3, Context: 30, Window: 200,
				},
				Requests: 3, Costs: []Cost{{4, "EUR"}, usd(3)},
			}},
			{"small", UsageTotal{
				Usage:    Usage{Model: "small", InputTokens: 101, OutputTokens: 10, Context: 110, Window: 1000, Cost: usd(0.25)},
				Requests: 2, Unpriced: 1, Costs: []Cost{usd(0.25)},
			}},
		},
	}
	if diff := cmp.Diff(want, RollUpUsage([]*UsageTurn{first, nil, second, first})); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(UsageReport{}, RollUpUsage(nil)); diff != "" {
		t.Errorf("nothing: mismatch (-want +got):\n%s", diff)
	}
}

func TestUsagePlus(t *testing.T) {
	tests := []struct {
		name       string
		a, b, want Usage
	}{
		{"nothing", Usage{InputTokens: 1, Context: 2, Window: 3}, Usage{}, Usage{InputTokens: 1, Context: 2, Window: 3}},
		{"counts", Usage{Model: "m", OutputTokens: 1, Cost: Cost{1, "USD"}}, Usage{Model: "n", OutputTokens: 2}, Usage{OutputTokens: 3}},
		{"the later window", Usage{Context: 9, Window: 10}, Usage{Context: 2, Window: 10}, Usage{Context: 2, Window: 10}},
		{"too much", Usage{InputTokens: math.MaxInt64 - 1}, Usage{InputTokens: 5}, Usage{InputTokens: math.MaxInt64}},
		{"too little", Usage{InputTokens: math.MinInt64}, Usage{InputTokens: -1}, Usage{InputTokens: math.MinInt64}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.a.plus(tt.b)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
