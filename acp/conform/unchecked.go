package conform

import "github.com/acpwire/acpwire/gen/wire"

var uncheckedRules = []UncheckedRule{
	{"INIT-2", "The requested protocol version is the latest that the client supports.", site + "initialization", wire.ClientSide,
		"Only the client's authors know what it supports."},
	{"INIT-3", "The answered protocol version is the requested one if the agent supports it, otherwise its latest.", site + "initialization", wire.AgentSide,
		"One handshake does not show what else the agent supports; an active test that asks for several versions does."},
	{"SESS-5", "Loading a session replays all of its conversation.", site + "session-setup", wire.AgentSide,
		"The conversation was held on another connection, which is not seen here."},
	{"CAN-8", "A request that is cancelled for reasons of its receiver is answered with -32800 too.", site + "cancellation", wire.BothSides,
		"Why a request failed is known inside only."},
	{"PLAN-1", "Each plan update holds the complete list of entries.", site + "agent-plan", wire.AgentSide,
		"Entries may be added and removed, so that a shorter list may be complete."},
	{"ELI-10", "Forms have no links to follow and ask for no secrets.", site + "elicitation", wire.AgentSide,
		"It takes a reader to tell what a form asks for."},
}
