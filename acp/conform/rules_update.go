package conform

import (
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var updateRules = []Rule{
	{ID: "CMD-1", Level: Implied, Severity: Warning, By: wire.ClientSide, Page: site + "slash-commands",
		Doc: "A prompt that starts with a command uses one that was advertised.", hooks: []hook{params(acpv1.MethodPrompt, noSuchCommand)}},
	{ID: "NOTE-1", Level: Must, Severity: Warning, By: wire.AgentSide, Page: site + "schema",
		Doc:   "Notices are for clients that advertise them, and are not replayed.",
		Limit: "The sources do not agree whether the capability is needed.",
		hooks: []hook{update(tagNotice, noticeUnadvertised)}},
	{ID: "COMP-1", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "schema",
		Doc: "Compaction is shown to clients that advertise it.",
		hooks: []hook{
			update(tagCompaction, func(x *step, _ *acpv1.CompactionUpdate) { compactionUnadvertised(x) }),
			update(tagSummary, func(x *step, _ *acpv1.CompactionSummaryChunk) { compactionUnadvertised(x) }),
		}},
	{ID: "COMP-2", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "schema",
		Doc:   "A compaction begins, may stream its summary, and ends once; a summary is for one that completed, an error for one that failed.",
		hooks: []hook{update(tagCompaction, compaction), update(tagSummary, summaryOutside)}},
}

// command returns the name of the slash command that the text begins with.
func command(text string) (string, bool) {
	name, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", false
	}
	if i := strings.IndexAny(name, " \t\r\n"); i >= 0 {
		name = name[:i]
	}
	if name == "" || !isLetter(name[0]) || strings.ContainsFunc(name, func(r rune) bool {
		return !(r < 128 && isLetter(byte(r)) || r >= '0' && r <= '9' || r == '-' || r == '_' || r == ':')
	}) {
		return "", false
	}
	return name, true
}

func noSuchCommand(x *step, p *acpv1.PromptRequest) {
	s := x.sess
	if s == nil || s.commandsSeen == 0 || len(p.Prompt) == 0 {
		return
	}
	text, ok := p.Prompt[0].(*acpv1.TextContent)
	if !ok {
		return
	}
	if name, ok := command(text.Text); ok && !slices.Contains(s.commands, name) {
		x.report("/params/prompt/0/text", s.commandsSeen, "the command %q was not advertised", name)
	}
}

func noticeUnadvertised(x *step, _ *acpv1.Notice) {
	c := x.st.clientCaps
	if x.st.knowsClient && (c == nil || c.Session == nil || c.Session.Notices == nil) {
		x.report("/params/update", x.st.handshake.request, "a notice for a client that does not advertise session.notices")
	}
	if x.sess != nil && x.sess.loading != nil {
		x.report("/params/update", x.sess.loading.n, "a notice while the session is replayed")
	}
}

func compactionUnadvertised(x *step) {
	c := x.st.clientCaps
	if x.st.knowsClient && (c == nil || c.Session == nil || c.Session.Compaction == nil) {
		x.report("/params/update", x.st.handshake.request, "%s for a client that does not advertise session.compaction", x.tag)
	}
}

func compaction(x *step, u *acpv1.CompactionUpdate) {
	if summary, ok := u.Summary.Get(); ok && len(summary) > 0 && u.Status != acpv1.CompactionStatusCompleted {
		x.report("/params/update/summary", 0, "a summary with the status %s", u.Status)
	}
	if _, ok := u.Error.Get(); ok && u.Status != acpv1.CompactionStatusFailed {
		x.report("/params/update/error", 0, "an error with the status %s", u.Status)
	}
	if s := x.sess; s != nil {
		if n, over := s.compacted.get(u.CompactionID); over && !s.replaying() {
			x.report("/params/update/status", n, "the compaction %q was over", u.CompactionID)
		}
	}
}

func summaryOutside(x *step, u *acpv1.CompactionSummaryChunk) {
	s := x.sess
	if s == nil || s.gaps || s.replaying() || s.compactions[u.CompactionID] > 0 {
		return
	}
	n, over := s.compacted.get(u.CompactionID)
	if over {
		x.report("/params/update/compactionId", n, "the compaction %q was over", u.CompactionID)
		return
	}
	x.report("/params/update/compactionId", 0, "the compaction %q has not begun", u.CompactionID)
}
