package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/server"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestScripts runs the scripts in testdata against run, in memory. The comment of a script is the agent's flags, and key=value words for the client: caps=none,
// permission=ID|cancel|bogus|hold, elicit=accept|decline|cancel. In the file "script", lines that begin with > are what the client does, and those below what it then
// gets to see, in the order of the wire. -update rewrites these. DIR is a directory that there is; sessions are in another one, which there is not. The agent must keep
// the rules of the protocol in all that.
//
//	new [CWD]               use ID                  the session that the other steps are about
//	prompt TEXT             start TEXT              start does not wait for the end
//	cancel                  abort                   abort cancels the request of the first start
//	advance DURATION                                time passes
//	load  resume  close  delete                     [ID [CWD]]
//	list [CURSOR|next]      mode ID                 option ID VALUE
//	steer TEXT              tool NAME               declares a tool of the client in the next new
//	auth ID                 logout                  echo JSON
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) != 1 || archive.Files[0].Name != "script" {
				t.Fatalf("%s: want one file, script", file)
			}
			want := string(archive.Files[0].Data)
			var got string
			synctest.Test(t, func(t *testing.T) { got = runScript(t, strings.Fields(string(archive.Comment)), want) })
			if *update {
				archive.Files[0].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// An editor is the client in a script.
type editor struct {
	*acp.ClientConn
	session acpv1.SessionID // that the steps are about
	next    *string         // the cursor of the last list
	meta    wire.Meta       // of the next session
	abort   func()          // cancels the first start
}

// home is where sessions are unless the step says otherwise.
const home = "/home/user"

// runScript runs the agent and does what the script says. It returns the script with what the client got to see.
func runScript(t *testing.T, words []string, script string) string {
	var args []string
	fake := newFakeClient()
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok {
			fake.settings[key] = value
		} else {
			args = append(args, w)
		}
	}
	near, far := acp.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(t.Context(), args, far, far, new(bytes.Buffer)) }()
	seen := &view{methods: map[string]string{}, dir: t.TempDir()}
	checked := &checkedView{view: seen}
	checked.rules = conform.NewTap(wire.ClientSide, nil, func(f conform.Finding, line []byte) {
		if f.By == wire.AgentSide && f.Severity >= conform.Warning && !checked.crashed {
			t.Errorf("%s\n%s", f, line)
		}
	})
	e := &editor{ClientConn: acp.NewClient(near, fake, &acp.Options{Tap: checked, Extensions: fake.extensions()})}
	if _, err := e.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: fake.capabilities()}); err != nil {
		t.Fatal(err)
	}
	seen.take()
	var out strings.Builder
	for line := range strings.Lines(script) {
		step, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		out.WriteString(line)
		name, arg, _ := strings.Cut(strings.TrimSuffix(strings.ReplaceAll(step, "DIR", seen.dir), "\n"), " ")
		checked.crashed = checked.crashed || arg == "/crash"
		if steps[name] == nil {
			t.Fatalf("there is no step %q", name)
		}
		err := steps[name](t.Context(), e, arg)
		synctest.Wait()
		out.WriteString(seen.take())
		// What the agent answers is in view already.
		if said := new(acp.Error); err != nil && !errors.As(err, &said) {
			fmt.Fprintf(&out, "  ! %v\n", err)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		fmt.Fprintf(&out, "the agent ended: %v\n", err)
	}
	checked.rules.End()
	return out.String()
}

var steps = map[string]func(ctx context.Context, e *editor, arg string) error{
	"new": func(ctx context.Context, e *editor, cwd string) error {
		r, err := e.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: cmp.Or(cwd, home), MCPServers: []acpv1.MCPServer{}, Meta: e.meta})
		if err == nil {
			e.session = r.SessionID
		}
		return err
	},
	"use":    func(_ context.Context, e *editor, id string) error { e.session = acpv1.SessionID(id); return nil },
	"prompt": func(ctx context.Context, e *editor, text string) error { return e.prompt(ctx, e.session, text) },
	"start": func(ctx context.Context, e *editor, text string) error {
		ctx, abort := context.WithCancel(ctx)
		if e.abort == nil {
			e.abort = abort
		}
		go func(session acpv1.SessionID) {
			defer abort()
			_ = e.prompt(ctx, session, text)
		}(e.session)
		return nil
	},
	"abort":  func(_ context.Context, e *editor, _ string) error { e.abort(); return nil },
	"cancel": func(ctx context.Context, e *editor, _ string) error { return e.CancelPrompt(ctx, e.session) },
	"advance": func(_ context.Context, _ *editor, arg string) error {
		d, err := time.ParseDuration(arg)
		time.Sleep(d)
		return err
	},
	"load": func(ctx context.Context, e *editor, arg string) error {
		id, cwd := e.about(arg)
		_, err := e.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: id, Cwd: cwd, MCPServers: []acpv1.MCPServer{}})
		return err
	},
	"resume": func(ctx context.Context, e *editor, arg string) error {
		id, cwd := e.about(arg)
		_, err := e.ResumeSession(ctx, &acpv1.ResumeSessionRequest{SessionID: id, Cwd: cwd})
		return err
	},
	"close": func(ctx context.Context, e *editor, arg string) error {
		id, _ := e.about(arg)
		_, err := e.CloseSession(ctx, &acpv1.CloseSessionRequest{SessionID: id})
		return err
	},
	"delete": func(ctx context.Context, e *editor, arg string) error {
		id, _ := e.about(arg)
		_, err := e.DeleteSession(ctx, &acpv1.DeleteSessionRequest{SessionID: id})
		return err
	},
	"list": func(ctx context.Context, e *editor, cursor string) error {
		p := &acpv1.ListSessionsRequest{}
		switch cursor {
		case "":
		case "next":
			p.Cursor = e.next
		default:
			p.Cursor = new(cursor)
		}
		r, err := e.ListSessions(ctx, p)
		if err == nil {
			e.next = r.NextCursor
		}
		return err
	},
	"mode": func(ctx context.Context, e *editor, id string) error {
		_, err := e.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: e.session, ModeID: acpv1.SessionModeID(id)})
		return err
	},
	"option": func(ctx context.Context, e *editor, arg string) error {
		id, value, _ := strings.Cut(arg, " ")
		p := &acpv1.SetSessionConfigOptionRequest{SessionID: e.session, ConfigID: acpv1.SessionConfigID(id)}
		p.Value = &acpv1.SessionConfigSelectValue{Value: acpv1.SessionConfigValueID(value)}
		if value == "true" || value == "false" {
			p.Value = &acpv1.SessionConfigBooleanValue{Value: value == "true"}
		}
		_, err := e.SetSessionConfigOption(ctx, p)
		return err
	},
	"auth": func(ctx context.Context, e *editor, id string) error {
		_, err := e.Authenticate(ctx, &acpv1.AuthenticateRequest{MethodID: acpv1.AuthMethodID(id)})
		return err
	},
	"logout": func(ctx context.Context, e *editor, _ string) error {
		_, err := e.Logout(ctx, &acpv1.LogoutRequest{})
		return err
	},
	"steer": func(ctx context.Context, e *editor, text string) error {
		return e.Call(ctx, server.SteerMethod, &acpv1.PromptRequest{SessionID: e.session, Prompt: acpv1.Text(text)}, nil)
	},
	"tool": func(_ context.Context, e *editor, name string) error {
		e.meta = wire.Meta(fmt.Sprintf(`{"acpwire":{"clientTools":[{"name":%q}]}}`, name))
		return nil
	},
	"echo": func(ctx context.Context, e *editor, params string) error {
		return e.Call(ctx, methodEcho, wire.Raw(params), nil)
	},
}

func (e *editor) prompt(ctx context.Context, session acpv1.SessionID, text string) error {
	_, err := e.Prompt(ctx, &acpv1.PromptRequest{SessionID: session, Prompt: acpv1.Text(text)})
	return err
}

// about returns the session and the directory that a step names.
func (e *editor) about(arg string) (id acpv1.SessionID, cwd string) {
	first, second, _ := strings.Cut(arg, " ")
	return cmp.Or(acpv1.SessionID(first), e.session), cmp.Or(second, home)
}
