package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/bench/internal/payload"
)

// An encoder returns JSON that is valid until its next call.
type encoder func() ([]byte, error)

// values are one message as the implementations hold it.
type values struct {
	coder, any any
	segments   []segment
}

func newValues(p *payload.Payload) (v values, err error) {
	if v.coder, err = coderDecoder(p)(p.JSON); err != nil {
		return v, err
	}
	if v.any, err = decodeAny(p.JSON); err != nil {
		return v, err
	}
	v.segments, err = segments(p.JSON)
	return v, err
}

func encodeCases(p *payload.Payload) ([]*Case, error) {
	v, err := newValues(p)
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, e := range []struct {
		impl   string
		encode encoder
	}{
		{QuoteCopy, quoteCopier(v.segments)},
		{Append, appender(p.Value)},
		{Marshal, func() ([]byte, error) { return wire.Marshal(p.Value) }},
		{Any, func() ([]byte, error) { return json.Marshal(v.any) }},
		{Coder, func() ([]byte, error) { return json.Marshal(v.coder) }},
	} {
		cases = append(cases, &Case{
			Op: Encode, Payload: p.Name, Impl: e.impl, Bytes: len(p.JSON),
			Run: func() error {
				_, err := e.encode()
				return err
			},
			Verify: func() error {
				got, err := e.encode()
				if err != nil {
					return err
				}
				return same(p.JSON, got)
			},
		})
	}
	return cases, nil
}

func appender(v wire.Message) encoder {
	var buf []byte
	return func() (_ []byte, err error) {
		buf, err = wire.Append(buf[:0], v)
		return buf, err
	}
}

// A segment is a part of a message: bytes to be copied and the text of the string behind them.
type segment struct {
	copied []byte
	text   string
	quoted bool // there is a text
}

func quoteCopier(list []segment) encoder {
	var buf []byte
	return func() (_ []byte, err error) {
		buf = buf[:0]
		for _, s := range list {
			buf = append(buf, s.copied...)
			if !s.quoted {
				continue
			}
			if buf, err = jsontext.AppendQuote(buf, s.text); err != nil {
				return nil, err
			}
		}
		return buf, nil
	}
}

// constants are the members whose strings come from a list that the writer knows, so that it may copy them.
var constants = map[string]bool{"sessionUpdate": true, "type": true, "kind": true, "status": true}

// segments cuts b into what a writer must quote, which is every string value that can be any text, and what it may copy.
func segments(b []byte) ([]segment, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(b))
	var list []segment
	done := 0 // end of the last segment
	for member := ""; ; {
		if member == "rawInput" { // is copied as a whole
			if err := dec.SkipValue(); err != nil {
				return nil, err
			}
		}
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return append(list, segment{copied: b[done:]}), nil
		}
		if err != nil {
			return nil, err
		}
		kind, length := dec.StackIndex(dec.StackDepth())
		isName := kind == '{' && length%2 == 1 && token.Kind() == '"'
		if isName {
			member = token.String()
			continue
		}
		if token.Kind() == '"' && !constants[member] {
			end := int(dec.InputOffset())
			text := token.String()
			literal, err := jsontext.AppendQuote(nil, text)
			if err != nil {
				return nil, err
			}
			start := end - len(literal)
			list = append(list, segment{copied: b[done:start], text: text, quoted: true})
			done = end
		}
		member = ""
	}
}
