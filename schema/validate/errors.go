package validate

import (
	"fmt"
	"strconv"
	"strings"
)

// A DataError says that a value is JSON but not what the schema asks for.
type DataError struct {
	// Definition is the name of the $defs entry that the value was judged by.
	Definition string
	// Violations has at least one entry: all that is wrong, the deepest first. Of a union, only those of the branch that
	// the data most likely meant.
	Violations []Violation
}

// Error returns the first violation and how many others there are, in one line.
func (e *DataError) Error() string {
	s := "not a valid " + e.Definition + ": " + e.Violations[0].String()
	if n := len(e.Violations) - 1; n > 0 {
		s += " (and " + strconv.Itoa(n) + " more)"
	}
	return s
}

// List returns every violation, one a line, each line ending in a newline.
func (e *DataError) List() string {
	var b strings.Builder
	for _, v := range e.Violations {
		b.WriteString(v.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// A SchemaError says that the schema itself cannot be used. No value was judged.
type SchemaError struct {
	// Pointer is the JSON pointer to the fault in the schema, if known.
	Pointer string
	// Err is the cause.
	Err error
}

// Error returns the pointer and the cause.
func (e *SchemaError) Error() string {
	return "schema #" + e.Pointer + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *SchemaError) Unwrap() error {
	return e.Err
}

func schemaErrorf(pointer, format string, args ...any) *SchemaError {
	return &SchemaError{Pointer: pointer, Err: fmt.Errorf(format, args...)}
}

// An UnknownMethodError says that the schema has no definition to judge by. No value was judged.
type UnknownMethodError struct {
	// Method is the method as asked for.
	Method string
	// Want says what the method has no definition of: "params", "request params", "notification params" or "result".
	Want string
}

// Error names the method and what was looked for.
func (e *UnknownMethodError) Error() string {
	return "the schema has no " + e.Want + " of method " + quote(e.Method)
}

// An UnknownDefError says that the schema has no $defs entry of a name.
type UnknownDefError struct {
	// Name is the name as asked for.
	Name string
}

// Error names the definition.
func (e *UnknownDefError) Error() string {
	return "the schema has no definition " + quote(e.Name)
}

// A SyntaxError says that bytes are not one strict JSON value.
type SyntaxError struct {
	// Offset is the position of the fault in bytes.
	Offset int64
	// Pointer is the JSON pointer to the value the fault is in.
	Pointer string
	// Reason says what is wrong.
	Reason string
	// Err is the tokenizer's error, or nil.
	Err error
}

// Error returns the reason and where the fault is.
func (e *SyntaxError) Error() string {
	s := "not JSON: " + e.Reason + " at byte " + strconv.FormatInt(e.Offset, 10)
	if e.Pointer != "" {
		s += " (" + cut(e.Pointer, maxShown) + ")"
	}
	return s
}

// Unwrap returns the tokenizer's error.
func (e *SyntaxError) Unwrap() error {
	return e.Err
}

// A LimitError says that a value has more parts than [MaxValues]. It was not judged.
type LimitError struct {
	// Limit is the number of values that is allowed.
	Limit int
}

// Error names the limit.
func (e *LimitError) Error() string {
	return "more than " + strconv.Itoa(e.Limit) + " JSON values: too large for the reference validator"
}
