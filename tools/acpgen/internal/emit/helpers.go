package emit

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// A helper is a generated function that decodes a list or a map of one element type.
type helper struct {
	name string
	elem model.Type
	list *model.List // nil for a map
}

// helperCall returns the call of the helper for a list or map type, which it asks for.
func (g *emitter) helperCall(t model.Type, skip bool) string {
	h := &helper{}
	switch t := t.(type) {
	case *model.List:
		h.list, h.elem = t, t.Elem
		h.name = "List"
	case *model.Map:
		h.elem = t.Elem
		h.name = "Map"
	case *model.Scalar, *model.Any, *model.Ref, *model.Struct, *model.Union, *model.Enum:
	}
	h.name = elemName(g.goTypeString(h.elem)) + constraint(h.elem) + h.name
	for _, d := range g.pkg.Decls {
		switch d.(type) {
		case *plan.Union, *plan.Enum:
			if d.GoName() == h.name {
				g.errorf("#/$defs/"+d.DefName(), "the function decode%s is a helper for a list or a map too", h.name)
			}
		case *plan.Struct, *plan.Derived, *plan.Wrapped, *plan.Unknown, *plan.Scalar, *plan.Alias:
		}
	}
	h.name = "decode" + h.name
	if known := g.lists[h.name]; known == nil {
		g.lists[h.name] = h
		g.order = append(g.order, h)
	}
	if h.list != nil {
		return fmt.Sprintf("%s(d, %t)", h.name, skip)
	}
	return h.name + "(d)"
}

// elemName makes a Go type an identifier's part.
func elemName(goType string) string {
	if elem, ok := strings.CutPrefix(goType, "[]"); ok {
		return "ListOf" + elemName(elem)
	}
	if elem, ok := strings.CutPrefix(goType, "map[string]"); ok {
		return "MapOf" + elemName(elem)
	}
	return capitalised(strings.TrimPrefix(goType, "wire."))
}

// constraint tells element types apart that have the same Go type.
func constraint(t model.Type) string {
	switch t := t.(type) {
	case *model.Any:
		if t.Object {
			return "Object"
		}
	case *model.Scalar:
		if t.MinLength > 0 {
			return fmt.Sprint("Min", t.MinLength)
		}
		return rangeName(t)
	case *model.List:
		return constraint(t.Elem)
	case *model.Map:
		return constraint(t.Elem)
	case *model.Ref, *model.Struct, *model.Union, *model.Enum:
	}
	return ""
}

func (g *emitter) decodeHelper(p *printer, h *helper) {
	elem := g.goTypeString(h.elem)
	expr := g.decodeExpr(h.elem, false)
	if h.list == nil {
		p.P("func ", h.name, "(d *wire.Decoder) map[string]", elem, " {")
		p.P("m, ok := d.Map()")
		p.P("if !ok { return nil }")
		p.P("out := map[string]", elem, "{}")
		p.P("for d.NextMember(&m) {")
		p.P("name := string(m.Name)")
		if expr != "" {
			p.P("out[name] = ", expr)
		} else {
			p.P("var v ", elem)
			p.P("v.UnmarshalWire(d)")
			p.P("out[name] = v")
		}
		p.P("}")
		p.P("return out")
		p.P("}")
		p.P()
		return
	}
	p.P("func ", h.name, "(d *wire.Decoder, skip bool) []", elem, " {")
	p.P("l, ok := d.List()")
	p.P("if !ok { return nil }")
	p.P("out := []", elem, "{}")
	p.P("for d.Next(&l) {")
	p.P("m := d.Mark()")
	if expr != "" {
		p.P("v := ", expr)
		p.P("if skip && d.Repair(m, wire.Skipped) { continue }")
		p.P("out = append(out, v)")
	} else {
		p.P("out = append(out, ", elem, "{})")
		p.P("out[len(out)-1].UnmarshalWire(d)")
		p.P("if skip && d.Repair(m, wire.Skipped) { out = out[:len(out)-1] }")
	}
	p.P("}")
	p.P("return out")
	p.P("}")
	p.P()
}
