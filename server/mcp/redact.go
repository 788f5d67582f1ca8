package mcp

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/internal/secret"
)

// maxErrorText is how much of a text that a server made is kept, in bytes.
const maxErrorText = 1000

// A redactor replaces the secrets of one server in texts that others made.
type redactor struct{ secrets secret.Redactor }

func newRedactor(srv server.MCPServer) *redactor { return &redactor{secret.New(server.SecretsOf(srv))} }

// query matches what a URL has after its path: often a token, which the server may have made up itself.
var query = regexp.MustCompile(`(https?://[^\s"?#]*)[?#][^\s"]*`)

// clean returns text on one line, without the secrets and not longer than is of use.
func (r *redactor) clean(text string) string {
	text = query.ReplaceAllString(r.secrets.Redact(text), "${1}?[redacted]")
	text = strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return ' '
		}
		if !strconv.IsPrint(c) {
			return utf8.RuneError
		}
		return c
	}, text)
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "..."
	}
	return text
}
