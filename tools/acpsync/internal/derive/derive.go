// Package derive turns an upstream schema into the one the project keeps: the same JSON Schema with the same verdicts,
// in the same key order, without the prose.
package derive

import (
	"errors"
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpsync/internal/jsontree"
)

// Causes of an [*Error].
var (
	// ErrKeyword marks a keyword this package does not know.
	ErrKeyword = errors.New("unknown keyword")
	// ErrValue marks a keyword whose value has the wrong shape.
	ErrValue = errors.New("wrong value")
	// ErrReference marks a $ref to a definition that does not exist.
	ErrReference = errors.New("unresolved reference")
)

// An Error is one construct of a schema that cannot be derived.
type Error struct {
	// Pointer is the JSON pointer of the construct in the upstream file ("#/$defs/Diff/foo").
	Pointer string
	// Line is the construct's 1-based line in the upstream file.
	Line int
	// Err is the cause. It wraps ErrKeyword, ErrValue or ErrReference.
	Err error
}

// Error returns "line N: pointer: cause".
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s: %v", e.Line, e.Pointer, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Bytes derives the schema in upstream and formats it. The same input always gives the same bytes, and deriving a
// derived schema gives it back.
func Bytes(upstream []byte) ([]byte, error) {
	root, err := jsontree.Parse(upstream)
	if err != nil {
		return nil, err
	}
	derived, err := Schema(root)
	if err != nil {
		return nil, err
	}
	return derived.Format(), nil
}

// Schema returns a copy of the schema root without its descriptions. Only the annotation is dropped: a property called
// "description", and whatever stands inside default, const and enum, is kept. All faults are found in one go; the error
// joins one [*Error] per fault.
func Schema(root *jsontree.Node) (*jsontree.Node, error) {
	w := &walker{defs: root.Get("$defs")}
	derived := w.schema(root, "#", true)
	if len(w.faults) > 0 {
		return nil, errors.Join(w.faults...)
	}
	return derived, nil
}

// RefName returns the definition a "#/$defs/NAME" reference names, or "" if ref is anything else.
func RefName(ref string) string {
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	if !ok || strings.ContainsAny(name, "/~%") {
		return ""
	}
	return name
}

type walker struct {
	defs   *jsontree.Node
	faults []error
}

func (w *walker) fault(pointer string, n *jsontree.Node, err error) {
	w.faults = append(w.faults, &Error{Pointer: pointer, Line: n.Line, Err: err})
}

func (w *walker) schema(n *jsontree.Node, pointer string, root bool) *jsontree.Node {
	if n.IsBool() && !root {
		return n
	}
	if !n.IsObject() {
		w.fault(pointer, n, fmt.Errorf("%w: a schema expected", ErrValue))
		return n
	}
	out := &jsontree.Node{Kind: n.Kind, Line: n.Line}
	for _, m := range n.Members {
		at := pointer + "/" + jsontree.EscapePointer(m.Name)
		s, known := keywords[m.Name]
		if !known || s == shapeDefs && !root {
			w.fault(at, m.Value, fmt.Errorf("%w %q", ErrKeyword, m.Name))
			continue
		}
		if err := s.checkValue(m.Value); err != nil {
			w.fault(at, m.Value, fmt.Errorf("%q: %w", m.Name, err))
			continue
		}
		if s == shapeProse {
			continue
		}
		m.Value = w.keyword(s, m.Value, at)
		out.Members = append(out.Members, m)
	}
	return out
}

// keyword derives the value of a keyword whose shape has been checked.
func (w *walker) keyword(s shape, n *jsontree.Node, pointer string) *jsontree.Node {
	switch s {
	case shapeSchema:
		return w.schema(n, pointer, false)
	case shapeSchemas:
		out := &jsontree.Node{Kind: n.Kind, Line: n.Line}
		for i, item := range n.Items {
			out.Items = append(out.Items, w.schema(item, fmt.Sprintf("%s/%d", pointer, i), false))
		}
		return out
	case shapeSchemaMap, shapeDefs:
		out := &jsontree.Node{Kind: n.Kind, Line: n.Line}
		for _, m := range n.Members {
			m.Value = w.schema(m.Value, pointer+"/"+jsontree.EscapePointer(m.Name), false)
			out.Members = append(out.Members, m)
		}
		return out
	case shapeRef:
		if w.defs.Get(RefName(n.Text)) == nil {
			w.fault(pointer, n, fmt.Errorf("%w %q", ErrReference, n.Text))
		}
		return n
	case shapeProse, shapeString, shapeBool, shapeNumber, shapeStrings, shapeTypes, shapeValue, shapeValues, shapeTag:
		return n
	}
	w.fault(pointer, n, fmt.Errorf("%w: no walk for shape %d", ErrKeyword, s))
	return n
}
