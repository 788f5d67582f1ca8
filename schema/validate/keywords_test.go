package validate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/schema/validate"
)

// wrap puts definitions into a schema.
func wrap(defs string) string {
	return `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{` + defs + `}}`
}

func TestSchemaErrors(t *testing.T) {
	for _, test := range []struct {
		name, schema, pointer, message string
	}{
		{"not JSON", `{"$defs":`, "", "unexpected end"},
		{"duplicate name", `{"$defs":{"A":{},"A":{}}}`, "", "duplicate"},
		{"no object", `[]`, "", "no $defs"},
		{"no definitions", `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, "", "no $defs"},
		{"no dialect", `{"$defs":{}}`, "", "no $schema"},
		{"other dialect", `{"$schema":"http://json-schema.org/draft-07/schema#","$defs":{}}`, "/$schema", "draft 2020-12"},
		{"unknown keyword", wrap(`"A":{"properties":{"a/b":{"pattern":"x"}}}`), "/$defs/A/properties/a~1b/pattern", `unknown keyword "pattern"`},
		{"keyword with another case", wrap(`"A":{"Type":"string"}`), "/$defs/A/Type", "unknown keyword"},
		{"definitions below the root", wrap(`"A":{"$defs":{}}`), "/$defs/A/$defs", "below the root"},
		{"dialect below the root", wrap(`"A":{"$schema":"x"}`), "/$defs/A/$schema", "below the root"},
		{"name that needs escapes", wrap(`"A B":{}`), "/$defs", "needs escapes"},
		{"no schema", wrap(`"A":{"items":[]}`), "/$defs/A/items", "expected a schema"},
		{"no schemas", wrap(`"A":{"anyOf":[]}`), "/$defs/A/anyOf", "array of schemas"},
		{"no map of schemas", wrap(`"A":{"properties":[]}`), "/$defs/A/properties", "object of schemas"},
		{"unknown type", wrap(`"A":{"type":"text"}`), "/$defs/A/type", `type "text"`},
		{"repeated type", wrap(`"A":{"type":["null","null"]}`), "/$defs/A/type", "repeated"},
		{"no types", wrap(`"A":{"type":[]}`), "/$defs/A/type", "expected a type"},
		{"unknown format", wrap(`"A":{"format":"int128"}`), "/$defs/A/format", "unknown format"},
		{"dangling reference", wrap(`"A":{"$ref":"#/$defs/B"}`), "/$defs/A/$ref", `no definition "B"`},
		{"reference to a file", wrap(`"A":{"$ref":"file:///x.json"}`), "/$defs/A/$ref", "expected a reference"},
		{"reference to a host", wrap(`"A":{"$ref":"http://127.0.0.1/x"}`), "/$defs/A/$ref", "expected a reference"},
		{"reference into a definition", wrap(`"A":{"$ref":"#/$defs/A/items"}`), "/$defs/A/$ref", "expected a reference"},
		{"required of no names", wrap(`"A":{"required":[1]}`), "/$defs/A/required", "array of names"},
		{"required twice", wrap(`"A":{"required":["a","a"]}`), "/$defs/A/required", "repeated"},
		{"property without a name", wrap(`"A":{"properties":{"":{}}}`), "/$defs/A/properties", "without a name"},
		{"negative count", wrap(`"A":{"minItems":-1}`), "/$defs/A/minItems", "expected a count"},
		{"huge count", wrap(`"A":{"minLength":1e999999999}`), "/$defs/A/minLength", "expected a count"},
		{"bound that is no number", wrap(`"A":{"minimum":"1"}`), "/$defs/A/minimum", "expected a number"},
		{"huge bound", wrap(`"A":{"maximum":1e999999999}`), "/$defs/A/maximum", "too large"},
		{"huge constant", wrap(`"A":{"const":{"a":[1e99]}}`), "/$defs/A/const", "too large"},
		{"empty enum", wrap(`"A":{"enum":[]}`), "/$defs/A/enum", "array of values"},
		{"annotation of another type", wrap(`"A":{"x-docs-ignore":1}`), "/$defs/A/x-docs-ignore", "true or false"},
		{"method in no list", wrap(`"A":{"x-method":"a","x-side":"agent"}`), "/$defs/A", "in no list"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := validate.NewFromSchema([]byte(test.schema))
			var fault *validate.SchemaError
			if !errors.As(err, &fault) {
				t.Fatalf("want a *SchemaError, got %v", err)
			}
			if fault.Pointer != test.pointer || !strings.Contains(fault.Error(), test.message) {
				t.Errorf("got %q at %q, want %q at %q", fault.Error(), fault.Pointer, test.message, test.pointer)
			}
		})
	}
}

// A definition that is defined by itself is found when it is compiled, every time it is asked for, and only there.
func TestEndlessSchema(t *testing.T) {
	v, err := validate.NewFromSchema([]byte(wrap(`"A":{"$ref":"#/$defs/B"},"B":{"allOf":[{"$ref":"#/$defs/A"}]},"C":{"type":"string"}`)))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var fault *validate.SchemaError
		if err := v.Def("A", []byte(`1`)); !errors.As(err, &fault) || fault.Pointer != "/$defs/A" {
			t.Errorf("want a *SchemaError at /$defs/A, got %v", err)
		}
	}
	if err := v.Def("C", []byte(`"x"`)); err != nil {
		t.Errorf("want valid, got %v", err)
	}
}

func TestEnvelopeErrors(t *testing.T) {
	const (
		request      = `"Req":{"x-method":"m","x-side":"agent"}`
		response     = `"Res":{"x-method":"m","x-side":"agent"}`
		requestList  = `"CR":{"properties":{"params":{"anyOf":[{"$ref":"#/$defs/Req"},{"type":"null"}]}}}`
		responseList = `"AR":{"anyOf":[{"title":"Result","properties":{"result":{"allOf":[{"$ref":"#/$defs/Res"}]}}}]}`
		requestOf    = `{"anyOf":[{"title":"Request","allOf":[{"$ref":"#/$defs/CR"}]}]}`
		responseOf   = `{"anyOf":[{"title":"Response","allOf":[{"$ref":"#/$defs/AR"}]}]}`
	)
	for _, test := range []struct {
		name, defs, messages, pointer, message string
	}{
		{"complete", request + "," + response + "," + requestList + "," + responseList, requestOf + "," + responseOf, "", ""},
		{"request without a result", request + "," + requestList, requestOf, "/$defs/Req", "no result"},
		{"request listed twice", request + "," + response + "," + requestList + "," + responseList, requestOf + "," + requestOf + "," + responseOf, "/$defs/Req", "two definitions"},
		{"result listed twice", request + "," + response + "," + requestList + "," + responseList, requestOf + "," + responseOf + "," + responseOf, "/$defs/Res", "has the results"},
		{"no method", `"Req":{"type":"object"},` + requestList, requestOf, "/$defs/CR/properties/params", "no x-method"},
		{"no messages", `"CR":{"properties":{"params":{"type":"null"}}}`, requestOf, "/$defs/CR/properties/params", "no messages"},
		{"no result", `"AR":{"anyOf":[{"title":"Error"}]}`, responseOf, "/$defs/AR", "without a Result"},
		{"unknown envelope", `"CR":{}`, `{"anyOf":[{"title":"Batch","allOf":[{"$ref":"#/$defs/CR"}]}]}`, "/anyOf/0/anyOf/0", "Batch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.TrimSuffix(wrap(test.defs), "}") + `,"anyOf":[` + test.messages + `]}`
			_, err := validate.NewFromSchema([]byte(text))
			if test.message == "" {
				if err != nil {
					t.Errorf("want no error, got %v", err)
				}
				return
			}
			var fault *validate.SchemaError
			if !errors.As(err, &fault) || fault.Pointer != test.pointer || !strings.Contains(fault.Error(), test.message) {
				t.Errorf("want %q at %q, got %v", test.message, test.pointer, err)
			}
		})
	}
}
