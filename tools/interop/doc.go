// Package interop holds acpwire against the official TypeScript SDK. It has nothing but tests; the JavaScript side, with the exact versions of the
// packages, is in the folder node.
package interop
