// Package acp is the connection of the Agent Client Protocol: what an agent or an editor imports to speak it over stdio.
// https://agentclientprotocol.com
//
// A client calls [NewClient] with a transport, usually from [Spawn], and a handler that embeds acpv1.UnimplementedClient. An agent calls [NewAgent] with [Stdio]
// and its handler. [InProcess] connects the two in memory. Underneath is [Conn], which is the same for both sides and for every version of the protocol.
//
// # What a connection promises
//
// Every frame is checked, in both directions, results included; see [Options]. Frames that are wrong are answered with the right error and never end the
// connection.
//
// Notifications are handled one at a time, in wire order. A response is delivered after every earlier notification has been handled, so that all updates of a
// turn have been seen when the call of the prompt returns. A request is handled after earlier notifications, in a goroutine of its own.
//
// A notification's handler may call the peer and wait, if it passes on its context: while it waits, later frames are handled, and when its answer comes, it goes
// on before what follows; only if its context ends first, it goes on at once, beside others. A notification's handler that only computes holds up all later frames; that is back-pressure, and it reaches the peer.
//
// session/cancel ends the context of the running turns of its session at once, without waiting for work that came earlier, and a turn that ends that way is
// answered with the stop reason "cancelled". https://agentclientprotocol.com/protocol/prompt-turn#cancellation
package acp
