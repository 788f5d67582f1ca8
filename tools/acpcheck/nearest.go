package main

import (
	"slices"
	"strings"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
)

// slips is how many letters a name may have wrong to be taken for another.
const slips = 2

// nearest returns the rule whose id is most like the one given, without regard to case and hyphens; "" if none is like it.
func nearest(id string) string {
	best, least := "", slips+1
	for _, r := range catalog.Rules() {
		if n := distance(plainID(id), plainID(r.ID)); n < least && n < len(r.ID)/2 {
			best, least = r.ID, n
		}
	}
	return best
}

func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

// distance counts the letters to insert, delete or replace to make b of a. A digit is not replaced: it is what tells the rules of an area apart.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			switch {
			case a[i] == b[j]:
				change = 0
			case isDigit(a[i]) || isDigit(b[j]):
				change = slips + 1
			}
			row[j+1] = min(before[j]+change, min(row[j], before[j+1])+1)
		}
	}
	return row[len(b)]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
