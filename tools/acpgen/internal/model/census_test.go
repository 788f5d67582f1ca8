package model

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
)

// A census counts what the schema's author wrote down, once in the file and once in the model.
type census struct{ Fields, Required, Defaults, DefaultOnError, DefaultOnNull, SkipInvalidItems, Tags, Enums int }

// TestNothingIsLost counts properties and annotations in the JSON and in the model. Both walks know nothing of each other.
func TestNothingIsLost(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		t.Run(surface, func(t *testing.T) {
			_, s, data := buildSurface(t, surface)
			var file struct {
				Defs map[string]map[string]any `json:"$defs"`
			}
			if err := json.Unmarshal(data, &file); err != nil {
				t.Fatal(err)
			}
			var want, got census
			for name, def := range file.Defs {
				if def["x-docs-ignore"] == nil && s.Def(name) != nil {
					want.schema(def)
				}
			}
			for _, d := range s.Defs {
				got.model(d.Type)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// schema counts in a JSON schema. A not repeats what other branches say.
func (c *census) schema(v any) {
	n, ok := v.(map[string]any)
	if !ok {
		return
	}
	properties, _ := n["properties"].(map[string]any)
	required, _ := n["required"].([]any)
	c.Required += len(required)
	for _, p := range properties {
		c.property(p)
	}
	if list, ok := n["enum"].([]any); ok {
		c.Enums += len(list)
	}
	for key, child := range n {
		switch key {
		case "anyOf", "oneOf":
			for _, b := range child.([]any) {
				if m := b.(map[string]any); m["const"] != nil {
					c.Enums++
				}
				c.schema(b)
			}
		case "items", "additionalProperties":
			c.schema(child)
		}
	}
}

// property counts one property; a const makes it a tag too.
func (c *census) property(v any) {
	p := v.(map[string]any)
	count := func(key string, n *int) {
		if on, _ := p[key].(bool); on {
			*n++
		}
	}
	count("x-deserialize-default-on-error", &c.DefaultOnError)
	count("x-deserialize-default-on-null", &c.DefaultOnNull)
	count("x-deserialize-skip-invalid-items", &c.SkipInvalidItems)
	if _, ok := p["default"]; ok {
		c.Defaults++
	}
	if p["const"] != nil {
		c.Tags++
	}
	c.Fields++
	c.schema(p)
}

// model counts in the model, with the tags that it keeps out of the fields.
func (c *census) model(t Type) {
	one := func(set bool, n *int) {
		if set {
			*n++
		}
	}
	switch t := t.(type) {
	case *Struct:
		for _, f := range t.Fields {
			c.Fields++
			one(f.Required, &c.Required)
			one(f.Default != nil, &c.Defaults)
			one(f.DefaultOnError, &c.DefaultOnError)
			one(f.DefaultOnNull, &c.DefaultOnNull)
			one(f.SkipInvalidItems, &c.SkipInvalidItems)
			c.model(f.Type)
		}
		for _, u := range t.Unions {
			c.model(u)
		}
	case *Union:
		for _, v := range t.Variants {
			one(v.Tag != "", &c.Tags)
			// The file has the tag as a property of every tagged branch, of the catch-all and of the absent one.
			declared := bit(v.Tag != "") + bit(v.CatchAll && t.Tag != "")
			c.Required += declared
			c.Fields += declared + bit(v.Absent)
			// An absent variant comes with the object's own declaration of the tag.
			c.Fields += bit(v.Absent && t.TagDefaultOnError)
			c.model(v.Payload)
		}
		one(t.TagDefaultOnError, &c.DefaultOnError)
	case *Enum:
		c.Enums += len(t.Values)
	case *List:
		c.model(t.Elem)
	case *Map:
		c.model(t.Elem)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
