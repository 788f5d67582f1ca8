package server

import (
	"strings"
	"unicode"
)

// parseCommand reads a slash command from the text that a prompt begins with: its name without the slash, and what comes behind, trimmed of white space. ok is
// false for text that only begins with a slash, such as a path or a comment. Whether there is such a command is not its business.
// https://agentclientprotocol.com/protocol/slash-commands
func parseCommand(text string) (name, args string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	name = rest
	if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
		name, args = rest[:end], rest[end:]
	}
	for i, r := range name {
		if letter := unicode.IsLetter(r) || unicode.IsDigit(r); !letter && (i == 0 || !strings.ContainsRune("-_.:", r)) {
			return "", "", false
		}
	}
	if name == "" {
		return "", "", false
	}
	return name, strings.TrimSpace(args), true
}
