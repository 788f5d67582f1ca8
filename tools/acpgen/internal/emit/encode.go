package emit

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// encoders prints MarshalWire for every type.
func (g *emitter) encoders(p *printer) {
	for _, d := range g.pkg.Decls {
		switch d := d.(type) {
		case *plan.Struct:
			g.encodeStruct(p, d)
		case *plan.Derived:
			p.P("// MarshalWire writes x to e.")
			p.P("func (x *", d.Go, ") MarshalWire(e *wire.Encoder) { (*", d.From.Go, ")(x).MarshalWire(e) }")
			p.P()
		case *plan.Wrapped:
			p.P("// MarshalWire writes x to e.")
			p.P("func (x *", d.Go, ") MarshalWire(e *wire.Encoder) {")
			g.nilCheck(p, d.Go)
			p.P("encode", d.Field, "(e, x.", d.Field, ")")
			p.P("}")
			p.P()
		case *plan.Union:
			if !d.Flat {
				g.encodeUnion(p, d)
			}
		case *plan.Unknown:
			g.encodeUnknown(p, d)
		case *plan.Scalar:
			if len(d.VariantOf) > 0 {
				p.P("// MarshalWire writes x to e.")
				p.P("func (x ", d.Go, ") MarshalWire(e *wire.Encoder) {")
				g.encodeScalar(p, d.Model, "x", true)
				p.P("}")
				p.P()
			}
		case *plan.Alias:
			if len(d.VariantOf) > 0 {
				p.P("// MarshalWire writes x to e.")
				p.P("func (x ", d.Go, ") MarshalWire(e *wire.Encoder) {")
				lengthCheck(p, d.Model, "x")
				g.encodeValue(p, d.Model, "x")
				p.P("}")
				p.P()
			}
		case *plan.Enum:
		}
	}
}

func (g *emitter) nilCheck(p *printer, goName string) {
	p.P("if x == nil {")
	p.P("e.NoTags()")
	p.P(fmt.Sprintf("e.Invalid(\"type\", %q, %q)", goName, "expected "+goName+", not nil"))
	p.P("return")
	p.P("}")
}

func (g *emitter) encodeStruct(p *printer, s *plan.Struct) {
	p.P("// MarshalWire writes x to e.")
	p.P("func (x *", s.Go, ") MarshalWire(e *wire.Encoder) {")
	p.P("if x == nil {")
	p.P("e.NoTags()")
	p.P(fmt.Sprintf("e.Invalid(\"type\", %q, %q)", s.Def, "expected "+s.Go+", not nil"))
	p.P("return")
	p.P("}")
	p.P("e.Begin()")
	p.P("x.fields(e)")
	p.P("e.Close()")
	p.P("}")
	p.P()
	p.P("func (x *", s.Go, ") fields(e *wire.Encoder) {")
	for _, u := range s.Unions {
		g.encodeFlat(p, s.Def, u)
	}
	g.encodeFields(p, s.Fields)
	p.P("}")
	p.P()
}

// encodeFlat prints the switch that writes a flattened union's tag and members.
func (g *emitter) encodeFlat(p *printer, def string, fu *plan.FlatUnion) {
	u := fu.Union
	lack := fmt.Sprintf("e.Lacks(%q, %s)", def, quoted(flatNames(fu)))
	p.P("switch v := x.", fu.Go, ".(type) {")
	for _, v := range u.Variants {
		if v.Decl == nil || v.CatchAll {
			continue
		}
		p.P("case *", v.Decl.GoName(), ":")
		p.P("if v == nil { ", lack, "; break }")
		if v.Tag != "" {
			p.P(fmt.Sprintf("e.Key(%q)", `"`+u.Model.Tag+`":`))
			p.P(fmt.Sprintf("e.Literal(%q)", `"`+v.Tag+`"`))
		}
		p.P(payload(v.Decl), ".fields(e)")
	}
	if u.Unknown != nil {
		p.P("case *", u.Unknown.Go, ":")
		if u.Open {
			p.P("if v == nil { ", lack, "; break }")
			p.P(fmt.Sprintf("e.UnknownTag(%q, %q, v.Tag, %s)", def, `"`+u.Model.Tag+`":`, tags(u)))
			p.P("v.fields(e)")
		} else {
			p.P(fmt.Sprintf("e.Key(%q)", `"`+u.Model.Tag+`":`))
			p.P(fmt.Sprintf("e.Invalid(\"discriminator\", %q, %q)", def, "unknown variant of the closed union "+u.Go))
		}
	}
	if hasAbsent(u) {
		p.P("case nil:")
	}
	p.P("default: ", lack) // nil, or a type of somebody else's that embeds a variant
	p.P("}")
}

// flatNames are the members of which an object lacks one that has no variant.
func flatNames(fu *plan.FlatUnion) []string {
	u := fu.Union
	if u.Model.Tag != "" {
		return []string{u.Model.Tag}
	}
	var names []string
	for _, v := range u.Variants {
		names = append(names, v.Keys...)
	}
	return names
}

// encodeFields prints the statements that write fields. Behind a required one the comma is certain.
func (g *emitter) encodeFields(p *printer, fields []*plan.Field) {
	first := true
	for _, f := range fields {
		key := fmt.Sprintf("e.Key(%q)", `"`+f.Name+`":`)
		if !first {
			key = fmt.Sprintf("e.Literal(%q)", `,"`+f.Name+`":`)
		}
		g.encodeField(p, f, key)
		first = first && !f.Required
	}
}

func (g *emitter) encodeField(p *printer, f *plan.Field, key string) {
	x := "x." + f.Go
	switch {
	case f.ThreeState:
		p.P("if !", x, ".IsAbsent() {")
		p.P(key)
		p.P("if v, ok := ", x, ".Get(); ok {")
		g.encodeFieldValue(p, f, "v")
		p.P("} else { e.Null() }")
		p.P("}")
	case f.Required && f.Nullable:
		p.P(key)
		p.P("if ", x, " != nil {")
		g.encodeFieldValue(p, f, g.deref(f, x))
		p.P("} else { e.Null() }")
	case f.Required:
		p.P(key)
		g.encodeFieldValue(p, f, x)
	default:
		p.P("if ", x, " != nil {")
		p.P(key)
		g.encodeFieldValue(p, f, g.deref(f, x))
		p.P("}")
	}
}

// deref returns the value behind a field. Types that write themselves do so through the pointer.
func (g *emitter) deref(f *plan.Field, x string) string {
	if g.pointer(f) && !g.selfWriting(f.Type) {
		return "*" + x
	}
	return x
}

func (g *emitter) selfWriting(t model.Type) bool {
	r, ok := t.(*model.Ref)
	if !ok {
		return false
	}
	switch d := g.pkg.Lookup(r.Name).(type) {
	case *plan.Struct, *plan.Derived, *plan.Wrapped, *plan.Unknown:
		return true
	case *plan.Alias:
		return d.Target != ""
	case *plan.Union, *plan.Enum, *plan.Scalar:
	}
	return false
}

func (g *emitter) encodeFieldValue(p *printer, f *plan.Field, x string) {
	lengthCheck(p, f.Type, x)
	g.encodeValue(p, f.Type, x)
}

func lengthCheck(p *printer, t model.Type, x string) {
	if l, ok := t.(*model.List); ok && l.MinItems > 0 {
		p.P(fmt.Sprintf("if len(%s) < %d { e.TooShort(%q) }", x, l.MinItems, atLeast(l.MinItems, "item")))
	}
}

// encodeValue prints the statements that write a value.
func (g *emitter) encodeValue(p *printer, t model.Type, x string) {
	switch t := t.(type) {
	case *model.Scalar:
		g.encodeScalar(p, t, x, false)
	case *model.Any:
		if t.Object {
			p.P("e.RawObject(", x, ")")
		} else {
			p.P("e.Raw(", x, ")")
		}
	case *model.List:
		i := loopName("i", x)
		p.P("e.BeginList()")
		p.P("for ", i, " := range ", x, " {")
		p.P("e.Element()")
		g.encodeValue(p, t.Elem, x+"["+i+"]")
		p.P("}")
		p.P("e.CloseList()")
	case *model.Map:
		k := loopName("k", x)
		p.P("e.BeginMap()")
		p.P("for _, ", k, " := range wire.SortedKeys(", x, ") {")
		p.P("e.Name(", k, ")")
		if g.selfWriting(t.Elem) {
			p.P("v := ", x, "[", k, "]")
			g.encodeValue(p, t.Elem, "v")
		} else {
			g.encodeValue(p, t.Elem, x+"["+k+"]")
		}
		p.P("}")
		p.P("e.Close()")
	case *model.Ref:
		g.encodeRef(p, t, x)
	case *model.Struct, *model.Union, *model.Enum:
	}
}

// loopName returns a name for the variable of a loop over x that no loop around it has.
func loopName(name, x string) string {
	if depth := strings.Count(x, "["); depth > 0 {
		return fmt.Sprint(name, depth)
	}
	return name
}

func (g *emitter) encodeRef(p *printer, t *model.Ref, x string) {
	switch d := g.pkg.Lookup(t.Name).(type) {
	case *plan.Struct, *plan.Derived, *plan.Wrapped, *plan.Unknown:
		p.P(x, ".MarshalWire(e)")
	case *plan.Union, *plan.Enum:
		p.P("encode", d.GoName(), "(e, ", x, ")")
	case *plan.Scalar:
		g.encodeScalar(p, d.Model, x, true)
	case *plan.Alias:
		if d.Target != "" {
			p.P(x, ".MarshalWire(e)")
			return
		}
		if a, ok := d.Model.(*model.Any); ok && a.Object {
			x = "wire.Raw(" + x + ")"
		}
		g.encodeValue(p, d.Model, x)
	}
}

// encodeScalar prints the statement that writes a scalar; named says that x has a defined type.
func (g *emitter) encodeScalar(p *printer, s *model.Scalar, x string, named bool) {
	conv := func(goType string) string {
		if !named && scalarType(s) == goType {
			return x
		}
		return goType + "(" + x + ")"
	}
	switch s.Kind {
	case model.String:
		if s.MinLength > 0 {
			p.P("e.MinString(", conv("string"), ", ", s.MinLength, ")")
			return
		}
		p.P("e.String(", conv("string"), ")")
	case model.Boolean:
		p.P("e.Bool(", conv("bool"), ")")
	case model.Number:
		rangeCheck(p, s, x)
		p.P("e.Float(", conv("float64"), ")")
	case model.Integer:
		rangeCheck(p, s, x)
		if scalarType(s)[0] == 'u' {
			p.P("e.Uint(", conv("uint64"), ")")
		} else {
			p.P("e.Int(", conv("int64"), ")")
		}
	case model.Null:
		p.P("e.Null()")
	}
}

func rangeCheck(p *printer, s *model.Scalar, x string) {
	if hasRange(s) {
		p.P("if ", rangeTest(x, s), fmt.Sprintf(" { e.OutOfRange(%q) }", rangeText(s)))
	}
}

// encodeUnion prints the function that writes a union that is a value of its own.
func (g *emitter) encodeUnion(p *printer, u *plan.Union) {
	p.P("func encode", u.Go, "(e *wire.Encoder, x ", u.Go, ") {")
	p.P("switch v := x.(type) {")
	for _, v := range u.Variants {
		if v.Decl == nil || v.CatchAll {
			continue
		}
		p.P("case ", receiver(v.Decl), v.Decl.GoName(), ":")
		if v.Tag != "" {
			p.P(fmt.Sprintf("e.Tag(%q, %q)", `"`+u.Model.Tag+`":`, `"`+v.Tag+`"`))
		}
		p.P("v.MarshalWire(e)")
	}
	if u.Unknown != nil {
		p.P("case *", u.Unknown.Go, ":")
		p.P("v.MarshalWire(e)")
	}
	p.P("case nil:")
	p.P("e.NoTags()")
	p.P(fmt.Sprintf("e.Invalid(\"type\", %q, %q)", u.Def, "expected a variant of "+u.Go+", not nil"))
	p.P("default:") // a type of somebody else's that embeds a variant
	p.P("e.NoTags()")
	p.P(fmt.Sprintf("e.Invalid(\"type\", %q, %q)", u.Def, "expected a variant of "+u.Go+", not a type that embeds one"))
	p.P("}")
	p.P("}")
	p.P()
}

func (g *emitter) encodeUnknown(p *printer, d *plan.Unknown) {
	if d.Union.Flat {
		p.P("func (x *", d.Go, ") fields(e *wire.Encoder) {")
		for _, u := range d.Fields.Unions {
			g.encodeFlat(p, d.Def, u)
		}
		g.encodeFields(p, d.Fields.Fields)
		p.P("e.Members(x.Extra)")
		p.P("}")
		p.P()
		p.P("// MarshalWire writes the members that x has of its own.")
		p.P("func (x *", d.Go, ") MarshalWire(e *wire.Encoder) {")
		g.nilCheck(p, d.Go)
		p.P("e.Begin()")
		p.P("x.fields(e)")
		p.P("e.Close()")
		p.P("}")
		p.P()
		return
	}
	p.P("// MarshalWire writes x to e, as its Raw has it.")
	p.P("func (x *", d.Go, ") MarshalWire(e *wire.Encoder) {")
	g.nilCheck(p, d.Go)
	switch {
	case !d.Union.Open:
		p.P("e.NoTags()")
		p.P(fmt.Sprintf("e.Invalid(\"discriminator\", %q, %q)", d.Def, "unknown variant of the closed union "+d.Union.Go))
	case d.Union.Model.Tag == "":
		p.P("e.Raw(x.Raw)")
	default:
		if len(d.Fields.Fields)+len(d.Fields.Unions) > 0 {
			p.P("if wire.Unmarshal(x.Raw, new(", d.Go, ")) != nil {")
			p.P("e.NoTags()")
			p.P(fmt.Sprintf("e.Invalid(\"anyOf\", %q, %q)", d.Def, "expected the Raw of an unknown variant to have its members"))
			p.P("return")
			p.P("}")
		}
		p.P(fmt.Sprintf("e.Unknown(%q, %q, x.Tag, x.Raw, %s)", d.Def, d.Union.Model.Tag, tags(d.Union)))
	}
	p.P("}")
	p.P()
}
