package conform

import (
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A step is one frame against the state before it. Rules read it and report.
type step struct {
	c    *Checker
	st   *state
	n    int
	from wire.Side
	f    *acp.Frame
	line []byte

	rule  *Rule
	fault string // the rule that an invalid frame breaks
	blank bool   // the line is blank
	// foreign is set if only the envelope can be judged: the connection speaks another version, or the frame proposes or agrees on one.
	foreign bool
	version int64 // that an initialize request or result names; -1 if none

	req     *request            // the request that the frame answers; or the new request
	session string              // of the params, or of the params that are answered
	sess    *session            // nil if not known
	params  wire.Message        // of a request or notification that can be followed
	result  wire.Message        // of a response that can be followed
	update  acpv1.SessionUpdate // of a session/update
	tag     string
}

// report reports a breach of the rule at hand with the rule's severity.
func (x *step) report(pointer string, earlier int, format string, args ...any) {
	x.add(x.rule.Severity, pointer, earlier, format, args...)
}

// doubt reports what is probably a breach.
func (x *step) doubt(pointer string, earlier int, format string, args ...any) {
	x.add(min(x.rule.Severity, Warning), pointer, earlier, format, args...)
}

// weigh reports an error if it is certain, and otherwise a warning.
func (x *step) weigh(certain bool, pointer string, earlier int, format string, args ...any) {
	if certain {
		x.add(Error, pointer, earlier, format, args...)
		return
	}
	x.doubt(pointer, earlier, format, args...)
}

func (x *step) add(s Severity, pointer string, earlier int, format string, args ...any) {
	by := x.rule.By
	if by == wire.BothSides && x.from != 0 {
		by = x.from
	}
	x.c.out = append(x.c.out, Finding{
		Rule: x.rule.ID, Severity: s, Message: fmt.Sprintf(format, args...), Pointer: pointer,
		Frame: x.n, Earlier: earlier, By: by, Session: x.session,
	})
}

// missing reports, at the end, what the frame n still calls for.
func (x *step) missing(by wire.Side, n int, session, format string, args ...any) {
	s := Warning
	if x.c.opts.Closed {
		s = x.rule.Severity
	}
	x.c.out = append(x.c.out, Finding{Rule: x.rule.ID, Severity: s, Message: fmt.Sprintf(format, args...), Frame: n, By: by, Session: session})
}

// reportFault reports the violation that decides the verdict on an invalid frame.
func (x *step) reportFault() {
	if x.blank {
		x.doubt("", 0, "a blank line")
		return
	}
	if len(x.f.Violations) == 0 { // a frame that is only wrong where it comes
		peer := x.st.peer(x.from)
		if code := x.f.Error.Code; peer.vague > 0 && (code == acp.CodeInvalidRequest || code == acp.CodeParseError) {
			x.doubt("/id", peer.last.n, "an error with the id null answers %s, but a notification before it is one that may be taken for an invalid request", peer.last.describe())
			return
		}
		x.report("/id", peer.last.n, "an error with the id null answers %s", peer.last.describe())
		return
	}
	v := x.f.Violations[0]
	msg := v.Message
	if v.Rule == wire.RuleJSON && x.fault == x.notAMessage() {
		msg = "the line is not a message: " + msg
	}
	if more := len(x.f.Violations) - 1 + x.f.Omitted; more > 0 {
		msg = fmt.Sprintf("%s (and %d more)", msg, more)
	}
	severity := Error
	if v.Rule == acp.RuleResponseID && x.c.opts.Partial && !x.answered() {
		severity = Warning
	}
	earlier := 0
	if v.Rule == acp.RuleResponseID {
		if r := x.rounded(); r != nil {
			severity, earlier = Error, r.n
			msg = "no request with this id is waiting for an answer; that of " + r.id.String() + " was rounded"
		} else if x.crossed() {
			severity = Warning
			msg += ", but one may have come in a frame that is not in order"
		}
	}
	if x.contradicted(v) {
		severity = Warning
		msg += "; the documentation shows it so"
	}
	x.add(severity, v.Pointer, earlier, "%s", msg)
	x.c.out[len(x.c.out)-1].Fault = true
}

// contradicted reports whether the documentation shows what the schema forbids.
func (x *step) contradicted(v wire.Violation) bool {
	if x.c.opts.SchemaWins || v.Rule != wire.RuleSchema {
		return false
	}
	switch {
	case x.f.Kind == acp.KindResponse:
		return v.Pointer == "/result" && string(x.f.Raw) == "null" && x.req != nil && takesEmpty(x.req.method)
	case x.f.Method != acpv1.MethodSessionUpdate:
		return false
	case strings.HasPrefix(v.Pointer, "/params/update/content/") && strings.HasSuffix(v.Pointer, "/type"):
		return v.Got == `"text"`
	}
	for _, p := range x.f.UnknownPointers {
		if p == "/params/update/modeId" {
			return true
		}
	}
	return false
}

// takesEmpty reports whether the result of the method may be an empty object.
func takesEmpty(m *wire.Method) bool {
	if m == nil || m.IsNotification() {
		return false
	}
	report, err := wire.Decode([]byte("{}"), m.NewResult(), nil)
	return err == nil && len(report.Violations) == 0
}

// resolve finds out what the frame is about.
func (x *step) resolve() {
	f := x.f
	if f.IsResponse() && f.HasID && f.Rule() != acp.RuleResponseID {
		x.req = x.st.peer(x.from).pending[f.ID.Key()]
	}
	x.negotiate()
	x.follow()
	switch {
	case x.req != nil:
		x.session, x.sess = x.req.session, x.req.sess
	case x.params != nil:
		x.session, _ = acp.SessionOf(x.params)
		if x.session != "" {
			x.sess = x.st.session(x.session, x.n)
		}
		if f.AwaitsAnswer() {
			x.req = x.newRequest()
		}
	case f.AwaitsAnswer():
		x.req = x.newRequest()
	}
	if n, ok := x.params.(*acpv1.SessionNotification); ok {
		x.update, x.tag = n.Update, updateTag(n.Update)
	}
	switch {
	case !f.Valid():
		x.fault = x.classify()
	case f.Kind == acp.KindError && f.ID.IsNull() && x.req == nil:
		x.fault = x.nullReply()
	}
}

// follow takes what the frame says, also if it is invalid but a lenient reader would understand it.
func (x *step) follow() {
	f := x.f
	if x.st.foreign || x.foreign && f.IsResponse() {
		return
	}
	if !f.Valid() {
		if f.Rule() != wire.RuleSchema || f.Spec == nil || x.line == nil {
			if f.Kind != acp.KindError || f.Raw != nil {
				x.st.confused(f, x.req)
			}
			return
		}
		i := 0
		if x.from == wire.AgentSide {
			i = 1
		}
		f = new(acp.Frame)
		x.c.tolerant[i].Parse(x.line, f)
		if !f.Valid() {
			x.st.confused(x.f, x.req)
			return
		}
	}
	switch f.Kind {
	case acp.KindRequest, acp.KindNotification:
		x.params = f.Value
	case acp.KindResponse:
		x.result = f.Value
	case acp.KindError, acp.KindUnknown:
	}
}

func (x *step) newRequest() *request {
	r := &request{n: x.n, from: x.from, id: x.f.ID, name: x.f.Method, method: x.f.Spec, params: x.params, session: x.session, sess: x.sess, at: x.st.now, valid: x.f.Valid(), garbled: x.f.Rule() == wire.RuleJSON}
	if x.params != nil {
		x.session, _ = acp.SessionOf(x.params)
		r.session = x.session
	}
	if p, ok := x.params.(*acpv1.PromptRequest); ok {
		r.plain = isPlain(p.Prompt)
		r.params = &acpv1.PromptRequest{SessionID: p.SessionID} // the prompt may be large
	}
	if p, ok := x.params.(*acpv1.WriteTextFileRequest); ok {
		r.params = &acpv1.WriteTextFileRequest{SessionID: p.SessionID, Path: p.Path}
	}
	if id, ok := terminalOf(x.params); ok {
		r.term = x.st.terminals[id]
	}
	return r
}

func isPlain(blocks []acpv1.ContentBlock) bool {
	for _, b := range blocks {
		switch b.(type) {
		case *acpv1.TextContent, *acpv1.ResourceLink:
		case *acpv1.ImageContent, *acpv1.AudioContent, *acpv1.EmbeddedResource, *acpv1.UnknownContentBlock:
			return false
		}
	}
	return len(blocks) > 0
}

// The tags of session updates.
const (
	tagUserChunk    = "user_message_chunk"
	tagAgentChunk   = "agent_message_chunk"
	tagThoughtChunk = "agent_thought_chunk"
	tagToolCall     = "tool_call"
	tagToolUpdate   = "tool_call_update"
	tagPlan         = "plan"
	tagCommands     = "available_commands_update"
	tagMode         = "current_mode_update"
	tagConfig       = "config_option_update"
	tagInfo         = "session_info_update"
	tagUsage        = "usage_update"
	tagNotice       = "notice"
	tagCompaction   = "compaction_update"
	tagSummary      = "compaction_summary_chunk"
)

func updateTag(u acpv1.SessionUpdate) string {
	switch u := u.(type) {
	case *acpv1.UserMessageChunk:
		return tagUserChunk
	case *acpv1.AgentMessageChunk:
		return tagAgentChunk
	case *acpv1.AgentThoughtChunk:
		return tagThoughtChunk
	case *acpv1.ToolCall:
		return tagToolCall
	case *acpv1.ToolCallUpdate:
		return tagToolUpdate
	case *acpv1.Plan:
		return tagPlan
	case *acpv1.AvailableCommandsUpdate:
		return tagCommands
	case *acpv1.CurrentModeUpdate:
		return tagMode
	case *acpv1.ConfigOptionUpdate:
		return tagConfig
	case *acpv1.SessionInfoUpdate:
		return tagInfo
	case *acpv1.UsageUpdate:
		return tagUsage
	case *acpv1.Notice:
		return tagNotice
	case *acpv1.CompactionUpdate:
		return tagCompaction
	case *acpv1.CompactionSummaryChunk:
		return tagSummary
	case *acpv1.UnknownSessionUpdate:
		return u.Tag
	}
	return ""
}

// isTurnContent reports whether updates of this kind are what a turn produces, or a replay of one.
func isTurnContent(tag string) bool {
	switch tag {
	case tagUserChunk, tagAgentChunk, tagThoughtChunk, tagToolCall, tagToolUpdate, tagPlan:
		return true
	}
	return false
}
