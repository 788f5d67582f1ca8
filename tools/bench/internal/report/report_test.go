package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		name string
		x    []float64
		want float64
	}{
		{"odd", []float64{9, 1, 5}, 5},
		{"even", []float64{4, 1, 2, 100}, 3},
		{"one", []float64{7}, 7},
		{"one missing", []float64{1, math.NaN(), 3, 9}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Median(tt.x); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	for _, none := range [][]float64{nil, {math.NaN()}} {
		if got := Median(none); !math.IsNaN(got) || Spread(none) != "" {
			t.Errorf("the median of nothing is %v%s", got, Spread(none))
		}
	}
}

// TestRatios shows that a round in which everything was slower changes nothing.
func TestRatios(t *testing.T) {
	got := Ratios([]float64{2, 20, 3}, []float64{1, 10, 1.5})
	if diff := cmp.Diff([]float64{2, 2, 2}, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if got := Spread([]float64{100, 104, 96, 500, 100}); got != "±4%" {
		t.Errorf("spread %s, want ±4%%", got)
	}
}

func TestTarget(t *testing.T) {
	most, least := Target{Limit: 2.5}, Target{Limit: 6, AtLeast: true}
	for _, tt := range []struct {
		name   string
		target Target
		ratio  float64
		want   string
	}{
		{"below the most", most, 2.4, "met"},
		{"above the most", most, 2.6, "NOT MET"},
		{"above the least", least, 7, "met"},
		{"below the least", least, 5.9, "NOT MET"},
		{"not measured", most, math.NaN(), "NOT MET"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.target.Verdict(tt.ratio); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFormats(t *testing.T) {
	got := []string{
		Duration(128), Duration(1234), Duration(1.5e6), Duration(2.25e9), Size(999), Size(10e3), Size(1.2e9), Count(1234567), Count(999), Count(-1234), Times(2.345), Times(12.34), Times(323.4),
	}
	want := []string{"128 ns", "1.23 µs", "1.50 ms", "2.25 s", "999 B", "10.0 KB", "1.20 GB", "1,234,567", "999", "-1,234", "2.35x", "12.3x", "323x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	table := Table{Head: []string{"name", "µs"}}
	table.Add("a longer name", "1")
	table.Add("b")
	want := "" +
		"| name          |  µs |\n" +
		"| ------------- | --: |\n" +
		"| a longer name |   1 |\n" +
		"| b             |     |\n"
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestWrite shows that a run of one section leaves the others.
func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "RESULTS.md")
	order := []string{"A", "B"}
	for _, sections := range [][]Section{{{"B", "old b"}}, {{"A", "a\n\nmore"}}, {{"B", "new b\n"}}} {
		if err := Write(file, sections, order); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(head+"\n## A\n\na\n\nmore\n\n## B\n\nnew b\n", string(got)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
