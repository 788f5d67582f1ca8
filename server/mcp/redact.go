package mcp

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/acpwire/acpwire/server"
)

const (
	// minSecret is the length below which a value says too little to be a secret, and is in too many texts to be replaced.
	minSecret   = 4
	replacement = "[redacted]"
	// maxErrorText is how much of a text that a server made is kept, in bytes.
	maxErrorText = 1000
)

// A redactor replaces the secrets of one server in texts that others made.
type redactor struct{ replacer *strings.Replacer }

func newRedactor(srv server.MCPServer) *redactor {
	var secrets []string
	add := func(values ...string) {
		for _, v := range values {
			for _, part := range append(strings.Fields(v), v) {
				quoted := strconv.Quote(part)
				secrets = append(secrets, part, url.QueryEscape(part), url.PathEscape(part), quoted[1:len(quoted)-1], base64.StdEncoding.EncodeToString([]byte(part)))
			}
		}
	}
	switch srv := srv.(type) {
	case *server.MCPStdio:
		for _, pair := range srv.Env {
			_, value, _ := strings.Cut(pair, "=")
			add(value)
		}
	case *server.MCPHTTP:
		addHTTPSecrets(add, srv.URL, srv.Headers)
	case *server.MCPSSE:
		addHTTPSecrets(add, srv.URL, srv.Headers)
	}
	secrets = slices.DeleteFunc(secrets, func(s string) bool { return len(s) < minSecret })
	// Of two that begin at one place, the replacer takes the one that was given first.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, s := range slices.Compact(secrets) {
		pairs = append(pairs, s, replacement)
	}
	return &redactor{strings.NewReplacer(pairs...)}
}

// addHTTPSecrets takes what a URL has beside scheme, host and path to be secret, too.
func addHTTPSecrets(add func(...string), rawURL string, headers map[string][]string) {
	for _, values := range headers {
		add(values...)
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		add(rawURL)
		return
	}
	if u.User != nil {
		password, _ := u.User.Password()
		add(u.User.String(), u.User.Username(), password)
	}
	add(u.RawQuery, u.Fragment)
	for _, values := range u.Query() {
		add(values...)
	}
}

// query matches what a URL has after its path: often a token, which the server may have made up itself.
var query = regexp.MustCompile(`(https?://[^\s"?#]*)[?#][^\s"]*`)

// clean returns text on one line, without the secrets and not longer than is of use.
func (r *redactor) clean(text string) string {
	text = query.ReplaceAllString(r.replacer.Replace(text), "${1}?"+replacement)
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
