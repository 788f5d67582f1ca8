package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

func TestExitStatus(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing", "file")
	tests := []struct {
		name  string
		args  []string
		stdin string
		want  int
		says  string // on standard output, or in the error
	}{
		{"nothing to read", nil, "", 0, ""},
		{"help", []string{"--help"}, "", 0, "usage: acpagent"},
		{"short help", []string{"-h"}, "", 0, "/stream N"},
		{"unknown flag", []string{"--no-such"}, "", 2, "no-such"},
		{"argument", []string{"prompt"}, "", 2, `unexpected argument "prompt"`},
		{"log cannot be opened", []string{"--log", missing}, "", 1, "--log: "},
		{"record cannot be opened", []string{"--record", missing}, "", 1, "--record: "},
		{"store cannot be opened", []string{"--store", missing}, "", 1, "--store: "},
		{"not JSON", nil, "noise\n", 0, `"code":-32700`},
		{"not initialized", nil, `{"jsonrpc":"2.0","id":1,"method":"session/list"}` + "\n", 0, `{"code":-32600,"message":"initialize comes first"}`},
		{"other version", nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}` + "\n", 0, `"protocolVersion":1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), tt.args, strings.NewReader(tt.stdin), &out, io.Discard)
			if got := exitStatus(err); got != tt.want {
				t.Errorf("exit status %d (error %v), want %d", got, err, tt.want)
			}
			said := out.String()
			if tt.want != 0 {
				said = err.Error()
			}
			if !strings.Contains(said, tt.says) {
				t.Errorf("%q does not say %q", said, tt.says)
			}
		})
	}
	if got := exitStatus(errCrash); got != 3 {
		t.Errorf("a crash has exit status %d, want 3", got)
	}
}

// TestPipelined checks that a client, such as a script, need not wait for the answer to initialize.
func TestPipelined(t *testing.T) {
	const in = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}` + "\n"
	for range 200 {
		var out bytes.Buffer
		if err := run(t.Context(), nil, strings.NewReader(in), &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `"sessionId":"session-1"`) {
			t.Fatalf("no session: %s", out.String())
		}
	}
}

// connect runs the agent in memory. What it returns when it ends comes on the channel.
func connect(t *testing.T, ctx context.Context, args ...string) (*acp.ClientConn, *fakeClient, <-chan error) {
	t.Helper()
	near, far := acp.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, args, far, far, io.Discard) }()
	fake := newFakeClient()
	conn := acp.NewClient(near, fake, nil)
	if _, err := conn.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: fake.capabilities()}); err != nil {
		t.Fatal(err)
	}
	return conn, fake, ended
}

func newSession(t *testing.T, conn *acp.ClientConn) acpv1.SessionID {
	t.Helper()
	r, err := conn.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: home, MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	return r.SessionID
}

// TestEndedFromOutside checks that the agent ends with its context, also during a turn.
func TestEndedFromOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		conn, _, ended := connect(t, ctx)
		id := newSession(t, conn)
		prompted := make(chan error, 1)
		go func() {
			_, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("/slow")})
			prompted <- err
		}()
		synctest.Wait()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if err := <-prompted; err == nil {
			t.Error("the prompt has a result")
		}
	})
}

// TestInputEnds checks that a turn may go on for a little when the client has closed its side, and no longer.
func TestInputEnds(t *testing.T) {
	for _, tt := range []struct {
		prompt  string
		answers bool
		lasts   time.Duration
	}{{"/stream 100", true, 0}, {"/slow", false, drainTimeout}} {
		t.Run(strings.Fields(tt.prompt)[0][1:], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := acp.Pipe()
				ended := make(chan error, 1)
				start := time.Now()
				go func() { ended <- run(t.Context(), nil, far, far, io.Discard) }()
				lines := make(chan string, 1)
				go func() {
					b, err := io.ReadAll(near)
					if err != nil {
						t.Error(err)
					}
					lines <- string(b)
				}()
				for _, frame := range []string{
					`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
					`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`,
					`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"` + tt.prompt + `"}]}}`,
				} {
					if _, err := io.WriteString(near, frame+"\n"); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if err := near.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
					t.Fatal(err)
				}
				if err := <-ended; err != nil {
					t.Errorf("run: %v", err)
				}
				if took := time.Since(start); took != tt.lasts {
					t.Errorf("ended after %v, want %v", took, tt.lasts)
				}
				if got := strings.Contains(<-lines, `"stopReason":"end_turn"`); got != tt.answers {
					t.Errorf("answered: %v, want %v", got, tt.answers)
				}
			})
		})
	}
}

// TestQueuedTurnsEndWithSession checks that closing a session ends the turn that runs and those that wait.
func TestQueuedTurnsEndWithSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _, ended := connect(t, t.Context())
		id := newSession(t, conn)
		const turns = 5
		reasons := make(chan acpv1.StopReason, turns)
		for range turns {
			go func() {
				r, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("/slow")})
				if err != nil {
					t.Error(err)
					return
				}
				reasons <- r.StopReason
			}()
		}
		synctest.Wait()
		if _, err := conn.CloseSession(t.Context(), &acpv1.CloseSessionRequest{SessionID: id}); err != nil {
			t.Error(err)
		}
		// Their answers came before that of session/close.
		synctest.Wait()
		for range turns {
			select {
			case got := <-reasons:
				if got != acpv1.StopReasonCancelled {
					t.Errorf("stop reason %s, want %s", got, acpv1.StopReasonCancelled)
				}
			default:
				t.Error("a turn has no answer")
			}
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestPromptBlocks checks that every kind of block is accepted.
func TestPromptBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := acp.Pipe()
		go func() { _ = run(t.Context(), nil, far, far, io.Discard) }()
		seen := &view{methods: map[string]string{}}
		conn := acp.NewClient(near, newFakeClient(), &acp.Options{Tap: seen})
		if _, err := conn.Initialize(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		id := newSession(t, conn)
		_, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: id, Prompt: []acpv1.ContentBlock{
			&acpv1.TextContent{Text: "Look:"},
			&acpv1.ImageContent{MIMEType: "image/png", Data: "AA=="},
			&acpv1.AudioContent{MIMEType: "audio/wav", Data: "AA=="},
			&acpv1.ResourceLink{Name: "a", URI: "file:///a"},
			&acpv1.EmbeddedResource{Resource: &acpv1.TextResourceContents{URI: "file:///b", Text: "b"}},
			&acpv1.EmbeddedResource{Resource: &acpv1.BlobResourceContents{URI: "file:///c", Blob: "AA=="}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		const want = "You said: Look: [image: image/png] [audio: audio/wav] [link: file:///a] [text: file:///b] [blob: file:///c]"
		if got := seen.take(); !strings.Contains(got, want) {
			t.Errorf("got %s, want it to say %q", got, want)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

func TestSessionSetupIsChecked(t *testing.T) {
	tests := []struct {
		name string
		p    acpv1.NewSessionRequest
		want string // the error's message; empty if there is none
	}{
		{"stdio server", acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{&acpv1.MCPServerStdio{Name: "m", Command: "/bin/m", Args: []string{}, Env: []acpv1.EnvVariable{}}}}, ""},
		{"http server", acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{&acpv1.MCPServerHTTP{Name: "m", URL: "http://localhost", Headers: []acpv1.HTTPHeader{}}}}, ""},
		{"sse server", acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{&acpv1.MCPServerSSE{Name: "m", URL: "http://localhost", Headers: []acpv1.HTTPHeader{}}}}, ""},
		{"more directories", acpv1.NewSessionRequest{Cwd: "/w", AdditionalDirectories: []string{"/x"}, MCPServers: []acpv1.MCPServer{}}, ""},
		{"relative directory", acpv1.NewSessionRequest{Cwd: "/w", AdditionalDirectories: []string{"/x", "y"}, MCPServers: []acpv1.MCPServer{}},
			"invalid params: /additionalDirectories/1: the path is not absolute"},
		{"empty directory", acpv1.NewSessionRequest{Cwd: "/w", AdditionalDirectories: []string{""}, MCPServers: []acpv1.MCPServer{}},
			"invalid params: /additionalDirectories/0: the path is not absolute"},
	}
	near, far := acp.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(t.Context(), nil, far, far, io.Discard) }()
	conn := acp.NewClient(near, newFakeClient(), &acp.Options{AllowUnadvertised: true})
	if _, err := conn.Initialize(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := conn.NewSession(t.Context(), &tt.p)
			if want := (&acp.Error{Code: acp.CodeInvalidParams, Message: tt.want}); tt.want != "" && !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			} else if tt.want == "" && err != nil {
				t.Error(err)
			}
		})
	}
	list, err := conn.ListSessions(t.Context(), &acpv1.ListSessionsRequest{Cwd: new("/w")})
	if err != nil {
		t.Fatal(err)
	}
	got := map[acpv1.SessionID][]string{}
	for _, s := range list.Sessions {
		got[s.SessionID] = s.AdditionalDirectories
	}
	want := map[acpv1.SessionID][]string{"session-1": nil, "session-2": nil, "session-3": nil, "session-4": {"/x"}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got)\n%s", diff)
	}
	if list, err = conn.ListSessions(t.Context(), &acpv1.ListSessionsRequest{Cwd: new("/x")}); err != nil || len(list.Sessions) > 0 {
		t.Errorf("another directory has the sessions %v (error %v), want none", list, err)
	}
	if err := errors.Join(conn.Close(), <-ended); err != nil {
		t.Error(err)
	}
}

// TestFiles checks what --log and --record write.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	logFile, recordFile := filepath.Join(dir, "log"), filepath.Join(dir, "record")
	near, far := acp.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(t.Context(), []string{"--log", logFile, "--record", recordFile}, far, far, io.Discard)
	}()
	var wire transcript
	conn := acp.NewClient(near, newFakeClient(), &acp.Options{Tap: &wire})
	if _, err := conn.Initialize(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	id := newSession(t, conn)
	if _, err := conn.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("/echo s3cret")}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(conn.Close(), <-ended); err != nil {
		t.Fatal(err)
	}
	logged, err := os.ReadFile(logFile)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(logged), "msg=command session=session-1 name=echo") || strings.Contains(string(logged), "s3cret") {
		t.Errorf("the log should name the command and not its argument:\n%s", logged)
	}
	recorded, err := os.ReadFile(recordFile)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for line := range strings.Lines(string(recorded)) {
		var r struct{ Dir, Raw string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got[r.Dir] = append(got[r.Dir], r.Raw)
	}
	want := map[string][]string{"c2a": wire.sent, "a2c": wire.received}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got)\n%s", diff)
	}
}

// A transcript is an [acp.Tap] that keeps all lines.
type transcript struct{ sent, received []string }

func (t *transcript) Sent(line []byte)     { t.sent = append(t.sent, string(line)) }
func (t *transcript) Received(line []byte) { t.received = append(t.received, string(line)) }

// TestRecordKeepsWhatIsNoText checks that a record holds lines that no JSON string can.
func TestRecordKeepsWhatIsNoText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "record")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--record", name}, strings.NewReader("\xff\x00\n"), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := bytes.Cut(recorded, []byte("\n")); string(first) != "\xff\x00" {
		t.Errorf("the first line is %q, want the line as it came", first)
	}
}

func TestHelpIsNoError(t *testing.T) {
	if err := run(t.Context(), []string{"--help"}, nil, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("error %v, want %v", err, flag.ErrHelp)
	}
}
