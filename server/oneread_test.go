package server

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// A patient engine ends its turns when they are cancelled, and can take up sessions.
type patient struct{ script }

func (patient) Restore(context.Context, *Session, []Entry) error { return nil }

// TestEndInOneRead sends prompts and what ends their session in one write: the prompts are answered first, for they came first, and they are over then.
func TestEndInOneRead(t *testing.T) {
	const (
		prompt    = `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}}`
		cancelled = "session/prompt result cancelled"
	)
	for _, tt := range []struct {
		name, end string
		policy    PromptPolicy
		want      []string // but for the order of prompts
	}{
		{"close", `{"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":%q}}`, Queue, []string{cancelled, cancelled, "session/close result"}},
		{"delete", `{"jsonrpc":"2.0","id":9,"method":"session/delete","params":{"sessionId":%q}}`, Queue, []string{cancelled, cancelled, "session/delete result"}},
		{"load", `{"jsonrpc":"2.0","id":9,"method":"session/load","params":{"cwd":"/w","mcpServers":[],"sessionId":%q}}`, Queue, []string{cancelled, cancelled, "session/load result"}},
		{"resume", `{"jsonrpc":"2.0","id":9,"method":"session/resume","params":{"cwd":"/w","sessionId":%q}}`, Queue, []string{cancelled, cancelled, "session/resume result"}},
		{"close, one refused", `{"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":%q}}`, Reject, []string{"session/prompt error -32600", cancelled, "session/close result"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 50 {
				log := &wireLog{}
				s := New(patient{script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
					<-ctx.Done()
					return Stop, nil
				}}}, &Options{ACP: acp.Options{Tap: log}, Store: new(store.Memory), Policy: tt.policy})
				client, agent := acp.Pipe()
				served := make(chan error, 1)
				go func() { served <- s.Serve(context.Background(), agent) }()
				go func() { _, _ = io.Copy(io.Discard, client) }()
				say := func(lines ...string) {
					if _, err := io.WriteString(client, strings.Join(lines, "\n")+"\n"); err != nil {
						t.Error(err)
					}
				}
				say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
				await(t, log, 1)
				say(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
				await(t, log, 2)
				id := sessionIDs(log)[0]
				say(fmt.Sprintf(prompt, 2, id), fmt.Sprintf(prompt, 3, id), fmt.Sprintf(tt.end, id))
				answers := func() []string {
					return slices.DeleteFunc(log.sent()[2:], func(line string) bool { return strings.HasPrefix(line, "user_message_chunk") })
				}
				awaitFor(t, "three answers", func() bool { return len(answers()) >= 3 })
				_ = client.Close()
				if err := <-served; err != nil {
					t.Error(err)
				}
				got := answers()
				slices.Sort(got[:2])
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Fatalf("mismatch (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestEchoModes shows that the option tells the client also of the changes that it has made itself, before the response.
func TestEchoModes(t *testing.T) {
	for _, tt := range []struct {
		echo bool
		want []string
	}{
		{false, []string{"config_option_update", "session/set_mode result", "session/set_mode result"}},
		{true, []string{"current_mode_update plan", "config_option_update", "session/set_mode result", "session/set_mode result"}},
	} {
		e := open(t, newRich(), &Options{EchoModes: tt.echo})
		id := e.newSession()
		await(t, e.log, 3) // the commands
		before := len(e.log.sent())
		for range 2 { // the second changes nothing
			if _, err := e.SetSessionMode(t.Context(), &acpv1.SetSessionModeRequest{SessionID: id, ModeID: "plan"}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(tt.want, e.log.sent()[before:]); diff != "" {
			t.Errorf("echo %t: mismatch (-want +got):\n%s", tt.echo, diff)
		}
	}
}
