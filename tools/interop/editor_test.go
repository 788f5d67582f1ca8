package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// An editor is a client with files and terminals.
type editor struct {
	acpv1.UnimplementedClient

	mu sync.Mutex
	// permission answers permission requests; if nil, the first option that allows is chosen.
	permission func(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error)
	// updated is called after each update; it may be nil.
	updated   func(u acpv1.SessionUpdate)
	updates   []*acpv1.SessionNotification
	completed []acpv1.ElicitationID
	terminals map[acpv1.TerminalID]*terminal
	created   int
}

// A terminal is a command that runs, or has.
type terminal struct {
	cmd    *exec.Cmd
	exited chan struct{}

	mu        sync.Mutex
	out       []byte
	limit     int // of out, in bytes; -1 if there is none
	truncated bool
}

// SessionUpdate keeps the update.
func (e *editor) SessionUpdate(_ context.Context, n *acpv1.SessionNotification) error {
	e.mu.Lock()
	e.updates = append(e.updates, n)
	updated := e.updated
	e.mu.Unlock()
	if updated != nil {
		updated(n.Update)
	}
	return nil
}

// on changes what the editor does.
func (e *editor) on(change func(e *editor)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(e)
}

// take returns the updates since the last call.
func (e *editor) take() []*acpv1.SessionNotification {
	e.mu.Lock()
	defer e.mu.Unlock()
	updates := e.updates
	e.updates = nil
	return updates
}

// RequestPermission answers as the field says.
func (e *editor) RequestPermission(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	e.mu.Lock()
	answer := e.permission
	e.mu.Unlock()
	if answer != nil {
		return answer(ctx, p)
	}
	for _, o := range p.Options {
		if o.Kind == acpv1.PermissionOptionKindAllowOnce {
			return acpv1.Selected(o.OptionID), nil
		}
	}
	return acpv1.Cancelled(), nil
}

// ReadTextFile reads a file, or lines of it.
func (e *editor) ReadTextFile(_ context.Context, p *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
	if !filepath.IsAbs(p.Path) {
		return nil, acp.Errorf(acp.CodeInvalidParams, "the path is not absolute")
	}
	b, err := os.ReadFile(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, acp.Errorf(acp.CodeResourceNotFound, "no such file")
	}
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(b), "\n")
	if p.Line != nil {
		lines = lines[min(max(int(*p.Line), 1)-1, len(lines)):]
	}
	if p.Limit != nil {
		lines = lines[:min(int(*p.Limit), len(lines))]
	}
	return &acpv1.ReadTextFileResponse{Content: strings.Join(lines, "")}, nil
}

// WriteTextFile writes a file and creates the directories it needs.
func (e *editor) WriteTextFile(_ context.Context, p *acpv1.WriteTextFileRequest) (*acpv1.WriteTextFileResponse, error) {
	if !filepath.IsAbs(p.Path) {
		return nil, acp.Errorf(acp.CodeInvalidParams, "the path is not absolute")
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o700); err != nil {
		return nil, err
	}
	return &acpv1.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o600)
}

// CreateTerminal starts a command.
func (e *editor) CreateTerminal(_ context.Context, p *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error) {
	cmd := exec.Command(p.Command, p.Args...)
	cmd.WaitDelay = time.Second
	cmd.Env = os.Environ()
	for _, v := range p.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	if p.Cwd != nil {
		cmd.Dir = *p.Cwd
	}
	t := &terminal{cmd: cmd, exited: make(chan struct{}), limit: -1}
	if p.OutputByteLimit != nil {
		t.limit = int(*p.OutputByteLimit)
	}
	cmd.Stdout, cmd.Stderr = t, t
	if err := cmd.Start(); err != nil {
		return nil, acp.Errorf(acp.CodeInvalidParams, "the command did not start")
	}
	go func() {
		_ = cmd.Wait() // how it ended is in its state
		close(t.exited)
	}()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.created++
	id := acpv1.TerminalID(fmt.Sprintf("terminal-%d", e.created))
	if e.terminals == nil {
		e.terminals = map[acpv1.TerminalID]*terminal{}
	}
	e.terminals[id] = t
	return &acpv1.CreateTerminalResponse{TerminalID: id}, nil
}

// Write keeps the end of the output, from the start of a character on.
func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = append(t.out, b...)
	if t.limit >= 0 && len(t.out) > t.limit {
		t.out = bytes.Clone(t.out[len(t.out)-t.limit:])
		for len(t.out) > 0 && !utf8.RuneStart(t.out[0]) {
			t.out = t.out[1:]
		}
		t.truncated = true
	}
	return len(b), nil
}

func (e *editor) find(id acpv1.TerminalID) (*terminal, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.terminals[id]; t != nil {
		return t, nil
	}
	return nil, acp.Errorf(acp.CodeResourceNotFound, "no such terminal")
}

// exit returns how the command ended; nil while it runs.
func (t *terminal) exit() *acpv1.TerminalExitStatus {
	select {
	case <-t.exited:
	default:
		return nil
	}
	if code := t.cmd.ProcessState.ExitCode(); code >= 0 {
		return &acpv1.TerminalExitStatus{ExitCode: new(uint32(code))}
	}
	return &acpv1.TerminalExitStatus{Signal: new(t.cmd.ProcessState.String())}
}

// TerminalOutput returns the output so far.
func (e *editor) TerminalOutput(_ context.Context, p *acpv1.TerminalOutputRequest) (*acpv1.TerminalOutputResponse, error) {
	t, err := e.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	exit := t.exit()
	t.mu.Lock()
	defer t.mu.Unlock()
	return &acpv1.TerminalOutputResponse{Output: string(t.out), Truncated: t.truncated, ExitStatus: exit}, nil
}

// WaitForTerminalExit waits for the command's end.
func (e *editor) WaitForTerminalExit(ctx context.Context, p *acpv1.WaitForTerminalExitRequest) (*acpv1.WaitForTerminalExitResponse, error) {
	t, err := e.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	select {
	case <-t.exited:
		exit := t.exit()
		return &acpv1.WaitForTerminalExitResponse{ExitCode: exit.ExitCode, Signal: exit.Signal}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// KillTerminal ends the command.
func (e *editor) KillTerminal(_ context.Context, p *acpv1.KillTerminalRequest) (*acpv1.KillTerminalResponse, error) {
	t, err := e.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	_ = t.cmd.Process.Kill() // it may have ended by itself
	return &acpv1.KillTerminalResponse{}, nil
}

// ReleaseTerminal ends the command and forgets the terminal.
func (e *editor) ReleaseTerminal(_ context.Context, p *acpv1.ReleaseTerminalRequest) (*acpv1.ReleaseTerminalResponse, error) {
	t, err := e.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	_ = t.cmd.Process.Kill() // it may have ended by itself
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.terminals, p.TerminalID)
	return &acpv1.ReleaseTerminalResponse{}, nil
}

// CreateElicitation fills in forms and visits pages.
func (e *editor) CreateElicitation(_ context.Context, p *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error) {
	accept := &acpv1.ElicitationAcceptAction{}
	if form, ok := p.Mode.(*acpv1.ElicitationFormMode); ok {
		accept.Content = fillIn(&form.RequestedSchema)
	}
	return &acpv1.CreateElicitationResponse{Action: accept}, nil
}

// CompleteElicitation keeps the id.
func (e *editor) CompleteElicitation(_ context.Context, p *acpv1.CompleteElicitationNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.completed = append(e.completed, p.ElicitationID)
	return nil
}

// fillIn answers every question of a form with something that fits.
func fillIn(schema *acpv1.ElicitationSchema) map[string]acpv1.ElicitationContentValue {
	content := map[string]acpv1.ElicitationContentValue{}
	for name, property := range schema.GetProperties() {
		switch p := property.(type) {
		case *acpv1.StringPropertySchema:
			content[name] = acpv1.ElicitationString("text")
			if len(p.Enum) > 0 {
				content[name] = acpv1.ElicitationString(p.Enum[0])
			}
		case *acpv1.IntegerPropertySchema:
			content[name] = acpv1.ElicitationInteger(1)
		case *acpv1.NumberPropertySchema:
			content[name] = acpv1.ElicitationNumber(1.5)
		case *acpv1.BooleanPropertySchema:
			content[name] = acpv1.ElicitationBoolean(true)
		case *acpv1.MultiSelectPropertySchema:
			content[name] = acpv1.ElicitationStrings{}
			if items, ok := p.Items.(*acpv1.StringMultiSelectItems); ok {
				content[name] = acpv1.ElicitationStrings(items.Enum)
			}
		case *acpv1.UnknownElicitationPropertySchema:
		}
	}
	return content
}

// updateJSON returns the updates of one session as JSON texts.
func updateJSON(notifications []*acpv1.SessionNotification, session acpv1.SessionID) ([]string, error) {
	var list []string
	for _, n := range notifications {
		b, err := json.Marshal(n)
		if err != nil {
			return nil, err
		}
		var parts struct{ Update json.RawMessage }
		if err := json.Unmarshal(b, &parts); err != nil {
			return nil, err
		}
		if n.SessionID != session {
			return nil, fmt.Errorf("an update of session %s", n.SessionID)
		}
		list = append(list, string(parts.Update))
	}
	return list, nil
}
