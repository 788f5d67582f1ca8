package plan

import (
	"strings"
	"unicode"
)

// initialisms are the words that Go writes in capitals. One list serves all names.
var initialisms = map[string]string{
	"acp": "ACP", "api": "API", "ascii": "ASCII", "cpu": "CPU", "html": "HTML", "http": "HTTP", "https": "HTTPS", "id": "ID", "ids": "IDs", "io": "IO", "ip": "IP",
	"json": "JSON", "llm": "LLM", "mcp": "MCP", "mime": "MIME", "rpc": "RPC", "sdk": "SDK", "sql": "SQL", "sse": "SSE", "ssh": "SSH", "tcp": "TCP", "tls": "TLS",
	"ttl": "TTL", "ui": "UI", "uri": "URI", "uris": "URIs", "url": "URL", "urls": "URLs", "utf8": "UTF8", "uuid": "UUID", "vm": "VM", "xml": "XML", "fs": "FS",
}

// GoName returns the exported Go name of a schema name: PascalCase, camelCase, snake_case, kebab-case and spaced words all come out in Go's spelling.
func GoName(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		lower := strings.ToLower(w)
		if up, ok := initialisms[lower]; ok {
			b.WriteString(up)
			continue
		}
		b.WriteString(strings.ToUpper(lower[:1]) + lower[1:])
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
		hump := unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1]))
		if hump {
			flush()
		}
		cur = append(cur, r)
	}
	flush()
	return out
}

// lowerFirst returns a Go name as an unexported one: TextContent is textContent, MCPServer is mcpServer.
func lowerFirst(name string) string {
	rs := []rune(name)
	for i := range rs {
		if i > 0 && i+1 < len(rs) && unicode.IsLower(rs[i+1]) || !unicode.IsUpper(rs[i]) {
			break
		}
		rs[i] = unicode.ToLower(rs[i])
	}
	return string(rs)
}
