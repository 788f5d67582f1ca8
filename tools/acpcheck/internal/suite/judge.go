package suite

import "github.com/acpwire/acpwire/gen/wire"

// A Judge follows one connection by the rules of the protocol. It is not called at once by several goroutines.
type Judge interface {
	// Frame judges the next line, which the side from sent.
	Frame(from wire.Side, line []byte) []Verdict
	// End judges what is missing after the connection has ended in order.
	End() []Verdict
}

// A Verdict is one breach of a rule.
type Verdict struct {
	// Rule is the id of the rule.
	Rule string
	// By is the side that broke it.
	By wire.Side
	// Warning says that it is no error.
	Warning bool
	// Message says what is wrong.
	Message string
	// Frame and Earlier are numbers of frames from 1; 0 if there is none.
	Frame, Earlier int
}
