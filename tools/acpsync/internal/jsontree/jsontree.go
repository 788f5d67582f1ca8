// Package jsontree reads JSON into a tree that keeps what encoding/json forgets: the order of members, the exact text
// of scalars, and the line a value stands on.
package jsontree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Node is one JSON value.
type Node struct {
	// Kind is the kind of the value, as jsontext names it: { [ " 0 t f n.
	Kind jsontext.Kind
	// Raw is the exact source text of a scalar; empty for objects and arrays.
	Raw string
	// Text is the unescaped value of a string; empty for every other kind.
	Text string
	// Members are the members of an object in source order. Names are unique.
	Members []Member
	// Items are the elements of an array.
	Items []*Node
	// Line is the 1-based source line the value starts on.
	Line int
}

// A Member is one name and value of an object.
type Member struct {
	// Name is the unescaped name.
	Name string
	// RawName is the exact source text of the name, quotes included.
	RawName string
	// Value is the member's value, never nil.
	Value *Node
}

// Get returns the value of the member called name, or nil if n is nil, no object, or has no such member.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// IsString reports whether n is a JSON string.
func (n *Node) IsString() bool { return n != nil && n.Kind == '"' }

// IsObject reports whether n is a JSON object.
func (n *Node) IsObject() bool { return n != nil && n.Kind == '{' }

// IsArray reports whether n is a JSON array.
func (n *Node) IsArray() bool { return n != nil && n.Kind == '[' }

// IsBool reports whether n is true or false.
func (n *Node) IsBool() bool { return n != nil && (n.Kind == 't' || n.Kind == 'f') }

// IsNumber reports whether n is a JSON number.
func (n *Node) IsNumber() bool { return n != nil && n.Kind == '0' }

// A SyntaxError says where a text stops being one well-formed JSON value.
type SyntaxError struct {
	// Line is the 1-based line of the fault.
	Line int
	// Pointer is the JSON pointer of the value that was being read, as a URI fragment ("#/a/0").
	Pointer string
	// Err is the cause.
	Err error
}

// Error returns "line N: pointer: cause".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: %s: %v", e.Line, e.Pointer, e.Err)
}

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads exactly one JSON value. Duplicate names, invalid UTF-8 and trailing data are errors; every error is a
// [*SyntaxError].
func Parse(data []byte) (*Node, error) {
	p := &parser{data: data, dec: jsontext.NewDecoder(bytes.NewReader(data)), line: 1}
	n, err := p.value()
	if err == nil {
		if _, e := p.dec.ReadToken(); e == nil {
			err = errors.New("trailing data after the value")
		} else if !errors.Is(e, io.EOF) {
			err = e
		}
	}
	if err != nil {
		return nil, p.fault(err)
	}
	return n, nil
}

type parser struct {
	data   []byte
	dec    *jsontext.Decoder
	line   int
	lineAt int // offset up to which line has been counted
}

func (p *parser) value() (*Node, error) {
	kind := p.dec.PeekKind()
	switch kind {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"', '0', 't', 'f', 'n':
		return p.scalar(kind)
	default:
		// PeekKind reports faults as an invalid kind; reading returns the error itself.
		_, err := p.dec.ReadToken()
		if err == nil {
			err = errors.New("value expected")
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
}

func (p *parser) scalar(kind jsontext.Kind) (*Node, error) {
	raw, err := p.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: kind, Raw: string(raw), Line: p.lineAtOffset(p.dec.InputOffset())}
	if kind == '"' {
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return nil, err
		}
		n.Text = string(text)
	}
	return n, nil
}

func (p *parser) object() (*Node, error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, err
	}
	n := &Node{Kind: '{', Line: p.lineAtOffset(p.dec.InputOffset())}
	for p.dec.PeekKind() != '}' {
		name, err := p.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		raw := string(name)
		text, err := jsontext.AppendUnquote(nil, name)
		if err != nil {
			return nil, err
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, Member{Name: string(text), RawName: raw, Value: value})
	}
	_, err := p.dec.ReadToken()
	return n, err
}

func (p *parser) array() (*Node, error) {
	if _, err := p.dec.ReadToken(); err != nil {
		return nil, err
	}
	n := &Node{Kind: '[', Line: p.lineAtOffset(p.dec.InputOffset())}
	for p.dec.PeekKind() != ']' {
		item, err := p.value()
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
	_, err := p.dec.ReadToken()
	return n, err
}

// lineAtOffset counts on from the last call, so that a whole parse looks at each byte once.
func (p *parser) lineAtOffset(offset int64) int {
	if end := int(offset); end > p.lineAt {
		p.line += bytes.Count(p.data[p.lineAt:end], []byte{'\n'})
		p.lineAt = end
	}
	return p.line
}

func (p *parser) fault(err error) error {
	offset, pointer := p.dec.InputOffset(), p.dec.StackPointer()
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		offset, pointer = syntactic.ByteOffset, syntactic.JSONPointer
		if syntactic.Err != nil {
			err = syntactic.Err
		}
	}
	end := min(int(offset), len(p.data))
	return &SyntaxError{
		Line:    1 + bytes.Count(p.data[:end], []byte{'\n'}),
		Pointer: "#" + string(pointer),
		Err:     err,
	}
}

// EscapePointer escapes one reference token of a JSON pointer.
func EscapePointer(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}
