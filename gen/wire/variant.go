package wire

import (
	"slices"
	"strconv"
	"strings"
)

// MarshalVariant returns v as JSON with its tag: key is a quoted name with its colon, tag a quoted string.
func MarshalVariant(key, tag string, v Marshaler) ([]byte, error) {
	return Marshal(variant{key, tag, v})
}

type variant struct {
	key, tag string
	v        Marshaler
}

func (m variant) MarshalWire(e *Encoder) {
	e.Tag(m.key, m.tag)
	m.v.MarshalWire(e)
}

// UnmarshalVariant decodes b strictly into v, a variant of the union def whose member key must be tag.
func UnmarshalVariant(b []byte, def, key, tag string, v Unmarshaler) error {
	return Unmarshal(b, &variantReader{def, key, tag, v})
}

type variantReader struct {
	def, key, tag string
	v             Unmarshaler
}

func (r *variantReader) UnmarshalWire(d *Decoder) {
	got, ok := d.Tag(r.def, r.key)
	if !ok {
		return
	}
	if string(got) != r.tag {
		d.UnknownTag(r.def, r.key, r.tag)
		return
	}
	r.v.UnmarshalWire(d)
}

// Lacks records that the object being written lacks a required member of the definition def, or all of several of which one is required.
func (e *Encoder) Lacks(def string, names ...string) {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	n := len(e.issues)
	e.fail(len(e.buf)-e.base, "required", def+"/required", "missing required "+strings.Join(quoted, " or ")+" ("+def+")")
	for i := n; i < len(e.issues); i++ {
		e.issues[i].outer = true
	}
}

// NotOneOf records that the string about to be written is none of the values of the closed enum def, and writes null in its place.
func (e *Encoder) NotOneOf(def string, values ...string) {
	e.Invalid("enum", def, "unknown "+def+", expected "+oneOf(values))
}

// Unknown writes an unknown variant of the open union def from its bytes, after checking that they are an object whose member key is tag and that tag is none
// of the known ones.
func (e *Encoder) Unknown(def, key, tag string, raw Raw, known ...string) {
	e.NoTags()
	if slices.Contains(known, tag) {
		e.Invalid("not", def, "the tag of an unknown "+def+" is known")
		return
	}
	d := NewDecoder(raw, nil)
	got, _, state := d.lookTag(key)
	same := state == tagFound && string(got) == tag
	d.Release()
	if !same {
		e.Invalid("required", def, "expected an object whose "+strconv.Quote(key)+" is the variant's tag ("+def+")")
		return
	}
	e.RawObject(raw)
}

// Members writes members that an unknown variant kept, beside those of the object it is part of.
func (e *Encoder) Members(members []Member) {
	for _, m := range members {
		if m.Name == "" && m.Value == nil {
			continue
		}
		e.extra = true
		e.Name(m.Name)
		e.Raw(m.Value)
	}
}
