// Package goname spells names as Go does. One list of initialisms serves the generator, the reports on a new schema and the rules of this repository.
package goname

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are the words that Go writes in capitals, plurals included. One list serves all names.
var initialisms = func() map[string]string {
	const list = `ACP API APIs ASCII CLI CPU CSV DNS EOF FS GID GUID HTML HTTP HTTPS ID IDs IO IP JSON JSONL JSONRPC LLM LSP MCP MIME
		PID RPC SARIF SDK SHA SQL SSE SSH TCP TLS TTL UDP UI UID URI URIs URL URLs UTF UUID VM XML YAML`
	m := map[string]string{}
	for word := range strings.FieldsSeq(list) {
		m[strings.ToLower(word)] = word
	}
	return m
}()

// Of returns the exported Go name of a schema name: PascalCase, camelCase, snake_case, kebab-case and spaced words all come out in Go's spelling. A number
// belongs to the word before it.
func Of(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		lower := strings.ToLower(w)
		letters := strings.TrimRightFunc(lower, unicode.IsDigit)
		if up, ok := initialisms[letters]; ok {
			b.WriteString(up + lower[len(letters):])
			continue
		}
		first, size := utf8.DecodeRuneInString(lower)
		b.WriteRune(unicode.ToUpper(first))
		b.WriteString(lower[size:])
	}
	return b.String()
}

// Fix returns a Go identifier in Go's spelling: with each initialism in capitals, unless it begins a name that is not exported, and without underscores.
func Fix(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		letters := strings.TrimRightFunc(w, unicode.IsDigit)
		if up, ok := initialisms[strings.ToLower(letters)]; ok && letters[0] == up[0] {
			w = up + w[len(letters):]
		}
		b.WriteString(w)
	}
	return b.String()
}

// words splits a name at separators and at the humps of camel case.
func words(name string) []string {
	var out []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			out = append(out, string(cur))
			cur = nil
		}
	}
	rs := []rune(name)
	for i, r := range rs {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if hump(rs, i) {
			flush()
		}
		cur = append(cur, r)
	}
	flush()
	return out
}

// hump reports whether a word of camel case starts at i: at a capital after something else, or at the last of several capitals if a small letter follows. The
// s of a plural such as IDs is none.
func hump(rs []rune, i int) bool {
	lower := func(i int) bool { return i < len(rs) && unicode.IsLower(rs[i]) }
	if i == 0 || !unicode.IsUpper(rs[i]) {
		return false
	}
	if !unicode.IsUpper(rs[i-1]) {
		return true
	}
	plural := lower(i+1) && rs[i+1] == 's' && !lower(i+2)
	return lower(i+1) && !plural
}
