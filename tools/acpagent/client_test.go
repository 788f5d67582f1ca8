package main

import (
	"context"
	"strconv"
	"sync"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/server"
)

// A fakeClient answers what the agent asks. Its files and terminals are made up.
type fakeClient struct {
	acpv1.UnimplementedClient
	settings map[string]string

	state     sync.Mutex
	files     map[string]string
	terminals map[acpv1.TerminalID]*fakeTerminal
}

type fakeTerminal struct {
	command string
	killed  chan struct{}
	kill    func()
}

// extensions are a tool that the client may declare: it answers with its input.
func (c *fakeClient) extensions() []acp.Extension {
	type call struct {
		Input wire.Raw `json:"input"`
	}
	type result struct {
		Text string `json:"text"`
	}
	return []acp.Extension{acp.HandleExtension(server.ClientToolMethod, func(_ context.Context, p call) (result, error) {
		return result{string(p.Input)}, nil
	})}
}

func newFakeClient() *fakeClient {
	return &fakeClient{
		settings:  map[string]string{},
		files:     map[string]string{"/home/user/notes.txt": "one\ntwo\nthree"},
		terminals: map[acpv1.TerminalID]*fakeTerminal{},
	}
}

func (c *fakeClient) capabilities() *acpv1.ClientCapabilities {
	if c.settings["caps"] == "none" {
		return nil
	}
	return &acpv1.ClientCapabilities{
		FS:       &acpv1.FileSystemCapabilities{ReadTextFile: new(true), WriteTextFile: new(true)},
		Terminal: new(true),
		Session: &acpv1.ClientSessionCapabilities{
			ConfigOptions: &acpv1.SessionConfigOptionsCapabilities{Boolean: &acpv1.BooleanConfigOptionCapabilities{}},
			Notices:       &acpv1.NoticeCapabilities{}, Compaction: &acpv1.CompactionCapabilities{},
		},
		Elicitation: &acpv1.ElicitationCapabilities{Form: &acpv1.ElicitationFormCapabilities{}, URL: &acpv1.ElicitationURLCapabilities{}},
	}
}

// RequestPermission answers as the setting says.
func (c *fakeClient) RequestPermission(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	switch want := c.settings["permission"]; want {
	case "cancel":
		return acpv1.Cancelled(), nil
	case "hold":
		<-ctx.Done()
		return nil, ctx.Err()
	case "bogus":
		return acpv1.Selected("no-such-option"), nil
	case "":
		return acpv1.Selected(p.Options[0].OptionID), nil
	default:
		for _, o := range p.Options {
			if string(o.OptionID) == want {
				return acpv1.Selected(o.OptionID), nil
			}
		}
		return nil, acp.Errorf(acp.CodeInternalError, "no option %s", want)
	}
}

// ReadTextFile reads a made-up file.
func (c *fakeClient) ReadTextFile(_ context.Context, p *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
	c.state.Lock()
	defer c.state.Unlock()
	text, ok := c.files[p.Path]
	if !ok {
		return nil, acp.Errorf(acp.CodeResourceNotFound, "no such file")
	}
	return &acpv1.ReadTextFileResponse{Content: text}, nil
}

// WriteTextFile writes a made-up file.
func (c *fakeClient) WriteTextFile(_ context.Context, p *acpv1.WriteTextFileRequest) (*acpv1.WriteTextFileResponse, error) {
	c.state.Lock()
	defer c.state.Unlock()
	c.files[p.Path] = p.Content
	return &acpv1.WriteTextFileResponse{}, nil
}

// CreateTerminal makes a terminal whose command ends at once, or when killed if it is sleep.
func (c *fakeClient) CreateTerminal(_ context.Context, p *acpv1.CreateTerminalRequest) (*acpv1.CreateTerminalResponse, error) {
	c.state.Lock()
	defer c.state.Unlock()
	id := acpv1.TerminalID("terminal-" + strconv.Itoa(len(c.terminals)+1))
	killed := make(chan struct{})
	c.terminals[id] = &fakeTerminal{command: p.Args[len(p.Args)-1], killed: killed, kill: sync.OnceFunc(func() { close(killed) })}
	return &acpv1.CreateTerminalResponse{TerminalID: id}, nil
}

func (c *fakeClient) terminal(id acpv1.TerminalID) *fakeTerminal {
	c.state.Lock()
	defer c.state.Unlock()
	return c.terminals[id]
}

// WaitForTerminalExit waits if the command is sleep.
func (c *fakeClient) WaitForTerminalExit(ctx context.Context, p *acpv1.WaitForTerminalExitRequest) (*acpv1.WaitForTerminalExitResponse, error) {
	t := c.terminal(p.TerminalID)
	switch t.command {
	case "sleep":
		select {
		case <-t.killed:
			return &acpv1.WaitForTerminalExitResponse{Signal: new("SIGKILL")}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case "false":
		return &acpv1.WaitForTerminalExitResponse{ExitCode: new(uint32(1))}, nil
	}
	return &acpv1.WaitForTerminalExitResponse{ExitCode: new(uint32(0))}, nil
}

// TerminalOutput is made up.
func (c *fakeClient) TerminalOutput(_ context.Context, p *acpv1.TerminalOutputRequest) (*acpv1.TerminalOutputResponse, error) {
	return &acpv1.TerminalOutputResponse{Output: "out\nput\n", Truncated: c.terminal(p.TerminalID).command == "flood"}, nil
}

// KillTerminal ends the command.
func (c *fakeClient) KillTerminal(_ context.Context, p *acpv1.KillTerminalRequest) (*acpv1.KillTerminalResponse, error) {
	c.terminal(p.TerminalID).kill()
	return &acpv1.KillTerminalResponse{}, nil
}

// ReleaseTerminal does nothing.
func (c *fakeClient) ReleaseTerminal(context.Context, *acpv1.ReleaseTerminalRequest) (*acpv1.ReleaseTerminalResponse, error) {
	return &acpv1.ReleaseTerminalResponse{}, nil
}

// CreateElicitation answers as the setting says.
func (c *fakeClient) CreateElicitation(_ context.Context, p *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error) {
	switch c.settings["elicit"] {
	case "decline":
		return &acpv1.CreateElicitationResponse{Action: &acpv1.ElicitationDeclineAction{}}, nil
	case "cancel":
		return &acpv1.CreateElicitationResponse{Action: &acpv1.ElicitationCancelAction{}}, nil
	}
	accept := &acpv1.ElicitationAcceptAction{}
	if _, isForm := p.Mode.(*acpv1.ElicitationFormMode); isForm {
		accept.Content = map[string]acpv1.ElicitationContentValue{
			"flavour": acpv1.ElicitationString("mint"), "name": acpv1.ElicitationString("Ada"), "scoops": acpv1.ElicitationInteger(3),
			"cone": acpv1.ElicitationBoolean(false), "extras": acpv1.ElicitationStrings{"nuts", "cream"},
		}
	}
	return &acpv1.CreateElicitationResponse{Action: accept}, nil
}
