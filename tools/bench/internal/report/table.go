package report

import (
	"strings"
	"unicode/utf8"
)

// A Table is printed as Markdown, its columns aligned for readers of the source.
type Table struct {
	// Head are the titles of the columns.
	Head []string
	// Names is how many columns, from the left, hold names; the others hold numbers. If zero, one.
	Names int

	rows [][]string
}

// Add adds a row. Cells that are missing are empty.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(t.Head))
	copy(row, cells)
	t.rows = append(t.rows, row)
}

// String returns the table.
func (t *Table) String() string {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), len("--:"))
		}
	}
	names := max(t.Names, 1)
	var b strings.Builder
	line := func(row []string) {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i >= names {
				cell, pad = pad+cell, ""
			}
			b.WriteString("| " + cell + pad + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Head)
	for i, width := range widths {
		if i < names {
			b.WriteString("| " + strings.Repeat("-", width) + " ")
		} else {
			b.WriteString("| " + strings.Repeat("-", width-1) + ": ")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}
