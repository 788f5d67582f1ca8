package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server"
	"github.com/acpwire/acpwire/server/store/sqlite"
)

// A counter is an agent that counts what it was told, and goes on with that in the next process.
type counter struct{ server.Base }

func (counter) Open(_ context.Context, s *server.Session) error {
	s.SetData(new(int))
	return nil
}

func (counter) Restore(_ context.Context, s *server.Session, history []server.Entry) error {
	n := 0
	for _, entry := range history {
		if entry.Role == server.UserRole {
			n++
		}
	}
	s.SetData(&n)
	return nil
}

func (counter) Prompt(_ context.Context, turn *server.Turn) (server.Finish, error) {
	n := turn.Session().Data().(*int)
	*n++
	return server.Stop, turn.Say(fmt.Sprintf("Prompt %d.", *n))
}

// A screen prints what the agent says, and not what it says again.
type screen struct {
	acpv1.UnimplementedClient
	off bool
}

func (s *screen) SessionUpdate(_ context.Context, n *acpv1.SessionNotification) error {
	if chunk, ok := n.Update.(*acpv1.AgentMessageChunk); ok && !s.off {
		text, _ := acpv1.TextOf(chunk.Content)
		fmt.Println(text)
	}
	return nil
}

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "agent-")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	// run is one run of the agent, with a client that opens the session, or loads the one of before, and prompts.
	run := func(id acpv1.SessionID) acpv1.SessionID {
		sessions, err := sqlite.Open(ctx, filepath.Join(dir, "sessions.db"), nil)
		if err != nil {
			log.Fatal(err)
		}
		defer sessions.Close()
		here, there := acp.Pipe()
		go func() { _ = server.New(counter{}, &server.Options{Store: sessions}).Serve(ctx, there) }()

		screen := &screen{off: id != ""}
		client := acp.NewClient(here, screen, nil)
		defer client.Wait()
		defer client.Close()
		_, _ = client.Initialize(ctx, nil)
		if id == "" {
			r, _ := client.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: dir, MCPServers: []acpv1.MCPServer{}})
			id = r.SessionID
		} else {
			_, _ = client.LoadSession(ctx, &acpv1.LoadSessionRequest{SessionID: id, Cwd: dir, MCPServers: []acpv1.MCPServer{}})
			screen.off = false
		}
		_, _ = client.Prompt(ctx, &acpv1.PromptRequest{SessionID: id, Prompt: acpv1.Text("And now?")})
		return id
	}
	run(run(""))
	// Output:
	// Prompt 1.
	// Prompt 2.
}
