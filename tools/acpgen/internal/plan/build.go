package plan

import (
	"errors"
	"fmt"
	"go/token"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/internal/goname"
)

// Config names the package to plan.
type Config struct {
	Package string
	Surface string
	Version int
	Overlay *Overlay
}

type builder struct {
	schema  *model.Schema
	overlay *Overlay
	pkg     *Package
	// uses counts how many variants have a definition as payload.
	uses  map[string]int
	flat  map[string]*Union // flattened unions by Go name
	taken map[string]string
	at    map[*Struct]string // where each struct stands in the schema
	errs  []error
}

// roleNames are the exported names that every package has.
var roleNames = []string{
	"Agent", "UnimplementedAgent", "DispatchAgent", "AgentStub", "Client", "UnimplementedClient", "DispatchClient", "ClientStub", "Surface",
}

// Build plans the package. All name collisions, unused overlay entries and shapes that Go code cannot be planned for are reported.
func Build(s *model.Schema, c Config) (*Package, error) {
	b := &builder{
		schema: s, overlay: c.Overlay, uses: map[string]int{}, flat: map[string]*Union{}, taken: map[string]string{}, at: map[*Struct]string{},
		pkg: &Package{Name: c.Package, Surface: c.Surface, Version: c.Version, byDef: map[string]Decl{}},
	}
	for _, name := range roleNames {
		b.taken[name] = "the interfaces and stubs of the two sides"
	}
	for _, d := range s.Defs {
		b.countUses(d.Type, map[string]bool{})
	}
	for _, d := range s.Defs {
		b.declare(d)
	}
	for _, d := range s.Defs {
		b.fill(d)
	}
	b.methods()
	b.check()
	b.errs = append(b.errs, b.overlay.unused())
	return b.pkg, errors.Join(b.errs...)
}

func (b *builder) errorf(pointer, format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf("%s: %s", pointer, fmt.Sprintf(format, args...)))
}

// countUses counts payload definitions. A union that several objects flatten under one Go name counts once.
func (b *builder) countUses(t model.Type, seen map[string]bool) {
	count := func(u *model.Union) {
		if names := b.overlay.union(u.Pointer); names.Type != "" && b.flatSeen(names.Type) {
			return
		}
		for _, v := range u.Variants {
			if r, ok := v.Payload.(*model.Ref); ok {
				b.uses[r.Name]++
			}
			b.countUses(v.Payload, seen)
		}
	}
	switch t := t.(type) {
	case *model.Union:
		count(t)
	case *model.Struct:
		for _, u := range t.Unions {
			count(u)
		}
	case *model.Enum, *model.List, *model.Map, *model.Scalar, *model.Any, *model.Ref, nil:
	}
}

func (b *builder) flatSeen(name string) bool {
	if _, ok := b.flat[name]; ok {
		return true
	}
	b.flat[name] = nil
	return false
}

// name claims a Go name for what stands at pointer.
func (b *builder) name(goName, pointer string) string {
	if !token.IsIdentifier(goName) {
		b.errorf(pointer, "%q is not a Go name", goName)
	}
	if other, ok := b.taken[goName]; ok {
		b.errorf(pointer, "Go name %s is taken by %s", goName, other)
	}
	b.taken[goName] = pointer
	return goName
}

// declare makes the declaration of a definition without its parts, so that parts can refer to one another.
func (b *builder) declare(d *model.Def) {
	n := named{Go: goname.Of(d.Name), Def: d.Name}
	var decl Decl
	if target := b.overlay.mapped(d.Name); target != "" {
		decl = &Alias{named: n, Target: target, Model: d.Type, Doc: DocKey{Def: d.Name}}
	} else {
		switch t := d.Type.(type) {
		case *model.Struct:
			decl = &Struct{named: n, Own: true, Doc: DocKey{Def: d.Name}}
		case *model.Union:
			decl = &Union{named: n, Model: t, Doc: DocKey{Def: d.Name}}
		case *model.Enum:
			decl = &Enum{named: n, Model: t}
		case *model.Scalar:
			decl = &Scalar{named: n, Model: t, Doc: DocKey{Def: d.Name}}
		case *model.List, *model.Map, *model.Any, *model.Ref:
			decl = &Alias{named: n, Model: t, Doc: DocKey{Def: d.Name}}
		}
	}
	b.name(n.Go, d.Pointer)
	b.pkg.byDef[d.Name] = decl
}

// fill plans the parts of a definition and appends its declarations.
func (b *builder) fill(d *model.Def) {
	decl := b.pkg.byDef[d.Name]
	b.pkg.Decls = append(b.pkg.Decls, decl)
	switch decl := decl.(type) {
	case *Struct:
		b.fillStruct(decl, d.Type.(*model.Struct), d.Pointer)
	case *Union:
		b.fillUnion(decl, b.overlay.union(decl.Model.Pointer))
	case *Enum:
		for _, v := range decl.Model.Values {
			b.enumValue(decl, v)
		}
	case *Scalar, *Alias, *Derived, *Wrapped, *Unknown:
	}
}

func (b *builder) enumValue(e *Enum, v model.EnumValue) {
	word := v.Title
	if word == "" || e.Model.Base.Kind == model.String {
		word = strings.Trim(v.Const, `"`)
	}
	e.Values = append(e.Values, EnumValue{EnumValue: v, Go: b.name(e.Go+goname.Of(word), v.Pointer)})
}

func (b *builder) fillStruct(s *Struct, m *model.Struct, pointer string) {
	b.at[s] = pointer
	taken := map[string]string{}
	for _, method := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalWire", "UnmarshalWire"} {
		taken[method] = "a method"
	}
	claim := func(name, at string) string {
		if !token.IsIdentifier(name) {
			b.errorf(at, "%q is not a Go name", name)
		}
		if other, ok := taken[name]; ok {
			b.errorf(at, "the name %s in struct %s is taken by %s", name, s.Go, other)
		}
		taken[name] = at
		return name
	}
	for _, f := range m.Fields {
		pf := &Field{Field: f, Go: claim(goname.Of(f.Name), f.Pointer)}
		if f.Nullable && !f.Required {
			pf.ThreeState = b.overlay.threeState(s.Def, f.Name)
		}
		if f.Default != nil {
			claim("Get"+pf.Go, f.Pointer)
		}
		s.Fields = append(s.Fields, pf)
	}
	for _, u := range m.Unions {
		names := b.overlay.union(u.Pointer)
		fu := &FlatUnion{Go: names.Field, Union: b.flatUnion(s, u, names)}
		if fu.Go == "" {
			fu.Go = "Variant"
			if u.Tag != "" {
				fu.Go = goname.Of(u.Tag)
			}
		}
		claim(fu.Go, u.Pointer)
		s.Unions = append(s.Unions, fu)
	}
}

// flatUnion plans a union that is part of an object; objects may share one.
func (b *builder) flatUnion(s *Struct, m *model.Union, names *UnionNames) *Union {
	goName := names.Type
	if goName == "" {
		goName = s.Go + "Variant"
		if m.Tag != "" {
			goName = s.Go + goname.Of(m.Tag)
		}
	}
	if u := b.flat[goName]; u != nil {
		if !sameUnion(u.Model, m) {
			b.errorf(m.Pointer, "union %s differs from the one at %s", goName, u.Model.Pointer)
		}
		for _, v := range m.Variants {
			names.variant(key(v))
		}
		return u
	}
	u := &Union{named: named{Go: b.name(goName, m.Pointer), Def: s.Def}, Model: m, Flat: true, Doc: DocKey{Def: s.Def}}
	b.flat[goName] = u
	b.pkg.Decls = append(b.pkg.Decls, u)
	b.fillUnion(u, names)
	return u
}

func sameUnion(a, b *model.Union) bool {
	if a.Strategy != b.Strategy || a.Tag != b.Tag || len(a.Variants) != len(b.Variants) {
		return false
	}
	for i, v := range a.Variants {
		w := b.Variants[i]
		r, ok := v.Payload.(*model.Ref)
		q, ok2 := w.Payload.(*model.Ref)
		if !ok || !ok2 || r.Name != q.Name || v.Tag != w.Tag {
			return false
		}
	}
	return true
}

// key is how overlay and docs name a variant: by tag, or by title where no tag decides.
func key(v *model.Variant) string {
	if v.Tag != "" {
		return v.Tag
	}
	return v.Title
}

// methods plans the method table. A name on the wire has one Go name, and the reverse.
func (b *builder) methods() {
	wire := map[string]*model.Method{}
	for _, m := range b.schema.Methods {
		name := b.methodName(m)
		b.pkg.Methods = append(b.pkg.Methods, &Method{Method: m, Go: name})
		b.checkMessages(m)
		other := wire[name]
		switch {
		case other == nil:
			b.name("Method"+name, "#/$defs/"+m.Params)
			wire[name] = m
		case other.Name != m.Name:
			b.errorf("#/$defs/"+m.Params, "the methods %s and %s (#/$defs/%s) have the same Go name %s", m.Name, other.Name, other.Params, name)
		}
	}
}

func (b *builder) methodName(m *model.Method) string {
	name := b.overlay.method(m.Name)
	if name == "" {
		name = strings.TrimSuffix(strings.TrimSuffix(goname.Of(m.Params), "Request"), "Notification")
	}
	return name
}
