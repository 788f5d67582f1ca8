// Package wire is the hand-written runtime of the generated packages gen/acpv1 and its siblings: a strict JSON scanner that decodes and validates in
// one pass, an append-style encoder that validates what it writes, and the small types that generated code shares.
//
// # The scanner
//
// [Decoder] reads one JSON value from a byte slice. It accepts what RFC 8259 accepts and no more: names must be unique in their object, strings
// must be valid UTF-8 without lone surrogates, nesting is bounded, numbers keep their text. It is our own, not a token stream of
// encoding/json/jsontext, for three reasons that were measured or met in practice: it can look ahead for a union's tag and come back without
// buffering or decoding twice; it knows byte offsets, from which pointers are computed only when something is wrong; and it scans several times
// faster, which is what makes validating every frame cheaper than not validating (tools/bench). jsontext is its judge instead: a fuzz target holds the two to
// the same verdict on every input.
//
// # Two verdicts
//
// A strict decode accepts what the schema accepts. A lenient decode ([DecodeOptions.Lenient]) also applies the schema's own tolerance
// (x-deserialize-default-on-error and its siblings) and reports each repair.
package wire
