package plan

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
)

// maxWidth is how many members a struct can have: the decoder notes them in a word, of which it keeps the last bits for tags.
const maxWidth = 60

// check reports shapes that the emitter has no code for. What is let through here comes out as code that means the same.
func (b *builder) check() {
	for _, d := range b.pkg.Decls {
		at := "#/$defs/" + d.DefName()
		switch d := d.(type) {
		case *Struct:
			b.checkStruct(d)
		case *Unknown:
			b.checkStruct(d.Fields)
		case *Union:
			b.checkUnion(d)
		case *Scalar:
			b.checkType(at, d.Model, true)
		case *Alias:
			if d.Target == "" {
				b.checkType(at, d.Model, len(d.VariantOf) == 0)
			}
		case *Enum:
			b.checkEnum(at, d)
		case *Derived, *Wrapped:
		}
	}
}

// checkMessages reports params and results that are not messages: the code makes them with new, and a result that is a union in a box.
func (b *builder) checkMessages(m *model.Method) {
	message := func(d Decl) bool {
		switch d := d.(type) {
		case *Struct:
			return true
		case *Alias:
			free, ok := d.Model.(*model.Any)
			return ok && !free.Object
		case *Derived, *Wrapped, *Union, *Unknown, *Enum, *Scalar:
		}
		return false
	}
	if d := b.pkg.Lookup(m.Params); !message(d) {
		b.refuse("#/$defs/"+m.Params, "the params of %s are no object", m.Name)
	}
	if m.Result == "" {
		return
	}
	d := b.pkg.Lookup(m.Result)
	if _, union := d.(*Union); !union && !message(d) {
		b.refuse("#/$defs/"+m.Result, "the result of %s is no object and no union", m.Name)
	}
}

func (b *builder) checkEnum(at string, e *Enum) {
	if !e.Model.Open && e.Model.Base.Kind == model.Integer {
		b.refuse(at, "a closed integer enum")
	}
	for _, v := range e.Values {
		if e.Model.Base.Kind == model.String && !plain(strings.Trim(v.Const, `"`)) {
			b.refuse(v.Pointer, "the value %s, which needs escapes", v.Const)
		}
	}
}

// plain reports whether a name is the same in a JSON string, in a Go string and as it is.
func plain(name string) bool { return strconv.Quote(name) == `"`+name+`"` }

// refuse reports a shape that there is no code for.
func (b *builder) refuse(at, format string, args ...any) {
	b.errorf(at, "not supported: "+format, args...)
}

func (b *builder) checkStruct(s *Struct) {
	if s.Width() > maxWidth {
		b.refuse(b.at[s], "struct %s has %d members with those of its variants, more than the %d that a decoder can note", s.Go, s.Width(), maxWidth)
	}
	for _, f := range s.Fields {
		if !plain(f.Name) {
			b.refuse(f.Pointer, "the property name %q, which needs escapes", f.Name)
		}
		_, list := f.Type.(*model.List)
		_, object := f.Type.(*model.Map)
		null := string(f.Default) == "null"
		switch {
		case f.DefaultOnNull && !list && !object:
			b.refuse(f.Pointer, "x-deserialize-default-on-null on a member that is no list or map")
		case f.DefaultOnError && f.Required && !f.Nullable && !list && !object:
			b.refuse(f.Pointer, "a required member with x-deserialize-default-on-error that is no list or map")
		case f.Default != nil && !null && f.Required && !list && !object:
			b.refuse(f.Pointer, "a required member with a default")
		case f.Default != nil && !null && f.ThreeState:
			b.refuse(f.Pointer, "a member whose null differs from its absence cannot have a default")
		}
		b.checkType(f.Pointer, f.Type, false)
	}
}

// checkType looks at a type. The length of an array is only checked where it is not part of another type.
func (b *builder) checkType(at string, t model.Type, part bool) {
	switch t := t.(type) {
	case *model.List:
		if t.Nullable {
			b.refuse(at, "a list with null elements")
		}
		if t.MinItems > 0 && part {
			b.refuse(at, "minItems on an array that is no property of an object")
		}
		b.checkType(at, t.Elem, true)
	case *model.Map:
		b.checkType(at, t.Elem, true)
	case *model.Scalar:
		b.checkScalar(at, t)
	case *model.Any, *model.Ref, *model.Struct, *model.Union, *model.Enum:
	}
}

// checkScalar reports ranges that reach beyond 64 bits, which the Go types have.
func (b *builder) checkScalar(at string, s *model.Scalar) {
	if s.Kind != model.Integer {
		return
	}
	lo, hi := big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	if s.Format == "uint64" {
		if s.Min != nil && s.Min.Sign() > 0 {
			b.refuse(at, "a uint64 with a minimum of its own")
		}
		return
	}
	if s.Min != nil && s.Min.Cmp(lo) < 0 || s.Max != nil && s.Max.Cmp(hi) > 0 {
		b.refuse(at, "a range beyond the 64-bit integers")
	}
}

// checkUnion reports a oneOf whose variants can match at once in more ways than the code looks for.
func (b *builder) checkUnion(u *Union) {
	m := u.Model
	for _, v := range m.Variants {
		if !plain(v.Tag) || !plain(m.Tag) {
			b.refuse(v.Pointer, "the tag %q: %q, which needs escapes", m.Tag, v.Tag)
		}
	}
	if u.Flat && u.Open && m.Strategy == model.ByKey {
		b.refuse(m.Pointer, "a variant that takes everything in a union that is part of an object")
	}
	if !m.Exclusive {
		return
	}
	switch m.Strategy {
	case model.ByTag, model.ByOpenTag, model.ByKind:
	case model.ByKey:
		if !u.Flat && len(u.Variants) > 1 || len(u.Variants) > 2 {
			b.refuse(m.Pointer, "a oneOf by key, but for one with two variants in an object")
		}
	case model.ByElementKey, model.ByTagOrDefault, model.ByOpenTagOrDefault:
		b.refuse(m.Pointer, "a oneOf whose variants can match at once")
	}
}
