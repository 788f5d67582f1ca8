package plan

import (
	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/internal/goname"
)

// fillUnion plans a union's variants.
func (b *builder) fillUnion(u *Union, names *UnionNames) {
	m := u.Model
	prefix := u.Go
	if names.Plain {
		prefix = ""
	}
	for _, mv := range m.Variants {
		v := &Variant{Variant: mv}
		u.Variants = append(u.Variants, v)
		goName := names.variant(key(mv))
		if goName == "" {
			goName = prefix + goname.Of(key(mv))
		}
		use := &VariantUse{Union: u}
		if mv.Tag != "" {
			use.Key, use.Tag = m.Tag, mv.Tag
		}
		switch {
		case mv.Absent:
		case mv.CatchAll:
			u.Open = true
			v.Decl = b.unknown(u, mv, names)
		default:
			v.Decl = b.variant(u, mv, use, goName)
		}
	}
	if !u.Open && m.Strategy == model.ByTag {
		u.Unknown = b.newUnknown(u, names)
		b.pkg.Decls = append(b.pkg.Decls, u.Unknown)
	}
	if names.Unknown != "" && u.Unknown == nil {
		b.errorf(m.Pointer, "overlay: the union has no unknown variant to name %s", names.Unknown)
	}
	if !u.Flat && (names.Type != "" || names.Field != "") {
		b.errorf(m.Pointer, "overlay: type and field are for a union that is part of an object")
	}
}

func (b *builder) newUnknown(u *Union, names *UnionNames) *Unknown {
	n := named{Go: names.Unknown, Def: u.Def}
	if n.Go == "" {
		n.Go = "Unknown" + u.Go
	}
	b.name(n.Go, u.Model.Pointer)
	return &Unknown{named: n, Union: u, Fields: &Struct{named: n}}
}

// unknown plans the catch-all variant.
func (b *builder) unknown(u *Union, mv *model.Variant, names *UnionNames) Decl {
	unk := b.newUnknown(u, names)
	u.Unknown = unk
	switch p := mv.Payload.(type) {
	case *model.Struct:
		b.fillStruct(unk.Fields, p, mv.Pointer)
	case *model.Any:
	case *model.Union, *model.Enum, *model.List, *model.Map, *model.Scalar, *model.Ref:
		b.errorf(mv.Pointer, "a catch-all variant must be an object")
	}
	b.pkg.Decls = append(b.pkg.Decls, unk)
	return unk
}

// variant plans one known variant: the payload's own type where that is possible, else a type of its own.
func (b *builder) variant(u *Union, mv *model.Variant, use *VariantUse, goName string) Decl {
	n := named{Go: goName, Def: u.Def}
	doc := DocKey{Def: u.Doc.Def, Variant: key(mv)}
	var decl Decl
	switch p := mv.Payload.(type) {
	case *model.Ref:
		return b.refVariant(u, mv, p, use, n, doc)
	case *model.Struct:
		s := &Struct{named: n, VariantOf: []*VariantUse{use}, Doc: doc}
		b.fillStruct(s, p, mv.Pointer)
		decl = s
	case *model.Scalar:
		if p.Kind == model.Null {
			b.errorf(mv.Pointer, "a null variant needs a mapped type")
		}
		decl = &Scalar{named: n, Model: p, VariantOf: []*VariantUse{use}, Doc: doc}
	case *model.List, *model.Any, *model.Map:
		decl = &Alias{named: n, Model: p, VariantOf: []*VariantUse{use}, Doc: doc}
	case *model.Union, *model.Enum:
		b.errorf(mv.Pointer, "a variant cannot be an inline union or enum")
		return nil
	}
	b.name(goName, mv.Pointer)
	b.pkg.Decls = append(b.pkg.Decls, decl)
	return decl
}

// refVariant plans a variant whose payload is a definition. A struct that is the payload of this variant only is the variant.
func (b *builder) refVariant(u *Union, mv *model.Variant, ref *model.Ref, use *VariantUse, n named, doc DocKey) Decl {
	switch p := b.pkg.byDef[ref.Name].(type) {
	case *Struct:
		if b.uses[ref.Name] == 1 {
			p.VariantOf = append(p.VariantOf, use)
			return p
		}
		d := &Derived{named: named{Go: b.name(n.Go, mv.Pointer), Def: ref.Name}, From: p, VariantOf: []*VariantUse{use}, Doc: doc}
		b.pkg.Decls = append(b.pkg.Decls, d)
		return d
	case *Union:
		w := &Wrapped{named: named{Go: b.name(n.Go, mv.Pointer), Def: u.Def}, Field: p.Go, VariantOf: []*VariantUse{use}, Doc: doc}
		b.pkg.Decls = append(b.pkg.Decls, w)
		return w
	case *Enum, *Scalar, *Alias, *Derived, *Wrapped, *Unknown, nil:
		b.errorf(mv.Pointer, "a variant of a tagged union must be an object, %s is none", ref.Name)
	}
	return nil
}
