package diff

import "strings"

// initialisms are the words Go writes in capitals. The list and the rules below are the generator's.
var initialisms = map[string]string{
	"acp": "ACP", "api": "API", "ascii": "ASCII", "cpu": "CPU", "fs": "FS", "html": "HTML", "http": "HTTP",
	"https": "HTTPS", "id": "ID", "ids": "IDs", "io": "IO", "ip": "IP", "json": "JSON", "llm": "LLM", "mcp": "MCP",
	"mime": "MIME", "rpc": "RPC", "sdk": "SDK", "sql": "SQL", "sse": "SSE", "ssh": "SSH", "tcp": "TCP", "tls": "TLS",
	"ttl": "TTL", "ui": "UI", "uri": "URI", "uris": "URIs", "url": "URL", "urls": "URLs", "utf8": "UTF8",
	"uuid": "UUID", "vm": "VM", "xml": "XML",
}

// typeName returns the Go type generated from a definition, or "" for the JSON-RPC envelopes and the empty extension
// definitions, which have none.
func typeName(definition string, n *node) string {
	if n.docsIgnore || n.form() == formAny && strings.HasPrefix(definition, "Ext") {
		return ""
	}
	return goName(definition)
}

// goName returns a wire name as an exported Go identifier: "sessionId" is SessionID, "_meta" is Meta.
func goName(name string) string {
	var b strings.Builder
	for _, word := range words(name) {
		lower := strings.ToLower(word)
		if up, ok := initialisms[lower]; ok {
			b.WriteString(up)
			continue
		}
		b.WriteString(strings.ToUpper(lower[:1]) + lower[1:])
	}
	return b.String()
}

// words splits a name at everything that is no letter or digit and at the humps of camel case; a run of capitals is one
// word, up to the one that starts the next.
func words(name string) []string {
	isUpper := func(i int) bool { return i < len(name) && 'A' <= name[i] && name[i] <= 'Z' }
	isLower := func(i int) bool { return i < len(name) && 'a' <= name[i] && name[i] <= 'z' }
	isDigit := func(i int) bool { return '0' <= name[i] && name[i] <= '9' }
	var out []string
	start := -1
	for i := range len(name) {
		alnum := isUpper(i) || isLower(i) || isDigit(i)
		hump := isUpper(i) && i > 0 && (!isUpper(i-1) || isLower(i+1))
		if start >= 0 && (!alnum || hump) {
			out = append(out, name[start:i])
			start = -1
		}
		if start < 0 && alnum {
			start = i
		}
	}
	if start >= 0 {
		out = append(out, name[start:])
	}
	return out
}
