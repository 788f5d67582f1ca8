package wire

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A Marshaler writes itself to e, reporting violations to it. Every generated type is one.
type Marshaler interface {
	// MarshalWire writes one value to e, also if it is invalid.
	MarshalWire(e *Encoder)
}

// An Encoder appends one JSON value to a buffer and checks it on the way. Like a [Decoder] it notes violations and goes on, so that all are reported at once;
// what it has written is then thrown away. An Encoder is not safe for concurrent use.
type Encoder struct {
	buf   []byte
	base  int // where our value starts in buf
	tags  [2][2]string
	ntags int
	// issues hold offsets into buf: what is written so far leads to the place of the next value.
	issues []issue
	failed int
	extra  bool // members were written whose names may be those of others
}

var encoders = sync.Pool{New: func() any { return new(Encoder) }}

// scratch holds buffers for Marshal, which would otherwise grow a fresh one step by step.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// Marshal returns v as JSON in one line, or an [*InvalidError] that names everything about v that the schema forbids.
func Marshal(v Marshaler) ([]byte, error) {
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	b, err := Append((*buf)[:0], v)
	if err != nil {
		return nil, err
	}
	if cap(b) > keepOut {
		return b, nil // too large for the pool, so it may as well become the result
	}
	*buf = b
	return bytes.Clone(b), nil
}

// Append appends v as JSON to b, whose spare capacity it may use as scratch memory. If v is invalid it returns b as it was, and an [*InvalidError].
func Append(b []byte, v Marshaler) ([]byte, error) {
	e := encoders.Get().(*Encoder)
	e.buf, e.base = b, len(b)
	v.MarshalWire(e)
	if e.extra {
		e.duplicates()
	}
	out := e.buf
	var err error
	if e.failed > 0 {
		out, err = b, e.invalid()
	}
	*e = Encoder{issues: empty(e.issues)}
	encoders.Put(e)
	return out, err
}

// Unmarshal decodes b strictly into v; see [Decode].
func Unmarshal(b []byte, v Unmarshaler) error {
	_, err := Decode(b, v, nil)
	return err
}

// duplicates records the names that objects have twice, for what is written otherwise only writes the names of fields.
func (e *Encoder) duplicates() {
	d := NewDecoder(e.buf[e.base:], nil)
	defer d.Release()
	d.Skip()
	for _, f := range d.faults {
		e.fail(f.at, "propertyNames", "", f.msg)
	}
	e.failed += d.lost.faults
}

func (e *Encoder) invalid() error {
	slices.SortStableFunc(e.issues, func(a, b issue) int { return cmp.Compare(a.at, b.at) })
	spots := make([]spot, len(e.issues))
	for i, is := range e.issues {
		spots[i].at, spots[i].outer = is.at, is.outer
	}
	locate(e.buf[e.base:], spots)
	err := &InvalidError{Omitted: e.failed - len(e.issues)}
	for i, is := range e.issues {
		v := Violation{Rule: RuleSchema, Pointer: spots[i].pointer, Offset: is.at, Keyword: is.keyword, Schema: is.schema, Message: is.msg}
		err.Violations = append(err.Violations, v)
	}
	return err
}

// Invalid records that the value about to be written breaks keyword of the definition def, and writes null in its place.
func (e *Encoder) Invalid(keyword, def, msg string) {
	e.fail(len(e.buf)-e.base, keyword, def, msg)
	e.Null()
}

func (e *Encoder) fail(at int, keyword, def, msg string) {
	e.failed++
	if len(e.issues) < DefaultMaxViolations {
		is := issue{at: at, keyword: keyword, msg: msg}
		if def != "" {
			is.schema = "#/$defs/" + def
		}
		e.issues = append(e.issues, is)
	}
}

// Begin opens an object and writes the tags of the variant that it is.
func (e *Encoder) Begin() {
	e.buf = append(e.buf, '{')
	n := e.ntags
	e.ntags = 0
	for _, t := range e.tags[:n] {
		e.Key(t[0])
		e.buf = append(e.buf, t[1]...)
	}
}

// Tag makes the next object a variant: its first member is then key, a quoted name with its colon, with the JSON value.
func (e *Encoder) Tag(key, value string) {
	e.tags[e.ntags] = [2]string{key, value}
	e.ntags++
}

// NoTags drops tags that were set for a value that is no object.
func (e *Encoder) NoTags() { e.ntags = 0 }

// Close closes an object.
func (e *Encoder) Close() { e.buf = append(e.buf, '}') }

// Key writes a member's name, given with its quotes and colon, and the comma before it where one is due.
func (e *Encoder) Key(key string) {
	b := e.buf
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	e.buf = append(b, key...)
}

// Name writes a member's name that may need escapes.
func (e *Encoder) Name(name string) {
	if e.buf[len(e.buf)-1] != '{' {
		e.buf = append(e.buf, ',')
	}
	e.String(name)
	e.buf = append(e.buf, ':')
}

// BeginList opens an array.
func (e *Encoder) BeginList() { e.buf = append(e.buf, '[') }

// Element writes the comma before an element where one is due.
func (e *Encoder) Element() {
	if e.buf[len(e.buf)-1] != '[' {
		e.buf = append(e.buf, ',')
	}
}

// CloseList closes an array.
func (e *Encoder) CloseList() { e.buf = append(e.buf, ']') }

// Null writes null.
func (e *Encoder) Null() { e.buf = append(e.buf, "null"...) }

// Bool writes v.
func (e *Encoder) Bool(v bool) { e.buf = strconv.AppendBool(e.buf, v) }

// Int writes v.
func (e *Encoder) Int(v int64) { e.buf = strconv.AppendInt(e.buf, v, 10) }

// Uint writes v.
func (e *Encoder) Uint(v uint64) { e.buf = strconv.AppendUint(e.buf, v, 10) }

// Float writes v, which must be finite.
func (e *Encoder) Float(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		e.Invalid("type", "", "expected a finite number")
		return
	}
	format := byte('f')
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	e.buf = strconv.AppendFloat(e.buf, v, format, -1, 64)
}

// MinString writes v, which must have at least n code points.
func (e *Encoder) MinString(v string, n int) {
	if len([]rune(v)) < n {
		e.fail(len(e.buf)-e.base, "minLength", "", "expected at least "+strconv.Itoa(n)+" characters")
	}
	e.String(v)
}

// String writes v, which must be valid UTF-8.
func (e *Encoder) String(v string) {
	if isPlain(v) {
		b := append(e.buf, '"')
		b = append(b, v...)
		e.buf = append(b, '"')
		return
	}
	b, ok := appendString(e.buf, v)
	if !ok {
		e.fail(len(e.buf)-e.base, "type", "", "expected valid UTF-8")
	}
	e.buf = b
}

// Literal writes text that is known to be a JSON value.
func (e *Encoder) Literal(text string) { e.buf = append(e.buf, text...) }

// Raw writes v after checking that it is strict JSON; a nil Raw is null.
func (e *Encoder) Raw(v Raw) {
	if v == nil {
		e.Null()
		return
	}
	d := NewDecoder(v, nil)
	defer d.Release()
	kind := d.Peek()
	d.Skip()
	d.EOF()
	e.raw(d, v, kind)
}

// RawObject writes v after checking that it is one strict JSON object.
func (e *Encoder) RawObject(v Raw) {
	d := NewDecoder(v, nil)
	defer d.Release()
	kind := d.Peek()
	d.Skip()
	d.EOF()
	if kind != '{' && d.Valid() {
		e.Invalid("type", "", "expected object")
		return
	}
	e.raw(d, v, kind)
}

func (e *Encoder) raw(d *Decoder, v Raw, _ byte) {
	if !d.Valid() {
		e.Invalid("type", "", "expected strict JSON")
		return
	}
	if bytes.IndexByte(v, '\n') < 0 && bytes.IndexByte(v, '\r') < 0 {
		e.buf = append(e.buf, v...)
		return
	}
	one := jsontext.Value(slices.Clone(v))
	if err := one.Compact(); err != nil {
		e.Invalid("type", "", "expected strict JSON")
		return
	}
	e.buf = append(e.buf, one...)
}
