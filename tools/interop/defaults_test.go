package interop

import (
	"encoding/json"
	"strings"

	"github.com/acpwire/acpwire/schema"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

// isDefault reports whether a value is a default that the schema names for the member of a definition's instance that a JSON pointer points to, in any
// variant.
func isDefault(def, pointer string, v *mutate.Value) bool {
	nodes := closure([]any{definitions[def]})
	for token := range strings.SplitSeq(pointer[1:], "/") {
		var below []any
		for _, n := range nodes {
			properties, _ := n["properties"].(map[string]any)
			for _, sub := range []any{properties[token], n["items"], n["additionalProperties"]} {
				if sub != nil {
					below = append(below, sub)
				}
			}
		}
		nodes = closure(below)
	}
	for _, n := range nodes {
		d, ok := n["default"]
		if !ok {
			continue
		}
		text, err := json.Marshal(d)
		if err != nil {
			continue
		}
		if want, err := mutate.Parse(text); err == nil && equal(want, v) {
			return true
		}
	}
	return false
}

// closure adds the schemas that some schemas refer to, all branches included.
func closure(schemas []any) []map[string]any {
	var all []map[string]any
	seen := map[string]bool{}
	for len(schemas) > 0 {
		n, ok := schemas[0].(map[string]any)
		schemas = schemas[1:]
		if !ok {
			continue
		}
		all = append(all, n)
		if ref, ok := n["$ref"].(string); ok && !seen[ref] {
			seen[ref] = true
			schemas = append(schemas, definitions[strings.TrimPrefix(ref, "#/$defs/")])
		}
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			branches, _ := n[keyword].([]any)
			schemas = append(schemas, branches...)
		}
	}
	return all
}

var definitions = func() map[string]any {
	raw, err := schema.JSON("v1")
	if err != nil {
		panic(err)
	}
	var root struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &root); err != nil {
		panic(err)
	}
	return root.Defs
}()
