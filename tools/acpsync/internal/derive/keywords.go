package derive

import (
	"fmt"
	"maps"
	"slices"

	"github.com/acpwire/acpwire/tools/acpsync/internal/jsontree"
)

// A shape says what the value of a keyword is, and so whether schemas stand below it.
type shape int

const (
	shapeProse     shape = iota + 1 // annotation text, left out of the derived schema
	shapeString                     // a string
	shapeBool                       // true or false
	shapeNumber                     // a number
	shapeStrings                    // an array of strings
	shapeTypes                      // a type name or an array of them
	shapeValue                      // any JSON value; data, never looked into
	shapeValues                     // an array of any JSON values; data
	shapeRef                        // "#/$defs/NAME"
	shapeTag                        // a discriminator: {"propertyName": "..."}
	shapeSchema                     // a schema
	shapeSchemas                    // a non-empty array of schemas
	shapeSchemaMap                  // an object whose values are schemas and whose names are not keywords
	shapeDefs                       // like shapeSchemaMap, at the root only
)

// keywords are the keywords a protocol schema may use. Each one must also have a meaning in the diff package; a keyword
// that stands in neither is refused, because its effect on a verdict would go unnoticed.
var keywords = map[string]shape{
	"$schema":                          shapeString,
	"$defs":                            shapeDefs,
	"$ref":                             shapeRef,
	"title":                            shapeString,
	"description":                      shapeProse,
	"type":                             shapeTypes,
	"const":                            shapeValue,
	"enum":                             shapeValues,
	"default":                          shapeValue,
	"format":                           shapeString,
	"pattern":                          shapeString,
	"contentEncoding":                  shapeString,
	"minimum":                          shapeNumber,
	"maximum":                          shapeNumber,
	"exclusiveMinimum":                 shapeNumber,
	"exclusiveMaximum":                 shapeNumber,
	"minLength":                        shapeNumber,
	"maxLength":                        shapeNumber,
	"minItems":                         shapeNumber,
	"maxItems":                         shapeNumber,
	"required":                         shapeStrings,
	"properties":                       shapeSchemaMap,
	"additionalProperties":             shapeSchema,
	"unevaluatedProperties":            shapeSchema,
	"items":                            shapeSchema,
	"not":                              shapeSchema,
	"allOf":                            shapeSchemas,
	"anyOf":                            shapeSchemas,
	"oneOf":                            shapeSchemas,
	"discriminator":                    shapeTag,
	"x-docs-ignore":                    shapeBool,
	"x-side":                           shapeString,
	"x-method":                         shapeString,
	"x-deserialize-default-on-error":   shapeBool,
	"x-deserialize-default-on-null":    shapeBool,
	"x-deserialize-skip-invalid-items": shapeBool,
}

// typeNames are the types of JSON Schema.
var typeNames = map[string]bool{
	"null": true, "boolean": true, "integer": true, "number": true, "string": true, "array": true, "object": true,
}

// checkValue returns an error if n cannot be the value of a keyword of this shape. Schemas below are not looked into.
func (s shape) checkValue(n *jsontree.Node) error {
	var ok bool
	var want string
	switch s {
	case shapeProse, shapeString:
		ok, want = n.IsString(), "a string"
	case shapeBool:
		ok, want = n.IsBool(), "true or false"
	case shapeNumber:
		ok, want = n.IsNumber(), "a number"
	case shapeStrings:
		ok, want = isStrings(n), "an array of strings"
	case shapeTypes:
		ok, want = isTypes(n), "a type name or an array of type names"
	case shapeValue:
		ok = true
	case shapeValues:
		ok, want = n.IsArray(), "an array"
	case shapeRef:
		ok, want = n.IsString() && RefName(n.Text) != "", `a reference of the form "#/$defs/NAME"`
	case shapeTag:
		ok, want = isTag(n), `an object with the one string member "propertyName"`
	case shapeSchema:
		ok, want = n.IsObject() || n.IsBool(), "a schema (an object, true or false)"
	case shapeSchemas:
		ok, want = n.IsArray() && len(n.Items) > 0, "a non-empty array of schemas"
	case shapeSchemaMap, shapeDefs:
		ok, want = n.IsObject(), "an object of schemas"
	}
	if !ok {
		return fmt.Errorf("%w: %s expected", ErrValue, want)
	}
	return nil
}

func isStrings(n *jsontree.Node) bool {
	if !n.IsArray() {
		return false
	}
	for _, item := range n.Items {
		if !item.IsString() {
			return false
		}
	}
	return true
}

func isTypes(n *jsontree.Node) bool {
	if n.IsString() {
		return typeNames[n.Text]
	}
	if !isStrings(n) || len(n.Items) == 0 {
		return false
	}
	for _, item := range n.Items {
		if !typeNames[item.Text] {
			return false
		}
	}
	return true
}

func isTag(n *jsontree.Node) bool {
	return n.IsObject() && len(n.Members) == 1 && n.Get("propertyName").IsString()
}

// Keywords returns the names of all known keywords, sorted.
func Keywords() []string { return slices.Sorted(maps.Keys(keywords)) }
