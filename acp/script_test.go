package acp_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var update = flag.Bool("update", false, "rewrite testdata")

// secret stands in scripts for what must never be echoed or logged.
const secret = "hunter2"

// TestWire runs the scripts in testdata/wire. A script is a wire section of lines:
//
//	> LINE      write LINE to the connection
//	! CALL      start a call from our side: new, prompt, ext, cancel
//	< LINE      what the connection wrote since the last > or !
//	= TEXT      how a call ended
//	@ TEXT      what a handler was called for
//
// and its comment starts with the side that is tested, "agent" or "client". -update rewrites all but > and !.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) != 1 || archive.Files[0].Name != "wire" {
				t.Fatalf("%s: want one section, wire", file)
			}
			want := string(archive.Files[0].Data)
			var got string
			synctest.Test(t, func(t *testing.T) {
				got = runScript(t, strings.HasPrefix(string(archive.Comment), "client"), want)
			})
			if *update {
				archive.Files[0].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// A script is a run of one script.
type script struct {
	mu   sync.Mutex
	out  bytes.Buffer
	step []string // what came since the last line of input
}

// printf adds a line of output to the step. Lines of one kind stay in order; what the kinds' order is depends on the scheduler, so they are grouped.
func (s *script) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step = append(s.step, fmt.Sprintf(format, args...))
}

// next ends the step and prints the line that starts the next.
func (s *script) next(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.step, func(a, b string) int { return strings.Index("@<=", a[:1]) - strings.Index("@<=", b[:1]) })
	for _, l := range s.step {
		s.out.WriteString(l + "\n")
	}
	s.step = nil
	s.out.WriteString(line)
}

func runScript(t *testing.T, client bool, text string) string {
	s := new(script)
	ours, theirs := acp.Pipe()
	var logged bytes.Buffer
	opts := &acp.Options{MaxFrame: 2000, MaxDepth: 100, Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	var conn *acp.Conn
	if client {
		conn = acp.NewClient(ours, scriptClient{s: s}, opts).Conn
	} else {
		conn = acp.NewAgent(ours, func(*acp.AgentConn) acpv1.Agent { return scriptAgent{s: s} }, opts).Conn
	}
	var read sync.WaitGroup
	read.Go(func() { s.copy(theirs) })
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if op, _, _ := strings.Cut(line, " "); op != "<" && op != "=" && op != "@" {
			s.next(line + "\n")
		}
		switch op, rest, _ := strings.Cut(line, " "); op {
		case ">":
			rest = strings.NewReplacer("{LONG}", strings.Repeat(secret, 400), "{DEEP}", strings.Repeat("[", 200)+strings.Repeat("]", 200), `{BAD}`, "\xff", `{NUL}`, "\x00").Replace(rest)
			if _, err := theirs.Write([]byte(rest + "\n")); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		case "!":
			go s.call(t.Context(), conn, rest)
			synctest.Wait()
		}
	}
	s.next("")
	if err := conn.Err(); err != nil {
		t.Errorf("the connection did not live: %v", err)
	}
	_ = theirs.Close()
	if err := conn.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}
	read.Wait()
	for line := range strings.Lines(s.out.String()) {
		if strings.Contains(line, secret) && !strings.HasPrefix(line, "> ") {
			t.Errorf("a secret was echoed: %s", line)
		}
	}
	if strings.Contains(logged.String(), secret) {
		t.Errorf("a secret was logged:\n%s", logged.String())
	}
	return s.out.String()
}

// copy prints what the connection writes.
func (s *script) copy(r acp.Transport) {
	var held []byte
	buf := make([]byte, 1000)
	for {
		n, err := r.Read(buf)
		held = append(held, buf[:n]...)
		for {
			line, rest, ok := bytes.Cut(held, []byte("\n"))
			if !ok {
				break
			}
			s.printf("< %s", line)
			held = rest
		}
		if err != nil {
			return
		}
	}
}

// call makes one of the calls that scripts know, and prints how it ended unless the script has ended first.
func (s *script) call(ctx context.Context, conn *acp.Conn, name string) {
	agent := acpv1.AgentStub{Caller: conn}
	var err error
	switch name {
	case "new":
		_, err = agent.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
	case "prompt":
		var r *acpv1.PromptResponse
		if r, err = agent.Prompt(ctx, &acpv1.PromptRequest{SessionID: "s", Prompt: []acpv1.ContentBlock{&acpv1.TextContent{Text: "hi"}}}); err == nil {
			s.printf("= prompt: %s", r.StopReason)
			return
		}
	case "cancel":
		err = (&acp.ClientConn{Conn: conn}).CancelPrompt(ctx, "s")
	case "ext":
		_, err = acp.CallExtension[string](ctx, conn, "_x/ask", map[string]int{"n": 1})
	default:
		err = fmt.Errorf("unknown call")
	}
	if conn.Err() == nil {
		s.printf("= %s: %v", name, err)
	}
}

type scriptAgent struct {
	acpv1.UnimplementedAgent
	s *script
}

func (a scriptAgent) Initialize(context.Context, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	return &acpv1.InitializeResponse{}, nil
}

func (a scriptAgent) ListSessions(_ context.Context, p *acpv1.ListSessionsRequest) (*acpv1.ListSessionsResponse, error) {
	return &acpv1.ListSessionsResponse{Sessions: []acpv1.SessionInfo{}}, nil
}

func (a scriptAgent) CloseSession(_ context.Context, p *acpv1.CloseSessionRequest) (*acpv1.CloseSessionResponse, error) {
	return nil, fmt.Errorf("cannot close it: %s", "the password is not right") // stays here
}

func (a scriptAgent) SetSessionMode(context.Context, *acpv1.SetSessionModeRequest) (*acpv1.SetSessionModeResponse, error) {
	panic("no such mode")
}

func (a scriptAgent) LoadSession(context.Context, *acpv1.LoadSessionRequest) (*acpv1.LoadSessionResponse, error) {
	return nil, acp.Errorf(acp.CodeResourceNotFound, "no such session")
}

func (a scriptAgent) NewSession(context.Context, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	return nil, nil
}

// Prompt runs until it is cancelled.
func (a scriptAgent) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (a scriptAgent) Cancel(_ context.Context, p *acpv1.CancelNotification) error {
	a.s.printf("@ cancel %s", p.SessionID)
	return nil
}

type scriptClient struct {
	acpv1.UnimplementedClient
	s *script
}

func (c scriptClient) SessionUpdate(_ context.Context, p *acpv1.SessionNotification) error {
	b, err := wire.Marshal(p)
	c.s.printf("@ update %s", b)
	return err
}

// RequestPermission waits for a user who never answers.
func (c scriptClient) RequestPermission(ctx context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	c.s.printf("@ permission %s", p.ToolCall.ToolCallID)
	<-ctx.Done()
	return nil, ctx.Err()
}
