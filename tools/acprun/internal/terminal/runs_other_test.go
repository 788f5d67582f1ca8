//go:build !unix

package terminal_test

func runs(int) bool { return false }
