package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store/sqlite"
)

// With this variable set to a file, the test binary is an agent that keeps its sessions there.
const beKeeper = "ACPWIRE_TEST_BE_KEEPER"

// A keeper is an engine all of whose turns are alike: see keptTurn.
type keeper struct {
	Base
	mu       sync.Mutex
	restored map[string][]Entry
}

const keptRounds = 3

func (k *keeper) Prompt(_ context.Context, t *Turn) (Finish, error) {
	text := t.Text()
	for i := range keptRounds {
		id := fmt.Sprintf("%s %d", text, i)
		err := errors.Join(t.Think(text), t.Say(text), t.Say(text))
		c := t.Tool("run", Execute, "Run", CallID(id), Input(id))
		err = errors.Join(err, c.Start(), c.Output(Text("so far")), c.Done(Text(id)))
		if err != nil {
			return Failed, err
		}
	}
	return Stop, t.Say(text)
}

func (k *keeper) Restore(_ context.Context, s *Session, history []Entry) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.restored == nil {
		k.restored = make(map[string][]Entry)
	}
	k.restored[s.ID()] = history
	return nil
}

// keptTurn returns what the replay of a turn is.
func keptTurn(text string) []string {
	list := []string{"user " + text}
	for i := range keptRounds {
		list = append(list, "thought "+text, "agent "+text+text, fmt.Sprintf("call %[1]s %[2]d completed %[1]s %[2]d", text, i))
	}
	return append(list, "agent "+text)
}

// replayed returns updates in the form of keptTurn.
func replayed(updates []acpv1.SessionUpdate) []string {
	var list []string
	for _, u := range updates {
		switch u := u.(type) {
		case *acpv1.UserMessageChunk:
			text, _ := acpv1.TextOf(u.Content)
			list = append(list, "user "+text)
		case *acpv1.AgentThoughtChunk:
			text, _ := acpv1.TextOf(u.Content)
			list = append(list, "thought "+text)
		case *acpv1.AgentMessageChunk:
			text, _ := acpv1.TextOf(u.Content)
			list = append(list, "agent "+text)
		case *acpv1.ToolCall:
			s := fmt.Sprintf("call %s %s", u.ToolCallID, *u.Status)
			for _, c := range u.Content {
				text, _ := acpv1.TextOf(c.(*acpv1.Content).Content)
				s += " " + text
			}
			list = append(list, s)
		default:
			list = append(list, fmt.Sprintf("%T", u))
		}
	}
	return list
}

// A keptPrompt is a prompt, and what the client has learned of its turn.
type keptPrompt struct {
	text     string
	answered bool
	results  int  // tool calls after whose results the turn went on: the results are in the store then
	begun    bool // something of it was seen
}

func serveKeeper(path string) int {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := Run(ctx, new(keeper), &Options{Store: s}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A keeperProcess is an agent in a process of its own, and its client.
type keeperProcess struct {
	*editor
	cmd  *exec.Cmd
	seen chan struct{} // has a token for each update
	said strings.Builder
}

func startKeeper(t *testing.T, path string) *keeperProcess {
	t.Helper()
	p := &keeperProcess{editor: &editor{t: t, log: &wireLog{}}, cmd: exec.Command(os.Args[0]), seen: make(chan struct{}, 1000)}
	p.cmd.Env = append(os.Environ(), beKeeper+"="+path)
	p.cmd.Stderr = &p.said
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.ClientConn = acp.NewClient(acp.Duplex(out, in), p, &acp.Options{Tap: clientTap{p.log}})
	return p
}

// clientTap makes a log of the client's end look like one of the agent's end.
type clientTap struct{ log *wireLog }

func (c clientTap) Received(line []byte) { c.log.Sent(line) }
func (c clientTap) Sent(line []byte)     { c.log.Received(line) }

func (p *keeperProcess) SessionUpdate(ctx context.Context, n *acpv1.SessionNotification) error {
	err := p.editor.SessionUpdate(ctx, n)
	select {
	case p.seen <- struct{}{}:
	default:
	}
	return err
}

// killAfter kills the process some time after the client has seen so many updates.
func (p *keeperProcess) killAfter(updates int, delay time.Duration) {
	for range updates {
		select {
		case <-p.seen:
		case <-p.Done():
			return
		}
	}
	time.Sleep(delay)
	_ = p.cmd.Process.Kill()
}

// gone waits for the end of the process.
func (p *keeperProcess) gone() {
	<-p.Done()
	_ = p.cmd.Wait()
	if p.said.Len() > 0 {
		p.t.Errorf("the agent failed: %s", &p.said)
	}
}

// talk prompts until the agent is killed, or so many times, and returns what was learned.
func (p *keeperProcess) talk(id acpv1.SessionID, name string, times int) []keptPrompt {
	var prompts []keptPrompt
	for i := range times {
		text := fmt.Sprintf("%s t%d", name, i)
		stop, err := p.ask(id, text)
		if err == nil && stop != acpv1.StopReasonEndTurn {
			p.t.Errorf("%s was answered %q", text, stop)
		}
		k := learned(p.editor.seen(id), text)
		k.answered = err == nil
		prompts = append(prompts, k)
		if err != nil {
			break
		}
	}
	return prompts
}

func learned(updates []acpv1.SessionUpdate, text string) keptPrompt {
	k := keptPrompt{text: text}
	done := 0
	for _, u := range updates {
		switch u := u.(type) {
		case *acpv1.AgentMessageChunk:
			if said, _ := acpv1.TextOf(u.Content); said == text {
				k.begun, k.results = true, done
			}
		case *acpv1.AgentThoughtChunk:
			if said, _ := acpv1.TextOf(u.Content); said == text {
				k.begun, k.results = true, done
			}
		case *acpv1.ToolCallUpdate:
			if strings.HasPrefix(string(u.ToolCallID), text+" ") && u.Status != nil && *u.Status == acpv1.ToolCallStatusCompleted {
				done++
			}
		default:
		}
	}
	return k
}

// checkKept compares a replay with what was learned of the session, and returns which turns are torn.
func checkKept(t *testing.T, got []string, prompts []keptPrompt) (torn []string) {
	t.Helper()
	for _, p := range prompts {
		want := keptTurn(p.text)
		n := 0
		for n < len(want) && n < len(got) && got[n] == want[n] {
			n++
		}
		failed := false // a call that has begun and has no result
		if n < len(want) && n < len(got) {
			call, _, ok := strings.Cut(want[n], " completed ")
			failed = ok && got[n] == call+" failed"
		}
		got = got[n:]
		least := 0
		switch {
		case p.answered:
			least = len(want)
		case p.begun:
			least = 1 + 3*p.results
		}
		if n < least {
			t.Errorf("%s: %d of %d acknowledged updates are replayed; then comes %q", p.text, n, least, got[:min(1, len(got))])
		}
		if failed {
			got = got[1:]
		}
		if n > 0 && n < len(want) {
			torn = append(torn, p.text)
		}
	}
	if len(got) > 0 {
		t.Errorf("replayed beyond what was said: %q", got)
	}
	return torn
}

// reopen reads sessions with a new server, as a client sees them, and returns how many torn turns they have. If goOn, it prompts in each.
func reopen(t *testing.T, path string, kept map[acpv1.SessionID][]keptPrompt, goOn bool) (torn int) {
	t.Helper()
	keep, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := keep.Close(); err != nil {
			t.Error(err)
		}
	}()
	engine := new(keeper)
	e := open(t, engine, &Options{Store: keep, PageSize: 7})
	defer e.leave()
	var listed []acpv1.SessionID
	for cursor := (*string)(nil); ; {
		page, err := e.ListSessions(t.Context(), &acpv1.ListSessionsRequest{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page.Sessions {
			listed = append(listed, s.SessionID)
		}
		if cursor = page.NextCursor; cursor == nil {
			break
		}
	}
	for id, prompts := range kept {
		if n := len(slices.DeleteFunc(slices.Clone(listed), func(l acpv1.SessionID) bool { return l != id })); n != 1 {
			t.Errorf("session %s is listed %d times", id, n)
		}
		if _, err := e.LoadSession(t.Context(), &acpv1.LoadSessionRequest{SessionID: id, Cwd: "/w", MCPServers: []acpv1.MCPServer{}}); err != nil {
			t.Errorf("load: %v", err)
			continue
		}
		tears := checkKept(t, replayed(e.seen(id)), prompts)
		checkTorn(t, engine.restored[string(id)], tears, prompts)
		torn += len(tears)
		if goOn {
			text := "on " + string(id)
			if stop, err := e.ask(id, text); err != nil || stop != acpv1.StopReasonEndTurn {
				t.Errorf("after the kill: %q, %v", stop, err)
			}
			kept[id] = append(prompts, keptPrompt{text: text, answered: true})
		}
	}
	e.leave()
	for _, p := range checkWire(e.log.all(), false).problems {
		t.Error(p)
	}
	return torn
}

// checkTorn checks that the last entry of each torn turn is marked, and no other. A turn of which all is there may still be torn: it was not committed.
func checkTorn(t *testing.T, history []Entry, torn []string, prompts []keptPrompt) {
	t.Helper()
	answered := make(map[string]bool)
	for _, p := range prompts {
		answered[p.text] = p.answered
	}
	var marked []string
	turn := ""
	for i, e := range history {
		if text, ok := e.Blocks[0].(*TextBlock); ok && e.Role == UserRole {
			turn = text.Text
		}
		last := i == len(history)-1 || history[i+1].Role == UserRole
		switch {
		case e.Torn && (!last || answered[turn]):
			t.Errorf("%s: entry %d is marked as torn", turn, i)
		case e.Torn && slices.Contains(torn, turn):
			marked = append(marked, turn)
		}
	}
	if diff := cmp.Diff(torn, marked); diff != "" {
		t.Errorf("torn turns mismatch (-want +got):\n%s", diff)
	}
}

// TestKilled kills an agent in its turns, again and again on one store. A new server on the store then has all that the client knew to be done.
func TestKilled(t *testing.T) {
	times := 200
	if testing.Short() {
		times = 10
	}
	random := rand.New(rand.NewPCG(11, 11))
	path := filepath.Join(t.TempDir(), "store")
	all := make(map[acpv1.SessionID][]keptPrompt)
	var last acpv1.SessionID
	for i := range times {
		p := startKeeper(t, path)
		p.hello()
		id := last
		if i%3 == 0 {
			id = p.newSession()
		} else if _, err := p.ResumeSession(t.Context(), &acpv1.ResumeSessionRequest{SessionID: id, Cwd: "/w", MCPServers: []acpv1.MCPServer{}}); err != nil {
			t.Fatal(err)
		}
		updates, delay := random.IntN(45), time.Duration(random.IntN(1500))*time.Microsecond
		go p.killAfter(updates, delay)
		prompts := p.talk(id, fmt.Sprintf("r%d", i), 1000)
		p.gone()
		last = id
		all[id] = append(all[id], prompts...)
		reopen(t, path, map[acpv1.SessionID][]keptPrompt{id: all[id]}, false)
		for _, problem := range checkWire(p.log.all(), false).problems {
			if !strings.Contains(problem, "not answered") {
				t.Error(problem)
			}
		}
		if t.Failed() {
			t.Fatalf("kill %d of %d, after %d updates and %v", i+1, times, updates, delay)
		}
	}
	torn := reopen(t, path, all, true)
	if torn < times/2 {
		t.Errorf("only %d of %d kills tore a turn", torn, times)
	}
	if again := reopen(t, path, all, false); again != torn {
		t.Errorf("%d torn turns, and later %d", torn, again)
	}
	t.Logf("%d kills, %d torn turns", times, torn)
}

// TestTwoProcesses has two agents on one store at once, and kills one of them while the other goes on.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	kept := make(map[acpv1.SessionID][]keptPrompt)
	var mu sync.Mutex
	var all sync.WaitGroup
	processes := []*keeperProcess{startKeeper(t, path), startKeeper(t, path)}
	for i, p := range processes {
		p.hello()
		for n := range 3 {
			id := p.newSession()
			all.Go(func() {
				prompts := p.talk(id, fmt.Sprintf("p%d s%d", i, n), []int{12, 1000}[i])
				mu.Lock()
				defer mu.Unlock()
				kept[id] = prompts
			})
		}
	}
	all.Go(func() { processes[1].killAfter(150, time.Millisecond) })
	all.Wait()
	processes[1].gone()
	other, err := processes[0].ListSessions(t.Context(), &acpv1.ListSessionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(other.Sessions) != len(kept) {
		t.Errorf("the process that lives lists %d sessions of %d", len(other.Sessions), len(kept))
	}
	reopen(t, path, kept, false)
	_ = processes[0].Close()
	processes[0].gone()
	reopen(t, path, kept, true)
	reopen(t, path, kept, false)
}
