package suite

import "io"

// A Format writes a report.
type Format func(w io.Writer, r *Report) error

// Formats are the formats by their names.
func Formats() map[string]Format {
	return map[string]Format{"text": Text, "json": JSON, "junit": JUnit}
}
