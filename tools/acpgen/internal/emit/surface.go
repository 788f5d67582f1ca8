package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// surface prints the method table.
func (g *emitter) surface(p *printer) {
	p.P("// Surface is the method table of this version of the protocol.")
	p.P("var Surface = wire.NewSurface(", fmt.Sprintf("%q", g.pkg.Surface), ", ", g.pkg.Version, ", []*wire.Method{")
	for _, m := range g.pkg.Methods {
		p.P("{")
		p.P(fmt.Sprintf("Name: %q, Side: %s, Params: %q, Result: %q,", m.Name, wireSide(m.Side), m.Params, m.Result))
		p.P("NewParams: func() wire.Message { return new(", g.pkg.Lookup(m.Params).GoName(), ") },")
		if m.Result != "" {
			p.P("NewResult: func() wire.Message { return ", g.newMessage(m.Result), " },")
		}
		p.P("},")
	}
	p.P("})")
	p.P()
	p.P("// The names of the methods.")
	p.P("const (")
	seen := map[string]bool{}
	for _, m := range g.pkg.Methods {
		if !seen[m.Name] {
			seen[m.Name] = true
			doc := fmt.Sprintf("Method%s is %s, which %s handles.", m.Go, m.Name, g.handlers(m.Name))
			if m.Side == model.SideProtocol { // in no interface: the connection itself handles it
				text, _ := g.docs.Method(m.Name)
				doc += " It " + text
			}
			p.Doc(doc)
			p.P("Method", m.Go, " = ", fmt.Sprintf("%q", m.Name))
		}
	}
	p.P(")")
	p.P()
}

// newMessage returns the expression for an empty params or result. A union as a result is carried in a box.
func (g *emitter) newMessage(def string) string {
	d := g.pkg.Lookup(def)
	if u, ok := d.(*plan.Union); ok {
		return fmt.Sprintf("&wire.Box[%s]{Decode: decode%s, Encode: encode%s}", u.Go, u.Go, u.Go)
	}
	return "new(" + d.GoName() + ")"
}

func wireSide(s model.Side) string {
	switch s {
	case model.SideAgent:
		return "wire.AgentSide"
	case model.SideClient:
		return "wire.ClientSide"
	case model.SideProxy:
		return "wire.ProxySide"
	case model.SideProtocol:
	}
	return "wire.BothSides"
}

// handlers says who handles the methods of a name: it can be a request to one side and a notification to the other.
func (g *emitter) handlers(name string) string {
	var sides []string
	for _, m := range g.pkg.Methods {
		if m.Name != name {
			continue
		}
		if m.Side == model.SideProtocol {
			return "either side"
		}
		if s := "the " + string(m.Side); !slices.Contains(sides, s) {
			sides = append(sides, s)
		}
	}
	return strings.Join(sides, " or ")
}

// A role is one peer as a Go interface.
type role struct {
	name, lower string
	side        model.Side
}

var (
	agentRole  = role{"Agent", "agent", model.SideAgent}
	clientRole = role{"Client", "client", model.SideClient}
)

// role prints the interface of one side, its Unimplemented type, the dispatch to it and the stub that calls it.
func (g *emitter) role(p *printer, r role) {
	var methods []*plan.Method
	for _, m := range g.pkg.Methods {
		if m.Side == r.side {
			methods = append(methods, m)
		}
	}
	p.P("// ", r.name, " is what ", indefinite(r.lower), " implements. Embed [Unimplemented", r.name, "], so that a new method never breaks a build.")
	p.P("type ", r.name, " interface {")
	for _, m := range methods {
		text, page := g.docs.Method(m.Name)
		p.Doc(g.goMethod(m)+" "+text+fmt.Sprintf(" It is the method %s.", m.Name), g.page(page))
		p.P(g.signature(m))
	}
	p.P("}")
	p.P()
	g.unimplemented(p, r, methods)
	g.dispatch(p, r, methods)
	g.stub(p, r, methods)
}

// indefinite puts the indefinite article before a noun.
func indefinite(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// resultType is the Go type of a method's result.
func (g *emitter) resultType(m *plan.Method) string {
	if u, ok := g.pkg.Lookup(m.Result).(*plan.Union); ok {
		return u.Go
	}
	return "*" + g.pkg.Lookup(m.Result).GoName()
}

func (g *emitter) signature(m *plan.Method) string {
	params := g.pkg.Lookup(m.Params).GoName()
	if m.Result == "" {
		return fmt.Sprintf("%s(ctx context.Context, params *%s) error", g.goMethod(m), params)
	}
	return fmt.Sprintf("%s(ctx context.Context, params *%s) (%s, error)", g.goMethod(m), params, g.resultType(m))
}

// goMethod is the Go name of a method; where a request and a notification share a name, the notification says so.
func (g *emitter) goMethod(m *plan.Method) string {
	for _, other := range g.pkg.Methods {
		if other != m && other.Go == m.Go && m.Result == "" && other.Side == m.Side {
			return m.Go + "Notification"
		}
	}
	return m.Go
}

func (g *emitter) unimplemented(p *printer, r role, methods []*plan.Method) {
	name := "Unimplemented" + r.name
	p.P("// ", name, " implements every method of [", r.name, "]: requests fail with a [*wire.UnimplementedError], notifications are ignored.")
	p.P("type ", name, " struct{}")
	p.P()
	p.P("var _ ", r.name, " = ", name, "{}")
	p.P()
	for _, m := range methods {
		params := g.pkg.Lookup(m.Params).GoName()
		if m.Result == "" {
			p.P("// ", g.goMethod(m), " ignores the notification.")
			p.P("func (", name, ") ", g.goMethod(m), "(context.Context, *", params, ") error { return nil }")
		} else {
			p.P("// ", g.goMethod(m), " fails with a [*wire.UnimplementedError].")
			p.P("func (", name, ") ", g.goMethod(m), "(context.Context, *", params, ") (", g.resultType(m), ", error) {")
			p.P("return nil, &wire.UnimplementedError{Method: Method", m.Go, "}")
			p.P("}")
		}
		p.P()
	}
}

func (g *emitter) dispatch(p *printer, r role, methods []*plan.Method) {
	p.Doc("Dispatch"+r.name+" calls the method of x that handles params, which the method table has made. The result is nil for a notification.",
		"It returns a [*wire.UnimplementedError] if params are those of no method of ["+r.name+"].")
	p.P("func Dispatch", r.name, "(ctx context.Context, x ", r.name, ", m *wire.Method, params wire.Message) (wire.Message, error) {")
	if len(methods) > 0 {
		p.P("switch params := params.(type) {")
	}
	for _, m := range methods {
		p.P("case *", g.pkg.Lookup(m.Params).GoName(), ":")
		_, union := g.pkg.Lookup(m.Result).(*plan.Union)
		switch {
		case m.Result == "":
			p.P("return nil, x.", g.goMethod(m), "(ctx, params)")
		case union:
			p.P("res, err := x.", g.goMethod(m), "(ctx, params)")
			p.P("box := ", g.newMessage(m.Result))
			p.P("box.Value = res")
			p.P("return wire.Reply(box, err)")
		default:
			p.P("res, err := x.", g.goMethod(m), "(ctx, params)")
			p.P("return wire.Reply(res, err)")
		}
	}
	if len(methods) > 0 {
		p.P("}")
	}
	p.P("return nil, &wire.UnimplementedError{Method: m.Name}")
	p.P("}")
	p.P()
}

func (g *emitter) stub(p *printer, r role, methods []*plan.Method) {
	name := r.name + "Stub"
	p.P("// ", name, " calls ", indefinite(r.lower), " through a [wire.Caller]. It is as safe for concurrent use as the Caller.")
	p.P("type ", name, " struct{ wire.Caller }")
	p.P()
	for _, m := range methods {
		p.P("// ", g.goMethod(m), " calls ", m.Name, ". See [", r.name, ".", g.goMethod(m), "].")
		p.P("func (s ", name, ") ", g.signature(m), " {")
		_, union := g.pkg.Lookup(m.Result).(*plan.Union)
		switch {
		case m.Result == "":
			p.P("return s.Notify(ctx, Method", m.Go, ", params)")
		case union:
			p.P("res := ", g.newMessage(m.Result))
			p.P("if err := s.Call(ctx, Method", m.Go, ", params, res); err != nil { return nil, err }")
			p.P("return res.Value, nil")
		default:
			p.P("res := new(", g.pkg.Lookup(m.Result).GoName(), ")")
			p.P("if err := s.Call(ctx, Method", m.Go, ", params, res); err != nil { return nil, err }")
			p.P("return res, nil")
		}
		p.P("}")
		p.P()
	}
}
