package wire

import "strconv"

// A RequestID identifies a request: a string, a 64-bit integer or null. The zero value is null. Equal compares by type and value, so that 1 and 1.0 are equal
// and 1 and "1" are not. A number read from the wire is written as it came.
// https://agentclientprotocol.com/protocol/schema
type RequestID struct {
	kind idKind
	num  int64
	str  string // the string, or the number's text if it is not num in plain digits
}

type idKind uint8

const (
	idNull idKind = iota
	idInt
	idString
)

// IntID returns the id n.
func IntID(n int64) RequestID { return RequestID{kind: idInt, num: n} }

// StringID returns the id s.
func StringID(s string) RequestID { return RequestID{kind: idString, str: s} }

// IsNull reports whether id is null.
func (id RequestID) IsNull() bool { return id.kind == idNull }

// Int returns the id's number, and whether it is one.
func (id RequestID) Int() (int64, bool) { return id.num, id.kind == idInt }

// Str returns the id's string, and whether it is one.
func (id RequestID) Str() (string, bool) {
	if id.kind != idString {
		return "", false
	}
	return id.str, true
}

// Key returns what two equal ids have in common, for use as a map key.
func (id RequestID) Key() RequestID {
	if id.kind == idInt {
		id.str = ""
	}
	return id
}

// Equal reports whether id and other are the same id.
func (id RequestID) Equal(other RequestID) bool { return id.Key() == other.Key() }

// String returns the id as JSON.
func (id RequestID) String() string {
	switch id.kind {
	case idInt:
		if id.str != "" {
			return id.str
		}
		return strconv.FormatInt(id.num, 10)
	case idString:
		b, _ := appendString(nil, id.str) // with U+FFFD where it is not valid UTF-8
		return string(b)
	case idNull:
	}
	return "null"
}

// UnmarshalWire reads an id.
func (id *RequestID) UnmarshalWire(d *Decoder) {
	*id = RequestID{}
	switch d.Peek() {
	case 'n':
		d.ExplicitNull()
	case '"':
		*id = StringID(d.String())
	case '0':
		start, failed, outer := d.Start(), d.failed, d.scope
		d.scope = scope{"RequestId", start}
		n := d.Int(-1<<63, 1<<63-1, "int64")
		d.scope = outer
		if d.failed != failed || d.fatal != nil {
			return
		}
		*id = IntID(n)
		if text := string(d.buf[start:d.pos]); text != strconv.FormatInt(n, 10) {
			id.str = text
		}
	default:
		d.NoVariant("RequestId", "a string, an integer or null")
	}
}

// MarshalWire writes id.
func (id RequestID) MarshalWire(e *Encoder) {
	switch id.kind {
	case idNull:
		e.Null()
	case idInt:
		if id.str != "" {
			e.buf = append(e.buf, id.str...)
			return
		}
		e.Int(id.num)
	case idString:
		e.String(id.str)
	}
}

// MarshalJSON returns the id as JSON.
func (id RequestID) MarshalJSON() ([]byte, error) { return Marshal(id) }

// UnmarshalJSON reads the id from b.
func (id *RequestID) UnmarshalJSON(b []byte) error { return Unmarshal(b, id) }
