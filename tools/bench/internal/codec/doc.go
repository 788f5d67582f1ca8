// Package codec holds what is measured about single messages: each operation on each payload by each implementation, under one name in benchmarks, in
// instruction counts and in the results.
//
// The operations are
//
//   - decode: from the bytes of the params or the result to a value. Ours is checked against the schema on the way, the others are not.
//   - validate: from the same bytes to a verdict by the schema.
//   - encode: from a value to bytes. Ours is checked against the schema on the way, the others are not.
//   - frame: from a whole line to the typed value in it.
//
// Every case has a check that it does the work it is measured for, so that no benchmark measures an error path.
package codec
