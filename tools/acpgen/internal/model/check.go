package model

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// check looks at what only shows once every definition is built: where references lead, and keys that would stand in one object twice.
func (b *builder) check() {
	for _, d := range b.out.Defs {
		b.checkType(d.Pointer, d.Type)
		if r, ok := d.Type.(*Ref); ok && b.resolve(r) == nil && b.out.Def(r.Name) != nil {
			b.errorf(d.Pointer, "the definition refers to itself")
		}
	}
}

func (b *builder) checkType(pointer string, t Type) {
	switch t := t.(type) {
	case *Struct:
		b.checkStruct(pointer, t)
	case *Union:
		b.checkUnion(t)
	case *List:
		b.checkType(pointer, t.Elem)
	case *Map:
		b.checkType(pointer, t.Elem)
	case *Ref:
		if b.out.Def(t.Name) == nil {
			b.errorf(pointer, "refers to %q, which has no type of its own", t.Name)
		}
	case *Enum, *Scalar, *Any:
	}
}

func (b *builder) checkStruct(pointer string, s *Struct) {
	for _, f := range s.Fields {
		b.checkType(f.Pointer, f.Type)
		b.checkDefault(f)
	}
	for _, u := range s.Unions {
		b.checkUnion(u)
		for _, v := range u.Variants {
			keys := b.keysOf(v.Payload, map[Type]bool{})
			for _, f := range s.Fields {
				if slices.Contains(keys, f.Name) {
					b.errorf(v.Pointer, "the property %q is declared by the object at %s too", f.Name, pointer)
				}
			}
		}
	}
}

func (b *builder) checkUnion(u *Union) {
	for _, v := range u.Variants {
		if v.Payload == nil {
			continue
		}
		b.checkType(v.Pointer, v.Payload)
		object := true
		switch u.Strategy {
		case ByTag, ByOpenTag, ByTagOrDefault, ByOpenTagOrDefault:
			object = b.isObject(v.Payload)
			// The default variant may declare the tag: no known tag is there then.
			if (v.Tag != "" || v.CatchAll) && slices.Contains(b.keysOf(v.Payload, map[Type]bool{}), u.Tag) {
				b.errorf(v.Pointer, "the payload declares the tag %q too", u.Tag)
			}
		case ByKey:
			object = v.CatchAll || b.isObject(v.Payload)
		case ByElementKey:
			l, ok := v.Payload.(*List)
			object = ok && b.isObject(l.Elem)
		case ByKind:
		}
		if !object {
			b.errorf(v.Pointer, "the variant is no object with properties")
		}
	}
}

// resolve follows references to a type that is none; nil if they lead nowhere or in a circle.
func (b *builder) resolve(t Type) Type {
	for range len(b.out.Defs) + 1 {
		r, ok := t.(*Ref)
		if !ok {
			return t
		}
		d := b.out.Def(r.Name)
		if d == nil {
			return nil
		}
		t = d.Type
	}
	return nil
}

// isObject reports whether every value of the type is an object with described properties.
func (b *builder) isObject(t Type) bool {
	switch t := b.resolve(t).(type) {
	case *Struct:
		return true
	case *Union:
		return t.Strategy != ByKind && t.Strategy != ByElementKey
	case *Any, *Enum, *List, *Map, *Ref, *Scalar:
	}
	return false
}

// keysOf returns the properties an object of the type can have, those of its variants included. seen breaks circles.
func (b *builder) keysOf(t Type, seen map[Type]bool) []string {
	t = b.resolve(t)
	if t == nil || seen[t] {
		return nil
	}
	seen[t] = true
	var keys []string
	var unions []*Union
	switch t := t.(type) {
	case *Struct:
		for _, f := range t.Fields {
			keys = append(keys, f.Name)
		}
		unions = t.Unions
	case *Union:
		unions = []*Union{t}
	case *Any, *Enum, *List, *Map, *Ref, *Scalar:
	}
	for _, u := range unions {
		if u.Tag != "" {
			keys = append(keys, u.Tag)
		}
		for _, v := range u.Variants {
			keys = append(keys, b.keysOf(v.Payload, seen)...)
		}
	}
	return keys
}

// checkDefault checks that a default is of the field's JSON kind.
func (b *builder) checkDefault(f *Field) {
	if f.Default == nil {
		return
	}
	kind := jsontext.Value(f.Default).Kind()
	if kind == jsontext.KindNull && f.Nullable {
		return
	}
	want := b.kinds(f.Type)
	if len(want) > 0 && !slices.Contains(want, kind) {
		b.errorf(f.Pointer+"/default", "the default %s is not of the property's type", f.Default)
	}
}

// kinds returns the JSON kinds that values of the type can have; nil if it does not say.
func (b *builder) kinds(t Type) []jsontext.Kind {
	scalars := map[Kind][]jsontext.Kind{
		String:  {jsontext.KindString},
		Boolean: {jsontext.KindTrue, jsontext.KindFalse},
		Integer: {jsontext.KindNumber},
		Number:  {jsontext.KindNumber},
		Null:    {jsontext.KindNull},
	}
	switch t := b.resolve(t).(type) {
	case *Struct, *Map:
		return []jsontext.Kind{jsontext.KindBeginObject}
	case *List:
		return []jsontext.Kind{jsontext.KindBeginArray}
	case *Scalar:
		return scalars[t.Kind]
	case *Enum:
		return scalars[t.Base.Kind]
	case *Union, *Any, *Ref:
	}
	return nil
}
