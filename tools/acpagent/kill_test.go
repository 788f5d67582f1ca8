package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// A listener is a client that keeps what it hears.
type listener struct {
	*fakeClient
	*acp.ClientConn
	cmd *exec.Cmd

	mu     sync.Mutex
	heard  []string
	doomed int // how many updates there are before the process is killed; zero is for ever
	delay  time.Duration
}

func (l *listener) SessionUpdate(_ context.Context, n *acpv1.SessionNotification) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doomed--; l.doomed == 0 {
		time.AfterFunc(l.delay, func() { _ = l.cmd.Process.Kill() })
	}
	switch u := n.Update.(type) {
	case *acpv1.UserMessageChunk:
		text, _ := acpv1.TextOf(u.Content)
		l.heard = append(l.heard, "user: "+text)
	case *acpv1.AgentMessageChunk:
		text, _ := acpv1.TextOf(u.Content)
		l.heard = append(l.heard, "agent: "+text)
	case *acpv1.ToolCall:
		l.heard = append(l.heard, "tool "+u.Title+": "+string(*u.Status))
	default:
	}
	return nil
}

func (l *listener) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	heard := l.heard
	l.heard = nil
	return heard
}

// startProcess runs the agent as a process of its own.
func startProcess(t *testing.T, store string) *listener {
	t.Helper()
	l := &listener{fakeClient: newFakeClient(), cmd: exec.Command(os.Args[0], "--store", store)}
	l.cmd.Env = append(os.Environ(), roleEnv+"=agent")
	l.cmd.Stderr = os.Stderr
	in, err := l.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tap := conform.NewTap(wire.ClientSide, nil, func(f conform.Finding, line []byte) {
		if f.Severity == conform.Error {
			t.Errorf("%s\n%s", f, line)
		}
	})
	l.ClientConn = acp.NewClient(acp.Duplex(out, in), l, &acp.Options{Tap: tap})
	if _, err := l.Initialize(t.Context(), &acpv1.InitializeRequest{ClientCapabilities: l.capabilities()}); err != nil {
		t.Fatal(err)
	}
	return l
}

// say prompts and reports whether there was an answer.
func (l *listener) say(t *testing.T, id acpv1.SessionID, text string) bool {
	t.Helper()
	r, err := l.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text(text)})
	if err == nil && r.StopReason != acpv1.StopReasonEndTurn {
		t.Errorf("%s: %s", text, r.StopReason)
	}
	return err == nil
}

// listed returns how often each session is listed.
func (l *listener) listed(t *testing.T) map[acpv1.SessionID]int {
	t.Helper()
	found := map[acpv1.SessionID]int{}
	for p := (&acpv1.ListSessionsRequest{}); ; {
		r, err := l.ListSessions(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Sessions {
			found[s.SessionID]++
		}
		if p.Cursor = r.NextCursor; p.Cursor == nil {
			return found
		}
	}
}

// lines is what a turn that came to its end is replayed as.
func lines(text string) []string {
	return []string{"user: /write " + text, "tool Write " + text + ": completed", "agent: Wrote 0 bytes to " + text + "."}
}

// TestKilled kills an agent in its turns, again and again. The next one on the same store lists the session and replays every turn that was answered, and of the turn that
// was not what there was of it.
func TestKilled(t *testing.T) {
	kills := 30
	if testing.Short() {
		kills = 5
	}
	random := rand.New(rand.NewPCG(3, 5))
	store := filepath.Join(t.TempDir(), "store")
	var id acpv1.SessionID
	var said []string
	torn := 0
	for i := range kills + 1 {
		l := startProcess(t, store)
		if id == "" {
			id = newSession(t, l.ClientConn)
		} else {
			if got := l.listed(t); got[id] != 1 || len(got) != 1 {
				t.Fatalf("kill %d: listed %v", i, got)
			}
			if _, err := l.LoadSession(t.Context(), &acpv1.LoadSessionRequest{SessionID: id, Cwd: home, MCPServers: []acpv1.MCPServer{}}); err != nil {
				t.Fatalf("kill %d: %v", i, err)
			}
			got := l.take()
			if diff := gocmp.Diff(said, got[:min(len(said), len(got))]); diff != "" {
				t.Fatalf("kill %d: mismatch (-want +got):\n%s", i, diff)
			}
			if len(got) > len(said) {
				torn++
			}
			said = got // the torn turn is part of the history now
		}
		if i == kills {
			if !l.say(t, id, "/write last") {
				t.Error("the last agent does not answer")
			}
			if err := errors.Join(l.Close(), l.cmd.Wait()); err != nil {
				t.Error(err)
			}
			break
		}
		if !l.say(t, id, "/mode auto") {
			t.Fatal("no answer")
		}
		said = append(said, "user: /mode auto", "agent: The mode is auto now.")
		l.mu.Lock()
		l.doomed, l.delay = 1+random.IntN(30), time.Duration(random.IntN(1500))*time.Microsecond
		l.mu.Unlock()
		for n := 0; ; n++ {
			text := fmt.Sprintf("file-%d-%d", i, n)
			if !l.say(t, id, "/write "+text) {
				break
			}
			said = append(said, lines(text)...)
		}
		_ = l.Close()
		if err := l.cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("the agent ended: %v, want it killed", err)
		}
	}
	if torn < kills/3 {
		t.Errorf("only %d of %d kills tore a turn", torn, kills)
	}
	t.Logf("%d kills, %d torn turns, %d updates", kills, torn, len(said))
}
