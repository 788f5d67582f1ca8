package model

import (
	"fmt"
	"strings"
)

// Dump renders a schema as text, one line for each method, field, variant and value. Equal schemas have equal dumps.
func Dump(s *Schema) string {
	d := &dumper{}
	for _, m := range s.Methods {
		d.line(0, "method %s on %s: %s", m.Name, m.Side, strings.TrimSuffix(m.Params+" -> "+m.Result, " -> "))
	}
	for _, def := range s.Defs {
		d.line(0, "%s: %s", def.Name, typeText(def.Type))
		d.body(1, def.Type)
	}
	return d.text.String()
}

type dumper struct{ text strings.Builder }

func (d *dumper) line(depth int, format string, args ...any) {
	d.text.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&d.text, format, args...)
	d.text.WriteByte('\n')
}

// body writes what does not fit on the line of the type itself.
func (d *dumper) body(depth int, t Type) {
	switch t := t.(type) {
	case *Struct:
		for _, f := range t.Fields {
			d.line(depth, "%s", fieldText(f))
		}
		for _, u := range t.Unions {
			d.line(depth, "%s", typeText(u))
			d.body(depth+1, u)
		}
	case *Union:
		for _, v := range t.Variants {
			d.line(depth, "%s", variantText(t, v))
			d.body(depth+1, v.Payload)
		}
	case *Enum:
		for _, v := range t.Values {
			d.line(depth, "%s%s", v.Const, titleText(v.Title))
		}
	case *List, *Map, *Scalar, *Any, *Ref:
	}
}

func fieldText(f *Field) string {
	var b strings.Builder
	b.WriteString(f.Name)
	if !f.Required {
		b.WriteByte('?')
	}
	b.WriteString(": " + typeText(f.Type))
	if f.Nullable {
		b.WriteString(" or null")
	}
	if f.Default != nil {
		fmt.Fprintf(&b, " default %s", f.Default)
	}
	for _, flag := range []struct {
		set  bool
		name string
	}{{f.DefaultOnError, "default-on-error"}, {f.DefaultOnNull, "default-on-null"}, {f.SkipInvalidItems, "skip-invalid-items"}} {
		if flag.set {
			b.WriteString(" " + flag.name)
		}
	}
	return b.String()
}

func variantText(u *Union, v *Variant) string {
	name := "variant"
	switch {
	case v.CatchAll:
		name = "other"
	case v.Absent:
		name = "absent"
	case v.Tag != "":
		name = fmt.Sprintf("%q", v.Tag)
	case u.Tag != "":
		name = "default"
	}
	if len(v.Keys) > 0 {
		name += " with " + strings.Join(v.Keys, ", ")
	}
	return name + ": " + typeText(v.Payload) + titleText(v.Title)
}

func titleText(title string) string {
	if title == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", title)
}

func typeText(t Type) string {
	switch t := t.(type) {
	case *Struct:
		return "struct"
	case *Union:
		return unionText(t)
	case *Enum:
		if t.Open {
			return "open enum of " + typeText(t.Base)
		}
		return "enum of " + typeText(t.Base)
	case *List:
		return listText(t)
	case *Map:
		return "map of " + typeText(t.Elem)
	case *Scalar:
		return scalarText(t)
	case *Any:
		if t.Object {
			return "any object"
		}
		return "any"
	case *Ref:
		return t.Name
	}
	return fmt.Sprintf("%T", t)
}

func unionText(u *Union) string {
	text := "union " + u.Strategy.String()
	if u.Tag != "" {
		text += fmt.Sprintf(" %q", u.Tag)
	}
	if u.Exclusive {
		text += " exclusive"
	}
	if u.TagDefaultOnError {
		text += " default-on-error"
	}
	return text
}

func listText(l *List) string {
	text := "list of " + typeText(l.Elem)
	if l.Nullable {
		text += " or null"
	}
	if l.MinItems > 0 {
		text += fmt.Sprintf(" (at least %d)", l.MinItems)
	}
	return text
}

func scalarText(s *Scalar) string {
	text := s.Kind.String()
	if s.Format != "" {
		text += " " + s.Format
	}
	if s.ContentEncoding != "" {
		text += " " + s.ContentEncoding
	}
	if s.Min != nil || s.Max != nil {
		text += fmt.Sprintf(" [%s..%s]", boundText(s.Min), boundText(s.Max))
	}
	if s.MinLength > 0 {
		text += fmt.Sprintf(" (at least %d long)", s.MinLength)
	}
	return text
}

// boundText leaves out a bound that is not there.
func boundText(b fmt.Stringer) string {
	if text := b.String(); text != "<nil>" {
		return text
	}
	return ""
}

var strategyNames = [...]string{
	ByTag: "by tag", ByOpenTag: "by open tag", ByTagOrDefault: "by tag or default", ByOpenTagOrDefault: "by open tag or default",
	ByKey: "by key", ByElementKey: "by element key", ByKind: "by kind",
}

// String names the strategy as [Dump] does.
func (s Strategy) String() string { return strategyNames[s] }

var kindNames = [...]string{String: "string", Boolean: "boolean", Integer: "integer", Number: "number", Null: "null"}

// String is the JSON Schema name of the kind.
func (k Kind) String() string { return kindNames[k] }
