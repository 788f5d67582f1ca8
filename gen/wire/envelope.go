package wire

// Fatal reports whether the input is not JSON at all, or nested too deep: nothing after that point was read.
func (d *Decoder) Fatal() bool { return d.fatal != nil }

// Excerpt returns the JSON value that starts at offset at of b, cut to a few dozen bytes, for [Violation.Got].
func Excerpt(b []byte, at int) string { return excerpt(b, at) }

// Violate records that the value that starts at offset at breaks a rule that is none of the schema's, for types that are not generated.
func (d *Decoder) Violate(at int, keyword, msg string) {
	if d.fatal == nil {
		d.addIssue(issue{at: at, keyword: keyword, schema: "#", msg: msg})
	}
}
