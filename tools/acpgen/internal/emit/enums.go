package emit

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
	"github.com/atombender/go-jsonschema/pkg/codegen"
)

// enums prints the enums, their constants and their codecs.
func (g *emitter) enums(p *printer) {
	for _, d := range g.pkg.Decls {
		if e, ok := d.(*plan.Enum); ok {
			g.enum(p, e)
		}
	}
}

func (g *emitter) enum(p *printer, e *plan.Enum) {
	text, page := g.docs.Type(e.Def)
	fact := "The set is closed: the codecs refuse other values."
	if e.Model.Open {
		fact = "The set is open: other values are valid and kept."
	}
	g.declare(p, e.Go, codegen.PrimitiveType{Type: scalarType(e.Model.Base)}, []string{e.Go + " " + text, fact, g.page(page)})
	p.P("// The known values of ", e.Go, ".")
	p.P("const (")
	for _, v := range e.Values {
		p.Doc(v.Go + " " + g.docs.Value(e.Def, strings.Trim(v.Const, `"`)))
		p.P(v.Go, " ", e.Go, " = ", v.Const)
	}
	p.P(")")
	p.P()
	g.enumValid(p, e)
	if e.Model.Base.Kind == model.String {
		g.enumString(p, e)
	} else {
		g.enumInt(p, e)
	}
}

func (g *emitter) enumValid(p *printer, e *plan.Enum) {
	name, what := "Valid", "is one of the values of the schema"
	if e.Model.Open {
		name, what = "Known", "is one of the values that the schema names. Others are valid too"
	}
	p.P("// ", name, " reports whether x ", what, ".")
	p.P("func (x ", e.Go, ") ", name, "() bool {")
	p.P("switch x {")
	p.P("case ", strings.Join(goNames(e), ", "), ":")
	p.P("return true")
	p.P("}")
	p.P("return false")
	p.P("}")
	p.P()
}

func goNames(e *plan.Enum) []string {
	out := make([]string, len(e.Values))
	for i, v := range e.Values {
		out[i] = v.Go
	}
	return out
}

func consts(e *plan.Enum) string {
	out := make([]string, len(e.Values))
	for i, v := range e.Values {
		out[i] = v.Const
	}
	return strings.Join(out, ", ")
}

func (g *emitter) enumString(p *printer, e *plan.Enum) {
	p.P("func decode", e.Go, "(d *wire.Decoder) ", e.Go, " {")
	if !e.Model.Open {
		p.P("at := d.Start()")
	}
	p.P("s, ok := d.Text()")
	p.P("if !ok { return \"\" }")
	p.P("switch string(s) {")
	for _, v := range e.Values {
		p.P("case ", v.Const, ": return ", v.Go)
	}
	p.P("}")
	if e.Model.Open {
		p.P("return ", e.Go, "(s)")
	} else {
		p.P(fmt.Sprintf("d.NotOneOf(at, %q, %s)", e.Def, consts(e)))
		p.P("return \"\"")
	}
	p.P("}")
	p.P()
	p.P("func encode", e.Go, "(e *wire.Encoder, x ", e.Go, ") {")
	if e.Model.Open {
		p.P("e.String(string(x))")
	} else {
		p.P("switch x {")
		for _, v := range e.Values {
			p.P("case ", v.Go, ": e.Literal(", fmt.Sprintf("%q", v.Const), ")")
		}
		p.P("default: ", fmt.Sprintf("e.NotOneOf(%q, %s)", e.Def, consts(e)))
		p.P("}")
	}
	p.P("}")
	p.P()
}

func (g *emitter) enumInt(p *printer, e *plan.Enum) {
	p.P("func decode", e.Go, "(d *wire.Decoder) ", e.Go, " { return ", e.Go, "(", g.scalarExpr(e.Model.Base), ") }")
	p.P()
	p.P("func encode", e.Go, "(e *wire.Encoder, x ", e.Go, ") { e.Int(int64(x)) }")
	p.P()
}
