package emit

import (
	"fmt"
	"math/big"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
	"github.com/atombender/go-jsonschema/pkg/codegen"
)

// goType returns the Go type of a value that is there and not null, in go-jsonschema's model.
func (g *emitter) goType(t model.Type) codegen.Type {
	switch t := t.(type) {
	case *model.Ref:
		return codegen.CustomNameType{Type: g.pkg.Lookup(t.Name).GoName(), Nillable: g.nilable(t)}
	case *model.Scalar:
		return codegen.PrimitiveType{Type: scalarType(t)}
	case *model.List:
		return codegen.ArrayType{Type: g.goType(t.Elem)}
	case *model.Map:
		return codegen.MapType{KeyType: codegen.PrimitiveType{Type: "string"}, ValueType: g.goType(t.Elem)}
	case *model.Any:
		return codegen.CustomNameType{Type: "wire.Raw", Nillable: true}
	case *model.Struct, *model.Union, *model.Enum:
		g.errorf("model", "an inline %T has no Go type", t)
	}
	return codegen.NullType{}
}

// goTypeString returns goType as text.
func (g *emitter) goTypeString(t model.Type) string {
	return typeString(g.goType(t))
}

func typeString(t codegen.Type) string {
	e := codegen.NewEmitter(lineLength)
	if err := t.Generate(e); err != nil {
		return err.Error() // not Go: format.Source will say so
	}
	return e.String()
}

// fieldType returns the Go type of a struct field.
func (g *emitter) fieldType(f *plan.Field) codegen.Type {
	t := g.goType(f.Type)
	if a, ok := f.Type.(*model.Any); ok && a.Object && f.Name == "_meta" {
		return codegen.CustomNameType{Type: "wire.Meta", Nillable: true}
	}
	switch {
	case f.ThreeState:
		return codegen.CustomNameType{Type: "wire.Nullable[" + typeString(t) + "]"}
	case g.pointer(f):
		return codegen.PointerType{Type: t}
	}
	return t
}

// pointer reports whether the field is a pointer: it may be absent or null and its type has no nil of its own.
func (g *emitter) pointer(f *plan.Field) bool {
	return (!f.Required || f.Nullable) && !f.ThreeState && !g.nilable(f.Type)
}

// nilable reports whether the Go type of t has a nil that can stand for absence.
func (g *emitter) nilable(t model.Type) bool {
	switch t := t.(type) {
	case *model.List, *model.Map, *model.Any:
		return true
	case *model.Ref:
		switch d := g.pkg.Lookup(t.Name).(type) {
		case *plan.Union:
			return true
		case *plan.Alias:
			return d.Target == "" && g.nilable(d.Model)
		case *plan.Struct, *plan.Enum, *plan.Scalar, *plan.Derived, *plan.Wrapped, *plan.Unknown:
		}
	case *model.Scalar, *model.Struct, *model.Union, *model.Enum:
	}
	return false
}

func scalarType(s *model.Scalar) string {
	switch s.Kind {
	case model.String:
		return "string"
	case model.Boolean:
		return "bool"
	case model.Number:
		return "float64"
	case model.Integer:
		switch s.Format {
		case "uint16", "uint32", "uint64", "int32", "int64":
			return s.Format
		}
		return "int64"
	case model.Null:
	}
	return "any"
}

// formatRange returns the range of a Go integer type.
func formatRange(goType string) (lo, hi *big.Int) {
	one := big.NewInt(1)
	pow := func(n uint) *big.Int { return new(big.Int).Lsh(one, n) }
	switch goType {
	case "uint16":
		return new(big.Int), new(big.Int).Sub(pow(16), one)
	case "uint32":
		return new(big.Int), new(big.Int).Sub(pow(32), one)
	case "uint64":
		return new(big.Int), new(big.Int).Sub(pow(64), one)
	case "int32":
		return new(big.Int).Neg(pow(31)), new(big.Int).Sub(pow(31), one)
	}
	return new(big.Int).Neg(pow(63)), new(big.Int).Sub(pow(63), one)
}

// bounds returns the range of an integer, with the Go type's where the schema gives none.
func bounds(s *model.Scalar) (lo, hi *big.Int) {
	lo, hi = formatRange(scalarType(s))
	if s.Min != nil && s.Min.Cmp(lo) > 0 {
		lo = s.Min
	}
	if s.Max != nil && s.Max.Cmp(hi) < 0 {
		hi = s.Max
	}
	return lo, hi
}

// scalarExpr returns the expression that decodes a scalar.
func (g *emitter) scalarExpr(s *model.Scalar) string {
	switch s.Kind {
	case model.String:
		if s.MinLength > 0 {
			return fmt.Sprintf("d.MinString(%d)", s.MinLength)
		}
		return "d.String()"
	case model.Boolean:
		return "d.Bool()"
	case model.Number:
		return g.floatExpr(s)
	case model.Integer:
		return intExpr(s)
	case model.Null:
	}
	return "d.ExplicitNull()"
}

func intExpr(s *model.Scalar) string {
	goType := scalarType(s)
	lo, hi := bounds(s)
	name := s.Format
	if name == "" {
		name = "integer"
	}
	if goType[0] == 'u' && lo.Sign() == 0 {
		expr := fmt.Sprintf("d.Uint(%s, %q)", hi, name)
		if goType == "uint64" {
			return expr
		}
		return goType + "(" + expr + ")"
	}
	expr := fmt.Sprintf("d.Int(%s, %s, %q)", lo, hi, name)
	if goType == "int64" {
		return expr
	}
	return goType + "(" + expr + ")"
}
