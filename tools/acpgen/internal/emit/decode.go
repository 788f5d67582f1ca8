package emit

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// decoders prints UnmarshalWire for every type, and the list and map helpers that they use.
func (g *emitter) decoders(p *printer) {
	for _, d := range g.pkg.Decls {
		switch d := d.(type) {
		case *plan.Struct:
			g.decodeStruct(p, d)
		case *plan.Derived:
			p.P("// UnmarshalWire decodes x from d.")
			p.P("func (x *", d.Go, ") UnmarshalWire(d *wire.Decoder) { (*", d.From.Go, ")(x).UnmarshalWire(d) }")
			p.P()
		case *plan.Wrapped:
			p.P("// UnmarshalWire decodes x from d.")
			p.P("func (x *", d.Go, ") UnmarshalWire(d *wire.Decoder) { x.", d.Field, " = decode", d.Field, "(d) }")
			p.P()
		case *plan.Union:
			if !d.Flat {
				g.decodeUnion(p, d)
			}
		case *plan.Unknown:
			g.decodeUnknown(p, d)
		case *plan.Enum, *plan.Scalar, *plan.Alias:
		}
	}
	for i := 0; i < len(g.order); i++ { // helpers may ask for more helpers
		g.decodeHelper(p, g.order[i])
	}
	g.decodeFloats(p)
}

func (g *emitter) decodeStruct(p *printer, s *plan.Struct) {
	g.unmarshalObject(p, s)
	if len(s.Unions) > 0 {
		g.choose(p, s)
	}
	g.member(p, s, "member")
	g.require(p, s)
}

// unmarshalObject prints the method that reads an object with the struct's other methods.
func (g *emitter) unmarshalObject(p *printer, s *plan.Struct) {
	p.P("// UnmarshalWire decodes x from d.")
	p.P("func (x *", s.Go, ") UnmarshalWire(d *wire.Decoder) {")
	p.P("*x = ", s.Go, "{}")
	if len(s.Unions) > 0 {
		p.P("if !x.choose(d) { return }")
	}
	p.P(fmt.Sprintf("o, ok := d.Object(%q)", s.Def))
	p.P("if !ok { return }")
	p.P("for d.Key(&o) {")
	p.P("if !x.member(d, &o, 0) { d.Unknown(&o) }")
	p.P("}")
	p.P("x.require(d, &o, 0)")
	p.P("d.End(&o)")
	p.P("}")
	p.P()
}

// member prints the method that reads one member if it is the struct's. Its name is member, or known for an unknown variant's declared fields.
func (g *emitter) member(p *printer, s *plan.Struct, name string) {
	p.P("func (x *", s.Go, ") ", name, "(d *wire.Decoder, o *wire.Object, base int) bool {")
	if len(s.Fields) > 0 {
		p.P("switch string(o.Name) {")
		for i, f := range s.Fields {
			p.P(fmt.Sprintf("case %q:", f.Name))
			p.P("d.Field(o, base+", i, ")")
			g.decodeField(p, f)
			p.P("return true")
		}
		p.P("}")
	}
	base := len(s.Fields)
	for _, u := range s.Unions {
		g.unionMember(p, u, base)
		base += u.Width()
	}
	p.P("return false")
	p.P("}")
	p.P()
}

// unionMember hands a member to the variant of a flattened union.
func (g *emitter) unionMember(p *printer, u *plan.FlatUnion, base int) {
	optional := defaultVariant(u.Union) != nil && u.Union.Model.Tag != ""
	if u.Union.Model.Tag != "" && !optional {
		tagMember(p, u, base)
	}
	p.P("switch v := x.", u.Go, ".(type) {")
	for _, v := range u.Union.Variants {
		if v.Decl == nil {
			continue
		}
		p.P("case *", v.Decl.GoName(), ":")
		if optional && (v.Tag != "" || v.CatchAll) {
			tagMember(p, u, base)
		}
		p.P(fmt.Sprintf("outer := d.Within(%q)", v.Decl.DefName()))
		p.P("ok := ", payload(v.Decl), ".member(d, o, base+", base, ")")
		p.P("d.Back(outer)")
		p.P("if ok { return true }")
	}
	if u.Union.Unknown != nil && !u.Union.Open {
		p.P("case *", u.Union.Unknown.Go, ":")
		p.P("if v.member(d, o, base+", base, ") { return true }")
	}
	p.P("}")
}

// tagMember prints what happens to the tag among the members: choose has read it already. Where no variant may be, it can be null.
func tagMember(p *printer, u *plan.FlatUnion, base int) {
	p.P(fmt.Sprintf("if string(o.Name) == %q {", u.Union.Model.Tag))
	p.P("d.Field(o, base+", base+u.Width()-1, ")")
	if hasAbsent(u.Union) {
		p.P("if !d.Null() { d.Skip() }")
	} else {
		p.P("d.Skip()")
	}
	p.P("return true")
	p.P("}")
}

// payload returns the expression for the variant v as the type that has its members.
func payload(d plan.Decl) string {
	if d, ok := d.(*plan.Derived); ok {
		return "(*" + d.From.Go + ")(v)"
	}
	return "v"
}

// require prints the method that reports missing members.
func (g *emitter) require(p *printer, s *plan.Struct) {
	var names []string
	var mask uint64
	for i, f := range s.Fields {
		names = append(names, f.Name)
		if f.Required {
			mask |= 1 << i
		}
	}
	p.P("func (x *", s.Go, ") require(d *wire.Decoder, o *wire.Object, base int) {")
	if mask != 0 {
		p.P(fmt.Sprintf("d.Require(o, %#x, base, %q, %s[:])", mask, s.Def, fieldNames(s)))
	}
	base := len(s.Fields)
	for _, u := range s.Unions {
		p.P("switch v := x.", u.Go, ".(type) {")
		for _, v := range u.Union.Variants {
			if v.Decl != nil {
				p.P("case *", v.Decl.GoName(), ": ", payload(v.Decl), ".require(d, o, base+", base, ")")
			}
		}
		if u.Union.Unknown != nil && !u.Union.Open {
			p.P("case *", u.Union.Unknown.Go, ": // nothing is known of what it requires")
		}
		p.P("}")
		base += u.Width()
	}
	p.P("}")
	p.P()
	if mask != 0 {
		p.P("var ", fieldNames(s), " = [...]string{", quoted(names), "}")
		p.P()
	}
}

func fieldNames(s *plan.Struct) string { return "names" + s.Go }

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, ", ")
}

// decodeField prints the statements that read a field's value.
func (g *emitter) decodeField(p *printer, f *plan.Field) {
	lhs := "x." + f.Go
	if f.DefaultOnError {
		p.P("m := d.Mark()")
	}
	switch {
	case f.ThreeState:
		p.P("if d.ExplicitNull() {")
		p.P(lhs, " = wire.Null[", g.goTypeString(f.Type), "]()")
		p.P("} else {")
		g.decodeInto(p, "v", f, true)
		p.P(lhs, " = wire.Value(v)")
		p.P("}")
	case f.Nullable && !g.rawAny(f):
		null := "d.Null()"
		if f.Required { // it is written as null again, so nothing is lost
			null = "d.ExplicitNull()"
		}
		p.P("if !", null, " {")
		g.decodeInto(p, lhs, f, false)
		p.P("}")
	case f.DefaultOnNull:
		p.P("if d.NullEmpty() {")
		p.P(lhs, " = ", g.emptyValue(f))
		p.P("} else {")
		g.decodeInto(p, lhs, f, false)
		p.P("}")
	default:
		g.decodeInto(p, lhs, f, false)
	}
	if f.DefaultOnError {
		p.P("if d.Repair(m, wire.Defaulted) {")
		p.P(lhs, " = ", g.fallback(f))
		p.P("}")
	}
}

// rawAny reports whether the field takes any value, null included.
func (g *emitter) rawAny(f *plan.Field) bool {
	a, ok := f.Type.(*model.Any)
	return ok && !a.Object
}

// emptyValue is what null stands for where x-deserialize-default-on-null applies.
func (g *emitter) emptyValue(f *plan.Field) string {
	switch f.Type.(type) {
	case *model.List, *model.Map:
		return g.goTypeString(f.Type) + "{}"
	case *model.Any, *model.Ref, *model.Scalar, *model.Struct, *model.Union, *model.Enum:
	}
	return g.zero(f)
}

// fallback is the value of a field whose own value was invalid and the decode lenient.
func (g *emitter) fallback(f *plan.Field) string {
	if f.Required && !f.Nullable {
		switch f.Type.(type) {
		case *model.List, *model.Map:
			return g.goTypeString(f.Type) + "{}"
		case *model.Any, *model.Ref, *model.Scalar, *model.Struct, *model.Union, *model.Enum: // plan refuses them
		}
	}
	return g.zero(f)
}

func (g *emitter) zero(f *plan.Field) string {
	if f.ThreeState {
		return "wire.Nullable[" + g.goTypeString(f.Type) + "]{}"
	}
	return "nil"
}

// decodeInto prints the statements that read a value that is not null. With fresh, lhs is declared here.
func (g *emitter) decodeInto(p *printer, lhs string, f *plan.Field, fresh bool) {
	assign := " = "
	if fresh {
		assign = " := "
	}
	pointer := !fresh && g.pointer(f)
	expr := g.decodeExpr(f.Type, f.SkipInvalidItems)
	if l, ok := f.Type.(*model.List); ok && l.MinItems > 0 {
		p.P("at := d.Start()")
		defer tooShort(p, lhs, l)
	}
	switch {
	case expr != "" && pointer:
		p.P(lhs, assign, "new(", expr, ")")
	case expr != "":
		p.P(lhs, assign, expr)
	case pointer:
		p.P(lhs, assign, "new(", g.goTypeString(f.Type), ")")
		p.P(lhs, ".UnmarshalWire(d)")
	case fresh:
		p.P("var ", lhs, " ", g.goTypeString(f.Type))
		p.P(lhs, ".UnmarshalWire(d)")
	default:
		p.P(lhs, ".UnmarshalWire(d)")
	}
}

// decodeExpr returns the expression that reads a value, or "" for types that decode in place.
func (g *emitter) decodeExpr(t model.Type, skip bool) string {
	switch t := t.(type) {
	case *model.Scalar:
		return g.scalarExpr(t)
	case *model.List, *model.Map:
		return g.helperCall(t, skip)
	case *model.Any:
		if t.Object {
			return "d.RawObject()"
		}
		return "d.Raw()"
	case *model.Ref:
		switch d := g.pkg.Lookup(t.Name).(type) {
		case *plan.Enum, *plan.Union:
			return "decode" + d.GoName() + "(d)"
		case *plan.Scalar:
			return d.Go + "(" + g.scalarExpr(d.Model) + ")"
		case *plan.Alias:
			if d.Target == "" {
				return d.Go + "(" + g.decodeExpr(d.Model, skip) + ")"
			}
		case *plan.Struct, *plan.Derived, *plan.Wrapped, *plan.Unknown:
		}
	case *model.Struct, *model.Union, *model.Enum:
	}
	return ""
}

// tooShort prints the check of an array's length. A value that is no array is nil, and has its violation already.
func tooShort(p *printer, x string, l *model.List) {
	p.P(fmt.Sprintf("if %s != nil && len(%s) < %d { d.TooShort(at, %q) }", x, x, l.MinItems, atLeast(l.MinItems, "item")))
}

// atLeast says how many there must be.
func atLeast(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("at least %d %s", n, noun)
}
