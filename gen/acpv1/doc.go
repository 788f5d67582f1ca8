// Package acpv1 is version 1 of the Agent Client Protocol in Go: its types, unions, codecs, method table, and the [Agent] and [Client] interfaces.
// Everything but this file and the helpers is generated from schema/v1/schema.json; run go generate ./... in the module's root.
//
// # Unions
//
// A union is a sealed interface with pointer variants, so a call site reads
//
//	Content: &acpv1.TextContent{Text: "hi"}
//
// The tag is no field: it follows from the type. Where a union is part of an object ([SessionConfigOption], [CreateElicitationRequest]), a field holds the
// variant and the members stand side by side on the wire. Variants that share a payload are defined types over it: [AgentMessageChunk] is a [ContentChunk].
//
// # Absent, null, empty
//
// A required member is a plain value; a nil required slice is written as []. An optional member is a pointer, a slice or a map, and nil is absent; an empty
// slice is written as []. Null on the wire is the same as absent, except for the few members of type [wire.Nullable]. Members with a default keep what was
// on the wire; their Get accessor says what absence means, also on a nil receiver.
//
// # Decoding and encoding
//
// Every type works with encoding/json, strictly: what the schema forbids is neither decoded nor encoded, and the error is a [*wire.InvalidError] that lists
// every violation with its JSON pointer. [wire.Decode] adds the lenient verdict, which applies the schema's own tolerance and reports each repair. Decoded
// strings of inputs up to 8 KiB share one copy of the input; clone a short string that is to live long.
package acpv1
