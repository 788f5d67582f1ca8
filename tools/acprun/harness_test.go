package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// A fakeAgent is an agent in this process. What is nil does the least that is right.
type fakeAgent struct {
	acpv1.UnimplementedAgent
	client *acp.AgentConn

	capabilities *acpv1.AgentCapabilities
	initialize   func(ctx context.Context, a *fakeAgent, p *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error)
	newSession   func(ctx context.Context, a *fakeAgent, p *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error)
	load         func(ctx context.Context, a *fakeAgent, p *acpv1.LoadSessionRequest) (*acpv1.LoadSessionResponse, error)
	setMode      func(p *acpv1.SetSessionModeRequest) error
	setConfig    func(p *acpv1.SetSessionConfigOptionRequest) ([]acpv1.SessionConfigOption, error)
	prompt       func(ctx context.Context, a *fakeAgent, p *acpv1.PromptRequest) (acpv1.StopReason, error)
}

func (a *fakeAgent) Initialize(ctx context.Context, p *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	if a.initialize != nil {
		return a.initialize(ctx, a, p)
	}
	return &acpv1.InitializeResponse{ProtocolVersion: 1, AgentCapabilities: a.capabilities, AgentInfo: &acpv1.Implementation{Name: "fake", Version: "7"}}, nil
}

func (a *fakeAgent) NewSession(ctx context.Context, p *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	if a.newSession != nil {
		return a.newSession(ctx, a, p)
	}
	return &acpv1.NewSessionResponse{SessionID: "s1"}, nil
}

func (a *fakeAgent) LoadSession(ctx context.Context, p *acpv1.LoadSessionRequest) (*acpv1.LoadSessionResponse, error) {
	if a.load != nil {
		return a.load(ctx, a, p)
	}
	return &acpv1.LoadSessionResponse{}, nil
}

func (a *fakeAgent) SetSessionMode(_ context.Context, p *acpv1.SetSessionModeRequest) (*acpv1.SetSessionModeResponse, error) {
	if a.setMode != nil {
		return &acpv1.SetSessionModeResponse{}, a.setMode(p)
	}
	return nil, errors.New("unexpected")
}

func (a *fakeAgent) SetSessionConfigOption(_ context.Context, p *acpv1.SetSessionConfigOptionRequest) (*acpv1.SetSessionConfigOptionResponse, error) {
	if a.setConfig == nil {
		return nil, errors.New("unexpected")
	}
	options, err := a.setConfig(p)
	return &acpv1.SetSessionConfigOptionResponse{ConfigOptions: options}, err
}

func (a *fakeAgent) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	if a.prompt == nil {
		return &acpv1.PromptResponse{StopReason: acpv1.StopReasonEndTurn}, a.say(ctx, "You said: "+textOf(p))
	}
	reason, err := a.prompt(ctx, a, p)
	return &acpv1.PromptResponse{StopReason: reason}, err
}

func (a *fakeAgent) update(ctx context.Context, u acpv1.SessionUpdate) error {
	return a.client.SessionUpdate(ctx, &acpv1.SessionNotification{SessionID: "s1", Update: u})
}

func (a *fakeAgent) say(ctx context.Context, text string) error {
	return a.update(ctx, acpv1.MessageText(text))
}

func textOf(p *acpv1.PromptRequest) string {
	text, _ := acpv1.TextOf(p.Prompt[0])
	return text
}

// A fakeProcess is an agent at the other end of a pipe.
type fakeProcess struct {
	acp.Transport
	far    acp.Transport
	stderr string
	killed chan struct{}
	once   sync.Once
}

func newFakeProcess() *fakeProcess {
	p := &fakeProcess{killed: make(chan struct{})}
	p.Transport, p.far = acp.Pipe()
	return p
}

func (p *fakeProcess) Kill() {
	p.once.Do(func() { close(p.killed) })
	_ = p.far.Close()
}

func (p *fakeProcess) Stderr() string { return p.stderr }

// A trial is one run of acprun. The zero value runs it against a fakeAgent that repeats the prompt, with an empty standard input that is no terminal.
type trial struct {
	agent      *fakeAgent
	start      func(ctx context.Context, command []string) (agentProcess, error)
	stdin      io.Reader
	stdout     io.Writer // nil: into the result
	terminals  []any     // which streams are terminals; true: standard output
	env        map[string]string
	interrupts chan os.Signal
	dir        string // of --cwd; a new one if empty
}

type result struct {
	stdout, stderr string
	err            error
	status         int
}

func (tr *trial) run(ctx context.Context, t *testing.T, args ...string) result {
	t.Helper()
	if tr.dir == "" {
		tr.dir = t.TempDir()
	}
	if tr.stdin == nil {
		tr.stdin = strings.NewReader("")
	}
	var stdout, stderr lockedBuffer
	out := tr.stdout
	if out == nil {
		out = &stdout
	}
	agent := tr.agent
	if agent == nil {
		agent = new(fakeAgent)
	}
	h := &host{interrupts: tr.interrupts, start: tr.start, getenv: func(name string) string { return tr.env[name] }}
	h.isTerminal = func(stream any) bool {
		for _, s := range tr.terminals {
			if s == stream || s == true && stream == any(out) {
				return true
			}
		}
		return false
	}
	var process *fakeProcess
	var conn *acp.AgentConn
	if h.start == nil {
		h.start = func(context.Context, []string) (agentProcess, error) {
			process = newFakeProcess()
			conn = acp.NewAgent(process.far, func(c *acp.AgentConn) acpv1.Agent {
				agent.client = c
				return agent
			}, nil)
			return process, nil
		}
	}
	err := run(ctx, append([]string{"--cwd", tr.dir}, args...), tr.stdin, out, &stderr, h)
	if conn != nil {
		_ = conn.Close()
		_ = conn.Wait()
	}
	return result{stdout.String(), stderr.String(), err, exitStatus(err)}
}

// check compares the status, and looks for words in what was said on standard error.
func (r result) check(t *testing.T, status int, words ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d", r.status, status)
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("standard error has no %q", w)
		}
	}
	if t.Failed() {
		t.Logf("error: %v\nstandard output:\n%s\nstandard error:\n%s", r.err, r.stdout, r.stderr)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
