package server_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/acptest"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server"
)

// A reader is an agent that reads a file, once it may.
type reader struct{ server.Base }

func (reader) Prompt(ctx context.Context, turn *server.Turn) (server.Finish, error) {
	call := turn.Tool("read_file", server.Read, "Read go.mod", server.At("go.mod", 1))
	if ok, err := turn.Allow(ctx, call); err != nil || !ok {
		return server.Stop, err // the call is resolved for us
	}
	text, err := turn.Files().Read(ctx, "go.mod", 1, 1)
	if err != nil {
		return server.Stop, call.Fail(err)
	}
	_ = call.Done(server.Text(text))
	return server.Stop, turn.Say("It is a Go module.")
}

// A user allows everything and prints what comes.
type user struct{ acpv1.UnimplementedClient }

func (user) SessionUpdate(_ context.Context, n *acpv1.SessionNotification) error {
	switch u := n.Update.(type) {
	case *acpv1.ToolCall:
		fmt.Println(u.Title)
	case *acpv1.AgentMessageChunk:
		text, _ := acpv1.TextOf(u.Content)
		fmt.Println(text)
	}
	return nil
}

func (user) RequestPermission(_ context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
	return acpv1.Selected(p.Options[0].OptionID), nil
}

func ExampleEngine() {
	// A program has only: func main() { server.Main(reader{}, nil) }
	here, there := acp.Pipe()
	go func() { _ = server.New(reader{}, nil).Serve(context.Background(), there) }()

	ctx, client := context.Background(), acp.NewClient(here, user{}, nil)
	defer client.Close()
	dir, _ := os.Getwd()
	_, _ = client.Initialize(ctx, nil)
	session, _ := client.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: filepath.Dir(dir), MCPServers: []acpv1.MCPServer{}})
	turn, _ := client.Prompt(ctx, &acpv1.PromptRequest{SessionID: session.SessionID, Prompt: acpv1.Text("What is this?")})
	fmt.Println(turn.StopReason)
	// Output:
	// Read go.mod
	// It is a Go module.
	// end_turn
}

func TestReader(t *testing.T) {
	t.Chdir("..")
	client := acptest.NewClient(t, server.New(reader{}, nil).Serve, nil) // in this process; broken rules of the protocol fail the test
	if turn := client.Prompt("What is this?"); turn.Text() != "It is a Go module." {
		t.Errorf("the agent said %q", turn.Text())
	}
}
