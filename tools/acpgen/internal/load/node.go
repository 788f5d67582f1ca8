package load

import (
	"math/big"
	"slices"
)

// A Schema is a schema file: its root and its definitions.
type Schema struct {
	// Root is the schema at the top of the file.
	Root *Node
	// Defs are the entries of $defs in file order.
	Defs []*Property
}

// Def returns the definition of that name, or nil.
func (s *Schema) Def(name string) *Node {
	for _, d := range s.Defs {
		if d.Name == name {
			return d.Node
		}
	}
	return nil
}

// A Property is a named schema: an entry of properties or of $defs.
type Property struct {
	// Name is the key as it stands in the file.
	Name string
	// Node is the schema under the key.
	Node *Node
}

// A Node is one schema. The fields are its keywords; a keyword the schema does not have is the zero value, and Has tells it from
// one that has the zero value.
type Node struct {
	// Pointer is where the schema stands, such as "#/$defs/Diff/properties/path".
	Pointer string
	// Keywords are the schema's keywords in file order, without description.
	Keywords []string
	// Bool is set for the schemas true and false, which have no keywords.
	Bool *bool

	// Ref is the name of the definition that $ref points to.
	Ref string
	// Title is the title keyword.
	Title string
	// Types are the names in the type keyword, in file order.
	Types []string
	// Const is the JSON text of const; Enum are the JSON texts in enum; Default is the JSON text of default.
	Const   []byte
	Enum    [][]byte
	Default []byte
	// Format and ContentEncoding are the keywords of that name.
	Format, ContentEncoding string
	// Minimum and Maximum are exact; nil if the schema has none.
	Minimum, Maximum *big.Rat
	// MinItems and MinLength are 0 if the schema has none.
	MinItems, MinLength int

	// Properties are in file order; Required lists the names in file order.
	Properties []*Property
	Required   []string
	// Items, AdditionalProperties, UnevaluatedProperties and Not are nil if the schema has none.
	Items, AdditionalProperties, UnevaluatedProperties, Not *Node
	// AllOf, AnyOf and OneOf are in file order.
	AllOf, AnyOf, OneOf []*Node
	// Discriminator is the propertyName of the discriminator keyword.
	Discriminator string

	// Side and Method are x-side and x-method; DocsIgnore is x-docs-ignore.
	Side, Method string
	DocsIgnore   bool
	// DefaultOnError, DefaultOnNull and SkipInvalidItems are the x-deserialize-* keywords.
	DefaultOnError, DefaultOnNull, SkipInvalidItems bool
}

// Has reports whether the schema has the keyword.
func (n *Node) Has(keyword string) bool { return slices.Contains(n.Keywords, keyword) }

// Requires reports whether name is among the required properties.
func (n *Node) Requires(name string) bool { return slices.Contains(n.Required, name) }

// Property returns the schema of the property of that name, or nil.
func (n *Node) Property(name string) *Node {
	for _, p := range n.Properties {
		if p.Name == name {
			return p.Node
		}
	}
	return nil
}
