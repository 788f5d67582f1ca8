package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A ClientConn is the client's end of a connection: its methods call the agent.
type ClientConn struct {
	*Conn
	acpv1.AgentStub
}

// An AgentConn is the agent's end of a connection: its methods call the client.
type AgentConn struct {
	*Conn
	acpv1.ClientStub
}

// NewClient starts the client's end of a connection over t, such as that of [Spawn]. The handler, which should embed [acpv1.UnimplementedClient], is called for
// what the agent sends. If opts is nil, the zero Options. Call Initialize first.
func NewClient(t Transport, handler acpv1.Client, opts *Options) *ClientConn {
	role := roleV1(wire.ClientSide)
	role.Handle = func(ctx context.Context, m *wire.Method, params wire.Message) (wire.Message, error) {
		return acpv1.DispatchClient(ctx, handler, m, params)
	}
	role.Allowed = agentAllows
	conn := New(t, role, opts)
	return &ClientConn{conn, acpv1.AgentStub{Caller: conn}}
}

// NewAgent starts the agent's end of a connection over t, such as [Stdio]. connect is called once, before anything is read, with the connection to the client;
// it returns the handler, which should embed [acpv1.UnimplementedAgent]. If opts is nil, the zero Options.
func NewAgent(t Transport, connect func(client *AgentConn) acpv1.Agent, opts *Options) *AgentConn {
	var handler acpv1.Agent
	role := roleV1(wire.AgentSide)
	role.Handle = func(ctx context.Context, m *wire.Method, params wire.Message) (wire.Message, error) {
		result, err := acpv1.DispatchAgent(ctx, handler, m, params)
		if r, ok := result.(*acpv1.InitializeResponse); ok && err == nil && r != nil && r.ProtocolVersion == 0 {
			r.ProtocolVersion = Negotiate(params.(*acpv1.InitializeRequest).ProtocolVersion)
		}
		return result, err
	}
	role.Allowed = clientAllows
	conn := newConn(t, role, opts)
	agent := &AgentConn{conn, acpv1.ClientStub{Caller: conn}}
	handler = connect(agent)
	conn.run()
	return agent
}

// InProcess connects a client and an agent in memory. If an Options is nil, it is the zero Options. Close either end to end both.
func InProcess(client acpv1.Client, agent func(client *AgentConn) acpv1.Agent, clientOpts, agentOpts *Options) (*ClientConn, *AgentConn) {
	a, b := Pipe()
	agentConn := NewAgent(b, agent, agentOpts)
	return NewClient(a, client, clientOpts), agentConn
}

// roleV1 returns what both sides of version 1 have in common.
func roleV1(side wire.Side) Role {
	return Role{
		Surface:         acpv1.Surface,
		Side:            side,
		SessionOf:       SessionOf,
		Handshake:       acpv1.MethodInitialize,
		Turn:            acpv1.MethodPrompt,
		Cancel:          acpv1.MethodCancel,
		CancelRequest:   acpv1.MethodCancelRequest,
		RequestToCancel: requestToCancelV1,
		NewCancelRequest: func(id wire.RequestID) wire.Message {
			return &acpv1.CancelRequestNotification{RequestID: id}
		},
		CancelledTurn: func() wire.Message {
			return &acpv1.PromptResponse{StopReason: acpv1.StopReasonCancelled}
		},
		Permission: acpv1.MethodRequestPermission,
		CancelledPermission: func() wire.Message {
			return &acpv1.RequestPermissionResponse{Outcome: &acpv1.CancelledPermissionOutcome{}}
		},
	}
}

func requestToCancelV1(params wire.Message) (wire.RequestID, bool) {
	n, ok := params.(*acpv1.CancelRequestNotification)
	if !ok {
		return wire.RequestID{}, false
	}
	return n.RequestID, true
}

// SessionOf returns the session that the params of a method of version 1 name. ok is false if they name none.
func SessionOf(params any) (session string, ok bool) {
	switch p := params.(type) {
	case *acpv1.SessionNotification:
		return string(p.SessionID), true
	case *acpv1.PromptRequest:
		return string(p.SessionID), true
	case *acpv1.CancelNotification:
		return string(p.SessionID), true
	case *acpv1.RequestPermissionRequest:
		return string(p.SessionID), true
	case *acpv1.LoadSessionRequest:
		return string(p.SessionID), true
	case *acpv1.ResumeSessionRequest:
		return string(p.SessionID), true
	case *acpv1.CloseSessionRequest:
		return string(p.SessionID), true
	case *acpv1.DeleteSessionRequest:
		return string(p.SessionID), true
	case *acpv1.SetSessionModeRequest:
		return string(p.SessionID), true
	case *acpv1.SetSessionConfigOptionRequest:
		return string(p.SessionID), true
	case *acpv1.ReadTextFileRequest:
		return string(p.SessionID), true
	case *acpv1.WriteTextFileRequest:
		return string(p.SessionID), true
	case *acpv1.CreateTerminalRequest:
		return string(p.SessionID), true
	case *acpv1.TerminalOutputRequest:
		return string(p.SessionID), true
	case *acpv1.ReleaseTerminalRequest:
		return string(p.SessionID), true
	case *acpv1.WaitForTerminalExitRequest:
		return string(p.SessionID), true
	case *acpv1.KillTerminalRequest:
		return string(p.SessionID), true
	case *acpv1.CreateElicitationRequest:
		return elicitationSession(p.Mode)
	}
	return "", false
}

func elicitationSession(mode acpv1.ElicitationMode) (string, bool) {
	var scope acpv1.ElicitationScope
	switch m := mode.(type) {
	case *acpv1.ElicitationFormMode:
		scope = m.Scope
	case *acpv1.ElicitationURLMode:
		scope = m.Scope
	case *acpv1.UnknownElicitationMode:
		scope = m.Scope
	}
	if s, ok := scope.(*acpv1.ElicitationSessionScope); ok {
		return string(s.SessionID), true
	}
	return "", false
}

// Negotiate returns the protocol version that an agent answers to the version that the client asked for: the same if this package speaks it, and otherwise
// the latest that it does. https://agentclientprotocol.com/protocol/initialization#version-negotiation
func Negotiate(requested acpv1.ProtocolVersion) acpv1.ProtocolVersion {
	const latest = 1
	if requested == latest {
		return requested
	}
	return latest
}

// A VersionError says that the peers have no version of the protocol in common. The connection is closed.
type VersionError struct {
	// Agent is the version that the agent answered.
	Agent acpv1.ProtocolVersion
}

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("acp: the agent speaks protocol version %d, this client %d", e.Agent, acpv1.Surface.Version)
}

// Initialize agrees on the version and exchanges capabilities; see [acpv1.Agent]. A zero ProtocolVersion is filled in, and params may be nil. If the agent
// answers a version that this client does not speak, the connection is closed and the error is a [*VersionError]; if the agent ends instead of answering, it is a
// [*StartError].
func (c *ClientConn) Initialize(ctx context.Context, params *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	var p acpv1.InitializeRequest
	if params != nil {
		p = *params
	}
	if p.ProtocolVersion == 0 {
		p.ProtocolVersion = acpv1.ProtocolVersion(acpv1.Surface.Version)
	}
	result, err := c.AgentStub.Initialize(ctx, &p)
	if errors.Is(err, ErrClosed) {
		return nil, &StartError{Err: err}
	}
	if err != nil {
		return nil, err
	}
	if int(result.ProtocolVersion) != acpv1.Surface.Version {
		_ = c.Close()
		return nil, &VersionError{result.ProtocolVersion}
	}
	return result, nil
}

// AgentCapabilities returns what the agent advertised; nil before it has answered Initialize. It must not be changed.
func (c *ClientConn) AgentCapabilities() *acpv1.AgentCapabilities {
	_, response := c.Handshake()
	r, ok := response.(*acpv1.InitializeResponse)
	if !ok {
		return nil
	}
	return r.GetAgentCapabilities()
}

// CancelPrompt cancels the running turn of a session: it sends session/cancel and answers the turn's pending permission requests as cancelled, those still to
// come included. If no turn is running, or it is cancelled already, it does nothing, so that a cancellation can never hit the next turn; Cancel always sends one,
// for agents that lose a cancellation which comes together with its prompt. It does not wait: Prompt returns when the agent has answered. https://agentclientprotocol.com/protocol/prompt-turn#cancellation
func (c *ClientConn) CancelPrompt(ctx context.Context, session acpv1.SessionID) error {
	return c.CancelTurn(ctx, &acpv1.CancelNotification{SessionID: session})
}

// ClientCapabilities returns what the client advertised; nil before it has called initialize. It must not be changed.
func (c *AgentConn) ClientCapabilities() *acpv1.ClientCapabilities {
	request, _ := c.Handshake()
	r, ok := request.(*acpv1.InitializeRequest)
	if !ok {
		return nil
	}
	return r.GetClientCapabilities()
}
