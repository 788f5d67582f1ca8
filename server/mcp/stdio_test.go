package mcp_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/mcp"
)

func TestTools(t *testing.T) {
	s := connect(t, nil, stdio(t, "one", "serve"), stdio(t, "two.x-y", "serve"))
	var names []string
	for _, tool := range s.Tools() {
		if strings.HasPrefix(tool.Name, tool.Server+"__") {
			names = append(names, tool.Name)
		}
		if want := tool.Name == tool.Server+"__echo"; tool.ReadOnly != want {
			t.Errorf("%s: read-only is %t", tool.Name, tool.ReadOnly)
		}
	}
	own := []string{"change", "cwd", "die", "echo", "env", "fail", "label", "media", "pid", "refuse", "wait"}
	var want []string
	for _, srv := range []string{"one", "two.x-y"} {
		for _, tool := range own {
			want = append(want, srv+"__"+tool)
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("tools mismatch (-want +got):\n%s", diff)
	}
	wantTool := mcp.Tool{Name: "one__echo", Server: "one", Title: "Echo", Description: "It is for echo.", InputSchema: []byte(`{"type":"object"}`), ReadOnly: true}
	if diff := cmp.Diff(wantTool, s.Tools()[3]); diff != "" {
		t.Errorf("tool mismatch (-want +got):\n%s", diff)
	}
}

func TestCall(t *testing.T) {
	s := connect(t, nil, stdio(t, "one", "serve", "SECRET=hunter22"))
	if got, want := call(t, s, "one__echo", ` {"a": 9007199254740993} `), `{"a":9007199254740993}`; got != want {
		t.Errorf("echo says %q, want %q", got, want)
	}
	if got := call(t, s, "one__echo", ""); got != "{}" {
		t.Errorf("without arguments, echo says %q", got)
	}
	r, err := s.Call(t.Context(), "one__fail", nil)
	if !errors.Is(err, mcp.ErrTool) {
		t.Errorf("error %v, want %v", err, mcp.ErrTool)
	}
	if got := textOf(t, r); got != "it went wrong" {
		t.Errorf("the tool says %q", got)
	}
	for _, test := range []struct {
		name, tool, args string
		want             error
	}{
		{"unknown tool", "one__none", "{}", mcp.ErrUnknownTool},
		{"no prefix", "echo", "{}", mcp.ErrUnknownTool},
		{"unknown server", "two__echo", "{}", mcp.ErrUnknownTool},
		{"array", "one__echo", "[]", mcp.ErrArguments},
		{"null", "one__echo", "null", mcp.ErrArguments},
		{"cut", "one__echo", `{"a":`, mcp.ErrArguments},
		{"two", "one__echo", `{} {}`, mcp.ErrArguments},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := s.Call(t.Context(), test.tool, []byte(test.args))
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if diff := cmp.Diff(server.Result{}, r); diff != "" {
				t.Errorf("result mismatch (-want +got):\n%s", diff)
			}
		})
	}
	_, err = s.Call(t.Context(), "one__refuse", nil)
	var e *mcp.Error
	if !errors.As(err, &e) || e.Code != -32050 {
		t.Errorf("error %v, want one with code -32050", err)
	}
	if want := `mcp server "one": call refuse: the server answered with error -32050: not with [redacted]`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestResult(t *testing.T) {
	s := connect(t, nil, stdio(t, "one", "serve"))
	got, err := s.Call(t.Context(), "one__media", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := server.Result{
		Items: []server.Item{
			&server.TextItem{},
			&server.MediaItem{Part: &server.ImagePart{MIMEType: "image/png", Data: []byte{1, 2}}},
			&server.MediaItem{Part: &server.AudioPart{MIMEType: "audio/wav", Data: []byte{3}}},
			&server.MediaItem{Part: &server.ResourcePart{URI: "file:///a%20b.txt", Name: "a b.txt", Title: "T", Description: "D", MIMEType: "text/plain", Path: "/a b.txt", Size: 12}},
			&server.MediaItem{Part: &server.DocumentPart{URI: "file:///c.txt", MIMEType: "text/plain", Path: "/c.txt", Text: "c"}},
			&server.MediaItem{Part: &server.DocumentPart{URI: "https://example.com/d", MIMEType: "image/gif", Data: []byte{4}}},
		},
		Output: []byte(`{"n":1}`),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result mismatch (-want +got):\n%s", diff)
	}
}

// TestEnvironment shows that a server has what its session's client sent and a few variables that every program needs, and nothing of the agent's or another session's.
func TestEnvironment(t *testing.T) {
	t.Setenv("PROVIDER_API_KEY", "of the agent")
	dir := t.TempDir()
	a := connect(t, &mcp.Options{Dir: dir}, stdio(t, "one", "serve", "SECRET=alpha", "HOME=/elsewhere"))
	b := connect(t, nil, stdio(t, "one", "serve", "SECRET=beta"))
	names := []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TMPDIR", "SECRET", behaviourEnv}
	for _, test := range []struct {
		name    string
		session *mcp.Session
		secret  string
	}{{"a", a, "alpha"}, {"b", b, "beta"}} {
		env := strings.Split(call(t, test.session, "one__env", ""), "\n")
		if !slices.Contains(env, "SECRET="+test.secret) {
			t.Errorf("session %s: its variable is missing", test.name)
		}
		for _, pair := range env {
			if name, _, _ := strings.Cut(pair, "="); runtime.GOOS != "windows" && !slices.Contains(names, name) {
				t.Errorf("session %s: its server has the variable %s", test.name, name)
			}
		}
	}
	if env := call(t, a, "one__env", ""); !strings.Contains(env, "HOME=/elsewhere") {
		t.Error("what the client sent does not go before what is inherited")
	}
	if call(t, a, "one__pid", "") == call(t, b, "one__pid", "") {
		t.Error("two sessions share a process")
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, a, "one__cwd", ""); got != real {
		t.Errorf("working directory %q, want %q", got, real)
	}
}

// TestPath finds a command by the PATH that the client sent.
func TestPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege on Windows")
	}
	srv := stdio(t, "one", "serve")
	dir := t.TempDir()
	if err := os.Symlink(srv.Command, filepath.Join(dir, "my-server")); err != nil {
		t.Fatal(err)
	}
	srv.Command = "my-server"
	srv.Env = append(srv.Env, "PATH=relative:"+dir)
	if got := call(t, connect(t, nil, srv), "one__echo", ""); got != "{}" {
		t.Errorf("echo says %q", got)
	}
	srv.Command, srv.Env = "./my-server", srv.Env[:1]
	if got := call(t, connect(t, &mcp.Options{Dir: dir}, srv), "one__echo", ""); got != "{}" {
		t.Errorf("echo says %q", got)
	}
}

func TestFailures(t *testing.T) {
	const secret = "s3cr3t value/€"
	broken := func(change func(*server.MCPStdio)) *server.MCPStdio {
		srv := stdio(t, "broken", "serve", "SECRET="+secret)
		change(srv)
		return srv
	}
	for _, test := range []struct {
		name   string
		server server.MCPServer
		want   error
	}{
		{"no such command", broken(func(s *server.MCPStdio) { s.Command = "acpwire-no-such-command" }), exec.ErrNotFound},
		{"no such file", broken(func(s *server.MCPStdio) { s.Command = filepath.Join(t.TempDir(), "none") }), os.ErrNotExist},
		{"not executable", broken(func(s *server.MCPStdio) { s.Command = plainFile(t) }), os.ErrPermission},
		{"no command", broken(func(s *server.MCPStdio) { s.Command = "" }), mcp.ErrConfig},
		{"bad variable", broken(func(s *server.MCPStdio) { s.Env = append(s.Env, secret) }), mcp.ErrConfig},
		{"bad name", broken(func(s *server.MCPStdio) { s.Name = "a b" }), mcp.ErrName},
		{"no name", broken(func(s *server.MCPStdio) { s.Name = "" }), mcp.ErrName},
		{"long name", broken(func(s *server.MCPStdio) { s.Name = strings.Repeat("x", 129) }), mcp.ErrName},
		{"name in use", broken(func(s *server.MCPStdio) { s.Name = "good" }), mcp.ErrName},
		{"crash", stdio(t, "broken", "crash", "SECRET="+secret), mcp.ErrGone},
		{"bad JSON", stdio(t, "broken", "garbage", "SECRET="+secret), mcp.ErrGone},
		{"no answer", stdio(t, "broken", "silent", "SECRET="+secret), context.DeadlineExceeded},
		{"nil", nil, mcp.ErrConfig},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := &mcp.Options{Grace: 200 * time.Millisecond, ConnectTimeout: 20 * time.Second}
			if errors.Is(test.want, context.DeadlineExceeded) {
				opts.ConnectTimeout = time.Second
				// The machine may be too slow for the good server to be ready by then.
				s, failures := mcp.Connect(t.Context(), []server.MCPServer{test.server}, opts)
				defer func() { _ = s.Close() }()
				checkFailure(t, failures, test.want, secret)
				return
			}
			s, failures := mcp.Connect(t.Context(), []server.MCPServer{stdio(t, "good", "serve"), test.server}, opts)
			checkFailure(t, failures, test.want, secret)
			if got := call(t, s, "good__echo", ""); got != "{}" {
				t.Errorf("the good server says %q", got)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	nothingLeft(t)
}

func checkFailure(t *testing.T, failures []mcp.Failure, want error, secret string) {
	t.Helper()
	if len(failures) != 1 {
		t.Fatalf("failures %v, want one", failures)
	}
	err := failures[0].Err
	if want != nil && !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
	var e *mcp.Error
	if !errors.As(err, &e) {
		t.Errorf("error %T, want %T", err, e)
	}
	for err := err; err != nil; err = errors.Unwrap(err) {
		for _, part := range strings.Fields(secret) {
			if strings.Contains(err.Error(), part) {
				t.Errorf("the error holds a secret: %v", err)
			}
		}
	}
	t.Log(err)
}

func plainFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDeath lets one of two servers die in a call. The other goes on.
func TestDeath(t *testing.T) {
	s := connect(t, nil, stdio(t, "one", "serve", "SECRET=hunter22"), stdio(t, "two", "serve"))
	for _, tool := range []string{"one__die", "one__echo"} {
		_, err := s.Call(t.Context(), tool, nil)
		if !errors.Is(err, mcp.ErrGone) {
			t.Errorf("%s: error %v, want %v", tool, err, mcp.ErrGone)
		}
		if err != nil && strings.Contains(err.Error(), "hunter22") {
			t.Errorf("the error holds a secret: %v", err)
		}
	}
	if got := call(t, s, "two__echo", ""); got != "{}" {
		t.Errorf("the other server says %q", got)
	}
}

func TestCallContext(t *testing.T) {
	s := connect(t, nil, stdio(t, "one", "serve"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Call(ctx, "one__wait", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	if got := call(t, s, "one__echo", ""); got != "{}" {
		t.Errorf("after a call that was cancelled, the server says %q", got)
	}
}

func TestConnectContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	s, failures := mcp.Connect(ctx, []server.MCPServer{stdio(t, "one", "silent")}, nil)
	checkFailure(t, failures, context.Canceled, "none at all")
	_ = s.Close()

	// A session does not depend on the context with which it was connected.
	ctx, cancel = context.WithCancel(t.Context())
	s, failures = mcp.Connect(ctx, []server.MCPServer{stdio(t, "one", "serve")}, nil)
	cancel()
	if len(failures) != 0 {
		t.Fatal(failures)
	}
	if got := call(t, s, "one__echo", ""); got != "{}" {
		t.Errorf("echo says %q", got)
	}
	_ = s.Close()
	nothingLeft(t)
}

// TestClose closes a session in whose server a call is running, and whose server neither ends by itself nor is alone.
func TestClose(t *testing.T) {
	s := connect(t, &mcp.Options{Grace: 100 * time.Millisecond}, stdio(t, "one", "stubborn"))
	var pids []int
	for _, tool := range []string{"one__pid", "one__label"} {
		pid, err := strconv.Atoi(call(t, s, tool, ""))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	waiting := make(chan error)
	go func() {
		_, err := s.Call(t.Context(), "one__wait", nil)
		waiting <- err
	}()
	call(t, s, "one__echo", "")
	begun := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("closing took %v", took)
	}
	if err := <-waiting; !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("error of the running call %v, want %v", err, mcp.ErrClosed)
	}
	if _, err := s.Call(t.Context(), "one__echo", nil); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("error of a call %v, want %v", err, mcp.ErrClosed)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
	for _, pid := range pids {
		if !ended(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	nothingLeft(t)
}

// ended waits for a process to end. One that its parent has not asked about yet counts as ended.
func ended(pid int) bool {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		p, err := os.FindProcess(pid)
		if err != nil || p.Signal(syscall.Signal(0)) != nil {
			return true
		}
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
	}
	return false
}

func TestNoServers(t *testing.T) {
	s := connect(t, nil)
	if tools := s.Tools(); len(tools) != 0 {
		t.Errorf("tools %v", tools)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
