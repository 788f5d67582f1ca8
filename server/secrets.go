package server

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/acp"
)

// minSecret is how long a value is that is taken for a secret: a shorter one, such as 1 or yes, would be found everywhere.
const minSecret = 4

// secretsOf returns the values that MCP servers are configured with and that may be secret, longer ones first.
func secretsOf(servers []MCPServer) []string {
	var list []string
	add := func(value string) {
		if len(value) >= minSecret {
			list = append(list, value)
		}
	}
	addHeaders := func(headers map[string][]string) {
		for _, values := range headers {
			for _, v := range values {
				add(v)
			}
		}
	}
	for _, s := range servers {
		switch s := s.(type) {
		case *MCPStdio:
			for _, pair := range s.Env {
				_, value, _ := strings.Cut(pair, "=")
				add(value)
			}
		case *MCPHTTP:
			addHeaders(s.Headers)
		case *MCPSSE:
			addHeaders(s.Headers)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return list
}

// redact returns text without the secrets that the session was given.
func (s *Session) redact(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

// redacted returns err with a text for logs.
func (s *Session) redacted(err error) error {
	if err == nil || len(s.secrets) == 0 {
		return err
	}
	return &redactedError{s.redact(err.Error()), err}
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
	if errors.As(err, &said) {
		told := *said
		told.Message = s.redact(told.Message)
		return &told
	}
	return err
}
