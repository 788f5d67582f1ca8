package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// within runs f as the agent's turn.
func within(t *testing.T, tr *trial, f func(ctx context.Context, client *acp.AgentConn), args ...string) result {
	t.Helper()
	tr.agent = &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
		f(ctx, a.client)
		return acpv1.StopReasonEndTurn, nil
	}}
	r := tr.run(t.Context(), t, append(args, "hello", "--", "agent")...)
	r.check(t, 0)
	return r
}

// code is the code of an error that the client answered with.
func code(err error) int {
	var e *acp.Error
	if errors.As(err, &e) && e.Remote() {
		return e.Code
	}
	return 0
}

// A fileTree is a session's directory with links that lead out of it, to a secret.
type fileTree struct{ parent, dir, secret string }

func newFileTree(t *testing.T) fileTree {
	t.Helper()
	f := fileTree{parent: t.TempDir()}
	f.dir = filepath.Join(f.parent, "work")
	if err := os.Mkdir(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f.secret = put(t, f.parent, "secret", "secret")
	put(t, f.dir, "lines", "1\n2\n3\n4\n")
	put(t, f.dir, "binary", "\xff\xfe")
	for name, target := range map[string]string{"link": f.secret, "up": ".."} {
		if err := os.Symlink(target, filepath.Join(f.dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	return f
}

func (f fileTree) in(name string) string { return f.dir + string(filepath.Separator) + name }

// TestReadFiles checks what an agent can read, and above all what it cannot.
func TestReadFiles(t *testing.T) {
	f := newFileTree(t)
	tests := []struct {
		name        string
		path        string
		line, limit *uint32
		want        string
		code        int
	}{
		{"file", f.in("lines"), nil, nil, "1\n2\n3\n4\n", 0},
		{"part", f.in("lines"), new(uint32(2)), new(uint32(2)), "2\n3\n", 0},
		{"missing", f.in("none"), nil, nil, "", acp.CodeResourceNotFound},
		{"binary", f.in("binary"), nil, nil, "", acp.CodeInvalidParams},
		{"directory", f.dir, nil, nil, "", acp.CodeInvalidParams},
		{"outside", f.secret, nil, nil, "", acp.CodeInvalidParams},
		{"outside that is missing", f.secret + "-no", nil, nil, "", acp.CodeInvalidParams},
		{"parent", f.in("../secret"), nil, nil, "", acp.CodeInvalidParams},
		{"parent of nothing", f.in("none/../lines"), nil, nil, "", acp.CodeInvalidParams},
		{"link that leads out", f.in("link"), nil, nil, "", acp.CodeInvalidParams},
		{"directory that leads out", f.in("up/secret"), nil, nil, "", acp.CodeInvalidParams},
		{"relative", "lines", nil, nil, "", acp.CodeInvalidParams},
		{"system file", "/etc/passwd", nil, nil, "", acp.CodeInvalidParams},
	}
	r := within(t, &trial{dir: f.dir}, func(ctx context.Context, client *acp.AgentConn) {
		for _, tt := range tests {
			got, err := client.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: "s1", Path: tt.path, Line: tt.line, Limit: tt.limit})
			if code(err) != tt.code || tt.code == 0 && err != nil {
				t.Errorf("%s: error %v, want code %d", tt.name, err, tt.code)
			}
			if err == nil && got.Content != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got.Content, tt.want)
			}
		}
		if _, err := client.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: "s2", Path: f.in("lines")}); code(err) != acp.CodeResourceNotFound {
			t.Errorf("for another session: error %v", err)
		}
	})
	for _, want := range []string{"· read lines, 8 B\n", "· reading " + f.secret + " failed: the path is outside the session's directory\n"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("standard output has no %q:\n%s", want, r.stdout)
		}
	}
}

// TestWriteFiles is the same for writing.
func TestWriteFiles(t *testing.T) {
	f := newFileTree(t)
	tests := []struct {
		name, path string
		code       int
	}{
		{"new", f.in("new/deep/file"), 0},
		{"again", f.in("new/deep/file"), 0},
		{"directory", f.dir, acp.CodeInvalidParams},
		{"outside", f.secret, acp.CodeInvalidParams},
		{"parent", f.in("../secret"), acp.CodeInvalidParams},
		{"link that leads out", f.in("link"), acp.CodeInvalidParams},
		{"directory that leads out", f.in("up/secret"), acp.CodeInvalidParams},
		{"new in a directory that leads out", f.in("up/new/file"), acp.CodeInvalidParams},
		{"relative", "new-file", acp.CodeInvalidParams},
	}
	r := within(t, &trial{dir: f.dir}, func(ctx context.Context, client *acp.AgentConn) {
		for _, tt := range tests {
			_, err := client.WriteTextFile(ctx, &acpv1.WriteTextFileRequest{SessionID: "s1", Path: tt.path, Content: "by the agent, " + tt.name})
			if code(err) != tt.code || tt.code == 0 && err != nil {
				t.Errorf("%s: error %v, want code %d", tt.name, err, tt.code)
			}
		}
	})
	if got := get(t, f.secret); got != "secret" {
		t.Errorf("the file outside holds %q", got)
	}
	if got, want := get(t, f.in("new/deep/file")), "by the agent, again"; got != want {
		t.Errorf("the new file holds %q, want %q", got, want)
	}
	if entries, err := os.ReadDir(f.parent); err != nil || len(entries) != 2 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
	if want := "· wrote " + filepath.Join("new", "deep", "file") + ", 17 B\n"; !strings.Contains(r.stdout, want) {
		t.Errorf("standard output has no %q:\n%s", want, r.stdout)
	}
}

// commandEnv makes the test program a command for terminals.
const commandEnv = "ACPRUN_TEST_COMMAND"

func testCommand(name string) int {
	switch name {
	case "hello":
		fmt.Println("héllo")
		fmt.Fprintln(os.Stderr, os.Getenv("GREETING"))
		return 3
	case "sleep":
		fmt.Println("sleeping")
		select {}
	case "where":
		dir, err := os.Getwd()
		fmt.Print(dir, err)
	}
	return 0
}

func command(name string) *acpv1.CreateTerminalRequest {
	return &acpv1.CreateTerminalRequest{SessionID: "s1", Command: os.Args[0], Env: []acpv1.EnvVariable{{Name: commandEnv, Value: name}}}
}

// TestTerminals checks the methods of terminals through the protocol; package terminal has the details.
func TestTerminals(t *testing.T) {
	r := within(t, new(trial), func(ctx context.Context, client *acp.AgentConn) {
		request := command("hello")
		request.Env = append(request.Env, acpv1.EnvVariable{Name: "GREETING", Value: "hi"})
		request.OutputByteLimit = new(uint64(9))
		created, err := client.CreateTerminal(ctx, request)
		if err != nil {
			t.Error(err)
			return
		}
		id := created.TerminalID
		exit, err := client.WaitForTerminalExit(ctx, &acpv1.WaitForTerminalExitRequest{SessionID: "s1", TerminalID: id})
		if err != nil || exit.ExitCode == nil || *exit.ExitCode != 3 || exit.Signal != nil {
			t.Errorf("exit %+v, %v; want status 3", exit, err)
		}
		out, err := client.TerminalOutput(ctx, &acpv1.TerminalOutputRequest{SessionID: "s1", TerminalID: id})
		want := &acpv1.TerminalOutputResponse{Output: "éllo\nhi\n", Truncated: true, ExitStatus: &acpv1.TerminalExitStatus{ExitCode: new(uint32(3))}}
		if diff := cmp.Diff(want, out); diff != "" || err != nil {
			t.Errorf("output: error %v, mismatch (-want +got):\n%s", err, diff)
		}
		if _, err := client.ReleaseTerminal(ctx, &acpv1.ReleaseTerminalRequest{SessionID: "s1", TerminalID: id}); err != nil {
			t.Error(err)
		}
		_, outErr := client.TerminalOutput(ctx, &acpv1.TerminalOutputRequest{SessionID: "s1", TerminalID: id})
		_, waitErr := client.WaitForTerminalExit(ctx, &acpv1.WaitForTerminalExitRequest{SessionID: "s1", TerminalID: id})
		_, killErr := client.KillTerminal(ctx, &acpv1.KillTerminalRequest{SessionID: "s1", TerminalID: id})
		_, releaseErr := client.ReleaseTerminal(ctx, &acpv1.ReleaseTerminalRequest{SessionID: "s1", TerminalID: id})
		for what, err := range map[string]error{"output": outErr, "wait": waitErr, "kill": killErr, "release": releaseErr} {
			if code(err) != acp.CodeResourceNotFound {
				t.Errorf("%s after the release: error %v, want code %d", what, err, acp.CodeResourceNotFound)
			}
		}
	})
	if want := "  │ héllo\n  │ hi\n  └ exit status 3\n"; !strings.HasSuffix(r.stdout, want) {
		t.Errorf("standard output %q, want it to end in %q", r.stdout, want)
	}
}

// TestTerminalKill also leaves terminals that nobody releases.
func TestTerminalKill(t *testing.T) {
	within(t, new(trial), func(ctx context.Context, client *acp.AgentConn) {
		var id acpv1.TerminalID
		for range 2 {
			created, err := client.CreateTerminal(ctx, command("sleep"))
			if err != nil {
				t.Error(err)
				return
			}
			id = created.TerminalID
		}
		out, err := client.TerminalOutput(ctx, &acpv1.TerminalOutputRequest{SessionID: "s1", TerminalID: id})
		if err != nil || out.ExitStatus != nil {
			t.Errorf("while it runs: %+v, %v", out, err)
		}
		if _, err := client.KillTerminal(ctx, &acpv1.KillTerminalRequest{SessionID: "s1", TerminalID: id}); err != nil {
			t.Error(err)
		}
		exit, err := client.WaitForTerminalExit(ctx, &acpv1.WaitForTerminalExitRequest{SessionID: "s1", TerminalID: id})
		if err != nil || runtime.GOOS != "windows" && (exit.Signal == nil || *exit.Signal != "SIGKILL" || exit.ExitCode != nil) {
			t.Errorf("exit %+v, %v; want SIGKILL", exit, err)
		}
	})
}

func TestTerminalWhere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(dir, "up")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	tests := []struct {
		name string
		cwd  *string
		want string // empty: refused
	}{
		{"none", nil, dir},
		{"the session's", &dir, dir},
		{"below", new(filepath.Join(dir, "sub")), filepath.Join(dir, "sub")},
		{"outside", new(filepath.Dir(dir)), ""},
		{"parent", new(dir + "/sub/../.."), ""},
		{"link that leads out", new(filepath.Join(dir, "up")), ""},
		{"relative", new("sub"), ""},
		{"missing", new(filepath.Join(dir, "none")), ""},
	}
	within(t, &trial{dir: dir}, func(ctx context.Context, client *acp.AgentConn) {
		for _, tt := range tests {
			request := command("where")
			request.Cwd = tt.cwd
			created, err := client.CreateTerminal(ctx, request)
			if tt.want == "" {
				if code(err) == 0 {
					t.Errorf("%s: error %v, want it refused", tt.name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if _, err := client.WaitForTerminalExit(ctx, &acpv1.WaitForTerminalExitRequest{SessionID: "s1", TerminalID: created.TerminalID}); err != nil {
				t.Error(err)
			}
			out, err := client.TerminalOutput(ctx, &acpv1.TerminalOutputRequest{SessionID: "s1", TerminalID: created.TerminalID})
			if err != nil || out.Output != tt.want+"<nil>" {
				t.Errorf("%s: output %q, %v; want %s", tt.name, out.Output, err, tt.want)
			}
		}
		for name, want := range map[string]int{"acprun-no-such-program": acp.CodeResourceNotFound, dir: acp.CodeInternalError} {
			if _, err := client.CreateTerminal(ctx, &acpv1.CreateTerminalRequest{SessionID: "s1", Command: name}); code(err) != want {
				t.Errorf("command %s: error %v, want code %d", name, err, want)
			}
		}
		bad := command("hello")
		bad.Env = append(bad.Env, acpv1.EnvVariable{Name: "A=B", Value: "x"})
		if _, err := client.CreateTerminal(ctx, bad); code(err) != acp.CodeInvalidParams {
			t.Errorf("a variable with = in its name: error %v", err)
		}
	})
}
