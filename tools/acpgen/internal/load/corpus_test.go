package load

// under puts a schema under a definition, so that pointers have some depth.
func under(s string) string { return `{"$defs": {"X": ` + s + `}}` }

// badSchemas is the negative corpus: each file has faults, and the error has a line for each.
var badSchemas = []struct {
	name, in string
	want     []string // one line of the error each
}{
	{"empty file", ``, []string{`#: not JSON: `}},
	{"not JSON", `{"title": nul}`, []string{`#/title: not JSON: `}},
	{"trailing value", `{} {}`, []string{`#: more than one JSON value in the file`}},
	{"truncated", `{"$defs": {"X": {`, []string{`#/$defs/X: not JSON: `}},
	{"duplicate key", under(`{"type": "string", "type": "object"}`), []string{`#/$defs/X/type: duplicate key: `}},
	{"duplicate definition", `{"$defs": {"X": {}, "X": {}}}`, []string{`#/$defs/X: duplicate key: `}},
	{"duplicate key in a default", under(`{"default": {"a": 1, "a": 2}}`), []string{`#/$defs/X/default/a: duplicate key: `}},
	{"invalid UTF-8", "{\"title\": \"\xff\"}", []string{`#/title: not JSON: `}},
	{"lone surrogate", `{"title": "\ud800"}`, []string{`#/title: not JSON: `}},
	{"file is an array", `[]`, []string{`#: a schema file holds an object, not an array`}},
	{"file is a boolean schema", `true`, []string{`#: a schema file holds an object, not a boolean`}},

	{"unknown keyword", under(`{"patternProperties": {}}`), []string{`#/$defs/X: unknown keyword "patternProperties"`}},
	{"keyword in another case", under(`{"Type": "string"}`), []string{`#/$defs/X: unknown keyword "Type"`}},
	{"unknown extension", under(`{"x-deserialise-default-on-error": true}`), []string{`#/$defs/X: unknown keyword "x-deserialise-default-on-error"`}},
	{"unknown keyword in a property", under(`{"properties": {"a/b": {"maxLength": 1}}}`), []string{`#/$defs/X/properties/a~1b: unknown keyword "maxLength"`}},
	{"unknown keyword in items", under(`{"items": {"uniqueItems": true}}`), []string{`#/$defs/X/items: unknown keyword "uniqueItems"`}},
	{"unknown keyword in a branch", under(`{"oneOf": [{}, {"if": {}}]}`), []string{`#/$defs/X/oneOf/1: unknown keyword "if"`}},
	{"unknown keyword in not", under(`{"not": {"anyOf": [{"then": {}}]}}`), []string{`#/$defs/X/not/anyOf/0: unknown keyword "then"`}},
	{"unknown keyword in additionalProperties", under(`{"additionalProperties": {"else": {}}}`), []string{`#/$defs/X/additionalProperties: unknown keyword "else"`}},
	{"$defs below the root", under(`{"$defs": {}}`), []string{`#/$defs/X: keyword "$defs" belongs at the root`}},
	{"$schema below the root", under(`{"$schema": "https://json-schema.org/draft/2020-12/schema"}`), []string{`#/$defs/X: keyword "$schema" belongs at the root`}},

	{"unknown dialect", `{"$schema": "http://json-schema.org/draft-07/schema#"}`, []string{`#/$schema: "http://json-schema.org/draft-07/schema#" is not among the known values `}},
	{"schema is a string", under(`"string"`), []string{`#/$defs/X: a schema is an object, true or false, not a string`}},
	{"schema is null", under(`{"items": null}`), []string{`#/$defs/X/items: a schema is an object, true or false, not null`}},
	{"$defs is a list", `{"$defs": []}`, []string{`#/$defs: expected an object, got an array`}},
	{"description is no string", under(`{"description": 1}`), []string{`#/$defs/X/description: expected a string, got a number`}},
	{"title is no string", under(`{"title": {}}`), []string{`#/$defs/X/title: expected a string, got an object`}},

	{"$ref to another file", under(`{"$ref": "other.json#/$defs/X"}`), []string{`#/$defs/X/$ref: a $ref has the form "#/$defs/NAME", not "other.json#/$defs/X"`}},
	{"$ref to the root", under(`{"$ref": "#"}`), []string{`#/$defs/X/$ref: a $ref has the form `}},
	{"$ref below a definition", under(`{"$ref": "#/$defs/X/items"}`), []string{`#/$defs/X/$ref: a $ref has the form `}},
	{"$ref without a name", under(`{"$ref": "#/$defs/"}`), []string{`#/$defs/X/$ref: a $ref has the form `}},
	{"$ref to nothing", under(`{"items": {"allOf": [{"$ref": "#/$defs/Y"}]}}`), []string{`#/$defs/X/items/allOf/0/$ref: no definition "Y"`}},
	{"$ref in another case", under(`{"$ref": "#/$defs/x"}`), []string{`#/$defs/X/$ref: no definition "x"`}},
	{"$ref is no string", under(`{"$ref": 1}`), []string{`#/$defs/X/$ref: expected a string, got a number`}},

	{"unknown type", under(`{"type": "text"}`), []string{`#/$defs/X/type: "text" is not among the known values `}},
	{"unknown type in a list", under(`{"type": ["string", "nil"]}`), []string{`#/$defs/X/type/1: "nil" is not among the known values `}},
	{"type twice in a list", under(`{"type": ["string", "string"]}`), []string{`#/$defs/X/type/1: "string" is listed twice`}},
	{"no type in a list", under(`{"type": []}`), []string{`#/$defs/X/type: the list of types is empty`}},
	{"type is a number", under(`{"type": 1}`), []string{`#/$defs/X/type: expected a type name or a list of them, got a number`}},
	{"type in a list is a number", under(`{"type": ["string", 1]}`), []string{`#/$defs/X/type/1: expected a string, got a number`}},

	{"unknown format", under(`{"format": "ipv6"}`), []string{`#/$defs/X/format: "ipv6" is not among the known values `}},
	{"unknown encoding", under(`{"contentEncoding": "hex"}`), []string{`#/$defs/X/contentEncoding: "hex" is not among the known values base64`}},
	{"minimum is no number", under(`{"minimum": "0"}`), []string{`#/$defs/X/minimum: expected a number, got a string`}},
	{"maximum is beyond reason", under(`{"maximum": 1e999999999}`), []string{`#/$defs/X/maximum: the bound 1e999999999 is out of range`}},
	{"minItems is negative", under(`{"minItems": -1}`), []string{`#/$defs/X/minItems: expected a count, got -1`}},
	{"minItems is a fraction", under(`{"minItems": 1.5}`), []string{`#/$defs/X/minItems: expected a count, got 1.5`}},
	{"minLength is no number", under(`{"minLength": true}`), []string{`#/$defs/X/minLength: expected a count, got true`}},
	{"enum is no list", under(`{"enum": "a"}`), []string{`#/$defs/X/enum: expected an array, got a string`}},
	{"enum is empty", under(`{"enum": []}`), []string{`#/$defs/X/enum: the list is empty`}},

	{"properties is a list", under(`{"properties": []}`), []string{`#/$defs/X/properties: expected an object, got an array`}},
	{"required is a flag", under(`{"required": true}`), []string{`#/$defs/X/required: expected an array, got a boolean`}},
	{"required twice", under(`{"required": ["a", "b", "a"]}`), []string{`#/$defs/X/required/2: "a" is listed twice`}},
	{"required lists a number", under(`{"required": [1]}`), []string{`#/$defs/X/required/0: expected a string, got a number`}},
	{"items is a list", under(`{"items": [{}]}`), []string{`#/$defs/X/items: a schema is an object, true or false, not an array`}},
	{"anyOf is an object", under(`{"anyOf": {}}`), []string{`#/$defs/X/anyOf: expected an array, got an object`}},
	{"allOf is empty", under(`{"allOf": []}`), []string{`#/$defs/X/allOf: the list is empty`}},
	{"not is a list", under(`{"not": []}`), []string{`#/$defs/X/not: a schema is an object, true or false, not an array`}},
	{"discriminator is a string", under(`{"discriminator": "type"}`), []string{`#/$defs/X/discriminator: expected an object, got a string`}},
	{"discriminator with a mapping", under(`{"discriminator": {"propertyName": "type", "mapping": {}}}`), []string{`#/$defs/X/discriminator: expected an object with "propertyName" and nothing else`}},
	{"discriminator without a name", under(`{"discriminator": {"propertyName": ""}}`), []string{`#/$defs/X/discriminator/propertyName: expected a name, got an empty string`}},

	{"unknown side", under(`{"x-side": "server"}`), []string{`#/$defs/X/x-side: "server" is not among the known values agent, client, protocol, proxy`}},
	{"method is empty", under(`{"x-method": ""}`), []string{`#/$defs/X/x-method: expected a name, got an empty string`}},
	{"x-docs-ignore is no flag", under(`{"x-docs-ignore": "true"}`), []string{`#/$defs/X/x-docs-ignore: expected true or false, got a string`}},
	{"leniency is no flag", under(`{"x-deserialize-skip-invalid-items": 1}`), []string{`#/$defs/X/x-deserialize-skip-invalid-items: expected true or false, got a number`}},

	{"every fault is told", under(`{"type": "text", "$comment": "", "anyOf": [{"$ref": "#/$defs/Y"}, {"minItems": "1"}]}`), []string{
		`#/$defs/X/type: "text" is not among the known values `,
		`#/$defs/X: unknown keyword "$comment"`,
		`#/$defs/X/anyOf/1/minItems: expected a count, got "1"`,
		`#/$defs/X/anyOf/0/$ref: no definition "Y"`,
	}},
}
