package suite

import (
	"slices"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

// The pages of the specification that rules come from.
const (
	site     = "https://agentclientprotocol.com/protocol/"
	jsonrpc2 = "https://www.jsonrpc.org/specification"
)

// A Rule is what a scenario checks besides the rules that a [Judge] knows.
type Rule struct {
	// ID is short and stable.
	ID string
	// Level is how the specification words it.
	Level conform.Level
	// Severity is that of its findings unless they say otherwise: where the sources leave something open they are warnings.
	Severity conform.Severity
	// By is the side that can break it.
	By wire.Side
	// Doc is the rule in one sentence.
	Doc string
	// Page is the address of the page that it comes from.
	Page string
}

// The rules of the suite's own. All others are those of the judge.
const (
	ruleCode      = "ACT-1"
	ruleAlive     = "ACT-2"
	ruleStart     = "ACT-3"
	ruleExit      = "ACT-4"
	ruleParams    = "ACT-5"
	ruleMethod    = "ACT-6"
	ruleSession   = "ACT-7"
	ruleRejected  = "ACT-8"
	ruleSeparate  = "ACT-9"
	ruleComplete  = "ACT-10"
	ruleSurvive   = "ACT-11"
	ruleSettings  = "ACT-12"
	ruleAdvertise = "ACT-13"
	ruleOvertaken = "ACT-14"
)

var ownRules = []Rule{
	{ruleCode, conform.Must, conform.Error, wire.BothSides, "A message that is malformed is answered with the error that JSON-RPC has for it: -32700 or -32600, and the id null unless the id can be read.", jsonrpc2 + "#error_object"},
	{ruleAlive, conform.Implied, conform.Error, wire.BothSides, "Malformed or unknown traffic does not end the connection, and what comes after it is answered as ever.", site + "overview#error-handling"},
	{ruleStart, conform.Must, conform.Error, wire.BothSides, "The program starts; an agent answers initialize, a client sends it.", site + "initialization"},
	{ruleExit, conform.Implied, conform.Warning, wire.AgentSide, "An agent whose standard input is closed ends by itself.", site + "transports#stdio"},
	{ruleParams, conform.Must, conform.Error, wire.BothSides, "A request whose params do not fit the schema is answered with -32602.", jsonrpc2 + "#error_object"},
	{ruleMethod, conform.Must, conform.Error, wire.BothSides, "A request for a method that does not exist is answered with -32601.", jsonrpc2 + "#error_object"},
	{ruleSession, conform.Implied, conform.Error, wire.AgentSide, "A request for a session that does not exist, or is closed, is answered with an error.", site + "session-setup#session-id"},
	{ruleRejected, conform.Implied, conform.Error, wire.AgentSide, "What the user has not allowed does not happen.", site + "tool-calls#requesting-permission"},
	{ruleSeparate, conform.Implied, conform.Error, wire.AgentSide, "Sessions do not get in each other's way: each gets its own updates, and none waits for another.", site + "session-setup#session-id"},
	{ruleComplete, conform.Implied, conform.Error, wire.AgentSide, "Large frames and long streams arrive complete.", site + "transports#stdio"},
	{ruleSurvive, conform.Implied, conform.Error, wire.AgentSide, "An error of the client, or of the agent itself, is survived: the turn is answered, and the next one works.", site + "prompt-turn"},
	{ruleSettings, conform.Implied, conform.Error, wire.AgentSide, "A mode or config option that was set is what the session has from then on; what was not offered is refused.", site + "session-config-options"},
	{ruleAdvertise, conform.Must, conform.Error, wire.BothSides, "What is advertised works.", site + "initialization#capabilities"},
	{ruleOvertaken, conform.Implied, conform.Warning, wire.AgentSide, "A session/cancel that follows its prompt at once ends that turn: frames count in the order in which they were sent.", site + "prompt-turn#cancellation"},
}

// Rules returns the rules of the suite's own.
func Rules() []Rule { return slices.Clone(ownRules) }

// Explain returns the rule of the suite's own with this id.
func Explain(id string) (Rule, bool) {
	i := slices.IndexFunc(ownRules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return ownRules[i], true
}
