package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// scope fits the parser's rules to those of the checker. To call a request as a notification, or the reverse, is a fault of the method here: the frame is sound
// JSON-RPC. What a surface says does not count on a connection that speaks another version, but errors are the envelope's.
func (s *Session) scope(f *acp.Frame, d transcript.Direction) {
	moved := false
	for i := range f.Violations {
		switch v := &f.Violations[i]; {
		case v.Rule == acp.RuleEnvelope && wrongKind(f, v):
			v.Rule, moved = acp.RuleMethod, true
		case v.Rule == acp.RuleResponseID:
			v.Message += s.twin(f.ID, d)
		case v.Rule == wire.RuleJSON && f.Kind == acp.KindUnknown && v.Pointer == "":
			v.Message = "not JSON: " + v.Message
		}
	}
	if s.elsewhere(f) {
		f.Violations = slices.DeleteFunc(f.Violations, func(v wire.Violation) bool {
			return v.Rule == acp.RuleMethod || v.Rule == wire.RuleSchema && !strings.HasPrefix(v.Pointer, "/error")
		})
		f.Repairs = slices.DeleteFunc(f.Repairs, func(r wire.Repair) bool { return r.Action != wire.Replaced })
	}
	if moved {
		slices.SortStableFunc(f.Violations, func(a, b wire.Violation) int { return rank(a.Rule) - rank(b.Rule) })
	}
}

// twin says that a request is open whose id differs in type only, which is how most answers go astray.
func (s *Session) twin(id wire.RequestID, d transcript.Direction) string {
	other := wire.StringID(id.String())
	if text, ok := id.Str(); ok {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return ""
		}
		other = wire.IntID(n)
	}
	if len(s.open.find(nil, d, other)) == 0 {
		return ""
	}
	return " (one with id " + other.String() + " is; ids are compared by type and value)"
}

// wrongKind reports whether a violation of the envelope says that the method is called as what it is not.
func wrongKind(f *acp.Frame, v *wire.Violation) bool {
	switch {
	case f.Spec == nil || f.IsResponse():
		return false
	case f.Spec.IsNotification():
		return f.Kind == acp.KindRequest && v.Pointer == "/id" && f.HasID
	default:
		return f.Kind == acp.KindNotification && strings.HasPrefix(v.Message, `missing "id"`)
	}
}

// rank orders the rules by precedence.
func rank(rule wire.Rule) int {
	return slices.Index([]wire.Rule{wire.RuleJSON, acp.RuleEnvelope, acp.RuleMethod, acp.RuleResponseID, RuleDisagreement, wire.RuleSchema}, rule)
}

// broken reports whether the frame breaks one of the rules.
func broken(f *acp.Frame, rules ...wire.Rule) bool {
	return slices.ContainsFunc(f.Violations, func(v wire.Violation) bool { return slices.Contains(rules, v.Rule) })
}
