package main

// The pipeline: load (typed schema tree, census of keywords) -> model (normalised shapes) -> plan (Go names and kinds) -> emit -> write. Each stage is a
// package below internal; a construct that a stage does not know is an error with a JSON pointer.
//
// What github.com/atombender/go-jsonschema does here: every type declaration is built and printed with its pkg/codegen model (StructType, StructField,
// ArrayType, MapType, PointerType, CustomNameType, TypeDecl, and the Emitter, which wraps comments). Its own generator stage is not used: it cannot read the
// upstream schema (anyOf and allOf fail), orders properties by name where we keep the schema's order, has no unions, and derives its own names and
// encoding/json codecs, all of which we would have to replace. Its schema parser is not used either, because it keeps properties in a map and drops the
// x-deserialize-* annotations that leniency is made of.
//
// Doc comments come from docs/<surface>/*.yaml, in our words; what the schema says about a member is added from the schema. Deviations from the naming rules
// come from names/<surface>.yaml, each with its reason. A missing text and an unused entry of either are errors, so that a new schema version cannot slip
// past them.
