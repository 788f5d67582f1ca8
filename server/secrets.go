package server

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/server/internal/secret"
)

// SecretsOf returns what may be secret of what a client sends of an MCP server: the values of its environment or headers, and of its URL all but scheme, host and path.
// They must not be in errors and logs.
func SecretsOf(srv MCPServer) []string {
	var values []string
	addHTTP := func(rawURL string, headers map[string][]string) {
		values = append(values, secret.OfURL(rawURL)...)
		for _, v := range headers {
			values = append(values, v...)
		}
	}
	switch srv := srv.(type) {
	case *MCPStdio:
		for _, pair := range srv.Env {
			_, value, _ := strings.Cut(pair, "=")
			values = append(values, value)
		}
	case *MCPHTTP:
		addHTTP(srv.URL, srv.Headers)
	case *MCPSSE:
		addHTTP(srv.URL, srv.Headers)
	}
	return values
}

func secretsOf(servers []MCPServer) (values []string) {
	for _, srv := range servers {
		values = append(values, SecretsOf(srv)...)
	}
	return values
}

// redacted returns err with a text for logs.
func (s *Session) redacted(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if clean := s.secrets.Redact(text); clean != text {
		return &redactedError{clean, err}
	}
	return err
}

type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

// failed logs an error of the engine in a session and returns what the client is told of it.
func (s *Session) failed(what string, err error) error {
	err = s.conn.failed(what, s.redacted(err))
	var said *acp.Error
	if !errors.As(err, &said) {
		return err
	}
	told := *said
	told.Message = s.secrets.Redact(told.Message)
	if data := s.secrets.Redact(string(told.Data)); data != string(told.Data) {
		told.Data = []byte(data)
		if !json.Valid(told.Data) {
			told.Data = nil
		}
	}
	return &told
}
