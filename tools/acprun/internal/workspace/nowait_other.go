//go:build !unix

package workspace

// noWait has no meaning where named pipes are not files.
const noWait = 0
