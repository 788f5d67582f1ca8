package main

import (
	"bytes"
	"context"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acprun/internal/terminal"
	"github.com/acpwire/acpwire/tools/acprun/internal/view"
)

// connect starts the connection to the agent.
func (r *runner) connect() {
	r.prompted = make(chan struct{})
	r.terminals = terminal.NewManager(watcher{r.printer})
	r.client = &client{
		workspace: r.workspace, terminals: r.terminals, printer: r.printer,
		permission: permission{policy: r.set.permission, printer: r.printer, notes: r.notes},
	}
	if r.set.permission == permitAsk && r.input.isTerminal(r.host) {
		r.client.permission.input = r.input
	}
	r.filter = &acp.SessionFilter{Client: r.client, OnStale: func(n *acpv1.SessionNotification) {
		r.notes.warn("the agent sent an update of another session: %s", view.OneLine(string(n.SessionID)))
	}}
	r.conn = acp.NewClient(r.agent, r.filter, &acp.Options{
		Lenient: true, KeepUnknownVariants: true, OnRepair: r.notes.repaired, DrainTimeout: drainTime,
		Logger: slog.New(logHandler{r.notes}),
		Tap:    &tap{recorder: r.recorder, secrets: r.secrets, prompted: sync.OnceFunc(func() { close(r.prompted) })},
	})
	r.client.conn = r.conn
	go r.watch(r.conn.Done())
}

// A tap records the frames, and notices the prompt.
type tap struct {
	recorder *recorder // may be nil
	secrets  *secrets
	prompted func()
}

// Received records a line of the agent.
func (t *tap) Received(line []byte) {
	if t.recorder != nil {
		t.recorder.write("a2c", t.secrets.hideFrame(line))
	}
}

// Sent records a line of ours. It is called when the request is registered, so that from then on the turn can be cancelled.
func (t *tap) Sent(line []byte) {
	head, _, _ := bytes.Cut(line, []byte(`,"params":`))
	if bytes.HasSuffix(head, []byte(`"method":"`+acpv1.MethodPrompt+`"`)) {
		t.prompted()
	}
	if t.recorder != nil {
		t.recorder.write("c2a", t.secrets.hideSetup(line))
	}
}

// turn runs the turn, and all that has to come before it.
func (r *runner) turn(ctx context.Context) (acpv1.StopReason, error) {
	agent, err := r.conn.Initialize(ctx, &acpv1.InitializeRequest{
		ClientInfo: &acpv1.Implementation{Name: "acprun", Title: new("acprun"), Version: version()},
		ClientCapabilities: &acpv1.ClientCapabilities{
			FS:       &acpv1.FileSystemCapabilities{ReadTextFile: new(true), WriteTextFile: new(true)},
			Terminal: new(true),
			Session: &acpv1.ClientSessionCapabilities{
				Compaction:    new(acpv1.CompactionCapabilities),
				ConfigOptions: &acpv1.SessionConfigOptionsCapabilities{Boolean: new(acpv1.BooleanConfigOptionCapabilities)},
				Notices:       new(acpv1.NoticeCapabilities),
			},
		},
	})
	if err != nil {
		return "", agentError("initialize", err)
	}
	r.methods = agent.AuthMethods
	r.printer.Show(&view.Agent{Result: agent})
	session, err := r.open(ctx)
	if err != nil {
		return "", err
	}
	r.printer.Show(session)
	r.notes.say("session %s%s", view.OneLine(string(session.ID)), by(agent.AgentInfo))
	if err := r.configure(ctx, session); err != nil {
		return "", err
	}
	r.client.tracker.Begin(session.ID)
	answer, err := r.conn.Prompt(ctx, &acpv1.PromptRequest{SessionID: session.ID, Prompt: acpv1.Text(r.set.prompt)})
	if err != nil {
		return "", agentError("the prompt", err)
	}
	if answer.StopReason == acpv1.StopReasonEndTurn && r.client.tracker.Turn(session.ID).Silent() {
		r.notes.warn("the agent has shown nothing in its turn")
	}
	return answer.StopReason, nil
}

func by(agent *acpv1.Implementation) string {
	if agent == nil {
		return ""
	}
	return " of " + view.OneLine(agent.Name+" "+agent.Version)
}

// version is that of the build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// open makes or loads the session.
func (r *runner) open(ctx context.Context) (*view.Session, error) {
	servers := append([]acpv1.MCPServer{}, r.set.mcp...)
	r.filter.Expect()
	if r.set.load == "" {
		answer, err := r.conn.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: r.workspace.Dir(), MCPServers: servers})
		if err != nil {
			r.filter.Settle()
			return nil, agentError("the session", err)
		}
		r.client.setSession(answer.SessionID, false)
		err = r.filter.Open(ctx, answer.SessionID)
		return &view.Session{ID: answer.SessionID, Modes: answer.Modes, ConfigOptions: answer.ConfigOptions}, err
	}
	id := acpv1.SessionID(r.set.load)
	r.client.setSession(id, true)
	// Its updates come before the answer.
	if err := r.filter.Open(ctx, id); err != nil {
		return nil, err
	}
	answer, err := r.conn.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: id, Cwd: r.workspace.Dir(), MCPServers: servers})
	if err != nil {
		return nil, agentError("--load "+r.set.load, err)
	}
	r.client.setSession(id, false)
	return &view.Session{ID: id, Loaded: true, Modes: answer.Modes, ConfigOptions: answer.ConfigOptions}, nil
}
