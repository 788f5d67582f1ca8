package suite

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func scenariosForQueue(n int) (list []Scenario, ids []string) {
	for i := range n {
		list = append(list, Scenario{Area: "a", Name: fmt.Sprint(i), Alone: i%3 == 0})
		ids = append(ids, fmt.Sprint("a/", i))
	}
	return list, ids
}

// TestRunAll shows that results come in the order of the scenarios, that no more run than may, and that some run alone.
func TestRunAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scenarios, want := scenariosForQueue(20)
		var running, most, told atomic.Int32
		opts := &Options{Jobs: 4, Progress: func(*Result) { told.Add(1) }}
		r, err := runAll(t.Context(), opts, scenarios, func(_ context.Context, s *Scenario) ([]Result, error) {
			now := running.Add(1)
			defer running.Add(-1)
			most.Store(max(most.Load(), now))
			if s.Alone && now > 1 {
				t.Errorf("%s is not alone", s.ID())
			}
			time.Sleep(time.Duration(20-len(s.Name)) * time.Second)
			return []Result{{Area: s.Area, Name: s.Name}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range r.Results {
			got = append(got, r.Results[i].ID())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		if most.Load() < 2 || most.Load() > 4 || told.Load() != 20 {
			t.Errorf("%d at a time, want 2 to 4; %d results were told of, want 20", most.Load(), told.Load())
		}
	})
}

// TestRunAllError shows that an error ends what is at work, and begins no more.
func TestRunAllError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scenarios, _ := scenariosForQueue(20)
		cause := errors.New("no more")
		var played atomic.Int32
		r, err := runAll(t.Context(), &Options{Jobs: 3}, scenarios, func(ctx context.Context, s *Scenario) ([]Result, error) {
			if played.Add(1); s.Name == "5" {
				return nil, cause
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			return []Result{{Area: s.Area, Name: s.Name}}, nil
		})
		if !errors.Is(err, cause) || len(r.Results) == 0 || len(r.Results) > 6 || played.Load() > 9 {
			t.Errorf("error %v, %d results, %d played; want the error and about five", err, len(r.Results), played.Load())
		}
	})
}

func TestPatience(t *testing.T) {
	p := newPatience()
	for range enough - 1 {
		p.wasSilent("a")
	}
	if p.isOver("a") || p.isOver("b") {
		t.Error("patience is over too soon")
	}
	p.wasSilent("a")
	if !p.isOver("a") || p.isOver("b") {
		t.Error("patience is not over, or with another method")
	}
	p.hasAnswered("a")
	if p.isOver("a") {
		t.Error("patience is over with what has been answered")
	}
}
