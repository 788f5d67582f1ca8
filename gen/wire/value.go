package wire

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// Peek returns what kind of value comes next: '{', '[', '"', 't', 'f', 'n', '0' for any number, or 0 if none does.
func (d *Decoder) Peek() byte {
	c := d.peek()
	if c == '-' || c >= '0' && c <= '9' {
		return '0'
	}
	return c
}

// Null reads a null and reports whether there was one. The caller treats it as absence, which is counted.
func (d *Decoder) Null() bool {
	if d.peek() != 'n' || !d.literal("null") {
		return false
	}
	d.nulls++
	return true
}

// ExplicitNull is [Decoder.Null] where null has a meaning of its own and is kept.
func (d *Decoder) ExplicitNull() bool {
	return d.peek() == 'n' && d.literal("null")
}

// NullEmpty reads a null where the schema has x-deserialize-default-on-null: a lenient decode takes it for the empty value, which is reported; a strict one
// leaves it to be refused.
func (d *Decoder) NullEmpty() bool {
	if !d.lenient || d.peek() != 'n' {
		return false
	}
	at := d.pos
	if !d.literal("null") {
		return false
	}
	d.addFix(fix{at: at, action: Emptied, msg: "null where an empty value was expected"})
	return true
}

// Bool reads a boolean.
func (d *Decoder) Bool() bool {
	switch d.peek() {
	case 't':
		return d.literal("true")
	case 'f':
		d.literal("false")
	default:
		d.Mismatch("boolean")
	}
	return false
}

// String reads a string.
func (d *Decoder) String() string {
	if d.peek() != '"' {
		d.Mismatch("string")
		return ""
	}
	s, plain := d.value()
	if len(s) == 0 {
		return ""
	}
	if !plain && len(d.out) > keepOut && len(s) > len(d.out)/2 {
		d.out = nil // too large for the pool, so it may as well become the string
		return unsafe.String(unsafe.SliceData(s), len(s))
	}
	if !plain || len(d.buf) > shareLimit {
		return string(s)
	}
	if d.str == "" {
		d.str = string(d.buf)
	}
	end := d.pos - 1
	return d.str[end-len(s) : end]
}

// MinString reads a string of at least n code points.
func (d *Decoder) MinString(n int) string {
	d.peek()
	at := d.pos
	failed := d.failed
	s := d.String()
	if d.failed == failed && utf8.RuneCountInString(s) < n {
		d.addIssue(issue{at: at, keyword: "minLength", msg: "expected at least " + strconv.Itoa(n) + " characters"})
	}
	return s
}

// Text reads a string without allocating, for comparison: the result is valid until the next call.
func (d *Decoder) Text() (s []byte, ok bool) {
	if d.peek() != '"' {
		d.Mismatch("string")
		return nil, false
	}
	s, plain := d.text()
	if !plain {
		s = d.unquote(s)
	}
	return s, d.fatal == nil
}

// Int reads an integer in the range of the named format.
func (d *Decoder) Int(lo, hi int64, format string) int64 {
	at, s, ok := d.integer()
	if !ok {
		return 0
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < lo || v > hi {
		d.outOfRange(at, s, lo, uint64(hi), format)
		return 0
	}
	return v
}

// Uint reads an integer from zero to hi, in the range of the named format.
func (d *Decoder) Uint(hi uint64, format string) uint64 {
	at, s, ok := d.integer()
	if !ok {
		return 0
	}
	if s == "-0" {
		return 0
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil || v > hi {
		d.outOfRange(at, s, 0, hi, format)
		return 0
	}
	return v
}

func (d *Decoder) outOfRange(at int, s string, lo int64, hi uint64, format string) {
	keyword := "maximum"
	if s[0] == '-' {
		keyword = "minimum"
	}
	d.addIssue(issue{at: at, keyword: keyword, msg: "expected " + format + ", from " + strconv.FormatInt(lo, 10) + " to " + strconv.FormatUint(hi, 10)})
}

// integer reads a number that has no fraction, however it is written, and returns its plain decimal digits. The string is valid until the buffer changes.
func (d *Decoder) integer() (at int, s string, ok bool) {
	c := d.peek()
	if c != '-' && (c < '0' || c > '9') {
		d.Mismatch("integer")
		return 0, "", false
	}
	at = d.pos
	b, plain := d.number()
	if d.fatal != nil {
		return at, "", false
	}
	if plain {
		return at, unsafe.String(unsafe.SliceData(b), len(b)), true
	}
	s, ok = integral(b)
	if !ok {
		d.addIssue(issue{at: at, keyword: "type", msg: "expected integer"})
	}
	return at, s, ok
}

// integral returns the decimal digits of a number in JSON syntax if it is an integer, without computing powers of ten: 7e3 is "7000". Numbers beyond any
// format come back as some number that is out of every range.
func integral(b []byte) (string, bool) {
	mant, exp := b, 0
	if i := bytes.IndexAny(b, "eE"); i >= 0 {
		mant = b[:i]
		e, err := strconv.Atoi(string(b[i+1:]))
		if err != nil { // an exponent beyond int
			e = math.MaxInt
			if b[i+1] == '-' {
				e = -e
			}
		}
		const far = 1 << 30 // beyond any number of digits, and sums with it stay an int of 32 bits
		exp = max(min(e, far), -far)
	}
	neg := mant[0] == '-'
	if neg {
		mant = mant[1:]
	}
	whole, frac, _ := bytes.Cut(mant, []byte{'.'})
	digits := append(append(make([]byte, 0, len(mant)+24), whole...), frac...)
	point := len(whole) + exp // where the decimal point stands in digits
	trimmed := bytes.TrimLeft(digits, "0")
	point -= len(digits) - len(trimmed)
	trimmed = bytes.TrimRight(trimmed, "0")
	switch {
	case len(trimmed) == 0:
		return "0", true
	case point < len(trimmed):
		return "", false
	case point > 20: // more digits than any 64-bit integer has
		trimmed = append(trimmed, "000000000000000000000"...)
	default:
		for len(trimmed) < point {
			trimmed = append(trimmed, '0')
		}
	}
	if neg {
		return "-" + string(trimmed), true
	}
	return string(trimmed), true
}

// Float reads a number as a float64.
func (d *Decoder) Float() float64 {
	c := d.peek()
	if c != '-' && (c < '0' || c > '9') {
		d.Mismatch("number")
		return 0
	}
	at := d.pos
	s, _ := d.number()
	if d.fatal != nil {
		return 0
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(s), len(s)), 64)
	if err != nil {
		d.addIssue(issue{at: at, keyword: "format", msg: "expected a number that a double can hold"})
	}
	return v
}

// Raw reads any value and returns a copy of its bytes, in which a lenient decode has replaced lone surrogates.
func (d *Decoder) Raw() Raw {
	d.peek()
	start := d.pos
	d.Skip()
	return d.Since(start)
}

// RawObject reads an object of any members and returns a copy of its bytes.
func (d *Decoder) RawObject() Raw {
	if d.peek() != '{' {
		d.Mismatch("object")
		return nil
	}
	return d.Raw()
}

// Mismatch records that the next value is not of the wanted kind, and skips it.
func (d *Decoder) Mismatch(want string) {
	d.peek()
	at := d.pos
	d.Skip()
	if d.fatal == nil {
		d.addIssue(issue{at: at, keyword: "type", msg: "expected " + want})
	}
}
