// Package load reads a protocol schema into an ordered, typed tree.
//
// It takes a census of the keywords on the way: a keyword it does not know, or whose value has the wrong form, is an error with
// a JSON pointer. Prose ("description") is dropped; everything else is kept in the order of the file.
package load
