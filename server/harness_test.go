package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// A script is an engine whose turns are functions.
type script struct {
	Base
	prompt func(ctx context.Context, t *Turn) (Finish, error)
}

func (s script) Prompt(ctx context.Context, t *Turn) (Finish, error) { return s.prompt(ctx, t) }

// A frame is one line as the agent's connection saw it.
type frame struct {
	out  bool
	line string
	msg  struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
		Result json.RawMessage
		Error  json.RawMessage
	}
}

// A wireLog is a tap that keeps all frames in order.
type wireLog struct {
	mu     sync.Mutex
	frames []frame
}

func (w *wireLog) Received(line []byte) { w.add(false, line) }
func (w *wireLog) Sent(line []byte)     { w.add(true, line) }

func (w *wireLog) add(out bool, line []byte) {
	f := frame{out: out, line: string(line)}
	if err := json.Unmarshal(line, &f.msg); err != nil {
		f.line = "not JSON: " + f.line
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frames = append(w.frames, f)
}

func (w *wireLog) all() []frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.frames)
}

// lines returns what the agent sent, shortened: the kind of update, request or response.
func (w *wireLog) sent() []string {
	var list []string
	methods := make(map[string]string)
	for _, f := range w.all() {
		if !f.out {
			if f.msg.Method != "" && f.msg.ID != nil {
				methods[string(f.msg.ID)] = f.msg.Method
			}
			continue
		}
		switch {
		case f.msg.Method == "session/update":
			list = append(list, shortUpdate(f.msg.Params))
		case f.msg.Method != "":
			list = append(list, f.msg.Method)
		case f.msg.Error != nil:
			var e struct{ Code int }
			_ = json.Unmarshal(f.msg.Error, &e)
			list = append(list, fmt.Sprintf("%s error %d", methods[string(f.msg.ID)], e.Code))
		default:
			var r struct{ StopReason string }
			_ = json.Unmarshal(f.msg.Result, &r)
			list = append(list, strings.TrimSpace(methods[string(f.msg.ID)]+" result "+r.StopReason))
		}
	}
	return list
}

func shortUpdate(params json.RawMessage) string {
	var p struct {
		Update struct {
			SessionUpdate, Status string
			Content               json.RawMessage
			CurrentModeID         string `json:"currentModeId"`
		}
	}
	_ = json.Unmarshal(params, &p)
	s := p.Update.SessionUpdate
	if p.Update.Status != "" {
		s += " " + p.Update.Status
	}
	if p.Update.CurrentModeID != "" {
		s += " " + p.Update.CurrentModeID
	}
	var c struct{ Text *string }
	if json.Unmarshal(p.Update.Content, &c) == nil && c.Text != nil {
		s += " " + *c.Text
	}
	return s
}

// An editor is a client for tests.
type editor struct {
	acpv1.UnimplementedClient
	*acp.ClientConn
	t       *testing.T
	log     *wireLog
	served  chan error
	permit  func(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error)
	elicit  func(p *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error)
	mu      sync.Mutex
	updates []*acpv1.SessionNotification
}

func (e *editor) SessionUpdate(_ context.Context, n *acpv1.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n)
	return nil
}

func (e *editor) RequestPermission(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	if e.permit == nil {
		return nil, errors.New("no permission expected")
	}
	return e.permit(ctx, p)
}

func (e *editor) CreateElicitation(_ context.Context, p *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error) {
	return e.elicit(p)
}

// seen returns the updates of a session so far.
func (e *editor) seen(id acpv1.SessionID) []acpv1.SessionUpdate {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []acpv1.SessionUpdate
	for _, n := range e.updates {
		if n.SessionID == id {
			list = append(list, n.Update)
		}
	}
	return list
}

// both are capabilities of a client that can do everything.
func both() *acpv1.ClientCapabilities {
	return &acpv1.ClientCapabilities{
		Session:     &acpv1.ClientSessionCapabilities{ConfigOptions: &acpv1.SessionConfigOptionsCapabilities{Boolean: &acpv1.BooleanConfigOptionCapabilities{}}},
		Elicitation: &acpv1.ElicitationCapabilities{Form: &acpv1.ElicitationFormCapabilities{}, URL: &acpv1.ElicitationURLCapabilities{}},
	}
}

// connect serves a client of the server in memory, without initialize.
func connect(t *testing.T, s *Server) *editor {
	t.Helper()
	return connectAs(t, s, nil)
}

// connectAs is connect for a client that handles the agent's requests itself. If client is nil, the editor does.
func connectAs(t *testing.T, s *Server, client acpv1.Client) *editor {
	t.Helper()
	e := &editor{t: t, log: &wireLog{}, served: make(chan error, 1)}
	tapped := *s
	tapped.opts.ACP.Tap = e.log
	a, b := acp.Pipe()
	go func() { e.served <- tapped.Serve(context.Background(), b) }()
	if client == nil {
		client = e
	}
	e.ClientConn = acp.NewClient(a, client, &acp.Options{AllowUnadvertised: true})
	t.Cleanup(e.leave)
	return e
}

// leave closes the connection and waits for the server to be done with it.
func (e *editor) leave() {
	_ = e.Close()
	if err, open := <-e.served; open {
		if err != nil {
			e.t.Errorf("Serve: %v", err)
		}
		close(e.served)
	}
}

// open connects and initializes.
func open(t *testing.T, engine Engine, opts *Options) *editor {
	t.Helper()
	e := connect(t, New(engine, opts))
	e.hello()
	return e
}

func (e *editor) hello() {
	e.t.Helper()
	if _, err := e.Initialize(e.t.Context(), &acpv1.InitializeRequest{ClientCapabilities: both()}); err != nil {
		e.t.Fatal(err)
	}
}

// newSession opens a session in /w.
func (e *editor) newSession() acpv1.SessionID {
	e.t.Helper()
	r, err := e.NewSession(e.t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		e.t.Fatal(err)
	}
	return r.SessionID
}

// ask prompts with a text.
func (e *editor) ask(id acpv1.SessionID, text string) (acpv1.StopReason, error) {
	r, err := e.Prompt(context.Background(), &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text(text)})
	if err != nil {
		return "", err
	}
	return r.StopReason, nil
}

// codeOf returns the code of the error that the agent answered, and its data.
func codeOf(err error) (int, string) {
	var e *acp.Error
	if !errors.As(err, &e) {
		return 0, ""
	}
	return e.Code, string(e.Data)
}

func allow(option acpv1.PermissionOptionID) func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	return func(context.Context, *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
		return acpv1.Selected(option), nil
	}
}

// eventually waits for what another goroutine is about to do.
func eventually(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("waited in vain for %s", what)
	}
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// pause lets other goroutines go on.
func pause() { time.Sleep(200 * time.Microsecond) }
