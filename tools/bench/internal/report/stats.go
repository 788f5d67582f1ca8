package report

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Median returns the median of those of x that are numbers, or NaN if there are none. NaN stands for what could not be measured.
func Median(x []float64) float64 {
	s := slices.DeleteFunc(slices.Clone(x), math.IsNaN)
	if len(s) == 0 {
		return math.NaN()
	}
	slices.Sort(s)
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}

// Ratios returns a[i]/b[i] for each round i that both have. Both were measured next to each other in that round, so what disturbs a whole round cancels.
func Ratios(a, b []float64) []float64 {
	var r []float64
	for i := range min(len(a), len(b)) {
		r = append(r, a[i]/b[i])
	}
	return r
}

// Spread returns the median of how far each of x is from the median of all, as a text such as "±3%". A few disturbed rounds do not change it.
func Spread(x []float64) string {
	m := Median(x)
	if math.IsNaN(m) {
		return ""
	}
	deviations := make([]float64, len(x))
	for i, v := range x {
		deviations[i] = math.Abs(v - m)
	}
	return fmt.Sprintf("±%.0f%%", 100*Median(deviations)/m)
}

// Times is a ratio for people: "2.31x".
func Times(ratio float64) string {
	if math.IsNaN(ratio) {
		return ""
	}
	return Digits(ratio) + "x"
}

// Digits is a number with three digits or more.
func Digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Duration is a time of so many nanoseconds with three digits.
func Duration(ns float64) string {
	switch d := time.Duration(ns); {
	case math.IsNaN(ns):
		return ""
	case d < time.Microsecond:
		return fmt.Sprintf("%.0f ns", ns)
	case d < time.Millisecond:
		return Digits(ns/1e3) + " µs"
	case d < time.Second:
		return Digits(ns/1e6) + " ms"
	}
	return Digits(ns/1e9) + " s"
}

// Size is a number of bytes with three digits.
func Size(bytes float64) string {
	switch {
	case math.IsNaN(bytes):
		return ""
	case bytes < 1000:
		return fmt.Sprintf("%.0f B", bytes)
	case bytes < 1e6:
		return Digits(bytes/1e3) + " KB"
	case bytes < 1e9:
		return Digits(bytes/1e6) + " MB"
	}
	return Digits(bytes/1e9) + " GB"
}

// Count is a whole number with its thousands apart.
func Count(n float64) string {
	if math.IsNaN(n) {
		return ""
	}
	s := fmt.Sprintf("%.0f", n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
