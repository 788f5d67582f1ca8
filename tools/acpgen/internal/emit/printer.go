package emit

import (
	"fmt"
	"strings"

	"github.com/atombender/go-jsonschema/pkg/codegen"
)

// lineLength is where comments are wrapped.
const lineLength = 120

// A printer prints Go. Declarations go through go-jsonschema's declaration model, statements through P.
type printer struct{ *codegen.Emitter }

func newPrinter() *printer { return &printer{codegen.NewEmitter(lineLength)} }

// P prints its arguments as one line.
func (p *printer) P(args ...any) {
	p.Printlnf("%s", fmt.Sprint(stringify(args)...))
}

// stringify keeps fmt.Sprint from putting spaces between operands.
func stringify(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = fmt.Sprint(a)
	}
	return out
}

// Doc prints a doc comment of paragraphs, each wrapped.
func (p *printer) Doc(paragraphs ...string) {
	p.Comment(strings.TrimRight(joinDoc(paragraphs), "\n"))
}

// joinDoc joins paragraphs with empty lines between them. Lists keep their lines together.
func joinDoc(paragraphs []string) string {
	var b strings.Builder
	list := false
	for _, s := range paragraphs {
		if s == "" {
			continue
		}
		item := strings.HasPrefix(s, "  - ")
		if item {
			s = hang(s)
		}
		if b.Len() > 0 {
			b.WriteString("\n")
			if !item || !list {
				b.WriteString("\n")
			}
		}
		b.WriteString(s)
		list = item
	}
	return b.String()
}

// hang wraps a list item so that its further lines stay in the list.
func hang(item string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(item) {
		switch {
		case i == 0:
			b.WriteString("  ")
			width = 2
		case width+1+len(word) > lineLength-4:
			b.WriteString("\n    ")
			width = 4
		default:
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}
