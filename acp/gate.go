package acp

import (
	"github.com/acpwire/acpwire/gen/acpv1"
)

// A need is a capability and whether the peer has it.
type need struct {
	capability string
	met        bool
}

func firstUnmet(method string, needs []need) error {
	for _, n := range needs {
		if !n.met {
			return &UnsupportedError{Method: method, Capability: n.capability}
		}
	}
	return nil
}

// agentAllows checks what a client sends against what the agent advertised. https://agentclientprotocol.com/protocol/initialization#agent-capabilities
func agentAllows(method string, params any, _, response any) error {
	var caps *acpv1.AgentCapabilities
	if r, ok := response.(*acpv1.InitializeResponse); ok && r != nil {
		caps = r.GetAgentCapabilities()
	}
	session := caps.GetSessionCapabilities()
	if session == nil {
		session = new(acpv1.SessionCapabilities)
	}
	var needs []need
	switch p := params.(type) {
	case *acpv1.LogoutRequest:
		auth := caps.GetAuth()
		needs = append(needs, need{"auth.logout", auth != nil && auth.Logout != nil})
	case *acpv1.NewSessionRequest:
		if p != nil {
			needs = append(needs, setupNeeds(caps, session, p.MCPServers, p.AdditionalDirectories)...)
		}
	case *acpv1.LoadSessionRequest:
		needs = append(needs, need{"loadSession", caps.GetLoadSession()})
		if p != nil {
			needs = append(needs, setupNeeds(caps, session, p.MCPServers, p.AdditionalDirectories)...)
		}
	case *acpv1.ResumeSessionRequest:
		needs = append(needs, need{"sessionCapabilities.resume", session.Resume != nil})
		if p != nil {
			needs = append(needs, setupNeeds(caps, session, p.MCPServers, p.AdditionalDirectories)...)
		}
	case *acpv1.ListSessionsRequest:
		needs = append(needs, need{"sessionCapabilities.list", session.List != nil})
	case *acpv1.DeleteSessionRequest:
		needs = append(needs, need{"sessionCapabilities.delete", session.Delete != nil})
	case *acpv1.CloseSessionRequest:
		needs = append(needs, need{"sessionCapabilities.close", session.Close != nil})
	case *acpv1.PromptRequest:
		if p != nil {
			needs = promptNeeds(caps.GetPromptCapabilities(), p.Prompt)
		}
	}
	return firstUnmet(method, needs)
}

// setupNeeds are the capabilities that the parts of a session's setup need.
func setupNeeds(caps *acpv1.AgentCapabilities, session *acpv1.SessionCapabilities, servers []acpv1.MCPServer, dirs []string) []need {
	var needs []need
	mcp := caps.GetMCPCapabilities()
	for _, s := range servers {
		switch s.(type) {
		case *acpv1.MCPServerHTTP:
			needs = append(needs, need{"mcpCapabilities.http", mcp.GetHTTP()})
		case *acpv1.MCPServerSSE:
			needs = append(needs, need{"mcpCapabilities.sse", mcp.GetSSE()})
		case *acpv1.MCPServerStdio:
		}
	}
	if len(dirs) > 0 {
		needs = append(needs, need{"sessionCapabilities.additionalDirectories", session.AdditionalDirectories != nil})
	}
	return needs
}

func promptNeeds(caps *acpv1.PromptCapabilities, prompt []acpv1.ContentBlock) []need {
	var needs []need
	for _, b := range prompt {
		switch b.(type) {
		case *acpv1.ImageContent:
			needs = append(needs, need{"promptCapabilities.image", caps.GetImage()})
		case *acpv1.AudioContent:
			needs = append(needs, need{"promptCapabilities.audio", caps.GetAudio()})
		case *acpv1.EmbeddedResource:
			needs = append(needs, need{"promptCapabilities.embeddedContext", caps.GetEmbeddedContext()})
		case *acpv1.TextContent, *acpv1.ResourceLink, *acpv1.UnknownContentBlock:
		}
	}
	return needs
}

// clientAllows checks what an agent sends against what the client advertised. https://agentclientprotocol.com/protocol/initialization#client-capabilities
func clientAllows(method string, params any, request, _ any) error {
	var caps *acpv1.ClientCapabilities
	if r, ok := request.(*acpv1.InitializeRequest); ok && r != nil {
		caps = r.GetClientCapabilities()
	}
	var needs []need
	switch p := params.(type) {
	case *acpv1.SessionNotification:
		if p != nil {
			return firstUnmet(method, updateNeeds(caps, p.Update))
		}
	case *acpv1.ReadTextFileRequest:
		needs = append(needs, need{"fs.readTextFile", caps.GetFS().GetReadTextFile()})
	case *acpv1.WriteTextFileRequest:
		needs = append(needs, need{"fs.writeTextFile", caps.GetFS().GetWriteTextFile()})
	case *acpv1.CreateTerminalRequest, *acpv1.TerminalOutputRequest, *acpv1.ReleaseTerminalRequest, *acpv1.WaitForTerminalExitRequest, *acpv1.KillTerminalRequest:
		needs = append(needs, need{"terminal", caps.GetTerminal()})
	case *acpv1.CreateElicitationRequest:
		if p != nil {
			needs = elicitationNeeds(caps, p.Mode)
		}
	}
	return firstUnmet(method, needs)
}

func elicitationNeeds(caps *acpv1.ClientCapabilities, mode acpv1.ElicitationMode) []need {
	var has acpv1.ElicitationCapabilities
	if caps != nil && caps.Elicitation != nil {
		has = *caps.Elicitation
	}
	switch mode.(type) {
	case *acpv1.ElicitationFormMode:
		return []need{{"elicitation.form", has.Form != nil}}
	case *acpv1.ElicitationURLMode:
		return []need{{"elicitation.url", has.URL != nil}}
	case *acpv1.UnknownElicitationMode:
	}
	return nil
}

func updateNeeds(caps *acpv1.ClientCapabilities, update acpv1.SessionUpdate) []need {
	switch update.(type) {
	case *acpv1.Notice:
		return []need{{"session.notices", caps != nil && caps.Session != nil && caps.Session.Notices != nil}}
	case *acpv1.CompactionUpdate, *acpv1.CompactionSummaryChunk:
		return []need{{"session.compaction", caps != nil && caps.Session != nil && caps.Session.Compaction != nil}}
	case *acpv1.UserMessageChunk, *acpv1.AgentMessageChunk, *acpv1.AgentThoughtChunk, *acpv1.ToolCall, *acpv1.ToolCallUpdate, *acpv1.Plan,
		*acpv1.AvailableCommandsUpdate, *acpv1.CurrentModeUpdate, *acpv1.ConfigOptionUpdate, *acpv1.SessionInfoUpdate, *acpv1.UsageUpdate, *acpv1.UnknownSessionUpdate:
	}
	return nil
}
