package main

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema"
	"github.com/acpwire/acpwire/tools/acprun/internal/view"
)

// Secrets shorter than this are replaced only where it is certain that they are what stands there.
const (
	minSecretText  = 4
	minSecretFrame = 6
)

// secrets are what must not be shown, longest first.
type secrets struct {
	all    []string
	text   []string // what is replaced in text
	frames []string // what is replaced in frames: as in JSON, and nothing that could be a part of the protocol
}

func newSecrets(values []string) *secrets {
	s := new(secrets)
	protocol, _ := schema.JSON(acpv1.Surface.Name)
	for _, v := range values {
		if v != "" {
			s.all = append(s.all, v)
		}
		if len(v) >= minSecretText {
			s.text = append(s.text, v)
		}
		if len(v) >= minSecretFrame && strings.ContainsFunc(v, unicode.IsLetter) && !bytes.Contains(protocol, []byte(v)) {
			s.frames = append(s.frames, escaped(v))
		}
	}
	for _, list := range []*[]string{&s.all, &s.text, &s.frames} {
		slices.SortFunc(*list, func(a, b string) int { return len(b) - len(a) })
		*list = slices.Compact(*list)
	}
	return s
}

// escaped returns s as it stands in a JSON string.
func escaped(s string) string {
	raw, err := wire.RawOf(s)
	if err != nil {
		return s
	}
	return string(raw[1 : len(raw)-1])
}

// hideText takes the secrets out of text.
func (s *secrets) hideText(text string) string { return replace(text, s.text) }

func replace(text string, list []string) string {
	for _, v := range list {
		text = strings.ReplaceAll(text, v, redacted)
	}
	return text
}

// hideFrame takes them out of JSON.
func (s *secrets) hideFrame(line []byte) []byte {
	for _, v := range s.frames {
		line = bytes.ReplaceAll(line, []byte(v), []byte(redacted))
	}
	return line
}

// hideSetup takes them out of a request of ours that has MCP servers, whatever they look like. Other frames it returns as hideFrame does.
func (s *secrets) hideSetup(line []byte) []byte {
	if len(s.all) == 0 {
		return line
	}
	head, params, ok := bytes.Cut(line, []byte(`,"params":`))
	if !ok {
		return s.hideFrame(line)
	}
	params = params[:len(params)-1]
	var clean []byte
	var err error
	switch {
	case bytes.HasSuffix(head, []byte(`"method":"`+acpv1.MethodNewSession+`"`)):
		var p acpv1.NewSessionRequest
		if err = wire.Unmarshal(params, &p); err == nil {
			s.hideServers(p.MCPServers)
			clean, err = wire.Marshal(&p)
		}
	case bytes.HasSuffix(head, []byte(`"method":"`+acpv1.MethodLoadSession+`"`)):
		var p acpv1.LoadSessionRequest
		if err = wire.Unmarshal(params, &p); err == nil {
			s.hideServers(p.MCPServers)
			clean, err = wire.Marshal(&p)
		}
	default:
		return s.hideFrame(line)
	}
	if err != nil {
		clean = []byte("{}") // it cannot be: this is what was sent
	}
	return slices.Concat(head, []byte(`,"params":`), clean, []byte("}"))
}

func (s *secrets) hideServers(servers []acpv1.MCPServer) {
	for _, server := range servers {
		switch m := server.(type) {
		case *acpv1.MCPServerStdio:
			for i := range m.Env {
				m.Env[i].Value = redacted
			}
			for i := range m.Args {
				m.Args[i] = replace(m.Args[i], s.all)
			}
		case *acpv1.MCPServerHTTP:
			m.URL = replace(m.URL, s.all)
			hideHeaders(m.Headers)
		case *acpv1.MCPServerSSE:
			m.URL = replace(m.URL, s.all)
			hideHeaders(m.Headers)
		}
	}
}

func hideHeaders(headers []acpv1.HTTPHeader) {
	for i := range headers {
		headers[i].Value = redacted
	}
}

// A hidingFormat is a format that shows no secrets.
type hidingFormat struct {
	view.Format
	hide func([]byte) []byte
}

// Append appends the event to b.
func (f hidingFormat) Append(b []byte, e view.Event) []byte {
	return append(b, f.hide(f.Format.Append(nil, e))...)
}

// hiding returns f, or what hides secrets in what it shows.
func (s *secrets) hiding(f view.Format) view.Format {
	if len(s.all) == 0 {
		return f
	}
	if _, ok := f.(view.JSON); ok {
		return hidingFormat{f, s.hideFrame}
	}
	return hidingFormat{f, func(b []byte) []byte { return []byte(s.hideText(string(b))) }}
}
