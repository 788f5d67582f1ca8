package emit

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// decodeUnion prints the function that decodes a union that is a value of its own.
func (g *emitter) decodeUnion(p *printer, u *plan.Union) {
	p.P("func decode", u.Go, "(d *wire.Decoder) ", u.Go, " {")
	switch u.Model.Strategy {
	case model.ByTag, model.ByOpenTag:
		p.P(fmt.Sprintf("tag, ok := d.Tag(%q, %q)", u.Def, u.Model.Tag))
		p.P("if !ok { return nil }")
		p.P("switch string(tag) {")
		g.tagCases(p, u, "")
		p.P("}")
		g.unknownTag(p, u)
	case model.ByTagOrDefault, model.ByOpenTagOrDefault:
		p.P(fmt.Sprintf("tag, found, ok := d.OptionalTag(%q, %q)", u.Def, u.Model.Tag))
		p.P("if !ok { return nil }")
		p.P("if found {")
		p.P("switch string(tag) {")
		g.tagCases(p, u, fmt.Sprintf("d.Tagged(%q)", u.Model.Tag))
		p.P("}")
		if u.Open {
			g.unknownTag(p, u)
		}
		p.P("}")
		g.decodeVariant(p, defaultVariant(u))
	case model.ByKey, model.ByElementKey:
		g.decodeByKey(p, u)
	case model.ByKind:
		g.decodeByKind(p, u)
	}
	p.P("}")
	p.P()
	p.P("// Unmarshal", u.Go, " decodes b strictly.")
	p.P("func Unmarshal", u.Go, "(b []byte) (", u.Go, ", error) {")
	p.P("var x ", u.Go)
	p.P("err := wire.Unmarshal(b, wire.UnmarshalFunc(func(d *wire.Decoder) { x = decode", u.Go, "(d) }))")
	p.P("if err != nil { return nil, err }")
	p.P("return x, nil")
	p.P("}")
	p.P()
}

func defaultVariant(u *plan.Union) *plan.Variant {
	for _, v := range u.Variants {
		if v.Tag == "" && !v.CatchAll && !v.Absent {
			return v
		}
	}
	return nil
}

// tagCases prints a case for each tagged variant; first is a statement to put before the variant.
func (g *emitter) tagCases(p *printer, u *plan.Union, first string) {
	for _, v := range u.Variants {
		if v.Tag == "" {
			continue
		}
		p.P(fmt.Sprintf("case %q:", v.Tag))
		if first != "" {
			p.P(first)
		}
		g.decodeVariant(p, v)
	}
}

// decodeVariant prints the statements that decode and return a variant.
func (g *emitter) decodeVariant(p *printer, v *plan.Variant) {
	switch d := v.Decl.(type) {
	case *plan.Struct, *plan.Derived, *plan.Wrapped, *plan.Unknown:
		p.P("v := new(", d.GoName(), ")")
		p.P("v.UnmarshalWire(d)")
		p.P("return v")
	case *plan.Scalar:
		p.P("return ", d.Go, "(", g.scalarExpr(d.Model), ")")
	case *plan.Alias:
		l, ok := d.Model.(*model.List)
		if !ok || l.MinItems == 0 {
			p.P("return ", d.Go, "(", g.decodeExpr(d.Model, false), ")")
			return
		}
		p.P("at := d.Start()")
		p.P("v := ", d.Go, "(", g.decodeExpr(d.Model, false), ")")
		tooShort(p, "v", l)
		p.P("return v")
	case *plan.Union, *plan.Enum:
		g.errorf(d.GoName(), "a variant cannot be a %T", d)
	}
}

// unknownTag prints what happens to a tag that no case has returned for.
func (g *emitter) unknownTag(p *printer, u *plan.Union) {
	if u.Open {
		p.P("v := &", u.Unknown.Go, "{Tag: string(tag)}")
		if u.Model.Strategy == model.ByOpenTagOrDefault {
			p.P(fmt.Sprintf("d.Tagged(%q)", u.Model.Tag))
		}
		p.P("v.UnmarshalWire(d)")
		p.P("return v")
		return
	}
	p.P(fmt.Sprintf("if d.KeepUnknown(%q, %q) {", u.Def, u.Model.Tag))
	p.P("return &", u.Unknown.Go, "{Tag: string(tag), Raw: d.Raw()}")
	p.P("}")
	p.P(fmt.Sprintf("d.UnknownTag(%q, %q, %s)", u.Def, u.Model.Tag, tags(u)))
	p.P("return nil")
}

func tags(u *plan.Union) string {
	var names []string
	for _, v := range u.Variants {
		if v.Tag != "" {
			names = append(names, v.Tag)
		}
	}
	return quoted(names)
}

// decodeByKey prints the choice by required keys, of an object or of an array's first element. A lone variant needs no choice.
func (g *emitter) decodeByKey(p *printer, u *plan.Union) {
	look := "d.HasKeys"
	if u.Model.Strategy == model.ByElementKey {
		look = "d.FirstElementHas"
	}
	if len(u.Variants) == 1 {
		g.decodeVariant(p, u.Variants[0])
		return
	}
	var rest *plan.Variant // what takes anything else
	for i, v := range u.Variants {
		if v.CatchAll || u.Model.Strategy == model.ByElementKey && i == 0 {
			rest = v
			continue
		}
		p.P("if ", look, "(", quoted(v.Keys), ") {")
		g.decodeVariant(p, v)
		p.P("}")
	}
	switch {
	case rest == nil:
		p.P(fmt.Sprintf("d.NoVariant(%q, %q)", u.Def, "an object with "+keysOf(u)))
		p.P("return nil")
	case rest.CatchAll:
		p.P("v := new(", u.Unknown.Go, ")")
		p.P("v.UnmarshalWire(d)")
		p.P("return v")
	default:
		g.decodeVariant(p, rest)
	}
}

// keysOf lists the keys that decide a union.
func keysOf(u *plan.Union) string {
	s := ""
	for i, v := range u.Variants {
		if i > 0 {
			s += " or "
		}
		s += quoteAll(v.Keys)
	}
	return s
}

// decodeByKind prints the choice by JSON kind. An integer variant beside a number variant takes the numbers that are 64-bit integers.
func (g *emitter) decodeByKind(p *printer, u *plan.Union) {
	byKind := map[string]*plan.Variant{}
	var want []string
	for _, v := range u.Variants {
		if v.CatchAll {
			continue
		}
		kind := kindOf(v.Payload)
		byKind[kind] = v
		want = append(want, indefinite(kind))
	}
	p.P("switch d.Peek() {")
	for _, k := range []struct{ peek, kind string }{{`'"'`, "string"}, {"'t', 'f'", "boolean"}, {"'['", "array"}} {
		if v := byKind[k.kind]; v != nil {
			p.P("case ", k.peek, ":")
			g.decodeVariant(p, v)
		}
	}
	integer, number := byKind["integer"], byKind["number"]
	if integer != nil || number != nil {
		p.P("case '0':")
		if integer != nil && number != nil {
			g.decodeNumber(p, integer, number)
			integer, number = nil, nil
		}
		if integer != nil {
			number = integer
		}
		if number != nil {
			g.decodeVariant(p, number)
		}
	}
	p.P("}")
	if u.Open {
		p.P("v := new(", u.Unknown.Go, ")")
		p.P("v.UnmarshalWire(d)")
		p.P("return v")
		return
	}
	p.P(fmt.Sprintf("d.NoVariant(%q, %q)", u.Def, alternatives(want)))
	p.P("return nil")
}

// decodeNumber prints the choice between an integer and a number variant. What a double rounds to an integer is one, because it will be written like one.
func (g *emitter) decodeNumber(p *printer, integer, number *plan.Variant) {
	p.P("if d.IsInt64() {")
	g.decodeVariant(p, integer)
	p.P("}")
	p.P("f := d.Float()")
	p.P("if i, ok := wire.Whole(f); ok {")
	p.P("return ", integer.Decl.GoName(), "(i)")
	p.P("}")
	p.P("return ", number.Decl.GoName(), "(f)")
}

// alternatives joins words with commas and, at last, or.
func alternatives(words []string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return strings.Join(words, "")
}

func kindOf(t model.Type) string {
	switch t := t.(type) {
	case *model.Scalar:
		return [...]string{model.String: "string", model.Boolean: "boolean", model.Integer: "integer", model.Number: "number", model.Null: "null"}[t.Kind]
	case *model.List:
		return "array"
	case *model.Any, *model.Map, *model.Ref, *model.Struct, *model.Union, *model.Enum:
	}
	return "any"
}

// choose prints the method that decides the variants of the flattened unions before the object is read.
func (g *emitter) choose(p *printer, s *plan.Struct) {
	p.P("func (x *", s.Go, ") choose(d *wire.Decoder) bool {")
	for _, u := range s.Unions {
		g.chooseUnion(p, s.Def, u)
	}
	p.P("return true")
	p.P("}")
	p.P()
}

func (g *emitter) chooseUnion(p *printer, def string, fu *plan.FlatUnion) {
	u := fu.Union
	lhs := "x." + fu.Go
	switch u.Model.Strategy {
	case model.ByTag, model.ByOpenTag:
		if hasAbsent(u) {
			p.P(fmt.Sprintf("if !d.TagAbsent(%q, %t) {", u.Model.Tag, u.Model.TagDefaultOnError))
			defer p.P("}")
		}
		p.P(fmt.Sprintf("tag, ok := d.Tag(%q, %q)", def, u.Model.Tag))
		p.P("if !ok { return false }")
		p.P("switch string(tag) {")
		g.chooseCases(p, u, lhs)
		p.P("default:")
		g.chooseUnknown(p, def, u, lhs)
		p.P("}")
	case model.ByTagOrDefault, model.ByOpenTagOrDefault:
		p.P(fmt.Sprintf("tag, found, ok := d.OptionalTag(%q, %q)", def, u.Model.Tag))
		p.P("if !ok { return false }")
		p.P("switch {")
		for _, v := range u.Variants {
			if v.Tag != "" {
				p.P(fmt.Sprintf("case found && string(tag) == %q:", v.Tag))
				g.chooseVariant(p, v, lhs)
			}
		}
		if u.Open {
			p.P("case found:")
			g.chooseUnknown(p, def, u, lhs)
		}
		p.P("default:")
		g.chooseVariant(p, defaultVariant(u), lhs)
		p.P("}")
	case model.ByKey:
		p.P("switch {")
		if u.Model.Exclusive && len(u.Variants) == 2 {
			p.P("case d.HasKeys(", quoted(append(u.Variants[0].Keys[:len(u.Variants[0].Keys):len(u.Variants[0].Keys)], u.Variants[1].Keys...)), "):")
			p.P(fmt.Sprintf("d.NoVariant(%q, %q)", def, "an object with either "+keysOf(u)+", not both"))
			p.P("return false")
		}
		for _, v := range u.Variants {
			p.P("case d.HasKeys(", quoted(v.Keys), "):")
			g.chooseVariant(p, v, lhs)
		}
		p.P("default:")
		p.P(fmt.Sprintf("d.NoVariant(%q, %q)", def, "an object with "+keysOf(u)))
		p.P("return false")
		p.P("}")
	case model.ByElementKey, model.ByKind:
		g.errorf(u.Model.Pointer, "a union of this strategy cannot be part of an object")
	}
}

func hasAbsent(u *plan.Union) bool {
	for _, v := range u.Variants {
		if v.Absent {
			return true
		}
	}
	return false
}

func (g *emitter) chooseCases(p *printer, u *plan.Union, lhs string) {
	for _, v := range u.Variants {
		if v.Tag != "" {
			p.P(fmt.Sprintf("case %q:", v.Tag))
			g.chooseVariant(p, v, lhs)
		}
	}
}

func (g *emitter) chooseVariant(p *printer, v *plan.Variant, lhs string) {
	p.P("v := new(", v.Decl.GoName(), ")")
	if s := flattens(v.Decl); s {
		p.P("if !", payload(v.Decl), ".choose(d) { return false }")
	}
	p.P(lhs, " = v")
}

// flattens reports whether the type has a choose method.
func flattens(d plan.Decl) bool {
	switch d := d.(type) {
	case *plan.Struct:
		return len(d.Unions) > 0
	case *plan.Derived:
		return len(d.From.Unions) > 0
	case *plan.Unknown:
		return len(d.Fields.Unions) > 0
	case *plan.Wrapped, *plan.Union, *plan.Enum, *plan.Scalar, *plan.Alias:
	}
	return false
}

func (g *emitter) chooseUnknown(p *printer, def string, u *plan.Union, lhs string) {
	if u.Open {
		p.P("v := &", u.Unknown.Go, "{Tag: string(tag)}")
		if flattens(u.Unknown) {
			p.P("if !v.choose(d) { return false }")
		}
		p.P(lhs, " = v")
		return
	}
	p.P(fmt.Sprintf("if d.KeepUnknown(%q, %q) {", def, u.Model.Tag))
	p.P(lhs, " = &", u.Unknown.Go, "{Tag: string(tag)}")
	p.P("} else {")
	p.P(fmt.Sprintf("d.UnknownTag(%q, %q, %s)", def, u.Model.Tag, tags(u)))
	p.P("return false")
	p.P("}")
}

// decodeUnknown prints the decoder of an unknown variant. One that is a value of its own keeps its bytes; one that is part of an object keeps its members.
func (g *emitter) decodeUnknown(p *printer, d *plan.Unknown) {
	s := *d.Fields
	s.Go = d.Go
	if d.Union.Flat {
		if len(s.Unions) > 0 {
			g.choose(p, &s)
		}
		p.P("func (x *", d.Go, ") member(d *wire.Decoder, o *wire.Object, base int) bool {")
		p.P("if x.known(d, o, base) { return true }")
		p.P("if m := d.Extra(o); m.Name != \"\" || m.Value != nil { x.Extra = append(x.Extra, m) }") // the tag comes out empty
		p.P("return true")
		p.P("}")
		p.P()
		g.member(p, &s, "known")
		g.require(p, &s)
		g.unmarshalObject(p, &s)
		return
	}
	p.P("// UnmarshalWire decodes x from d.")
	p.P("func (x *", d.Go, ") UnmarshalWire(d *wire.Decoder) {")
	if d.Union.Model.Tag == "" || len(s.Fields) == 0 {
		p.P("x.Raw = d.Raw()")
		if d.Union.Model.Tag != "" {
			p.P("d.Untag()")
		}
		p.P("}")
		p.P()
		return
	}
	p.P("start := d.Start()")
	p.P(fmt.Sprintf("o, ok := d.Object(%q)", d.Def))
	p.P("if !ok { return }")
	p.P("for d.Key(&o) {")
	p.P("if !x.known(d, &o, 0) { d.Extra(&o) }")
	p.P("}")
	p.P("x.require(d, &o, 0)")
	p.P("d.End(&o)")
	p.P("x.Raw = d.Since(start)")
	p.P("}")
	p.P()
	g.member(p, &s, "known")
	g.require(p, &s)
}
