package mutate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Kind is what a [Value] is.
type Kind uint8

// The kinds. Raw is any text in the place of a value, which need not be JSON.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
	Raw
)

// A Value is a JSON value as it is written.
type Value struct {
	Kind Kind
	// Text is how a scalar or a Raw is written, strings with their quotes.
	Text string
	// Items are the elements of an Array.
	Items []*Value
	// Members are those of an Object, in order. Names may repeat.
	Members []Member
	// Space is written before the value.
	Space string
}

// A Member is one member of an object.
type Member struct {
	// Name is how the name is written, with its quotes.
	Name  string
	Value *Value
	// Space is written on both sides of the name.
	Space string
}

// Key returns the name without quotes and escapes.
func (m Member) Key() string { return unquote(m.Name) }

// Content returns what a String says, without quotes and escapes.
func (v *Value) Content() string { return unquote(v.Text) }

func unquote(text string) string {
	if len(text) >= 2 && !strings.Contains(text, `\`) {
		return text[1 : len(text)-1]
	}
	// The error is for faults such as lone surrogates, which are replaced.
	b, _ := jsontext.AppendUnquote(nil, text)
	return string(b)
}

func quote(s string) string {
	// The error is for invalid UTF-8, which is replaced.
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}

func text(kind Kind, s string) *Value { return &Value{Kind: kind, Text: s} }

func str(s string) *Value { return text(String, quote(s)) }

func null() *Value { return text(Null, "null") }

// Parse reads one value. It is as strict as RFC 8259 but for duplicate names and strings that are not UTF-8 or have lone surrogates, which it keeps.
func Parse(raw []byte) (*Value, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := parse(d)
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(raw[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, fmt.Errorf("data after the value, at byte %d", len(raw)-len(rest))
	}
	return v, nil
}

func parse(d *jsontext.Decoder) (*Value, error) {
	switch d.PeekKind() {
	case jsontext.KindBeginObject:
		return parseObject(d)
	case jsontext.KindBeginArray:
		return parseArray(d)
	default:
		raw, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		kinds := map[jsontext.Kind]Kind{
			jsontext.KindNull: Null, jsontext.KindTrue: Bool, jsontext.KindFalse: Bool, jsontext.KindNumber: Number, jsontext.KindString: String,
		}
		return text(kinds[raw.Kind()], string(raw)), nil
	}
}

func parseObject(d *jsontext.Decoder) (*Value, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	v := &Value{Kind: Object}
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		m := Member{Name: string(name)}
		if m.Value, err = parse(d); err != nil {
			return nil, err
		}
		v.Members = append(v.Members, m)
	}
	_, err := d.ReadToken()
	return v, err
}

func parseArray(d *jsontext.Decoder) (*Value, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	v := &Value{Kind: Array}
	for d.PeekKind() != jsontext.KindEndArray {
		item, err := parse(d)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := d.ReadToken()
	return v, err
}

// Append appends the value as it is written.
func (v *Value) Append(b []byte) []byte {
	b = append(b, v.Space...)
	switch v.Kind {
	case Null, Bool, Number, String, Raw:
		b = append(b, v.Text...)
	case Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.Append(b)
		}
		b = append(b, ']')
	case Object:
		b = append(b, '{')
		for i, m := range v.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, m.Space...)
			b = append(b, m.Name...)
			b = append(b, m.Space...)
			b = append(b, ':')
			b = m.Value.Append(b)
		}
		b = append(b, '}')
	}
	return b
}

// String returns the value as it is written.
func (v *Value) String() string { return string(v.Append(nil)) }

// Clone returns a deep copy.
func (v *Value) Clone() *Value {
	c := *v
	if v.Items != nil {
		c.Items = make([]*Value, len(v.Items))
		for i, item := range v.Items {
			c.Items[i] = item.Clone()
		}
	}
	if v.Members != nil {
		c.Members = make([]Member, len(v.Members))
		for i, m := range v.Members {
			m.Value = m.Value.Clone()
			c.Members[i] = m
		}
	}
	return &c
}

// Get returns the value of the first member of that name, or nil.
func (v *Value) Get(name string) *Value {
	if i := v.index(name); i >= 0 {
		return v.Members[i].Value
	}
	return nil
}

func (v *Value) index(name string) int {
	for i, m := range v.Members {
		if m.Key() == name {
			return i
		}
	}
	return -1
}

// set gives a member a value, in its place or at the end.
func (v *Value) set(name string, value *Value) {
	if i := v.index(name); i >= 0 {
		v.Members[i].Value = value
		return
	}
	v.Members = append(v.Members, Member{Name: quote(name), Value: value})
}
