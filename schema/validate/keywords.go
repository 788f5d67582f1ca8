package validate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// A shape is how the value of a keyword is built from schemas.
type shape int

const (
	shapeValue  shape = iota // no schema in it
	shapeSchema              // a schema
	shapeList                // an array of schemas
	shapeMap                 // an object of schemas
)

// A keyword is one the package knows: where it holds schemas, and what else its value must be.
type keyword struct {
	shape shape
	check func(c *checker, value any) error
}

// keywords are all that a schema may use. Anything else is an error: it could change the verdict, or what boundedNumber
// and the rewrite may assume.
var keywords = map[string]keyword{
	"$schema":     {check: isDialect},
	"$ref":        {check: (*checker).reference},
	"title":       {check: isString},
	"description": {check: isString},

	"type":            {check: isTypes},
	"const":           {check: isConstant},
	"enum":            {check: isEnum},
	"default":         {},
	"format":          {check: isFormat},
	"contentEncoding": {check: isString},
	"minimum":         {check: isBound},
	"maximum":         {check: isBound},
	"minLength":       {check: isCount},
	"maxLength":       {check: isCount},
	"minItems":        {check: isCount},
	"maxItems":        {check: isCount},

	"$defs":                 {shape: shapeMap},
	"properties":            {shape: shapeMap, check: hasNames},
	"required":              {check: isNames},
	"additionalProperties":  {shape: shapeSchema},
	"unevaluatedProperties": {shape: shapeSchema, check: (*checker).unevaluated},
	"items":                 {shape: shapeSchema},
	"not":                   {shape: shapeSchema},
	"allOf":                 {shape: shapeList},
	"anyOf":                 {shape: shapeList},
	"oneOf":                 {shape: shapeList},

	"discriminator":                    {check: isObject},
	"x-side":                           {check: isString},
	"x-method":                         {check: isString},
	"x-docs-ignore":                    {check: isBool},
	"x-deserialize-default-on-error":   {check: isBool},
	"x-deserialize-default-on-null":    {check: isBool},
	"x-deserialize-skip-invalid-items": {check: isBool},
}

var (
	typeNames         = []string{"null", "boolean", "integer", "number", "string", "array", "object"}
	annotationFormats = []string{"double", "uri", "date-time", "regex"}
)

// A checker walks a schema and finds what the package cannot judge by.
type checker struct {
	defs map[string]any
	// evaluated is set if a schema asks which properties were evaluated, so that rewriting a union could change its verdict.
	evaluated bool
}

// schema checks one schema, at a pointer. The error is a *SchemaError.
func (c *checker) schema(node any, pointer string) error {
	if _, ok := node.(bool); ok {
		return nil
	}
	m, ok := node.(map[string]any)
	if !ok {
		return schemaErrorf(pointer, "expected a schema, got %s", show(node))
	}
	for _, name := range sortedKeys(m) {
		value, at := m[name], pointer+"/"+escapeToken(name)
		kw, ok := keywords[name]
		switch {
		case !ok:
			return schemaErrorf(at, "unknown keyword %q", name)
		case pointer != "" && (name == "$schema" || name == "$defs"):
			return schemaErrorf(at, "%q below the root", name)
		}
		if kw.check != nil {
			if err := kw.check(c, value); err != nil {
				return &SchemaError{Pointer: at, Err: err}
			}
		}
		if err := eachSchema(kw.shape, value, at, c.schema); err != nil {
			return err
		}
	}
	return nil
}

// eachSchema calls visit for every schema directly in a keyword's value.
func eachSchema(s shape, value any, pointer string, visit func(node any, pointer string) error) error {
	switch s {
	case shapeValue:
		return nil
	case shapeSchema:
		return visit(value, pointer)
	case shapeList:
		list, ok := value.([]any)
		if !ok || len(list) == 0 {
			return schemaErrorf(pointer, "expected an array of schemas, got %s", show(value))
		}
		for i, node := range list {
			if err := visit(node, pointer+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
		return nil
	case shapeMap:
		m, ok := value.(map[string]any)
		if !ok {
			return schemaErrorf(pointer, "expected an object of schemas, got %s", show(value))
		}
		for _, name := range sortedKeys(m) {
			if err := visit(m[name], pointer+"/"+escapeToken(name)); err != nil {
				return err
			}
		}
		return nil
	}
	return schemaErrorf(pointer, "unknown shape %d of a keyword", s)
}

func (c *checker) reference(value any) error {
	name, ok := refName(value)
	if !ok {
		return fmt.Errorf("expected a reference like #/$defs/Name, got %s", show(value))
	}
	if _, ok := c.defs[name]; !ok {
		return fmt.Errorf("no definition %q", name)
	}
	return nil
}

// refName returns the definition that a $ref names.
func refName(value any) (name string, ok bool) {
	s, _ := value.(string)
	name, ok = strings.CutPrefix(s, "#/$defs/")
	return name, ok && name != "" && !strings.ContainsAny(name, "/~%#")
}

func (c *checker) unevaluated(value any) error {
	if value != true {
		c.evaluated = true
	}
	return nil
}

func isDialect(_ *checker, value any) error {
	if value != dialect {
		return fmt.Errorf("expected draft 2020-12, got %s", show(value))
	}
	return nil
}

func isString(_ *checker, value any) error {
	if _, ok := value.(string); !ok {
		return fmt.Errorf("expected a string, got %s", show(value))
	}
	return nil
}

func isBool(_ *checker, value any) error {
	if _, ok := value.(bool); !ok {
		return fmt.Errorf("expected true or false, got %s", show(value))
	}
	return nil
}

func isObject(_ *checker, value any) error {
	if _, ok := value.(map[string]any); !ok {
		return fmt.Errorf("expected an object, got %s", show(value))
	}
	return nil
}

func isTypes(_ *checker, value any) error {
	names := typesOf(value)
	if len(names) == 0 {
		return fmt.Errorf("expected a type or a list of types, got %s", show(value))
	}
	for i, name := range names {
		if !slices.Contains(typeNames, name) || slices.Contains(names[:i], name) {
			return fmt.Errorf("unknown or repeated type %q", name)
		}
	}
	return nil
}

// typesOf returns the names in the value of "type", or nil.
func typesOf(value any) []string {
	if s, ok := value.(string); ok {
		return []string{s}
	}
	return stringsOf(value)
}

// stringsOf returns an array of strings, or nil.
func stringsOf(value any) []string {
	list, _ := value.([]any)
	names := make([]string, 0, len(list))
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return nil
		}
		names = append(names, s)
	}
	return names
}

func isNames(_ *checker, value any) error {
	list, ok := value.([]any)
	names := stringsOf(value)
	if !ok || len(names) != len(list) {
		return fmt.Errorf("expected an array of names, got %s", show(value))
	}
	for i, name := range names {
		if name == "" || slices.Contains(names[:i], name) {
			return fmt.Errorf("empty or repeated name %q", name)
		}
	}
	return nil
}

func hasNames(_ *checker, value any) error {
	m, _ := value.(map[string]any)
	if _, ok := m[emptyName]; ok {
		return fmt.Errorf("a property without a name")
	}
	return nil
}

func isFormat(_ *checker, value any) error {
	name, _ := value.(string)
	if _, ok := integerFormats[name]; !ok && !slices.Contains(annotationFormats, name) {
		return fmt.Errorf("unknown format %s", show(value))
	}
	return nil
}

func isCount(_ *checker, value any) error {
	n, ok := value.(json.Number)
	if _, err := strconv.ParseUint(n.String(), 10, 31); !ok || err != nil {
		return fmt.Errorf("expected a count, got %s", show(value))
	}
	return nil
}

func isBound(c *checker, value any) error {
	if _, ok := value.(json.Number); !ok {
		return fmt.Errorf("expected a number, got %s", show(value))
	}
	return isConstant(c, value)
}

func isEnum(c *checker, value any) error {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return fmt.Errorf("expected an array of values, got %s", show(value))
	}
	return isConstant(c, value)
}

// isConstant checks that every number in a value can be compared with a bounded one.
func isConstant(c *checker, value any) error {
	switch v := value.(type) {
	case json.Number:
		if !schemaNumber(v.String()) {
			return fmt.Errorf("the number %s is too large, too small or too long", show(v))
		}
	case []any:
		for _, item := range v {
			if err := isConstant(c, item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if err := isConstant(c, v[name]); err != nil {
				return err
			}
		}
	}
	return nil
}
