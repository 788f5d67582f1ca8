// Package acpwire is the root of a module that speaks the Agent Client Protocol (ACP) strictly. It holds no code: import
// [github.com/acpwire/acpwire/acp] for connections, gen/acpv1 for the protocol's types and server for writing an agent.
package acpwire

//go:generate go run ./tools/acpgen -surface v1
