package server

import (
	"path"
	"strings"
)

// The paths in the protocol are those of the client's machine, which may be another than this one: they are told apart by their form alone.

// isWindowsPath reports whether p is absolute on Windows: with a drive, or on a host.
func isWindowsPath(p string) bool {
	if host, ok := strings.CutPrefix(p, `\\`); ok {
		return host != "" && host[0] != '\\' && host[0] != '/'
	}
	return len(p) > 2 && p[1] == ':' && driveOf(p)
}

// isAbsPath reports whether p is absolute, on whatever system.
func isAbsPath(p string) bool { return strings.HasPrefix(p, "/") || isWindowsPath(p) }

// cleanPath returns an absolute path without dots and doubled separators.
func cleanPath(p string) string {
	if !isWindowsPath(p) {
		return path.Clean(p)
	}
	p = strings.ReplaceAll(p, `\`, "/")
	if after, ok := strings.CutPrefix(p, "//"); ok {
		host, rest, _ := strings.Cut(after, "/")
		return strings.TrimSuffix(strings.ReplaceAll("//"+host+path.Clean("/"+rest), "/", `\`), `\`)
	}
	return strings.ReplaceAll(p[:2]+path.Clean(p[2:]), "/", `\`)
}

// absPath returns p as an absolute path; a relative one is taken from cwd. ok is false if there is nothing to make of it.
func absPath(cwd, p string) (abs string, ok bool) {
	switch {
	case p == "" || strings.ContainsRune(p, 0):
		return "", false
	case isAbsPath(p):
		return cleanPath(p), true
	case !isAbsPath(cwd):
		return "", false
	}
	separator := "/"
	if isWindowsPath(cwd) {
		separator = `\`
	}
	return cleanPath(cwd + separator + p), true
}

// within reports whether p is root or below it, both clean and absolute. It looks at names alone and knows no links.
func within(root, p string) bool {
	separator := "/"
	if isWindowsPath(root) {
		separator = `\`
		root, p = strings.ToLower(root), strings.ToLower(p)
	}
	return p == root || strings.HasPrefix(p, strings.TrimSuffix(root, separator)+separator)
}
