// Package model is the normalised form of a protocol schema: what the generator knows about it, with JSON Schema's many spellings folded into few shapes.
package model

import "math/big"

// A Schema is one surface of the protocol, normalised.
type Schema struct {
	// Defs are the definitions that become Go types, in schema order. The JSON-RPC envelopes (x-docs-ignore) and the empty Ext* definitions are left out.
	Defs []*Def
	// Methods are the protocol's methods, in order of first appearance.
	Methods []*Method
}

// Def returns the definition of that name, or nil.
func (s *Schema) Def(name string) *Def {
	for _, d := range s.Defs {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// A Def is one entry of $defs.
type Def struct {
	Name string
	// Pointer is where the definition stands in the schema, such as "#/$defs/Diff".
	Pointer string
	Type    Type
}

// A Side says who handles a method.
type Side string

// The sides, as x-side spells them. A protocol method is handled by both peers.
const (
	SideAgent    Side = "agent"
	SideClient   Side = "client"
	SideProtocol Side = "protocol"
	SideProxy    Side = "proxy"
)

// A Method is a request (Result is set) or a notification (Result is empty).
type Method struct {
	Name   string
	Side   Side
	Params string // definition name of the params
	Result string // definition name of the result; empty for a notification
}

// A Type is the shape of a JSON value. It is one of [*Struct], [*Union], [*Enum], [*List], [*Map], [*Scalar], [*Any], [*Ref].
//
//sumtype:decl
type Type interface{ isType() }

// A Struct is an object with known properties. Further properties are allowed and ignored, as everywhere in the protocol.
type Struct struct {
	Fields []*Field // schema order
	// Unions are flattened into the object: their variants' properties stand beside Fields. Empty for a plain struct.
	Unions []*Union
}

// A Field is one property of a Struct.
type Field struct {
	Name    string
	Pointer string // of the property's schema
	Type    Type   // without null; never a bare Struct or Union: those are reached by Ref
	// Required means the key must be present. Nullable means null is a valid value.
	Required, Nullable bool
	// Default is the schema's default as JSON; nil if it has none.
	Default []byte
	// The protocol's leniency annotations, x-deserialize-*.
	DefaultOnError, DefaultOnNull, SkipInvalidItems bool
}

// A Strategy is how the variant of a union is decided. Trial decoding is not among them.
type Strategy int

const (
	// ByTag decides by a const string property that every variant has. Closed: another tag is an error.
	ByTag Strategy = iota
	// ByOpenTag is ByTag with a catch-all variant for unknown tags.
	ByOpenTag
	// ByTagOrDefault decides by tag; a value without a known tag is the default variant (McpServer, AuthMethod, SetSessionConfigOptionRequest).
	ByTagOrDefault
	// ByOpenTagOrDefault decides by tag; an unknown tag is the catch-all, and no tag is the default variant (MultiSelectItems).
	ByOpenTagOrDefault
	// ByKey decides an object by which variant's required keys are present, in schema order (EmbeddedResourceResource, elicitation scopes).
	ByKey
	// ByElementKey decides an array by the required keys of its first element (SessionConfigSelectOptions).
	ByElementKey
	// ByKind decides by JSON kind: string, integer, number, boolean, array, null, any (ElicitationContentValue, RequestId).
	ByKind
)

// A Union is a value that has one of several shapes.
type Union struct {
	Pointer  string
	Strategy Strategy
	// Tag is the property that decides, for the tag strategies.
	Tag      string
	Variants []*Variant // schema order
	// Exclusive is true for oneOf without a discriminator: exactly one variant may match.
	Exclusive bool
	// TagDefaultOnError is x-deserialize-default-on-error on the tag itself: a tag of the wrong type counts as absent. Only with an Absent variant.
	TagDefaultOnError bool
}

// A Variant is one shape of a Union.
type Variant struct {
	Pointer string
	Title   string
	// Tag is the const that selects this variant; empty for default, catch-all, key and kind variants.
	Tag string
	// CatchAll marks the variant of unknown tags ("other"). Absent marks the variant of a null or missing tag ("none").
	CatchAll, Absent bool
	// Payload is the variant's own shape without the tag: a *Ref, or an inline *Struct (possibly empty) when the schema names none.
	// ByElementKey variants have a *List, ByKind variants a *Scalar, *List or *Any.
	Payload Type
	// Keys are the required keys that decide ByKey and ByElementKey.
	Keys []string
}

// An Enum is a string or an integer with named values.
type Enum struct {
	Base *Scalar
	// Open enums accept other values too.
	Open   bool
	Values []EnumValue
}

// An EnumValue is one named value: Const is the JSON text ("\"read\"", "-32700"); Title is the schema's, if any.
type EnumValue struct {
	Pointer string
	Title   string
	Const   string
}

// A List is an array.
type List struct {
	Elem     Type
	Nullable bool // elements may be null
	MinItems int
}

// A Map is an object with arbitrary keys and values of one shape.
type Map struct{ Elem Type }

// A Kind is a scalar's JSON kind.
type Kind int

// The scalar kinds. Null appears only as a ByKind variant.
const (
	String Kind = iota
	Boolean
	Integer
	Number
	Null
)

// A Scalar is a JSON scalar. Min and Max bound a number, from minimum, maximum and the integer format; nil is unbounded.
type Scalar struct {
	Kind      Kind
	Format    string
	Min, Max  *big.Int
	MinLength int // in code points
	// ContentEncoding is how a string holds bytes: "base64" or empty. An annotation, not asserted.
	ContentEncoding string
}

// An Any accepts every JSON value, kept as raw bytes. Object is true for an object with arbitrary members (_meta and the like).
type Any struct{ Object bool }

// A Ref names a definition.
type Ref struct{ Name string }

func (*Struct) isType() {}
func (*Union) isType()  {}
func (*Enum) isType()   {}
func (*List) isType()   {}
func (*Map) isType()    {}
func (*Scalar) isType() {}
func (*Any) isType()    {}
func (*Ref) isType()    {}
