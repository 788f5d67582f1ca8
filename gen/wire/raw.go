package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Raw is one JSON value as it stood on the wire, byte for byte. A nil Raw is an absent value; Raw("null") is null.
//
// Encoding checks a Raw and refuses it if it is not strict JSON. A Raw with line breaks between its tokens is written without them, because a
// frame is one line; otherwise its bytes are written unchanged.
type Raw []byte

// MarshalJSON returns r, or null if r is nil.
func (r Raw) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON sets r to a copy of b.
func (r *Raw) UnmarshalJSON(b []byte) error {
	if r == nil {
		return errors.New("wire: UnmarshalJSON on nil *Raw")
	}
	*r = bytes.Clone(b)
	return nil
}

// UnmarshalWire reads any value.
func (r *Raw) UnmarshalWire(d *Decoder) { *r = d.Raw() }

// MarshalWire writes r; a nil Raw is null.
func (r Raw) MarshalWire(e *Encoder) { e.Raw(r) }

// Meta is the _meta member that every protocol type has: extension data, an object kept byte for byte. A nil Meta is absent.
// https://agentclientprotocol.com/protocol/extensibility
type Meta = Raw

// RawOf returns v encoded by encoding/json, for filling a Raw or Meta by hand.
func RawOf(v any) (Raw, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Clone returns a copy of r; of nil, nil.
func (r Raw) Clone() Raw { return bytes.Clone(r) }

// A Member is one member of an object, kept byte for byte.
type Member struct {
	Name  string
	Value Raw
}
