// Package validate is the reference validator: it judges params, results and errors against the published schema with
// a JSON Schema library, and shares no code with the generated types. It is the oracle they are compared with.
//
// A [Validator] dispatches a method to the $defs entry of its params or its result. It never validates a frame against
// the schema's root, which accepts nearly everything, and knows nothing of the JSON-RPC envelope.
//
//	v, err := validate.New("v1")
//	...
//	err = v.Params("session/prompt", params)
//	var wrong *validate.DataError
//	if errors.As(err, &wrong) {
//		for _, violation := range wrong.Violations { ... }
//	}
//
// What "the schema" means where JSON Schema leaves a choice or the protocol adds something:
//
//   - The formats uint16, uint32, uint64, int32 and int64 are ranges and asserted, exactly. The formats uri, date-time,
//     regex and double, and contentEncoding, are annotations.
//   - An integer is a number without a fraction: 1.0 and 7e3 are integers.
//   - A number of the format double may have any size: 1e400 is valid. No number costs more than its text, however large its exponent.
//   - Absent params and params that are null stand for {}.
//   - Input is strict JSON: duplicate names, invalid UTF-8, lone surrogates, trailing data and more than 10,000 levels of
//     nesting are a [SyntaxError].
//   - The x-deserialize annotations are ignored: this is the strict verdict.
//   - A value of more than [MaxValues] parts is not judged, and of one list at most [MaxWrongItems] wrong items are reported.
//
// Before it compiles a schema, the package rewrites unions that are told apart by a constant property into if/then/else
// on that property. That changes no verdict, costs a fraction of the time, and lets an error name the variant the data
// meant to be. Schema paths in a [Violation] are those of the schema as published. A schema keyword that the package
// does not know is a [SchemaError] with a pointer. Nothing is ever loaded from a file or the network.
//
// The methods and their types are described at https://agentclientprotocol.com/protocol/v1/schema.
package validate
