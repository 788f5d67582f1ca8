package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/server/store"
)

// The secrets of the tests of this file: what must not be found anywhere is what begins with hunter.
const (
	envSecret    = `hunter"env\ü&1`
	headerSecret = "Bearer hunter.header-2"
	urlSecret    = "hunter%20url"
)

// A leaky engine puts the secrets into every error and panic.
type leaky struct {
	*rich
	at string // the method that fails; others do what they should
}

// leak fails in one of the ways that engines fail.
func (l *leaky) leak(at string, s *Session) error {
	if way, ok := strings.CutPrefix(l.at, at+" "); ok {
		text := fmt.Sprintf("%s %q %+v", at, envSecret, mcpOf(s))
		switch way {
		case "error":
			return errors.New(text)
		case "said":
			return &Error{Kind: ErrorNetwork, Message: text, Err: errors.New(text)}
		case "wire":
			return fmt.Errorf("wrapped: %w", &acp.Error{Code: -32050, Message: text, Data: raw(map[string]string{"why": text})})
		case "panic":
			panic(text)
		}
	}
	return nil
}

func mcpOf(s *Session) string {
	if s == nil {
		return headerSecret
	}
	return fmt.Sprintf("%+v %+v", *s.MCPServers()[0].(*MCPStdio), *s.MCPServers()[1].(*MCPHTTP))
}

func (l *leaky) Open(_ context.Context, s *Session) error { return l.leak("open", s) }

func (l *leaky) Restore(_ context.Context, s *Session, _ []Entry) error { return l.leak("restore", s) }

func (l *leaky) Delete(context.Context, string) error { return l.leak("delete", nil) }

func (l *leaky) Close(_ context.Context, s *Session) { _ = l.leak("close", s) }

func (l *leaky) Modes(s *Session) []Mode {
	_ = l.leak("modes", s)
	return l.rich.Modes(s)
}

func (l *leaky) SetMode(_ context.Context, s *Session, _ string) error { return l.leak("mode", s) }

func (l *leaky) SetConfigOption(_ context.Context, s *Session, _ string, _ ConfigValue) error {
	return l.leak("config", s)
}

func (l *leaky) Steer(_ context.Context, t *Turn, _ []Part) error { return l.leak("steer", t.s) }

func (l *leaky) KeepPermission(_ context.Context, s *Session, _ string, _ bool) {
	_ = l.leak("keep", s)
}

func (l *leaky) RunCommand(_ context.Context, t *Turn, _, _ string) (Finish, error) {
	return Stop, l.leak("command", t.s)
}

func (l *leaky) ReservedTools(s *Session) []string {
	_ = l.leak("reserved", s)
	return nil
}

func (l *leaky) Extensions(session func(string) (*Session, bool)) []acp.Extension {
	return []acp.Extension{acp.HandleExtension("_test/leak", func(_ context.Context, p cwdParams) (string, error) {
		s, _ := session(p.SessionID)
		err := l.leak("extension", s)
		var said *Error
		if errors.As(err, &said) {
			err = said.Err
		}
		return "", err
	})}
}

// use does all that a client can do with a session.
func (l *leaky) use(e *editor) {
	ctx := context.Background()
	servers := []acpv1.MCPServer{
		&acpv1.MCPServerStdio{Name: "m", Command: "/bin/m", Args: []string{}, Env: []acpv1.EnvVariable{{Name: "KEY", Value: envSecret}, {Name: "a=b", Value: envSecret}}},
		&acpv1.MCPServerHTTP{Name: "h", URL: "https://user:" + urlSecret + "@example.com/?token=" + urlSecret, Headers: []acpv1.HTTPHeader{{Name: "Authorization", Value: headerSecret}}},
		&acpv1.MCPServerHTTP{Name: "bad", URL: "ftp://" + urlSecret, Headers: []acpv1.HTTPHeader{{Name: "a b", Value: headerSecret}}},
	}
	r, err := e.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: servers, Meta: wire.Meta(`{"acpwire":{"clientTools":[{"name":"a"}]}}`)})
	if err != nil {
		return
	}
	id := r.SessionID
	_, _ = e.ask(id, "go")
	_, _ = e.ask(id, "/shout x")
	_, _ = e.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "plan"})
	_, _ = e.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "none"})
	_, _ = e.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: "loud", Value: &acpv1.SessionConfigBooleanValue{Value: true}})
	_, _ = acp.CallExtension[string](ctx, e, "_test/leak", cwdParams{string(id)})
	for range 2 { // the first may be refused
		_, _ = e.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: id, Cwd: "/w", MCPServers: servers})
	}
	_, _ = e.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: id, Cwd: "/elsewhere", MCPServers: servers})
	_, _ = e.DeleteSession(ctx, &acpv1.DeleteSessionRequest{SessionID: id})
}

// TestSecretsOfEverything lets each of an engine's methods fail in each way with the secrets of its session's MCP servers in its words: they are in nothing that is sent and in
// nothing that is logged, in whatever form.
func TestSecretsOfEverything(t *testing.T) {
	for _, method := range []string{"open", "restore", "delete", "close", "modes", "mode", "config", "steer", "keep", "command", "prompt", "reserved", "extension", "none"} {
		for _, way := range []string{"error", "said", "wire", "panic"} {
			if method == "extension" && way == "wire" {
				continue // the engine's own words to the client that sent the secrets
			}
			t.Run(method+" "+way, func(t *testing.T) {
				var log bytes.Buffer
				engine := &leaky{rich: newRich(), at: method + " " + way}
				var e *editor
				engine.prompt = func(ctx context.Context, turn *Turn) (Finish, error) {
					_, _ = turn.Allow(ctx, turn.Tool("x", Read, "X"))
					_, _ = acp.CallExtension[struct{}](ctx, e, SteerMethod, acpv1.PromptRequest{SessionID: acpv1.SessionID(turn.s.id), Prompt: acpv1.Text("left")})
					return Stop, engine.leak("prompt", turn.s)
				}
				logger := slog.New(slog.NewJSONHandler(&lockedWriter{w: &log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
				e = open(t, engine, &Options{Logger: logger, Store: new(store.Memory)})
				e.permit = allow("allow_always")
				engine.use(e)
				e.leave()
				for _, f := range e.log.all() {
					if f.out && strings.Contains(f.line, "hunter") {
						t.Errorf("sent: %s", f.line)
					}
				}
				for line := range strings.Lines(log.String()) {
					if strings.Contains(line, "hunter") {
						t.Errorf("logged: %s", line)
					}
				}
			})
		}
	}
}

// TestLogOtherwiseUntouched shows what becomes of what an engine's logger is told: only what holds a secret changes, on every connection, and not any more when its connection has gone.
func TestLogOtherwiseUntouched(t *testing.T) {
	var log bytes.Buffer
	srv := New(newRich(), &Options{Logger: slog.New(slog.NewTextHandler(&lockedWriter{w: &log}, nil))})
	e := connect(t, srv)
	e.hello()
	if _, err := e.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{
		&acpv1.MCPServerStdio{Name: "m", Command: "/bin/m", Args: []string{}, Env: []acpv1.EnvVariable{{Name: "KEY", Value: "hunter22"}}},
	}}); err != nil {
		t.Fatal(err)
	}
	say := func() string {
		log.Reset()
		srv.opts.Logger.With("with", "hunter22").WithGroup("g").Info("of hunter22", "n", 1, "text", "plain", "error", errors.New("no hunter22"),
			slog.Group("in", "any", []string{"hunter22"}, "list", []string{"a"}))
		_, text, _ := strings.Cut(log.String(), "msg=")
		return strings.TrimSpace(text)
	}
	if want, got := `"of [redacted]" with=[redacted] g.n=1 g.text=plain g.error="no [redacted]" g.in.any=[[redacted]] g.in.list=[a]`, say(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e.leave()
	if want, got := `"of hunter22" with=hunter22 g.n=1 g.text=plain g.error="no hunter22" g.in.any=[hunter22] g.in.list=[a]`, say(); got != want {
		t.Errorf("when the connection has gone: got  %s\nwant %s", got, want)
	}
}
