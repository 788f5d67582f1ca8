package server

import (
	"net/textproto"
	"net/url"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// mcpServersOf maps the MCP servers that a client sends. What is dropped is named by its place alone: commands, URLs, environments and headers may hold secrets.
// https://agentclientprotocol.com/protocol/session-setup#mcp-servers
func mcpServersOf(servers []acpv1.MCPServer) ([]MCPServer, []Dropped) {
	l := newLosses()
	var out []MCPServer
	seen := map[string]bool{}
	for i, s := range servers {
		l := l.index(i)
		server := mcpServerOf(s, l)
		switch {
		case server == nil:
		case server.ServerName() == "":
			l.at("name").add(DropMalformed, "MCP server", "it has no name", "")
		case seen[server.ServerName()]:
			l.at("name").add(DropMalformed, "MCP server", "another one has its name", "")
		default:
			seen[server.ServerName()] = true
			out = append(out, server)
		}
	}
	return out, *l.list
}

// mcpServerOf returns nil for what is dropped.
func mcpServerOf(s acpv1.MCPServer, l losses) MCPServer {
	switch s := s.(type) {
	case *acpv1.MCPServerStdio:
		if s.Command == "" || strings.ContainsRune(s.Command, 0) {
			l.at("command").add(DropMalformed, "MCP server", "it has no command", "")
			return nil
		}
		return &MCPStdio{Name: s.Name, Command: s.Command, Args: s.Args, Env: envOf(s.Env, l.at("env"))}
	case *acpv1.MCPServerHTTP:
		if validServerURL(s.URL, l) {
			return &MCPHTTP{Name: s.Name, URL: s.URL, Headers: headersOf(s.Headers, l.at("headers"))}
		}
	case *acpv1.MCPServerSSE:
		if validServerURL(s.URL, l) {
			return &MCPSSE{Name: s.Name, URL: s.URL, Headers: headersOf(s.Headers, l.at("headers"))}
		}
	case nil:
		l.add(DropMalformed, "MCP server", "there is none", "")
	}
	return nil
}

func validServerURL(s string, l losses) bool {
	u, err := url.Parse(s)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return true
	}
	l.at("url").add(DropMalformed, "MCP server", "its URL is no HTTP URL", "")
	return false
}

func envOf(variables []acpv1.EnvVariable, l losses) []string {
	var env []string
	for i, v := range variables {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.ContainsRune(v.Value, 0) {
			l.index(i).add(DropMalformed, "environment variable", "no process can have it", "")
			continue
		}
		env = append(env, v.Name+"="+v.Value)
	}
	return env
}

func headersOf(headers []acpv1.HTTPHeader, l losses) map[string][]string {
	if len(headers) == 0 {
		return nil
	}
	out := map[string][]string{}
	for i, h := range headers {
		if !headerName(h.Name) || strings.ContainsAny(h.Value, "\r\n\x00") {
			l.index(i).add(DropMalformed, "header", "it cannot be sent", "")
			continue
		}
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		out[name] = append(out[name], h.Value)
	}
	return out
}

// headerName reports whether s is a token of HTTP.
func headerName(s string) bool {
	const token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return s != "" && strings.Trim(s, token) == ""
}
