package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A value is one JSON value with its place in the file: the tree before keywords get their meaning.
type value struct {
	pointer string
	kind    jsontext.Kind
	raw     []byte
	text    string // of a string
	members []member
	elems   []*value
}

// A member is one name and value of a JSON object.
type member struct {
	name  string
	value *value
}

// readValue reads the one JSON value that data holds.
func readValue(data []byte) (*value, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	r := &reader{data: data, dec: dec}
	v, err := r.value("#")
	if err != nil {
		return nil, syntaxError(err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("#: more than one JSON value in the file")
	}
	return v, nil
}

type reader struct {
	data []byte
	dec  *jsontext.Decoder
}

func (r *reader) value(pointer string) (*value, error) {
	v := &value{pointer: pointer, kind: r.dec.PeekKind()}
	if v.kind != jsontext.KindBeginObject && v.kind != jsontext.KindBeginArray {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		v.raw = bytes.Clone(raw)
		if v.kind == jsontext.KindString {
			text, err := jsontext.AppendUnquote(nil, raw)
			if err != nil {
				return nil, err
			}
			v.text = string(text)
		}
		return v, nil
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, err
	}
	start := r.dec.InputOffset() - 1
	var err error
	if v.kind == jsontext.KindBeginObject {
		err = r.members(v)
	} else {
		err = r.elems(v)
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, err
	}
	v.raw = bytes.Clone(r.data[start:r.dec.InputOffset()])
	return v, nil
}

func (r *reader) members(v *value) error {
	for r.dec.PeekKind() != jsontext.KindEndObject {
		tok, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		name := tok.String()
		child, err := r.value(v.pointer + "/" + escape(name))
		if err != nil {
			return err
		}
		v.members = append(v.members, member{name, child})
	}
	return nil
}

func (r *reader) elems(v *value) error {
	for r.dec.PeekKind() != jsontext.KindEndArray {
		child, err := r.value(fmt.Sprintf("%s/%d", v.pointer, len(v.elems)))
		if err != nil {
			return err
		}
		v.elems = append(v.elems, child)
	}
	return nil
}

// escape makes a JSON pointer token of a member name.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// syntaxError puts the pointer in front, as in every other error of this package.
func syntaxError(err error) error {
	var syn *jsontext.SyntacticError
	if !errors.As(err, &syn) {
		return fmt.Errorf("#: not JSON: %w", err)
	}
	if errors.Is(syn.Err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("#%s: duplicate key: %w", syn.JSONPointer, err)
	}
	return fmt.Errorf("#%s: not JSON: %w", syn.JSONPointer, err)
}
