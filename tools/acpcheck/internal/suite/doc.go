// Package suite tests live programs of the Agent Client Protocol: it plays the client of an agent, or the agent of a client, goes through scenarios, and judges
// what the other side does. https://agentclientprotocol.com
//
// A [Scenario] is a script for one connection. Scripts say what is sent and what must come back; the rules of the protocol are watched over by a [Judge], which
// sees every frame. A scenario whose precondition did not happen, because the program lacks a capability or did not do what the prompt asked for, is not
// exercised; it never passes.
package suite
