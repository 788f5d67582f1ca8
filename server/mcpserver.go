package server

// An MCPServer is an MCP server that the client wants the session to use. It is one of [*MCPStdio], [*MCPHTTP], [*MCPSSE].
// https://agentclientprotocol.com/protocol/session-setup
//
//sumtype:decl
type MCPServer interface {
	// ServerName is the name the client gave it.
	ServerName() string
	isMCPServer()
}

// MCPStdio is a server to start as a subprocess. Its environment may hold secrets: it is never logged.
type MCPStdio struct {
	Name    string
	Command string
	Args    []string
	// Env are "NAME=value" pairs.
	Env []string
}

// MCPHTTP is a server reached by HTTP. Its headers may hold secrets: they are never logged.
type MCPHTTP struct {
	Name    string
	URL     string
	Headers map[string][]string
}

// MCPSSE is a server reached by HTTP with server-sent events. Its headers may hold secrets: they are never logged.
type MCPSSE struct {
	Name    string
	URL     string
	Headers map[string][]string
}

// ServerName returns Name.
func (s *MCPStdio) ServerName() string { return s.Name }

// ServerName returns Name.
func (s *MCPHTTP) ServerName() string { return s.Name }

// ServerName returns Name.
func (s *MCPSSE) ServerName() string { return s.Name }

func (*MCPStdio) isMCPServer() {}
func (*MCPHTTP) isMCPServer()  {}
func (*MCPSSE) isMCPServer()   {}
