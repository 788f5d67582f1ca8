// Package conform judges conversations of the Agent Client Protocol by its rules: not only whether each frame is valid, but whether it may come where it does.
// https://agentclientprotocol.com
//
// Feed a [Checker] the frames of both directions in wire order, from a tap, a transcript or a test, and get findings:
//
//	c := conform.New(nil)
//	findings := c.Frame(wire.ClientSide, line) // for each line
//	findings = c.End()
//
// [Test] does that for a connection of package acp and fails the test that owns it. [Rules] are all rules and [Unchecked] those that no frame can show.
//
// # What counts
//
// What the specification says must be is an error. What it recommends or only implies, what its sources contradict each other about, and what may have been a
// race that the wire cannot decide, is a warning. Opinions are off unless asked for. A frame that is invalid by itself is reported once, and whatever else can
// be understood of it is still followed, so that one fault does not make others of what comes after it.
//
// The order of frames of one direction is certain. Where a rule binds a sender to a frame of the other direction, the sender may not have read it yet; such a
// finding is an error only if the conversation proves that it had.
//
// # What is remembered
//
// Memory is bounded by what is alive: open sessions, running turns, unanswered requests, unfinished tool calls, terminals that were not released. Of what is over,
// only ids with a few bytes each are kept, the latest [Options.Remember] of each kind; what is older is forgotten, and rules that would need it are silent from
// then on.
package conform
