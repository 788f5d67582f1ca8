//go:build !unix

package acp

import "os"

// divertStdout returns the standard output. Only writers that look at os.Stdout are diverted.
func divertStdout() *os.File { return os.Stdout }
