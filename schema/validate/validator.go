package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/acpwire/acpwire/schema"
)

// location is the name the compiler knows the schema by. Nothing is loaded from it.
const location = "acpwire:///schema.json"

// A Validator judges values by one schema. A definition is compiled when it is first asked for. A Validator is safe for
// concurrent use; build it once and share it.
type Validator struct {
	defs    map[string]any // of the rewritten schema
	rules   *rewriter
	methods []Method
	entries map[string]*entry
}

// An entry is a definition, compiled at most once.
type entry struct {
	once   sync.Once
	schema *jsonschema.Schema
	err    error
}

// New returns a validator for a surface of package schema, such as "v1". The error wraps [schema.ErrSurface] if there is
// no such surface, and is a [*SchemaError] if the schema uses what this package does not know.
func New(surface string) (*Validator, error) {
	raw, err := schema.JSON(surface)
	if err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	return NewFromSchema(raw)
}

// NewFromSchema returns a validator for a schema of draft 2020-12 with all its definitions in $defs, in the form of the
// protocol's published schema. The error is a [*SchemaError].
func NewFromSchema(raw []byte) (*Validator, error) {
	return newValidator(raw, false)
}

// newValidator leaves out the rewrite of unions if plain is set.
func newValidator(raw []byte, plain bool) (*Validator, error) {
	tree, err := decode(raw, exactNumber)
	if err != nil {
		return nil, &SchemaError{Err: err}
	}
	root, _ := tree.(map[string]any)
	defs, ok := root["$defs"].(map[string]any)
	if !ok {
		return nil, schemaErrorf("", "no $defs")
	}
	if _, ok := root["$schema"]; !ok {
		return nil, schemaErrorf("", "no $schema")
	}
	for _, name := range sortedKeys(defs) {
		if ref, ok := refName("#/$defs/" + name); !ok || ref != url.PathEscape(name) {
			return nil, schemaErrorf("/$defs", "the name of definition %q needs escapes", name)
		}
	}
	c := &checker{defs: defs}
	if err := c.schema(root, ""); err != nil {
		return nil, err
	}
	methods, err := readMethods(root)
	if err != nil {
		return nil, err
	}
	v := &Validator{methods: methods, entries: map[string]*entry{}, rules: newRewriter(plain || c.evaluated)}
	v.defs = v.rules.value(shapeMap, defs, "/$defs", "/$defs").(map[string]any)
	for name := range defs {
		v.entries[name] = new(entry)
	}
	return v, nil
}

// Methods returns the methods of the schema: the requests in its order, then the notifications. The caller owns the slice.
func (v *Validator) Methods() []Method {
	return slices.Clone(v.methods)
}

// Defs returns the names of the schema's definitions, sorted.
func (v *Validator) Defs() []string {
	return sortedKeys(v.defs)
}

// Params judges the params of a request or notification; of a request, if the method is both. Absent params, passed as
// nil or no bytes, and null stand for {}. The error is a [*DataError], [*SyntaxError], [*LimitError],
// [*UnknownMethodError] or [*SchemaError].
func (v *Validator) Params(method string, raw []byte) error {
	for _, kind := range []Kind{KindRequest, KindNotification} {
		if m, ok := findMethod(v.methods, kind, method); ok {
			return v.params(m, raw)
		}
	}
	return &UnknownMethodError{Method: method, Want: "params"}
}

// ParamsOf is like [Validator.Params] for a method of a known kind.
func (v *Validator) ParamsOf(kind Kind, method string, raw []byte) error {
	m, ok := findMethod(v.methods, kind, method)
	if !ok {
		return &UnknownMethodError{Method: method, Want: string(kind) + " params"}
	}
	return v.params(m, raw)
}

func (v *Validator) params(m Method, raw []byte) error {
	if len(raw) == 0 || string(bytes.Trim(raw, " \t\r\n")) == "null" {
		raw = []byte("{}")
	}
	return v.Def(m.Params, raw)
}

// Result judges the result of a request's response, by the method of the request. Null is no result of any method whose
// result is an object. The errors are those of [Validator.Params].
func (v *Validator) Result(method string, raw []byte) error {
	m, ok := findMethod(v.methods, KindRequest, method)
	if !ok {
		return &UnknownMethodError{Method: method, Want: "result"}
	}
	return v.Def(m.Result, raw)
}

// Error judges the error object of a response. The error is as for [Validator.Def].
func (v *Validator) Error(raw []byte) error {
	return v.Def("Error", raw)
}

// Def judges a value by a definition. The error is a [*DataError], [*SyntaxError], [*LimitError], [*UnknownDefError] or
// [*SchemaError].
func (v *Validator) Def(name string, raw []byte) error {
	compiled, err := v.compiled(name)
	if err != nil {
		return err
	}
	value, err := decode(raw, boundedNumber)
	if err != nil {
		return err
	}
	err = compiled.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return &SchemaError{Pointer: "/$defs/" + escapeToken(name), Err: err}
	}
	// Decoded again for the numbers as they were written.
	if value, err = decode(raw, exactNumber); err != nil {
		return err
	}
	x := &explainer{defs: v.defs, rules: v.rules, value: value}
	return &DataError{Definition: name, Violations: x.violations(invalid)}
}

func (v *Validator) compiled(name string) (*jsonschema.Schema, error) {
	e, ok := v.entries[name]
	if !ok {
		return nil, &UnknownDefError{Name: name}
	}
	e.once.Do(func() { e.schema, e.err = v.compile(name) })
	return e.schema, e.err
}

// compile compiles a definition with all it refers to. Each definition has a compiler of its own: one shared would do the
// whole schema at once, and could hand out what it left unfinished after an error.
func (v *Validator) compile(name string) (*jsonschema.Schema, error) {
	pointer := "/$defs/" + escapeToken(name)
	defs := map[string]any{}
	v.collect(name, defs)
	text, err := json.Marshal(map[string]any{"$schema": dialect, "$defs": defs})
	if err != nil {
		return nil, &SchemaError{Pointer: pointer, Err: err}
	}
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("schemas are not loaded")
	}
	compiler.RegisterExtension(boundedMark, nil, boundedCompiler{})
	if err := compiler.AddResource(location, bytes.NewReader(text)); err != nil {
		return nil, &SchemaError{Pointer: pointer, Err: err}
	}
	compiled, err := compiler.Compile(location + "#" + pointer)
	if err != nil {
		return nil, &SchemaError{Pointer: pointer, Err: err}
	}
	return compiled, nil
}

// collect adds a definition and all that it refers to.
func (v *Validator) collect(name string, to map[string]any) {
	if _, ok := to[name]; ok {
		return
	}
	to[name] = v.defs[name]
	var walk func(node any)
	walk = func(node any) {
		switch n := node.(type) {
		case map[string]any:
			for key, value := range n {
				if ref, ok := refName(value); ok && key == "$ref" && v.defs[ref] != nil {
					v.collect(ref, to)
				}
				walk(value)
			}
		case []any:
			for _, item := range n {
				walk(item)
			}
		}
	}
	walk(v.defs[name])
}
