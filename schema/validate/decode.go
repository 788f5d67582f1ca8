package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxValues is how many JSON values (numbers, strings, literals, objects and arrays, at every level) one judged value may
// hold. The library keeps several hundred bytes for each, so a frame of nothing but numbers would take a hundred times its size.
const MaxValues = 1 << 20

// emptyName stands for the property name "" in decoded values, because the library leaves an empty name out of instance
// locations. No name of strict JSON is equal to it: it is not UTF-8.
const emptyName = "\xff"

type decoder struct {
	tokens *jsontext.Decoder
	left   int
	number func(string) json.Number
}

// decode reads one strict JSON value as map[string]any, []any, string, json.Number, bool or nil. Numbers pass through
// number. The error is a *SyntaxError or a *LimitError.
func decode(raw []byte, number func(string) json.Number) (any, error) {
	d := &decoder{tokens: jsontext.NewDecoder(bytes.NewBuffer(raw)), left: MaxValues, number: number}
	v, err := d.value()
	if err != nil {
		return nil, d.fail(err)
	}
	if _, err := d.tokens.ReadToken(); err == nil {
		return nil, &SyntaxError{Offset: d.tokens.InputOffset(), Reason: "data after the value"}
	} else if !errors.Is(err, io.EOF) {
		return nil, d.fail(err)
	}
	return v, nil
}

func exactNumber(text string) json.Number {
	return json.Number(text)
}

func (d *decoder) fail(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		return err
	}
	fault := &SyntaxError{Offset: d.tokens.InputOffset(), Reason: "unexpected end", Err: err}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		fault.Offset = syntax.ByteOffset
		fault.Pointer = string(syntax.JSONPointer)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			fault.Reason = syntax.Err.Error()
		}
	}
	return fault
}

func (d *decoder) value() (any, error) {
	token, err := d.tokens.ReadToken()
	if err != nil {
		return nil, err
	}
	if d.left--; d.left < 0 {
		return nil, &LimitError{Limit: MaxValues}
	}
	switch token.Kind() {
	case jsontext.KindNull:
		return nil, nil
	case jsontext.KindTrue:
		return true, nil
	case jsontext.KindFalse:
		return false, nil
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return d.number(token.String()), nil
	case jsontext.KindBeginObject:
		return d.object()
	case jsontext.KindBeginArray:
		return d.array()
	default:
		return nil, errors.New("unexpected token " + token.String())
	}
}

func (d *decoder) object() (any, error) {
	members := map[string]any{}
	for d.tokens.PeekKind() != jsontext.KindEndObject {
		token, err := d.tokens.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		if name == "" {
			name = emptyName
		}
		if members[name], err = d.value(); err != nil {
			return nil, err
		}
	}
	_, err := d.tokens.ReadToken()
	return members, err
}

func (d *decoder) array() (any, error) {
	items := []any{}
	for d.tokens.PeekKind() != jsontext.KindEndArray {
		item, err := d.value()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err := d.tokens.ReadToken()
	return items, err
}
