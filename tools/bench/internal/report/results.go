// Package report turns measurements into Markdown: medians, ratios, tables, targets, and the file of results.
package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Section is one part of the file of results. Its text says what it measures and where that was done.
type Section struct {
	Title, Text string
}

const head = `# Benchmark results

Written by the command in tools/bench; its README.md says how. Times depend on the machine and on what else it does; ratios are what to compare. Each ratio is the
median of the ratios of all rounds, and in each round the two were measured one right after the other. The spread is the median deviation from the median.
`

// Write writes the sections into the file of results. Sections that it has already are replaced, those that are not given stay as they are. They stand in the
// given order of titles.
func Write(file string, sections []Section, order []string) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all := append(parse(string(old)), sections...)
	var b strings.Builder
	b.WriteString(head)
	for _, title := range order {
		for _, s := range slices.Backward(all) { // the new one wins
			if s.Title == title {
				b.WriteString("\n## " + title + "\n\n" + strings.TrimSpace(s.Text) + "\n")
				break
			}
		}
	}
	return replace(file, b.String())
}

func parse(text string) []Section {
	var list []Section
	parts := strings.Split("\n"+text, "\n## ")
	for _, part := range parts[1:] {
		title, body, _ := strings.Cut(part, "\n")
		list = append(list, Section{title, body})
	}
	return list
}

// replace leaves either the old file or the whole new one.
func replace(file, text string) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".results-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.WriteString(text)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
