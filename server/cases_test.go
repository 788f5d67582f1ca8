package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// TestCancelInOneRead sends prompts and their cancellations in one write, for two sessions: all end cancelled, though the cancellations are read before the turns begin.
func TestCancelInOneRead(t *testing.T) {
	for name, cancel := range map[string]func(id int, session string) string{
		"session/cancel": func(_ int, session string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", session)
		},
		"$/cancel_request": func(id int, _ string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`+"\n", id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				log := &wireLog{}
				s := New(script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
					<-ctx.Done()
					return Stop, nil
				}}, &Options{ACP: acp.Options{Tap: log}})
				client, agent := acp.Pipe()
				served := make(chan error, 1)
				go func() { served <- s.Serve(context.Background(), agent) }()
				go func() { _, _ = io.Copy(io.Discard, client) }()
				say := func(line string) {
					if _, err := io.WriteString(client, line); err != nil {
						t.Error(err)
					}
				}
				say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}` + "\n")
				await(t, log, 1)
				for id := 1; id <= 2; id++ {
					say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`+"\n", id))
					await(t, log, 1+id)
				}
				var frames strings.Builder
				ids := sessionIDs(log)
				for i, id := range ids {
					fmt.Fprintf(&frames, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`+"\n", 3+i, id)
				}
				for i, id := range ids {
					frames.WriteString(cancel(3+i, id))
				}
				say(frames.String())
				await(t, log, 5)
				_ = client.Close()
				if err := <-served; err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff([]string{"session/prompt result cancelled", "session/prompt result cancelled"}, log.sent()[3:]); diff != "" {
					t.Fatalf("mismatch (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// await waits until the agent has sent so many frames.
func await(t *testing.T, log *wireLog, frames int) {
	t.Helper()
	awaitFor(t, "frames", func() bool { return len(log.sent()) >= frames })
}

// awaitFor waits until it is so.
func awaitFor(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !isSo() && t.Context().Err() == nil {
			pause()
		}
	}()
	eventually(t, what, done)
}

func sessionIDs(log *wireLog) (ids []string) {
	for _, f := range log.all() {
		if _, rest, ok := strings.Cut(string(f.msg.Result), `"sessionId":"`); ok {
			id, _, _ := strings.Cut(rest, `"`)
			ids = append(ids, id)
		}
	}
	return ids
}

// TestPromptParts shows that a prompt reaches the engine with all that was said.
func TestPromptParts(t *testing.T) {
	var got []Part
	engine := newRich()
	engine.prompt = func(_ context.Context, t *Turn) (Finish, error) {
		got = t.Prompt()
		return Stop, nil
	}
	e := open(t, engine, nil)
	_, err := e.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: e.newSession(), Prompt: []acpv1.ContentBlock{
		&acpv1.TextContent{Text: "see"}, &acpv1.ResourceLink{URI: "https://example.com/r", Name: "r.csv"}, &acpv1.ImageContent{Data: "AQ==", MIMEType: "image/png"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Part{&TextPart{"see"}, &ResourcePart{URI: "https://example.com/r", Name: "r.csv"}, &ImagePart{MIMEType: "image/png", Data: []byte{1}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestReplay shows that load says again what was said, with tool calls as they ended, and that the ids of old calls are not used again. A turn that was torn is not lost.
func TestReplay(t *testing.T) {
	keep := new(store.Memory)
	engine := newRich()
	var ids []string
	engine.prompt = func(_ context.Context, t *Turn) (Finish, error) {
		c := t.Tool("edit", Edit, "Edit", CallID("c"), Input(map[string]int{"n": 1}))
		ids = append(ids, c.ID())
		err := errors.Join(t.Think("hm"), t.Say("a"), t.Say("b"), c.Start(), c.Diff(&DiffItem{Path: "x", New: "y"}), c.Done(Text("done")), t.Say("c"))
		return Stop, err
	}
	e := open(t, engine, &Options{Store: keep})
	id := e.newSession()
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	torn, err := encodeEntry(Entry{Role: UserRole, Blocks: []Block{&TextBlock{"torn"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keep.Begin(t.Context(), string(id), "torn", torn); err != nil {
		t.Fatal(err)
	}
	before := len(e.log.sent())
	if _, err := e.LoadSession(t.Context(), &acpv1.LoadSessionRequest{SessionID: id, Cwd: "/w/", MCPServers: []acpv1.MCPServer{}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"user_message_chunk go", "agent_thought_chunk hm", "agent_message_chunk ab", "tool_call completed", "agent_message_chunk c", "user_message_chunk torn",
		"available_commands_update", "session/load result",
	}
	if diff := cmp.Diff(want, e.log.sent()[before:][:len(want)]); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if history := engine.restored[string(id)]; !history[len(history)-1].Torn || history[0].Torn || history[len(history)-2].Torn {
		t.Errorf("the torn turn, and it alone, is not marked: %+v", history)
	}
	if _, err := e.ask(id, "again"); err != nil {
		t.Fatal(err)
	}
	if len(ids) != 2 || ids[0] != "c" || ids[1] == "c" {
		t.Errorf("tool calls had the ids %q", ids)
	}
}

// TestManySessions shows that sessions that stream at once, on one connection and on many, do not mix.
func TestManySessions(t *testing.T) {
	const sessions, chunks = 200, 20
	srv := New(script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		for range chunks {
			if err := t.Say(t.Text()); err != nil {
				return Failed, err
			}
		}
		return Stop, nil
	}}, nil)
	for _, tt := range []struct {
		name string
		many bool
	}{{"on one connection", false}, {"on many", true}} {
		t.Run(tt.name, func(t *testing.T) {
			shared := connect(t, srv)
			shared.hello()
			var all sync.WaitGroup
			for i := range sessions {
				e := shared
				if tt.many {
					e = connect(t, srv)
					e.hello()
				}
				id := e.newSession()
				all.Go(func() {
					text := fmt.Sprint("s", i)
					if _, err := e.ask(id, text); err != nil {
						t.Error(err)
					}
					got := 0
					for _, u := range e.seen(id) {
						if said, _ := acpv1.TextOf(u.(*acpv1.AgentMessageChunk).Content); said == text {
							got++
						}
					}
					if got != chunks || len(e.seen(id)) != chunks {
						t.Errorf("%s: got %d of %d chunks", text, got, chunks)
					}
				})
			}
			all.Wait()
		})
	}
}
