package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/bench/internal/payload"
)

// A decoder returns the value that b holds.
type decoder func(b []byte) (any, error)

func decodeCases(p *payload.Payload) []*Case {
	cases := []*Case{decodeCase(p, Scan, scan)}
	cases[0].Verify = func() error { return verifyScan(p.JSON) }
	for _, d := range []struct {
		impl   string
		decode decoder
	}{
		{Strict, ours(p, nil)},
		{Lenient, ours(p, &wire.DecodeOptions{Lenient: true})},
		{Any, decodeAny},
		{Coder, coderDecoder(p)},
	} {
		cases = append(cases, decodeCase(p, d.impl, d.decode))
	}
	return cases
}

func decodeCase(p *payload.Payload, impl string, decode decoder) *Case {
	return &Case{
		Op: Decode, Payload: p.Name, Impl: impl, Bytes: len(p.JSON),
		Run: func() error {
			_, err := decode(p.JSON)
			return err
		},
		Verify: func() error {
			v, err := decode(p.JSON)
			if err != nil {
				return err
			}
			back, err := json.Marshal(v)
			if err != nil {
				return err
			}
			return same(p.JSON, back)
		},
	}
}

func ours(p *payload.Payload, opts *wire.DecodeOptions) decoder {
	return func(b []byte) (any, error) {
		v := p.New()
		_, err := wire.Decode(b, v, opts)
		return v, err
	}
}

func decodeAny(b []byte) (v any, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

// A Scanner reads JSON values token by token. The zero value is ready to use. It is not safe for concurrent use.
type Scanner struct {
	dec *jsontext.Decoder
	buf bytes.Buffer
}

// Scan checks that b is one strict JSON value and returns how many tokens it has. A jsontext decoder reads a bytes.Buffer in place, and any other reader
// through a copy, so this is its fastest way.
func (s *Scanner) Scan(b []byte) (tokens int, err error) {
	s.buf = *bytes.NewBuffer(b)
	if s.dec == nil {
		s.dec = jsontext.NewDecoder(&s.buf)
	} else {
		s.dec.Reset(&s.buf)
	}
	for ; ; tokens++ {
		if _, err := s.dec.ReadToken(); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return tokens, err
		}
	}
}

var scanners = sync.Pool{New: func() any { return new(Scanner) }}

// scan is a decoder that keeps nothing.
func scan(b []byte) (any, error) {
	s := scanners.Get().(*Scanner)
	_, err := s.Scan(b)
	scanners.Put(s)
	return nil, err
}

func verifyScan(b []byte) error {
	want := 0
	v, err := tree(b)
	if err != nil {
		return err
	}
	count(v, &want)
	var s Scanner
	for range 2 { // the second time through a decoder that was used before
		got, err := s.Scan(b)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%d tokens, want %d", got, want)
		}
	}
	if _, err := s.Scan(b[:len(b)-1]); err == nil {
		return errors.New("a value without its end was accepted")
	}
	return nil
}

// count adds the tokens of v.
func count(v any, tokens *int) {
	switch v := v.(type) {
	case map[string]any:
		*tokens += 2
		for _, value := range v {
			*tokens++
			count(value, tokens)
		}
	case []any:
		*tokens += 2
		for _, value := range v {
			count(value, tokens)
		}
	default:
		*tokens++
	}
}
