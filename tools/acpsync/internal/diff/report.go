package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A Report is what sets two versions or two files apart.
type Report struct {
	// Old names what was compared: a version or a file.
	Old string `json:"old"`
	// New names what it was compared with.
	New string `json:"new"`
	// Surfaces hold the changes, one entry for each pair of schemas.
	Surfaces []Surface `json:"surfaces"`
}

// A Surface is the comparison of one pair of schemas.
type Surface struct {
	// Surface is the name of the schema surface; empty where two files were compared.
	Surface string `json:"surface,omitempty"`
	// Missing says that only one side has this surface, and which one lacks it: "old" or "new".
	Missing string `json:"missing,omitempty"`
	// Summary counts the changes by Change.Class.
	Summary map[string]int `json:"summary"`
	// Changes are the differences, sorted.
	Changes []Change `json:"changes"`
}

// NewSurface returns the comparison of two schemas.
func NewSurface(name string, before, after *Schema) Surface {
	s := Surface{Surface: name, Summary: map[string]int{}, Changes: Compare(before, after)}
	if s.Changes == nil {
		s.Changes = []Change{}
	}
	for _, c := range s.Changes {
		s.Summary[c.Class]++
	}
	return s
}

// Same reports whether nothing differs.
func (r *Report) Same() bool {
	for _, s := range r.Surfaces {
		if s.Missing != "" || len(s.Changes) > 0 {
			return false
		}
	}
	return true
}

// WriteJSON writes the report as one indented JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteText writes the report for people: one heading for each definition, one line for each change.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for i, s := range r.Surfaces {
		if i > 0 {
			b.WriteByte('\n')
		}
		if s.Surface != "" {
			b.WriteString(s.Surface + ": ")
		}
		fmt.Fprintf(&b, "%s -> %s\n", r.Old, r.New)
		s.writeText(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Surface) writeText(b *strings.Builder) {
	if s.Missing != "" {
		fmt.Fprintf(b, "  the %s side has no such surface\n", s.Missing)
		return
	}
	if len(s.Changes) == 0 {
		b.WriteString("  no difference\n")
		return
	}
	last := ""
	for _, c := range s.Changes {
		if h := c.heading(); h != last {
			fmt.Fprintf(b, "\n%s\n", h)
			last = h
		}
		b.WriteString("  " + c.String() + "\n")
	}
	var counts []string
	for _, class := range []string{"added", "removed", "changed", "tightened", "loosened"} {
		if n := s.Summary[class]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, class))
		}
	}
	fmt.Fprintf(b, "\n%s\n", strings.Join(counts, ", "))
}

func (c Change) heading() string {
	switch {
	case c.Subject == SubjectMethod:
		return "Methods"
	case c.Subject == SubjectDefinition:
		return "Definitions"
	case c.Definition == "":
		return "The schema itself"
	}
	return c.Definition
}

// String returns the change as one line: what happened to what, from what to what, what that does, and which Go
// identifier it touches.
func (c Change) String() string {
	var b strings.Builder
	b.WriteString(map[Action]string{Added: "+", Removed: "-", Changed: "~"}[c.Action])
	if c.Subject == SubjectDefinition {
		b.WriteString(" " + c.Definition)
	} else {
		b.WriteString(" ")
		if c.Place != "" {
			b.WriteString(c.Place + " ")
		}
		b.WriteString(string(c.Subject))
		if c.Name != "" {
			b.WriteString(" " + c.Name)
		}
	}
	switch {
	case c.Action == Changed:
		fmt.Fprintf(&b, ": %s -> %s", orNone(c.Old), orNone(c.New))
	case c.Old+c.New != "" && c.Subject != SubjectReference && c.Subject != SubjectRequired:
		b.WriteString(": " + cut(first(c.New, c.Old)))
	}
	if c.Effect != None {
		fmt.Fprintf(&b, " [%s]", c.Effect)
	}
	if c.Go != "" {
		b.WriteString(" (Go: " + c.Go + ")")
	}
	return b.String()
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return cut(s)
}

// cut shortens a default or a description to what fits in a line.
func cut(s string) string {
	const limit = 100
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "..."
	}
	return s
}
