package emit

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
	"github.com/atombender/go-jsonschema/pkg/codegen"
)

// types prints the declarations of everything but unions and enums.
func (g *emitter) types(p *printer) {
	for _, d := range g.pkg.Decls {
		switch d := d.(type) {
		case *plan.Struct:
			g.declare(p, d.Go, g.structType(d), g.structDoc(d))
		case *plan.Derived:
			g.declare(p, d.Go, codegen.CustomNameType{Type: d.From.Go}, g.typeDoc(d.Go, d.Doc, d.VariantOf))
		case *plan.Wrapped:
			s := &codegen.StructType{}
			s.AddField(codegen.StructField{Name: d.Field, Type: codegen.CustomNameType{Type: d.Field}, Comment: d.Field + " is the variant's own union."})
			g.declare(p, d.Go, s, g.typeDoc(d.Go, d.Doc, d.VariantOf))
		case *plan.Scalar:
			g.declare(p, d.Go, codegen.PrimitiveType{Type: scalarType(d.Model)}, g.typeDoc(d.Go, d.Doc, d.VariantOf))
		case *plan.Alias:
			g.alias(p, d)
		case *plan.Unknown:
			g.declare(p, d.Go, g.unknownType(d), unknownDoc(d))
		case *plan.Union, *plan.Enum:
		}
	}
}

func (g *emitter) declare(p *printer, name string, t codegen.Type, doc []string) {
	p.Doc(doc...)
	decl := &codegen.TypeDecl{Name: name, Type: t}
	if err := decl.Generate(p.Emitter); err != nil {
		g.errorf(name, "%v", err)
	}
	p.P()
}

func (g *emitter) alias(p *printer, d *plan.Alias) {
	doc := g.typeDoc(d.Go, d.Doc, d.VariantOf)
	target := d.Target
	if r, ok := d.Model.(*model.Ref); ok {
		target = g.pkg.Lookup(r.Name).GoName()
	}
	if a, ok := d.Model.(*model.Any); ok && !a.Object && len(d.VariantOf) == 0 {
		target = "wire.Raw"
	}
	if target != "" {
		p.Doc(doc...)
		p.P("type ", d.Go, " = ", target)
		p.P()
		return
	}
	g.declare(p, d.Go, g.goType(d.Model), doc)
}

func (g *emitter) structType(s *plan.Struct) codegen.Type {
	t := &codegen.StructType{}
	for _, u := range s.Unions {
		t.AddField(codegen.StructField{Name: u.Go, Type: codegen.CustomNameType{Type: u.Union.Go}, Tags: `json:"-"`, Comment: flatDoc(u)})
	}
	for _, f := range s.Fields {
		tag := f.Name
		if !f.Required {
			tag += ",omitzero"
		}
		t.AddField(codegen.StructField{Name: f.Go, Type: g.fieldType(f), Tags: fmt.Sprintf(`json:"%s"`, tag), Comment: g.fieldDoc(s, f)})
	}
	return t
}

func flatDoc(u *plan.FlatUnion) string {
	text := u.Go + " holds the members that come in several shapes. On the wire they stand beside the other members. "
	if u.Union.Model.Tag != "" {
		text = fmt.Sprintf("%s holds the members that depend on %q. On the wire they and the tag stand beside the other members. ", u.Go, u.Union.Model.Tag)
	}
	for _, v := range u.Union.Variants {
		if v.Absent {
			return text + "Optional: nil if there is none."
		}
	}
	return text + "Required."
}

func (g *emitter) unknownType(d *plan.Unknown) codegen.Type {
	t := g.structType(d.Fields).(*codegen.StructType)
	fields := t.Fields
	t.Fields = nil
	if d.Union.Model.Tag != "" {
		t.AddField(codegen.StructField{Name: "Tag", Type: codegen.PrimitiveType{Type: "string"}, Comment: fmt.Sprintf("Tag is the value of %q.", d.Union.Model.Tag)})
	}
	t.Fields = append(t.Fields, fields...)
	if d.Union.Flat {
		t.AddField(codegen.StructField{Name: "Extra", Type: codegen.CustomNameType{Type: "[]wire.Member"}, Comment: "Extra are the members that the schema does not name, as they came."})
	} else {
		t.AddField(codegen.StructField{Name: "Raw", Type: codegen.CustomNameType{Type: "wire.Raw"}, Comment: rawDoc(d)})
	}
	return t
}

func rawDoc(d *plan.Unknown) string {
	text := "Raw is the whole value as it came."
	switch {
	case d.Union.Open && len(d.Fields.Fields)+len(d.Fields.Unions) > 0:
		text += " It is what is encoded; the other fields are not."
	case d.Union.Open:
		text += " It is what is encoded."
	}
	return text
}

func unknownDoc(d *plan.Unknown) []string {
	doc := fmt.Sprintf("%s is a variant of [%s] that this version of the protocol does not know.", d.Go, d.Union.Go)
	if !d.Union.Open {
		doc += " The union is closed: only a lenient decode that keeps unknown variants makes one, and the encoder refuses it."
	}
	return []string{doc}
}

// structDoc is the doc comment of a struct.
func (g *emitter) structDoc(s *plan.Struct) []string {
	doc := g.typeDoc(s.Go, s.Doc, s.VariantOf)
	for _, m := range g.pkg.Methods {
		if !s.Own {
			continue
		}
		switch s.Def {
		case m.Params:
			doc = insert(doc, fmt.Sprintf("Params of %s, which %s.", m.Name, handledBy(m.Side)))
		case m.Result:
			doc = insert(doc, fmt.Sprintf("Result of %s, which %s.", m.Name, handledBy(m.Side)))
		}
	}
	return doc
}

// insert puts a paragraph before the last, which is the page.
func insert(doc []string, paragraph string) []string {
	last := len(doc) - 1
	return append(doc[:last:last], paragraph, doc[last])
}

func handledBy(s model.Side) string {
	switch s {
	case model.SideAgent, model.SideClient, model.SideProxy:
		return "the " + string(s) + " handles"
	case model.SideProtocol:
	}
	return "either side handles"
}

// typeDoc is our text, the type's roles, and the page; the last element is the page.
func (g *emitter) typeDoc(goName string, key plan.DocKey, roles []*plan.VariantUse) []string {
	text, page := g.docs.Type(key.Def)
	if key.Variant != "" {
		text = g.docs.VariantType(key.Def, key.Variant)
	}
	first := goName + " " + text
	for _, r := range roles {
		if r.Tag != "" {
			first += fmt.Sprintf(" It is the %q variant of [%s].", r.Tag, r.Union.Go)
		} else {
			first += fmt.Sprintf(" It is a variant of [%s].", r.Union.Go)
		}
	}
	return []string{first, g.page(page)}
}

func (g *emitter) page(page string) string {
	if page == "" {
		return ""
	}
	return g.site + page
}

// fieldDoc is our text followed by what the schema says.
func (g *emitter) fieldDoc(s *plan.Struct, f *plan.Field) string {
	var parts []string
	text := g.docs.Field(s.Def, f.Name)
	switch {
	case text != "":
		parts = append(parts, f.Go+" "+text)
	case f.Name == "_meta":
		return "Meta is extension data, kept byte for byte. Optional."
	default:
		parts = append(parts, f.Go+" is the member "+fmt.Sprintf("%q.", f.Name))
	}
	return strings.Join(append(parts, g.facts(f, text)...), " ")
}

// facts are what the schema says about a member, but for what our text has said already.
func (g *emitter) facts(f *plan.Field, text string) []string {
	var out []string
	switch {
	case f.Required && f.Nullable:
		out = append(out, "Required; nil is null.")
	case f.Required:
		out = append(out, "Required.")
	case f.ThreeState:
		out = append(out, "Optional; null and absent differ.")
	case f.Nullable && !strings.Contains(strings.ToLower(text), "null and absence"):
		out = append(out, "Optional; null is the same as absent.")
	default:
		out = append(out, "Optional.")
	}
	if s := g.defaultFact(f); s != "" {
		out = append(out, s)
	}
	if s, ok := f.Type.(*model.Scalar); ok {
		out = append(out, scalarFacts(s)...)
	}
	if l, ok := f.Type.(*model.List); ok && l.MinItems > 0 {
		out = append(out, capitalised(atLeast(l.MinItems, "item"))+".")
	}
	if lenient := g.lenience(f); len(lenient) > 0 {
		out = append(out, "Lenient: "+strings.Join(lenient, ", ")+".")
	}
	return out
}

// defaultFact says what absence means. The default of an object repeats those of its members, which are said there.
func (g *emitter) defaultFact(f *plan.Field) string {
	if f.Default == nil || string(f.Default) == "null" {
		return ""
	}
	if r, ok := f.Type.(*model.Ref); ok {
		if s, ok := g.pkg.Lookup(r.Name).(*plan.Struct); ok {
			return fmt.Sprintf("Absent means the defaults of [%s]; see Get%s.", s.Go, f.Go)
		}
	}
	return fmt.Sprintf("Absent means %s; see Get%s.", f.Default, f.Go)
}

func capitalised(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// lenience says what a lenient decode does with the field.
func (g *emitter) lenience(f *plan.Field) []string {
	var out []string
	if f.SkipInvalidItems {
		out = append(out, "invalid items are left out")
	}
	if f.DefaultOnError && f.Required {
		out = append(out, "an invalid value counts as empty")
	} else if f.DefaultOnError {
		out = append(out, "an invalid value counts as absent")
	}
	if f.DefaultOnNull {
		out = append(out, "null counts as empty")
	}
	return out
}

func scalarFacts(s *model.Scalar) []string {
	var out []string
	if s.MinLength > 0 {
		out = append(out, capitalised(atLeast(s.MinLength, "character"))+".")
	}
	switch s.Format {
	case "uri", "date-time", "regex":
		out = append(out, "Format "+s.Format+", which is not checked.")
	}
	if hasRange(s) {
		out = append(out, "A number "+rangeText(s)+".")
	}
	return out
}
