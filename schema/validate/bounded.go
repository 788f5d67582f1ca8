package validate

import (
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// MaxWrongItems is how many wrong items of one array, or wrong values of one map, are reported. Further ones are not
// looked at, which cannot change the verdict: the library would keep an error of a kilobyte for each.
const MaxWrongItems = 32

// boundedKeywords are the keywords that apply one schema to any number of values. The rewritten schema holds theirs in a
// $defs beside, where the library finds schemas, and marks that with boundedMark.
var boundedKeywords = []string{"items", "additionalProperties"}

const boundedMark = "x-bounded"

const moreWrong = "more may be wrong"

// A boundedCompiler is the library's extension for the bounded keywords.
type boundedCompiler struct{}

// Compile implements [jsonschema.ExtCompiler].
func (boundedCompiler) Compile(ctx jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	if m[boundedMark] != true {
		return nil, nil
	}
	var b boundedSchema
	b.named, _ = m["properties"].(map[string]any)
	schemas, _ := m["$defs"].(map[string]any)
	for _, keyword := range boundedKeywords {
		if _, ok := schemas[keyword]; !ok {
			continue
		}
		compiled, err := ctx.Compile(boundedPath(keyword), false)
		if err != nil {
			return nil, err
		}
		if keyword == "items" {
			b.items = compiled
		} else {
			b.values = compiled
		}
	}
	return b, nil
}

func boundedPath(keyword string) string {
	return "$defs/" + keyword
}

// A boundedSchema is "items" of draft 2020-12 without prefixItems, and "additionalProperties" without patternProperties.
type boundedSchema struct {
	items, values *jsonschema.Schema // or nil
	named         map[string]any     // the properties that are not additional
}

// Validate implements [jsonschema.ExtSchema].
func (b boundedSchema) Validate(ctx jsonschema.ValidationContext, value any) error {
	var wrong wrongValues
	switch v := value.(type) {
	case []any:
		if b.items == nil {
			return nil
		}
		path := boundedPath("items")
		for i, item := range v {
			if err := ctx.Validate(b.items, path, item, strconv.Itoa(i)); err != nil && wrong.add(ctx, path, err) {
				break
			}
		}
	case map[string]any:
		if b.values == nil {
			return nil
		}
		path := boundedPath("additionalProperties")
		for _, name := range sortedKeys(v) {
			if _, ok := b.named[name]; ok {
				continue
			}
			if err := ctx.Validate(b.values, path, v[name], libraryToken(name)); err != nil && wrong.add(ctx, path, err) {
				break
			}
		}
	}
	return wrong.err(ctx)
}

// wrongValues collects errors up to the limit.
type wrongValues []error

// add reports whether the limit is reached, and says so in the errors.
func (w *wrongValues) add(ctx jsonschema.ValidationContext, path string, err error) bool {
	*w = append(*w, err)
	if len(*w) < MaxWrongItems {
		return false
	}
	*w = append(*w, ctx.Error(path, moreWrong))
	return true
}

func (w wrongValues) err(ctx jsonschema.ValidationContext) error {
	if len(w) == 0 {
		return nil
	}
	return jsonschema.ValidationError{}.Group(ctx.Error("", ""), w...)
}
