// Package plan decides how a normalised schema looks in Go: names, kinds of declarations, which type is which union's variant.
package plan

import "github.com/acpwire/acpwire/tools/acpgen/internal/model"

// A Package is the Go package of one surface.
type Package struct {
	Name    string // "acpv1"
	Surface string // "v1"
	Version int    // protocolVersion
	Decls   []Decl // schema order; a union's own variant types follow it
	Methods []*Method

	byDef map[string]Decl
}

// Lookup returns the declaration of a definition; of one that only names another, the other's.
func (p *Package) Lookup(def string) Decl {
	if a, ok := p.byDef[def].(*Alias); ok {
		if r, ok := a.Model.(*model.Ref); ok {
			return p.Lookup(r.Name)
		}
	}
	return p.byDef[def]
}

// A Decl is a Go type declaration. It is one of [*Struct], [*Derived], [*Union], [*Enum], [*Scalar], [*Alias], [*Wrapped], [*Unknown].
//
//sumtype:decl
type Decl interface {
	// GoName is the declared name.
	GoName() string
	// DefName is the schema definition that messages name: the type's own, or the one it is part of.
	DefName() string
	isDecl()
}

type named struct {
	Go string
	// Def is the schema definition that messages name: the type's own, or the one it is part of.
	Def string
}

func (n *named) GoName() string { return n.Go }

func (n *named) DefName() string { return n.Def }

// A Struct is an object.
type Struct struct {
	named
	// Own is true if Def is this struct's definition, false for the payload of an inline variant.
	Own    bool
	Fields []*Field
	Unions []*FlatUnion
	// VariantOf lists the unions that the struct is a variant of, with the tag it then has.
	VariantOf []*VariantUse
	// DocKey finds the doc text of an inline variant: union definition and tag.
	Doc DocKey
}

// Width is the number of indices its members need, flattened unions included.
func (s *Struct) Width() int {
	n := len(s.Fields)
	for _, u := range s.Unions {
		n += u.Width()
	}
	return n
}

// A DocKey finds a doc text: that of the definition, or of one variant of its union.
type DocKey struct{ Def, Variant string }

// A VariantUse is the role of a type in a union. Key and Tag are empty where no tag decides.
type VariantUse struct {
	Union    *Union
	Key, Tag string
}

// A Field is a struct field.
type Field struct {
	*model.Field
	Go string
	// ThreeState means wire.Nullable.
	ThreeState bool
}

// A FlatUnion is a union whose members stand among those of the struct.
type FlatUnion struct {
	Go    string // field name
	Union *Union
}

// Width is the number of indices that the widest variant needs, and one for the tag, which is the last.
func (u *FlatUnion) Width() int {
	n := 0
	for _, v := range u.Union.Variants {
		if s, ok := v.Decl.(*Struct); ok {
			n = max(n, s.Width())
		}
		if s, ok := v.Decl.(*Derived); ok {
			n = max(n, s.From.Width())
		}
		if s, ok := v.Decl.(*Unknown); ok {
			n = max(n, s.Fields.Width())
		}
	}
	if u.Union.Model.Tag != "" {
		n++
	}
	return n
}

// A Derived is a variant whose payload other variants share: a defined type over the payload's struct.
type Derived struct {
	named
	From      *Struct
	VariantOf []*VariantUse
	Doc       DocKey
}

// A Wrapped is a variant whose payload is a union of its own.
type Wrapped struct {
	named
	Field     string
	VariantOf []*VariantUse
	Doc       DocKey
}

// A Union is a sealed interface.
type Union struct {
	named
	Model    *model.Union
	Variants []*Variant
	// Flat unions are part of an object; the others are values of their own.
	Flat bool
	// Unknown is the type of variants that the schema does not know. Nil where the strategy leaves none.
	Unknown *Unknown
	// Open means that the schema allows unknown variants.
	Open bool
	Doc  DocKey
}

// A Variant is one variant of a Union.
type Variant struct {
	*model.Variant
	// Decl is a *Struct, *Derived, *Wrapped, *Unknown, or a *Scalar or *Alias for variants that are no objects. It is nil for an Absent variant.
	Decl Decl
}

// An Unknown is the type of unknown variants.
type Unknown struct {
	named
	Union *Union
	// Fields are what the schema's catch-all declares besides the tag.
	Fields *Struct
}

// An Enum is a string or integer type with constants.
type Enum struct {
	named
	Model  *model.Enum
	Values []EnumValue
}

// An EnumValue is a constant.
type EnumValue struct {
	model.EnumValue
	Go string
}

// A Scalar is a defined type over a scalar.
type Scalar struct {
	named
	Model     *model.Scalar
	VariantOf []*VariantUse
	Doc       DocKey
}

// An Alias is a definition that another type stands for: a wire type (Target is set), a list, a map or any value.
type Alias struct {
	named
	Target    string
	Model     model.Type
	VariantOf []*VariantUse
	Doc       DocKey
}

// A Method is a row of the method table.
type Method struct {
	*model.Method
	Go string
}

func (*Struct) isDecl()  {}
func (*Derived) isDecl() {}
func (*Wrapped) isDecl() {}
func (*Union) isDecl()   {}
func (*Enum) isDecl()    {}
func (*Scalar) isDecl()  {}
func (*Alias) isDecl()   {}
func (*Unknown) isDecl() {}
