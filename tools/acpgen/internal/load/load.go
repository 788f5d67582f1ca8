package load

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Load reads the schema file in data. The error joins everything that is wrong with it, each fault with the JSON pointer of its
// place; a file that is not JSON, or has a key twice, has that one error only.
func Load(data []byte) (*Schema, error) {
	v, err := readValue(data)
	if err != nil {
		return nil, err
	}
	if v.kind != jsontext.KindBeginObject {
		return nil, fmt.Errorf("#: a schema file holds an object, not %s", kindName(v))
	}
	l := &loader{schema: &Schema{}}
	l.schema.Root = l.node(v)
	l.resolve()
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	return l.schema, nil
}

// A loader gives the keywords of a tree their meaning and collects the faults.
type loader struct {
	schema *Schema
	refs   []*Node
	errs   []error
}

func (l *loader) errorf(v *value, format string, args ...any) {
	l.fail(v.pointer, format, args...)
}

func (l *loader) fail(pointer, format string, args ...any) {
	l.errs = append(l.errs, fmt.Errorf("%s: %s", pointer, fmt.Sprintf(format, args...)))
}

// node reads a schema: an object with keywords, or true or false.
func (l *loader) node(v *value) *Node {
	n := &Node{Pointer: v.pointer}
	switch v.kind {
	case jsontext.KindTrue, jsontext.KindFalse:
		b := v.kind == jsontext.KindTrue
		n.Bool = &b
	case jsontext.KindBeginObject:
		for _, m := range v.members {
			l.keyword(n, m)
		}
	default:
		l.errorf(v, "a schema is an object, true or false, not %s", kindName(v))
	}
	return n
}

func (l *loader) keyword(n *Node, m member) {
	read, known := keywords[m.name]
	if !known {
		l.fail(n.Pointer, "unknown keyword %q", m.name)
		return
	}
	if rootOnly[m.name] && n.Pointer != "#" {
		l.fail(n.Pointer, "keyword %q belongs at the root", m.name)
		return
	}
	if m.name != "description" {
		n.Keywords = append(n.Keywords, m.name)
	}
	read(l, n, m.value)
}

// resolve checks that every $ref has its definition.
func (l *loader) resolve() {
	for _, n := range l.refs {
		if l.schema.Def(n.Ref) == nil {
			l.fail(n.Pointer+"/$ref", "no definition %q", n.Ref)
		}
	}
}

const refPrefix = "#/$defs/"

// ref reads a $ref. Only a whole definition of the same file can be meant.
func (l *loader) ref(n *Node, v *value) {
	if !l.is(v, jsontext.KindString) {
		return
	}
	name, ok := strings.CutPrefix(v.text, refPrefix)
	if !ok || name == "" || strings.ContainsAny(name, "/~%") {
		l.errorf(v, "a $ref has the form %q, not %q", refPrefix+"NAME", v.text)
		return
	}
	n.Ref = name
	l.refs = append(l.refs, n)
}
