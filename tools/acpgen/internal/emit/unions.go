package emit

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
	"github.com/acpwire/acpwire/tools/internal/goname"
)

// unions prints the sealed interfaces and what makes types their variants.
func (g *emitter) unions(p *printer) {
	for _, d := range g.pkg.Decls {
		if u, ok := d.(*plan.Union); ok {
			g.union(p, u)
		}
	}
}

func (g *emitter) union(p *printer, u *plan.Union) {
	p.Doc(g.unionDoc(u)...)
	p.P("//")
	p.P("//sumtype:decl")
	p.P("type ", u.Go, " interface {")
	p.P("json.Marshaler")
	p.P("wire.Marshaler")
	p.P("is", u.Go, "()")
	p.P("}")
	p.P()
	for _, v := range u.Variants {
		if v.Decl != nil {
			p.P("func (", receiver(v.Decl), v.Decl.GoName(), ") is", u.Go, "() {}")
		}
	}
	if u.Unknown != nil && !u.Open {
		p.P("func (*", u.Unknown.Go, ") is", u.Go, "() {}")
	}
	p.P()
}

// receiver is "*" for variants that are pointers.
func receiver(d plan.Decl) string {
	switch d.(type) {
	case *plan.Scalar, *plan.Alias:
		return ""
	case *plan.Struct, *plan.Derived, *plan.Wrapped, *plan.Unknown, *plan.Union, *plan.Enum:
	}
	return "*"
}

func (g *emitter) unionDoc(u *plan.Union) []string {
	text, page := g.docs.Type(u.Doc.Def)
	first := u.Go + " " + text
	if u.Flat {
		first = u.Go + " is the part of [" + goname.Of(u.Def) + "] that comes in several shapes."
	}
	doc := []string{first, "It is one of:"}
	for _, v := range u.Variants {
		if v.Decl == nil {
			continue
		}
		item := fmt.Sprintf("  - [%s%s]", receiver(v.Decl), v.Decl.GoName())
		if v.Tag != "" {
			item += fmt.Sprintf(" (%q)", v.Tag)
		}
		if text := g.docs.Variant(u.Doc.Def, variantKey(v)); text != "" {
			item += " " + strings.ReplaceAll(text, "\n", " ")
		}
		doc = append(doc, item)
	}
	return append(doc, unionFacts(u), g.page(page))
}

func variantKey(v *plan.Variant) string {
	if v.Tag != "" {
		return v.Tag
	}
	return v.Title
}

// unionFacts says how the variant is decided.
func unionFacts(u *plan.Union) string {
	tagged := fmt.Sprintf("On the wire %q decides. ", u.Model.Tag)
	switch u.Model.Strategy {
	case model.ByTag:
		return tagged + fmt.Sprintf("The set is closed: another value is an error, or a [*%s] for a lenient decode that keeps unknown variants.", u.Unknown.Go) + absentFact(u)
	case model.ByOpenTag:
		return tagged + fmt.Sprintf("The set is open: another value is a [*%s].", u.Unknown.Go) + absentFact(u)
	case model.ByTagOrDefault:
		return tagged + fmt.Sprintf("Any other value, or none, means [*%s].", defaultVariant(u).Decl.GoName())
	case model.ByOpenTagOrDefault:
		return tagged + fmt.Sprintf("Another value is a [*%s], and none means [*%s].", u.Unknown.Go, defaultVariant(u).Decl.GoName())
	case model.ByKey:
		if len(u.Variants) == 1 {
			return "As long as there is one variant only, nothing on the wire has to decide."
		}
		var keys []string
		for _, v := range u.Variants {
			if v.Decl != nil && len(v.Keys) > 0 {
				keys = append(keys, fmt.Sprintf("%s for [%s%s]", quoteAll(v.Keys), receiver(v.Decl), v.Decl.GoName()))
			}
		}
		return "On the wire the members that are there decide, in this order: " + strings.Join(keys, ", ") + "."
	case model.ByElementKey:
		return elementFacts(u)
	case model.ByKind:
		return "On the wire the kind of the value decides."
	}
	return ""
}

func absentFact(u *plan.Union) string {
	if hasAbsent(u) {
		return " Null, or no value at all, means that there is no variant."
	}
	return ""
}

func elementFacts(u *plan.Union) string {
	var keys []string
	for _, v := range u.Variants[1:] {
		keys = append(keys, fmt.Sprintf("%s make it a [%s]", quoteAll(v.Keys), v.Decl.GoName()))
	}
	return fmt.Sprintf("On the wire the members of the first element decide: %s. Otherwise, and if there is no element, it is a [%s].",
		strings.Join(keys, ", "), u.Variants[0].Decl.GoName())
}

func quoteAll(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, " and ")
}
