package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// acpcheck builds the checker once.
var acpcheck = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "acprun-test-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "acpcheck")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", program, "github.com/acpwire/acpwire/tools/acpcheck").CombinedOutput()
	if err != nil {
		err = &buildError{string(out), err}
	}
	return program, err
})

type buildError struct {
	out string
	err error
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + e.out }

// checkRecord runs acpcheck validate on a transcript.
func checkRecord(t *testing.T, file string) {
	t.Helper()
	program, err := acpcheck()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "validate", file).CombinedOutput()
	if err != nil {
		t.Errorf("acpcheck validate: %v\n%s", err, out)
	}
}

// records reads a transcript.
func records(t *testing.T, file string) []record {
	t.Helper()
	var list []record
	for lines := bufio.NewScanner(bytes.NewReader([]byte(get(t, file)))); lines.Scan(); {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		list = append(list, r)
	}
	return list
}

// TestRecord checks a transcript of everything that this client does, with secrets that must not be in it.
func TestRecord(t *testing.T) {
	const secret = "s3cret-value-1"
	dir := t.TempDir()
	file := filepath.Join(dir, "record.jsonl")
	var servers []acpv1.MCPServer
	tr := &trial{dir: dir, env: map[string]string{"KEY": secret}, agent: &fakeAgent{
		capabilities: &acpv1.AgentCapabilities{MCPCapabilities: &acpv1.MCPCapabilities{HTTP: new(true), SSE: new(true)}},
		newSession: func(_ context.Context, _ *fakeAgent, p *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
			servers = p.MCPServers
			return &acpv1.NewSessionResponse{SessionID: "s1"}, nil
		},
		prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
			for _, u := range []acpv1.SessionUpdate{
				acpv1.MessageText("line\u2028 \x00 \"quoted\" é " + secret),
				&acpv1.ToolCall{ToolCallID: "1", Title: "T", Content: []acpv1.ToolCallContent{&acpv1.Diff{Path: dir, NewText: "x"}}},
			} {
				if err := a.update(ctx, u); err != nil {
					return "", err
				}
			}
			_, readErr := a.client.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: "s1", Path: filepath.Join(dir, "none")})
			_, err := a.client.RequestPermission(ctx, permissionRequest(allOptions...))
			if err != nil {
				return "", err
			}
			return acpv1.StopReasonRefusal, a.say(ctx, readErr.Error())
		},
	}}
	r := tr.run(t.Context(), t, "--record", file,
		"--mcp", "a=KEY=tiny OTHER=$KEY /server --token $KEY", "--mcp", "b=https://host/p?k="+secret+" 'Authorization: $KEY'", "--mcp", "c=sse+https://host/ A:b",
		"hello", "--", "agent")
	r.check(t, 4)
	for name, text := range map[string]string{"the transcript": get(t, file), "standard output": r.stdout, "standard error": r.stderr} {
		if strings.Contains(text, secret) || strings.Contains(text, "tiny") {
			t.Errorf("%s shows a secret:\n%s", name, text)
		}
	}
	if s, ok := servers[0].(*acpv1.MCPServerStdio); !ok || s.Env[1].Value != secret || s.Args[1] != secret {
		t.Errorf("the agent got %+v", servers[0])
	}
	checkRecord(t, file)
	var dirs []string
	last := int64(0)
	for _, rec := range records(t, file) {
		dirs = append(dirs, rec.Dir)
		if rec.T < last {
			t.Errorf("time %d after %d", rec.T, last)
		}
		last = rec.T
	}
	// initialize, session/new, session/prompt; two updates; read, permission; update; end.
	want := "c2a a2c c2a a2c c2a a2c a2c a2c c2a a2c c2a a2c a2c"
	if got := strings.Join(dirs, " "); got != want {
		t.Errorf("directions %s, want %s", got, want)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
}

// TestRecordRaw checks that lines are recorded as they are, also those that are no frames.
func TestRecordRaw(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record")
	r, err := newRecorder(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{`{"a": 1 }`, "noise \t é", `"\u00e9"`, "bad \xff bytes"}
	for i, line := range lines {
		r.write([]string{"c2a", "a2c"}[i%2], []byte(line))
	}
	before := get(t, file) // nothing waits in a buffer
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	r.write("a2c", []byte("late"))
	if diff := cmp.Diff(before, get(t, file)); diff != "" {
		t.Errorf("after close: mismatch (-before +after):\n%s", diff)
	}
	got := strings.Split(strings.TrimSuffix(before, "\n"), "\n")
	if len(got) != len(lines) {
		t.Fatalf("%d lines, want %d:\n%s", len(got), len(lines), before)
	}
	for i, line := range lines[:3] {
		var rec record
		if err := json.Unmarshal([]byte(got[i]), &rec); err != nil || rec.Raw != line {
			t.Errorf("record %s, %v; want %q", got[i], err, line)
		}
	}
	if got[3] != lines[3] {
		t.Errorf("line %q, want %q", got[3], lines[3])
	}
}

// TestRecordFails checks that a transcript that cannot be written is not passed over.
func TestRecordFails(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no device that is always full")
	}
	(&trial{agent: obedient()}).run(t.Context(), t, "--record", "/dev/full", "hello", "--", "agent").check(t, 1, "--record")
}

// TestRecordCancelled checks the transcript of a turn that was cancelled.
func TestRecordCancelled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record")
	interrupts := make(chan os.Signal)
	agent := &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
		interrupts <- os.Interrupt
		<-ctx.Done()
		return acpv1.StopReasonCancelled, nil
	}}
	(&trial{agent: agent, interrupts: interrupts}).run(t.Context(), t, "--record", file, "hello", "--", "agent").check(t, 130)
	checkRecord(t, file)
	if text := get(t, file); !strings.Contains(text, `\"method\":\"session/cancel\"`) {
		t.Errorf("no session/cancel in\n%s", text)
	}
}
