package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

var mcpEnv = map[string]string{"TOKEN": "tok 1", "HOST": "example.com"}

func getenv(name string) string { return mcpEnv[name] }

func TestParseMCP(t *testing.T) {
	program := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(program, []byte("#!\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(program))
	t.Chdir(filepath.Dir(program))
	none := []acpv1.EnvVariable{}
	tests := []struct {
		name, value string
		want        acpv1.MCPServer
		secrets     []string
	}{
		{"absolute path, which need not exist", "a=/no/server", &acpv1.MCPServerStdio{Name: "a", Command: "/no/server", Args: []string{}, Env: none}, nil},
		{"name from PATH", "a=server x  y", &acpv1.MCPServerStdio{Name: "a", Command: program, Args: []string{"x", "y"}, Env: none}, nil},
		{"relative path", "a=./server", &acpv1.MCPServerStdio{Name: "a", Command: program, Args: []string{}, Env: none}, nil},
		{"quotes", `a=/s "b c" 'd "e"' f\ g ''`, &acpv1.MCPServerStdio{Name: "a", Command: "/s", Args: []string{"b c", `d "e"`, "f g", ""}, Env: none}, nil},
		{"arguments with =", "a=/s --x=1 KEY=2", &acpv1.MCPServerStdio{Name: "a", Command: "/s", Args: []string{"--x=1", "KEY=2"}, Env: none}, nil},
		{"variables", `a=KEY=value EMPTY= OTHER="$TOKEN" /s ${TOKEN}x $`,
			&acpv1.MCPServerStdio{Name: "a", Command: "/s", Args: []string{"tok 1x", "$"},
				Env: []acpv1.EnvVariable{{Name: "KEY", Value: "value"}, {Name: "EMPTY", Value: ""}, {Name: "OTHER", Value: "tok 1"}}},
			[]string{"value", "", "tok 1", "tok 1", "tok 1"}},
		{"HTTP", "a=http://host:1/p", &acpv1.MCPServerHTTP{Name: "a", URL: "http://host:1/p", Headers: []acpv1.HTTPHeader{}}, nil},
		{"HTTPS with headers", `a=https://$HOST/p "Authorization: Bearer $TOKEN" X-Y:z:1`,
			&acpv1.MCPServerHTTP{Name: "a", URL: "https://example.com/p", Headers: []acpv1.HTTPHeader{{Name: "Authorization", Value: "Bearer tok 1"}, {Name: "X-Y", Value: "z:1"}}},
			[]string{"example.com", "tok 1", "Bearer tok 1", "z:1"}},
		{"SSE with query and password", "a=sse+https://me:pass@host/p?key=k1&plain", &acpv1.MCPServerSSE{Name: "a", URL: "https://me:pass@host/p?key=k1&plain", Headers: []acpv1.HTTPHeader{}},
			[]string{"pass", "k1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &mcpParser{getenv: getenv}
			got, err := p.parse(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("server: mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.secrets, p.secrets); diff != "" {
				t.Errorf("secrets: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseMCPFails checks that what is wrong is said without showing the value, which may hold secrets.
func TestParseMCPFails(t *testing.T) {
	tests := []struct{ name, value, says string }{
		{"no name", "s3cret", "NAME="},
		{"empty name", "=s3cret", "NAME="},
		{"name with a space", "a b=s3cret", "NAME="},
		{"nothing", "a=", "command or URL is missing"},
		{"only spaces", "a=  ", "command or URL is missing"},
		{"only variables", "a=KEY=s3cret", "command is missing"},
		{"program that is missing", "a=s3cret-program", "no such program"},
		{"open quote", "a=/s 's3cret", "quote"},
		{"backslash at the end", `a=/s s3cret\`, "backslash"},
		{"variable that is not set", "a=KEY=$UNSET /s s3cret", "UNSET is not set"},
		{"URL without host", "a=https:///s3cret", "URL"},
		{"URL that cannot be parsed", "a=https://[ho:s3cret/", "URL"},
		{"sse without URL", "a=sse+s3cret", "URL"},
		{"header without colon", "a=https://host/ s3cret", "header 1"},
		{"header without a name", "a=https://host/ A:b :s3cret", "header 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server, err := (&mcpParser{getenv: getenv}).parse(tt.value)
			if err == nil || exitStatus(err) != statusUsage {
				t.Fatalf("%+v, error %v, want a usage error", server, err)
			}
			if !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error %q, want one with %q and without the value", err, tt.says)
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	s := newSecrets([]string{"tok-12345", "tok-12345-long", "abc", "", `a"b\c/1`, "sessionId", "1234567890", "tok-12345"})
	text := "tok-12345-long tok-12345 abc sessionId 1234567890"
	if got, want := s.hideText(text), "[redacted] [redacted] abc [redacted] [redacted]"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	frame := `{"sessionId":"x tok-12345","n":1234567890,"q":"a\"b\\c/1","abc":"abc"}`
	want := `{"sessionId":"x [redacted]","n":1234567890,"q":"[redacted]","abc":"abc"}`
	if got := string(s.hideFrame([]byte(frame))); got != want {
		t.Errorf("frame %s, want %s", got, want)
	}
	setup := `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"name":"m","command":"/s","args":["--key=abc"],"env":[{"name":"K","value":"x"}]}]}}`
	want = `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"name":"m","command":"/s","args":["--key=[redacted]"],"env":[{"name":"K","value":"[redacted]"}]}]}}`
	if got := string(s.hideSetup([]byte(setup))); got != want {
		t.Errorf("setup %s, want %s", got, want)
	}
	if got := string(newSecrets(nil).hideSetup([]byte(setup))); got != setup {
		t.Errorf("without secrets: %s", got)
	}
}
