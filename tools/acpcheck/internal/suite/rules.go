package suite

import "slices"

// The pages of the specification that rules come from.
const (
	site     = "https://agentclientprotocol.com/protocol/"
	jsonrpc2 = "https://www.jsonrpc.org/specification"
)

// A Rule is what a scenario checks besides the rules that a [Judge] knows.
type Rule struct {
	// ID is short and stable.
	ID string
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
)

var ownRules = []Rule{
	{ruleCode, "A message that is malformed is answered with the error that JSON-RPC has for it: -32700 or -32600, and the id null unless the id can be read.", jsonrpc2 + "#error_object"},
	{ruleAlive, "Malformed or unknown traffic does not end the connection, and what comes after it is answered as ever.", site + "overview#error-handling"},
	{ruleStart, "The program starts and answers initialize.", site + "initialization"},
	{ruleExit, "An agent whose standard input is closed ends by itself.", site + "transports#stdio"},
	{ruleParams, "A request whose params do not fit the schema is answered with -32602.", jsonrpc2 + "#error_object"},
	{ruleMethod, "A request for a method that does not exist is answered with -32601.", jsonrpc2 + "#error_object"},
	{ruleSession, "A request for a session that does not exist, or is closed, is answered with an error.", site + "session-setup#session-id"},
	{ruleRejected, "What the user has not allowed does not happen.", site + "tool-calls#requesting-permission"},
	{ruleSeparate, "Sessions do not get in each other's way: each gets its own updates, and none waits for another.", site + "session-setup#session-id"},
	{ruleComplete, "Large frames and long streams arrive complete.", site + "transports#stdio"},
	{ruleSurvive, "An error of the peer is survived: the turn is answered, and the next one works.", site + "prompt-turn"},
	{ruleSettings, "A mode or config option that was set is what the session has from then on; what was not offered is refused.", site + "session-config-options"},
	{ruleAdvertise, "What is advertised works.", site + "initialization#capabilities"},
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
