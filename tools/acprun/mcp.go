package main

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

const mcpHelp = `MCP servers, for the agent to use:
  --mcp 'NAME=COMMAND ARGS...'               a program that the agent starts
  --mcp 'NAME=KEY=VALUE COMMAND ARGS...'     the same with environment variables
  --mcp 'NAME=https://HOST/PATH'             a server over HTTP
  --mcp 'NAME=https://HOST/PATH Key:VALUE'   the same with headers
  --mcp 'NAME=sse+https://HOST/PATH'         a server over SSE
Words are separated by spaces and may be quoted. $NAME and ${NAME} are replaced by acprun's own environment variable,
so that secrets need not stand on the command line. What came from there, and the values of environment variables,
headers and a URL's query, are shown nowhere: acprun puts [redacted] in their place, also in what --record writes.
`

// redacted stands in the place of secrets.
const redacted = "[redacted]"

// An mcpParser reads the values of --mcp flags, and collects what must not be shown. Its errors show nothing but the server's name.
type mcpParser struct {
	getenv  func(string) string
	secrets []string
}

func (p *mcpParser) parse(value string) (acpv1.MCPServer, error) {
	name, rest, ok := strings.Cut(value, "=")
	if !ok || name == "" || strings.ContainsAny(name, " \t\n/'\"$") {
		return nil, usageError("--mcp: NAME=COMMAND or NAME=URL expected")
	}
	list, err := words(rest)
	if err == nil && len(list) == 0 {
		err = errors.New("a command or URL is missing")
	}
	var server acpv1.MCPServer
	if err == nil {
		server, err = p.server(name, list)
	}
	if err != nil {
		return nil, usageError("--mcp %s: %w", name, err)
	}
	return server, nil
}

func (p *mcpParser) server(name string, list []string) (acpv1.MCPServer, error) {
	address, sse := strings.CutPrefix(list[0], "sse+")
	if !sse && !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return p.stdio(name, list)
	}
	address, err := p.url(address)
	if err != nil {
		return nil, err
	}
	headers, err := p.headers(list[1:])
	switch {
	case err != nil:
		return nil, err
	case sse:
		return &acpv1.MCPServerSSE{Name: name, URL: address, Headers: headers}, nil
	}
	return &acpv1.MCPServerHTTP{Name: name, URL: address, Headers: headers}, nil
}

func (p *mcpParser) url(text string) (string, error) {
	address, err := p.expand(text)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("the URL is not valid") // err would show it
	}
	if password, ok := u.User.Password(); ok {
		p.secrets = append(p.secrets, password)
	}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		if _, value, ok := strings.Cut(pair, "="); ok {
			p.secrets = append(p.secrets, value)
		}
	}
	return address, nil
}

func (p *mcpParser) headers(list []string) ([]acpv1.HTTPHeader, error) {
	headers := []acpv1.HTTPHeader{}
	for _, word := range list {
		key, value, ok := strings.Cut(word, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \t") {
			return nil, fmt.Errorf("header %d is not of the form Key:VALUE", len(headers)+1)
		}
		value, err := p.expand(strings.TrimSpace(value))
		if err != nil {
			return nil, err
		}
		p.secrets = append(p.secrets, value)
		headers = append(headers, acpv1.HTTPHeader{Name: key, Value: value})
	}
	return headers, nil
}

func (p *mcpParser) stdio(name string, list []string) (acpv1.MCPServer, error) {
	env := []acpv1.EnvVariable{}
	for len(list) > 0 {
		key, value, ok := strings.Cut(list[0], "=")
		if !ok || !isName(key) {
			break
		}
		value, err := p.expand(value)
		if err != nil {
			return nil, err
		}
		p.secrets = append(p.secrets, value)
		env = append(env, acpv1.EnvVariable{Name: key, Value: value})
		list = list[1:]
	}
	args := []string{}
	for _, word := range list {
		arg, err := p.expand(word)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	if len(args) == 0 {
		return nil, errors.New("a command is missing")
	}
	command, err := absolute(args[0])
	if err != nil {
		return nil, err
	}
	return &acpv1.MCPServerStdio{Name: name, Command: command, Args: args[1:], Env: env}, nil
}

// expand replaces the variables of a text. Their values are secrets.
func (p *mcpParser) expand(text string) (string, error) {
	return expand(text, func(name string) string {
		value := p.getenv(name)
		p.secrets = append(p.secrets, value)
		return value
	})
}

// absolute returns the path of a program, as the protocol wants it. One that is absolute need not be on this machine.
func absolute(command string) (string, error) {
	if filepath.IsAbs(command) {
		return command, nil
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return "", errors.New("there is no such program") // err would show it
	}
	return filepath.Abs(path)
}
