package wire

import (
	"maps"
	"math"
	"slices"
)

// UnmarshalFunc is a function as an [Unmarshaler].
type UnmarshalFunc func(d *Decoder)

// UnmarshalWire calls f.
func (f UnmarshalFunc) UnmarshalWire(d *Decoder) { f(d) }

// A Box carries a result that is a union, which has no type of its own to decode into.
type Box[T any] struct {
	Value  T
	Decode func(*Decoder) T
	Encode func(*Encoder, T)
}

// UnmarshalWire decodes Value.
func (b *Box[T]) UnmarshalWire(d *Decoder) { b.Value = b.Decode(d) }

// MarshalWire writes Value.
func (b *Box[T]) MarshalWire(e *Encoder) { b.Encode(e, b.Value) }

// Reply returns what a handler returned as a message: nothing if it failed.
func Reply(result Message, err error) (Message, error) {
	if err != nil {
		return nil, err
	}
	return result, nil
}

// SortedKeys returns the keys of m in order, so that encoding is deterministic.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// BeginMap opens an object whose names are data.
func (e *Encoder) BeginMap() { e.buf = append(e.buf, '{') }

// TooShort records that the array about to be written has too few elements.
func (e *Encoder) TooShort(want string) {
	e.fail(len(e.buf)-e.base, "minItems", "", "expected "+want)
}

// OutOfRange records that the number about to be written is not in the range.
func (e *Encoder) OutOfRange(want string) {
	e.fail(len(e.buf)-e.base, "range", "", "expected a number "+want)
}

// UnknownTag writes the tag of an unknown variant that is part of an object. key is the quoted name with its colon.
func (e *Encoder) UnknownTag(def, key, tag string, known ...string) {
	e.Key(key)
	if slices.Contains(known, tag) {
		e.fail(len(e.buf)-e.base, "not", def, "the tag of an unknown variant is known ("+def+")")
	}
	e.String(tag)
}

// Untag forgets the tag of a variant that was read without its members being looked at.
func (d *Decoder) Untag() { d.ntags = 0 }

// TagAbsent reports whether the object that comes next has no member tag, or null for it. With repair, a lenient decode takes a tag that is no string for
// absent, too, and says so. The position stays.
func (d *Decoder) TagAbsent(tag string, repair bool) bool {
	_, at, state := d.lookTag(tag)
	switch {
	case state == tagMissing:
		return true
	case state == tagNotString && at < len(d.buf) && d.buf[at] == 'n':
		return true
	case state == tagNotString && repair && d.lenient:
		d.addFix(fix{at: at, action: Defaulted, msg: "expected string"})
		return true
	}
	return false
}

// Whole returns f as an integer if it is one of 64 bits.
func Whole(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < -1<<63 || f >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// IsInt64 reports whether the number that comes next is a 64-bit integer, however it is written. The position stays.
func (d *Decoder) IsInt64() bool {
	if d.Peek() != '0' {
		return false
	}
	pos, failed, fatal := d.pos, d.failed, d.fatal
	issues, lost := len(d.issues), d.lost
	d.Int(-1<<63, 1<<63-1, "int64")
	is := d.failed == failed && d.fatal == fatal
	d.pos, d.failed, d.fatal = pos, failed, fatal
	d.issues, d.lost = d.issues[:issues], lost
	return is
}
