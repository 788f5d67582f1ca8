package conform

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// classify returns the rule that an invalid frame breaks; "" if none.
func (x *step) classify() string {
	f := x.f
	v := f.Violations[0]
	switch v.Rule {
	case wire.RuleJSON:
		return x.classifyJSON(v)
	case acp.RuleEnvelope:
		return x.classifyEnvelope(v)
	case acp.RuleMethod:
		switch {
		case x.foreign:
			return ""
		case f.Spec == nil:
			return "EXT-2"
		}
		return x.ofVersion()
	case acp.RuleResponseID:
		if x.refuses() {
			return ""
		}
		return "RPC-3"
	case wire.RuleSchema:
		switch {
		case f.IsResponse() && strings.HasPrefix(v.Pointer, "/error"):
			return "RPC-1"
		case x.foreign, f.IsResponse() && x.req != nil && x.req.shared: // it may answer the other one
			return ""
		case x.req != nil && x.req.name == acpv1.MethodPrompt && f.IsResponse() && (v.Pointer == "/result" || v.Pointer == "/result/stopReason"):
			return "TURN-3"
		}
		return string(wire.RuleSchema)
	}
	return x.notAMessage()
}

// ofVersion is the rule for what the agreed version does not have; before there is one, it is just not a message.
func (x *step) ofVersion() string {
	if x.st.handshake.answer > 0 {
		return "INIT-4"
	}
	return x.notAMessage()
}

func (x *step) notAMessage() string {
	if x.from == wire.AgentSide {
		return "TR-3"
	}
	return "TR-4"
}

func (x *step) classifyJSON(v wire.Violation) string {
	line := bytes.TrimSpace(x.line)
	switch {
	case !utf8.Valid(line):
		return "TR-1"
	case len(line) > 0 && line[0] == '{' && (v.Offset >= len(bytes.TrimRight(x.line, " \t\r\n")) || strings.HasPrefix(v.Message, "unexpected data after")):
		return "TR-2"
	}
	return x.notAMessage()
}

func (x *step) classifyEnvelope(v wire.Violation) string {
	f := x.f
	switch {
	case x.foreign && wrongKind(f):
		return ""
	case len(bytes.TrimSpace(x.line)) > 0 && bytes.TrimSpace(x.line)[0] == '[':
		return "TR-5"
	case f.IsResponse() && !f.HasID:
		return "RPC-3"
	case f.IsResponse():
		return "RPC-1"
	case f.Kind == acp.KindRequest && v.Pointer == "/id" && !f.HasID:
		return "RPC-4"
	}
	return x.notAMessage()
}

// refuses reports whether a response that answers nothing refuses a request whose envelope was not in order.
func (x *step) refuses() bool {
	if x.f.Kind != acp.KindError {
		return false
	}
	_, ok := x.st.peer(x.from).faulty.get(x.f.ID.Key())
	return ok
}

// crossed reports whether a response that answers nothing may answer a frame that was not understood here.
func (x *step) crossed() bool {
	peer := x.st.peer(x.from)
	_, faulty := peer.faulty.get(x.f.ID.Key())
	return faulty || peer.broken > 0
}

// rounded returns the waiting request whose id, as a 64-bit float, is that of the response; nil if there is none.
func (x *step) rounded() *request {
	got, ok := x.f.ID.Int()
	if !ok || got > -1<<53 && got < 1<<53 {
		return nil
	}
	for id, r := range x.st.peer(x.from).pending {
		if n, ok := id.Int(); ok && float64(n) == float64(got) {
			return r
		}
	}
	return nil
}

// answered reports whether the id of the response is that of a request that had its answer.
func (x *step) answered() bool {
	_, ok := x.st.peer(x.from).past.get(x.f.ID.Key())
	return ok
}

// nullReply returns the rule that an error with the id null breaks if it can only answer a message that was understood; otherwise "".
func (x *step) nullReply() string {
	peer := x.st.peer(x.from)
	last := peer.last
	switch {
	case peer.broken > 0:
		return ""
	case !last.notification:
		return "RPC-3"
	case !last.known && (!x.foreign || acp.IsExtension(last.method)):
		return "RPC-8"
	case x.foreign:
		return "RPC-2"
	case last.method == acpv1.MethodCompleteElicitation:
		return "ELI-6"
	case last.cancelled:
		return "CAN-5"
	}
	return "RPC-2"
}
