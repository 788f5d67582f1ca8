package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

func TestGoName(t *testing.T) {
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
		if got := GoName(tt.name); got != tt.want {
			t.Errorf("GoName(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestGoNameOfInitialisms checks each word of the list alone, at the start, in the middle and at the end of a name.
func TestGoNameOfInitialisms(t *testing.T) {
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
			if got := GoName(name); got != want {
				t.Errorf("GoName(%q) = %q, want %q", name, got, want)
			}
		}
	}
}

// TestExportedNames holds every exported identifier of the generated package to the list.
func TestExportedNames(t *testing.T) {
	paths, err := filepath.Glob("../../../../gen/acpv1/*_gen.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no generated files: %v", err)
	}
	seen := 0
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range declared(f) {
			seen++
			for _, w := range words(id.Name) {
				letters := strings.TrimRightFunc(w, unicode.IsDigit)
				if up, ok := initialisms[strings.ToLower(letters)]; ok && letters != up {
					t.Errorf("%s: %s has %s, not %s", filepath.Base(path), id.Name, letters, up)
				}
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d exported identifiers were seen", seen)
	}
}

// declared returns the exported identifiers that a file declares, fields and interface methods among them.
func declared(f *ast.File) []*ast.Ident {
	var out []*ast.Ident
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			out = append(out, n.Name)
			return false
		case *ast.TypeSpec:
			out = append(out, n.Name)
		case *ast.ValueSpec:
			out = append(out, n.Names...)
		case *ast.Field:
			out = append(out, n.Names...)
		}
		return true
	})
	exported := out[:0]
	for _, id := range out {
		if id.IsExported() {
			exported = append(exported, id)
		}
	}
	return exported
}
