package model

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// compact returns JSON text without white space, and otherwise as it stands.
func (b *builder) compact(pointer string, raw []byte) []byte {
	v := jsontext.Value(raw).Clone()
	if err := v.Compact(); err != nil {
		b.errorf(pointer, "%v", err)
	}
	return v
}

// unquote returns the string that a JSON text holds.
func unquote(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	return string(text), err == nil
}

func itoa(i int) string { return strconv.Itoa(i) }
