package emit

import (
	"fmt"

	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// json prints the methods that make the types work with encoding/json.
func (g *emitter) json(p *printer) {
	for _, d := range g.pkg.Decls {
		switch d := d.(type) {
		case *plan.Struct:
			g.jsonMethods(p, d.Go, d.VariantOf)
		case *plan.Derived:
			g.jsonMethods(p, d.Go, d.VariantOf)
		case *plan.Wrapped:
			g.jsonMethods(p, d.Go, d.VariantOf)
		case *plan.Unknown:
			g.jsonUnknown(p, d)
		case *plan.Enum:
			if !d.Model.Open {
				g.jsonEnum(p, d)
			}
		case *plan.Scalar:
			g.jsonValue(p, d.Go, len(d.VariantOf) > 0)
		case *plan.Alias:
			g.jsonValue(p, d.Go, len(d.VariantOf) > 0)
		case *plan.Union:
		}
	}
}

// jsonUnknown prints the pair for an unknown variant. One that is part of an object has no tag there, as the other variants have not.
func (g *emitter) jsonUnknown(p *printer, d *plan.Unknown) {
	p.P("// MarshalJSON returns x as JSON, or a [*wire.InvalidError].")
	p.P("func (x ", d.Go, ") MarshalJSON() ([]byte, error) { return wire.Marshal(&x) }")
	p.P()
	p.P("// UnmarshalJSON decodes x strictly. The error is a [*wire.InvalidError].")
	if d.Union.Flat || d.Union.Model.Tag == "" {
		p.P("func (x *", d.Go, ") UnmarshalJSON(b []byte) error { return wire.Unmarshal(b, x) }")
		p.P()
		return
	}
	p.P("func (x *", d.Go, ") UnmarshalJSON(b []byte) error {")
	p.P("return wire.Unmarshal(b, wire.UnmarshalFunc(func(d *wire.Decoder) {")
	p.P(fmt.Sprintf("tag, ok := d.Tag(%q, %q)", d.Def, d.Union.Model.Tag))
	p.P("if !ok { return }")
	p.P("*x = ", d.Go, "{Tag: string(tag)}")
	p.P("x.UnmarshalWire(d)")
	p.P("}))")
	p.P("}")
	p.P()
}

// jsonEnum prints the pair for a closed enum, which encoding/json would take any string for.
func (g *emitter) jsonEnum(p *printer, e *plan.Enum) {
	p.P("// MarshalJSON returns x as JSON, or a [*wire.InvalidError].")
	p.P("func (x ", e.Go, ") MarshalJSON() ([]byte, error) {")
	p.P("return wire.Marshal(&wire.Box[", e.Go, "]{Value: x, Encode: encode", e.Go, "})")
	p.P("}")
	p.P()
	p.P("// UnmarshalJSON decodes x strictly. The error is a [*wire.InvalidError].")
	p.P("func (x *", e.Go, ") UnmarshalJSON(b []byte) error {")
	p.P("return wire.Unmarshal(b, wire.UnmarshalFunc(func(d *wire.Decoder) { *x = decode", e.Go, "(d) }))")
	p.P("}")
	p.P()
}

func (g *emitter) jsonValue(p *printer, goName string, variant bool) {
	if !variant {
		return
	}
	p.P("// MarshalJSON returns x as JSON.")
	p.P("func (x ", goName, ") MarshalJSON() ([]byte, error) { return wire.Marshal(x) }")
	p.P()
}

// jsonMethods prints the pair for an object. A variant has its tag on the wire, so it has it here.
func (g *emitter) jsonMethods(p *printer, goName string, roles []*plan.VariantUse) {
	var role *plan.VariantUse
	for _, r := range roles {
		if r.Tag != "" && !r.Union.Flat {
			role = r
		}
	}
	if role == nil {
		p.P("// MarshalJSON returns x as JSON, or a [*wire.InvalidError].")
		p.P("func (x ", goName, ") MarshalJSON() ([]byte, error) { return wire.Marshal(&x) }")
		p.P()
		p.P("// UnmarshalJSON decodes x strictly. The error is a [*wire.InvalidError].")
		p.P("func (x *", goName, ") UnmarshalJSON(b []byte) error { return wire.Unmarshal(b, x) }")
		p.P()
		return
	}
	p.P("// MarshalJSON returns x as JSON with the tag of its variant, or a [*wire.InvalidError].")
	p.P("func (x ", goName, ") MarshalJSON() ([]byte, error) {")
	p.P(fmt.Sprintf("return wire.MarshalVariant(%q, %q, &x)", `"`+role.Key+`":`, `"`+role.Tag+`"`))
	p.P("}")
	p.P()
	p.P("// UnmarshalJSON decodes x strictly; the tag of its variant must be there. The error is a [*wire.InvalidError].")
	p.P("func (x *", goName, ") UnmarshalJSON(b []byte) error {")
	p.P(fmt.Sprintf("return wire.UnmarshalVariant(b, %q, %q, %q, x)", role.Union.Def, role.Key, role.Tag))
	p.P("}")
	p.P()
}
