package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acprun/internal/terminal"
	"github.com/acpwire/acpwire/tools/acprun/internal/view"
	"github.com/acpwire/acpwire/tools/acprun/internal/workspace"
)

// A client does what the agent asks for.
type client struct {
	acpv1.UnimplementedClient
	workspace  *workspace.Workspace
	terminals  *terminal.Manager
	printer    *view.Printer
	permission permission
	tracker    acp.TurnTracker
	conn       *acp.ClientConn

	mu        sync.Mutex
	session   acpv1.SessionID // empty: not known yet
	replaying bool
}

// setSession says which session there is, and whether its updates are of old.
func (c *client) setSession(id acpv1.SessionID, replaying bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.replaying = id, replaying
}

func (c *client) cancelTurn() error {
	c.mu.Lock()
	id := c.session
	c.mu.Unlock()
	return c.conn.CancelPrompt(context.Background(), id)
}

// check refuses what is not for the session. Before its id is known there is nothing to compare with.
func (c *client) check(id acpv1.SessionID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" && id != c.session {
		return acp.Errorf(acp.CodeResourceNotFound, "no such session")
	}
	return nil
}

// SessionUpdate shows an update.
func (c *client) SessionUpdate(_ context.Context, n *acpv1.SessionNotification) error {
	c.tracker.Update(n)
	c.mu.Lock()
	replaying := c.replaying
	c.mu.Unlock()
	c.printer.Show(&view.Update{SessionID: n.SessionID, Replayed: replaying, Update: n.Update})
	return nil
}

// RequestPermission answers as the command line or the user says.
func (c *client) RequestPermission(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	if err := c.check(p.SessionID); err != nil {
		return nil, err
	}
	c.printer.Show(&view.Asked{ToolCall: &p.ToolCall, Options: p.Options})
	option, err := c.permission.decide(ctx, p)
	c.printer.Show(&view.Answered{ToolCallID: p.ToolCall.ToolCallID, Option: option})
	if err != nil {
		return nil, err
	}
	return acpv1.Selected(option.OptionID), nil
}

// ReadTextFile reads a file in the workspace.
func (c *client) ReadTextFile(_ context.Context, p *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
	if err := c.check(p.SessionID); err != nil {
		return nil, err
	}
	text, err := c.workspace.ReadText(p.Path, p.Line, p.Limit)
	err = accessError(err)
	c.printer.Show(&view.File{Path: p.Path, Bytes: len(text), Error: messageOf(err)})
	if err != nil {
		return nil, err
	}
	return &acpv1.ReadTextFileResponse{Content: text}, nil
}

// WriteTextFile writes a file in the workspace.
func (c *client) WriteTextFile(_ context.Context, p *acpv1.WriteTextFileRequest) (*acpv1.WriteTextFileResponse, error) {
	if err := c.check(p.SessionID); err != nil {
		return nil, err
	}
	err := accessError(c.workspace.WriteText(p.Path, p.Content))
	f := &view.File{Write: true, Path: p.Path, Bytes: len(p.Content), Error: messageOf(err)}
	if err != nil {
		f.Bytes = 0
	}
	c.printer.Show(f)
	if err != nil {
		return nil, err
	}
	return &acpv1.WriteTextFileResponse{}, nil
}

// accessError is what the agent is told when it may not have a file.
func accessError(err error) error {
	var errno syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return acp.Errorf(acp.CodeResourceNotFound, "no such file or directory")
	case errors.As(err, &errno):
		return acp.Errorf(acp.CodeInternalError, "%s", errno.Error())
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return acp.Errorf(acp.CodeInvalidParams, "%s", err.Error())
}

func messageOf(err error) string {
	var e *acp.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return ""
}

// CreateTerminal starts a command.
func (c *client) CreateTerminal(_ context.Context, p *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error) {
	if err := c.check(p.SessionID); err != nil {
		return nil, err
	}
	dir := c.workspace.Dir()
	if p.Cwd != nil {
		dir = *p.Cwd
	}
	dir, err := c.workspace.Subdir(dir)
	if err != nil {
		return nil, accessError(err)
	}
	command := terminal.Command{Name: p.Command, Args: p.Args, Dir: dir, Limit: p.OutputByteLimit}
	for _, v := range p.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return nil, acp.Errorf(acp.CodeInvalidParams, "not the name of an environment variable")
		}
		command.Env = append(command.Env, v.Name+"="+v.Value)
	}
	id, err := c.terminals.Create(command)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, acp.Errorf(acp.CodeResourceNotFound, "there is no such program")
	case err != nil:
		return nil, accessError(err)
	}
	return &acpv1.CreateTerminalResponse{TerminalID: acpv1.TerminalID(id)}, nil
}

// TerminalOutput returns the output of a command, and how it ended.
func (c *client) TerminalOutput(_ context.Context, p *acpv1.TerminalOutputRequest) (*acpv1.TerminalOutputResponse, error) {
	if err := c.check(p.SessionID); err != nil {
		return nil, err
	}
	text, truncated, status, err := c.terminals.Output(string(p.TerminalID))
	if err != nil {
		return nil, terminalError(err)
	}
	answer := &acpv1.TerminalOutputResponse{Output: text, Truncated: truncated}
	if status != nil {
		code, signal := ending(*status)
		answer.ExitStatus = &acpv1.TerminalExitStatus{ExitCode: code, Signal: signal}
	}
	return answer, nil
}

// WaitForTerminalExit waits for a command.
func (c *client) WaitForTerminalExit(ctx context.Context, p *acpv1.WaitForTerminalExitRequest) (*acpv1.WaitForTerminalExitResponse, error) {
	if err := c.check(p.SessionID); err != nil {
		return nil, err
	}
	status, err := c.terminals.Wait(ctx, string(p.TerminalID))
	if err != nil {
		return nil, terminalError(err)
	}
	code, signal := ending(status)
	return &acpv1.WaitForTerminalExitResponse{ExitCode: code, Signal: signal}, nil
}

// KillTerminal ends a command.
func (c *client) KillTerminal(_ context.Context, p *acpv1.KillTerminalRequest) (*acpv1.KillTerminalResponse, error) {
	if err := c.check(p.SessionID); err != nil {
		return nil, err
	}
	if err := c.terminals.Kill(string(p.TerminalID)); err != nil {
		return nil, terminalError(err)
	}
	return &acpv1.KillTerminalResponse{}, nil
}

// ReleaseTerminal ends a command and forgets it.
func (c *client) ReleaseTerminal(_ context.Context, p *acpv1.ReleaseTerminalRequest) (*acpv1.ReleaseTerminalResponse, error) {
	if err := c.check(p.SessionID); err != nil {
		return nil, err
	}
	if err := c.terminals.Release(string(p.TerminalID)); err != nil {
		return nil, terminalError(err)
	}
	return &acpv1.ReleaseTerminalResponse{}, nil
}

func terminalError(err error) error {
	if errors.Is(err, terminal.ErrUnknown) {
		return acp.Errorf(acp.CodeResourceNotFound, "%w", err)
	}
	return err // the context's
}

// ending is how a command ended, as the protocol has it: a status or a signal.
func ending(s terminal.Status) (code *uint32, signal *string) {
	if s.Signal != "" {
		return nil, new(s.Signal)
	}
	return new(uint32(s.Code)), nil
}

// A watcher shows what happens in terminals.
type watcher struct{ printer *view.Printer }

// Started implements [terminal.Watcher].
func (w watcher) Started(id string, c terminal.Command) {
	w.printer.Show(&view.Started{Terminal: id, Command: c.String()})
}

// Output implements [terminal.Watcher].
func (w watcher) Output(id, text string) {
	w.printer.Show(&view.Output{Terminal: id, Text: text})
}

// Exited implements [terminal.Watcher].
func (w watcher) Exited(id string, s terminal.Status) {
	code, signal := ending(s)
	w.printer.Show(&view.Exited{Terminal: id, Code: code, Signal: signal})
}
