// Package catalog describes the rules that acpcheck checks: those of the frame itself, which the judges hold it to, those of the conversation, and
// those that only a program at work can break.
package catalog

import (
	"slices"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// RuleBaseline is for entries of a baseline that are expired or match nothing.
const RuleBaseline wire.Rule = "baseline"

// RuleEmpty is for transcripts without a frame.
const RuleEmpty wire.Rule = "empty"

// A Rule is one thing that findings may be about.
type Rule struct {
	// ID is what findings, --only and --skip call it.
	ID string `json:"id"`
	// Scope is "frame" if one frame decides it, "conversation" if those before it do, "suite" if only acpcheck test and test-client can tell, because they know what
	// was asked of the program, and "tool" for what acpcheck says of itself.
	Scope string `json:"scope"`
	// Level is how the specification words it; empty if it does not apply.
	Level string `json:"level,omitempty"`
	// Severity is "error", "warning", "note" or "opinion".
	Severity string `json:"severity"`
	// By is who can break it: "client", "agent" or "both".
	By string `json:"by"`
	// Doc is the rule in one sentence.
	Doc string `json:"doc"`
	// Page is the address where it comes from; empty for what acpcheck says of itself.
	Page string `json:"page,omitempty"`
	// Limit says what of the rule is not checked, and why.
	Limit string `json:"limit,omitempty"`
	// Unchecked says why the rule is not checked at all. It is empty if it is.
	Unchecked string `json:"unchecked,omitempty"`
}

const both = "both"

var own = []Rule{
	{ID: string(wire.RuleJSON), Scope: "frame", Level: "MUST", Severity: "error", By: both,
		Doc: "Each line is one JSON value in UTF-8, without duplicate names and lone surrogates.", Page: "https://agentclientprotocol.com/protocol/transports"},
	{ID: string(acp.RuleEnvelope), Scope: "frame", Level: "MUST", Severity: "error", By: both,
		Doc: "Each frame is one JSON-RPC 2.0 request, notification or response.", Page: "https://www.jsonrpc.org/specification"},
	{ID: string(acp.RuleMethod), Scope: "frame", Level: "MUST", Severity: "error", By: both,
		Doc:  "A method is one that the protocol has for the other side to handle, or an extension whose name begins with an underscore.",
		Page: "https://agentclientprotocol.com/protocol/extensibility"},
	{ID: string(acp.RuleResponseID), Scope: "frame", Level: "MUST", Severity: "error", By: both,
		Doc: "A response has the id, by type and value, of a request that waits for an answer.", Page: "https://agentclientprotocol.com/protocol/overview"},
	{ID: string(wire.RuleSchema), Scope: "frame", Level: "MUST", Severity: "error", By: both,
		Doc: "Params, results and errors are what the protocol's schema asks for.", Page: "https://agentclientprotocol.com/protocol/schema"},
	{ID: string(judge.RuleVersion), Scope: "tool", Severity: "warning", By: both,
		Doc:  "The connection speaks a protocol version that the surface does not describe, so that only JSON, envelope and response ids are checked.",
		Page: "https://agentclientprotocol.com/protocol/initialization"},
	{ID: string(judge.RuleLimit), Scope: "tool", Severity: "error", By: both, Doc: "The frame is larger than what this run looks at; see --max-frame."},
	{ID: string(judge.RuleDisagreement), Scope: "tool", Severity: "error", By: both, Doc: "The two judges differ about the frame; one of them is wrong. Please report it."},
	{ID: string(RuleEmpty), Scope: "tool", Severity: "warning", By: both, Doc: "There is no frame in the transcript, so that nothing was checked."},
	{ID: string(RuleBaseline), Scope: "tool", Severity: "warning", By: both, Doc: "An entry of the baseline is expired, or there is nothing left that it excuses."},
}

// Rules returns all rules: those of frames, those of conversations, those that cannot be checked, and those of programs at work.
func Rules() []Rule { return slices.Concat(own, conversation(), live()) }

// Find returns the rule with this id.
func Find(id string) (Rule, bool) {
	rules := Rules()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

var pages = func() map[wire.Rule]string {
	m := map[wire.Rule]string{}
	for _, r := range Rules() {
		m[wire.Rule(r.ID)] = r.Page
	}
	return m
}()

// Page returns the address where the rule comes from, or "".
func Page(id wire.Rule) string { return pages[id] }
