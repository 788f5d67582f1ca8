package goname

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	tests := []struct{ name, want string }{
		{"text", "Text"},
		{"ContentBlock", "ContentBlock"},
		{"toolCallId", "ToolCallID"},
		{"ToolCallId", "ToolCallID"},
		{"agent_message_chunk", "AgentMessageChunk"},
		{"date-time", "DateTime"},
		{"Parse error", "ParseError"},
		{"session/set_mode", "SessionSetMode"},
		{"_meta", "Meta"},
		{"_foo__bar_", "FooBar"},
		{"uri", "URI"},
		{"mimeType", "MIMEType"},
		{"McpServerHttp", "MCPServerHTTP"},
		{"mcp_sse", "MCPSSE"},
		{"HttpHeader", "HTTPHeader"},
		{"HTTPHeader", "HTTPHeader"},
		{"parseHTTPHeader", "ParseHTTPHeader"},
		{"fs", "FS"},
		{"fsRoot", "FSRoot"},
		{"ElicitationUrlMode", "ElicitationURLMode"},
		{"jsonrpc", "JSONRPC"},
		{"json_rpc", "JSONRPC"},
		{"llmProtocol", "LLMProtocol"},
		{"apiKey", "APIKey"},
		{"sha256", "SHA256"},
		{"utf8Text", "UTF8Text"},
		{"Utf8Text", "UTF8Text"},
		{"line2", "Line2"},
		{"2fa", "2fa"},
		{"ids", "IDs"},
		{"Ids", "IDs"},
		{"IDs", "IDs"},
		{"requestIDs", "RequestIDs"},
		{"URIsSeen", "URIsSeen"},
		{"allUrls", "AllURLs"},
		// Words that only begin or end like an initialism.
		{"idle", "Idle"},
		{"identifier", "Identifier"},
		{"Guide", "Guide"},
		{"valid", "Valid"},
		{"uiux", "Uiux"},
		{"ioctl", "Ioctl"},
		{"isolated", "Isolated"},
		{"cwd", "Cwd"},
		{"x", "X"},
		{"X", "X"},
		{"aB", "AB"},
		{"éclair", "Éclair"},
		{"größe_id", "GrößeID"},
		{"", ""},
		{"--", ""},
	}
	for _, tt := range tests {
		if got := Of(tt.name); got != tt.want {
			t.Errorf("Of(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestOfInitialisms checks each word of the list alone, at the start, in the middle and at the end of a name.
func TestOfInitialisms(t *testing.T) {
	for lower, up := range initialisms {
		camel := strings.ToUpper(lower[:1]) + lower[1:]
		for name, want := range map[string]string{
			lower:                     up,
			camel:                     up,
			up:                        up,
			lower + "_value":          up + "Value",
			lower + "Value":           up + "Value",
			"the_" + lower:            "The" + up,
			"the" + camel:             "The" + up,
			"the" + camel + "Value":   "The" + up + "Value",
			"the-" + lower + "-value": "The" + up + "Value",
		} {
			if got := Of(name); got != want {
				t.Errorf("Of(%q) = %q, want %q", name, got, want)
			}
		}
	}
}

func TestFix(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Id", "ID"},
		{"SessionId", "SessionID"},
		{"sessionId", "sessionID"},
		{"id", "id"},
		{"IdOf", "IDOf"},
		{"HttpServerUrl", "HTTPServerURL"},
		{"JSONRPCId", "JSONRPCID"},
		{"JsonrpcVersion", "JSONRPCVersion"},
		{"Utf8Text", "UTF8Text"},
		{"Sha256Sum", "SHA256Sum"},
		{"Max_Id", "MaxID"},
		{"Uris", "URIs"},
		{"IDs", "IDs"},
		{"URIsOf", "URIsOf"},
		{"APIDescription", "APIDescription"},
		{"GUIDefault", "GUIDefault"},
		{"Identifier", "Identifier"},
		{"Idle", "Idle"},
		{"Valid", "Valid"},
		{"V2", "V2"},
		{"A", "A"},
	}
	for _, tt := range tests {
		if got := Fix(tt.name); got != tt.want {
			t.Errorf("Fix(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
