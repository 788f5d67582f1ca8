// Package server makes an ACP agent of an engine. An author implements [Engine], with as many of the optional interfaces as the engine has abilities; the
// package speaks the protocol: sessions, turns, tool calls, permissions, modes, config options, replay, and what the rules of the protocol ask for around
// them. A [Turn] is the engine's only mouth, so that the rules hold by construction.
//
// The engine's vocabulary is the plain Go types of this package. It touches wire types (gen/acpv1) only if it wants to.
package server
