package validate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Violation is one thing that is wrong with a value.
type Violation struct {
	// Pointer is the JSON pointer (RFC 6901) from the judged value to what is wrong; for a missing or forbidden property,
	// to the object. It is empty for the value itself.
	Pointer string
	// Keyword is the broken schema keyword, such as "required", "type" or "maximum". Values outside a closed list, tags of
	// unions included, are "enum"; numbers outside their integer format are "format".
	Keyword string
	// SchemaPath is where the rule stands in the schema as published, such as "#/$defs/TextContent/required". For a rule
	// that is spread over the branches of a union it is the union.
	SchemaPath string
	// Message says what was expected, of which definition, and what was there, cut to a few dozen characters. It may hold
	// confidential data of the input.
	Message string
	// Expected is the part of Message that holds nothing of the input but names the schema knows, so that it may be shown
	// to a peer.
	Expected string
}

// String returns the violation in one line: the pointer, if it is not empty, and the message.
func (v Violation) String() string {
	if v.Pointer == "" {
		return v.Message
	}
	return v.Pointer + ": " + v.Message
}

// sortViolations puts the deepest first, because that is nearly always the cause, then orders by pointer. Equal ones,
// which several branches of a schema may report, are merged.
func sortViolations(list []Violation) []Violation {
	slices.SortFunc(list, func(a, b Violation) int {
		return cmp.Or(
			cmp.Compare(depth(b.Pointer), depth(a.Pointer)),
			comparePointers(a.Pointer, b.Pointer),
			cmp.Compare(a.SchemaPath, b.SchemaPath),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(list)
}

func depth(pointer string) int {
	return strings.Count(pointer, "/")
}

// comparePointers orders pointers token by token, array indexes by number.
func comparePointers(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a = cutToken(a)
		y, b = cutToken(b)
		i, errX := strconv.Atoi(x)
		j, errY := strconv.Atoi(y)
		if errX == nil && errY == nil && i != j {
			return cmp.Compare(i, j)
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// cutToken splits a pointer that is not empty into its first token, still escaped, and the rest.
func cutToken(pointer string) (token, rest string) {
	if i := strings.IndexByte(pointer[1:], '/'); i >= 0 {
		return pointer[1 : 1+i], pointer[1+i:]
	}
	return pointer[1:], ""
}
