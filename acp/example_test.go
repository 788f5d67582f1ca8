package acp_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// echo is an agent that says what it was told.
type echo struct {
	acpv1.UnimplementedAgent
	client *acp.AgentConn
}

func (e *echo) Initialize(context.Context, *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	return &acpv1.InitializeResponse{AgentInfo: &acpv1.Implementation{Name: "echo", Version: "1"}}, nil
}

func (e *echo) NewSession(context.Context, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	return &acpv1.NewSessionResponse{SessionID: "session-1"}, nil
}

func (e *echo) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	for _, block := range p.Prompt {
		err := e.client.SessionUpdate(ctx, &acpv1.SessionNotification{
			SessionID: p.SessionID,
			Update:    &acpv1.AgentMessageChunk{Content: block},
		})
		if err != nil {
			return nil, err
		}
	}
	return &acpv1.PromptResponse{StopReason: acpv1.StopReasonEndTurn}, nil
}

// editor is a client that prints what the agent says.
type editor struct{ acpv1.UnimplementedClient }

func (editor) SessionUpdate(_ context.Context, n *acpv1.SessionNotification) error {
	if chunk, ok := n.Update.(*acpv1.AgentMessageChunk); ok {
		if text, ok := chunk.Content.(*acpv1.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	return nil
}

// A minimal agent: a program that speaks the protocol on its standard input and output.
func ExampleNewAgent() {
	conn := acp.NewAgent(acp.Stdio(), func(client *acp.AgentConn) acpv1.Agent { return &echo{client: client} }, nil)
	if err := conn.Wait(); err != nil {
		fmt.Println(err)
	}
}

// A minimal client: it starts an agent and asks it something.
func ExampleNewClient() {
	ask := func(ctx context.Context) error {
		agent, err := acp.Spawn(ctx, exec.Command("my-agent", "--acp"), nil)
		if err != nil {
			return err
		}
		conn := acp.NewClient(agent, editor{}, nil)
		defer conn.Close()

		if _, err := conn.Initialize(ctx, nil); err != nil {
			return err
		}
		session, err := conn.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/home/me/project", MCPServers: []acpv1.MCPServer{}})
		if err != nil {
			return err
		}
		_, err = conn.Prompt(ctx, &acpv1.PromptRequest{
			SessionID: session.SessionID,
			Prompt:    []acpv1.ContentBlock{&acpv1.TextContent{Text: "What does main.go do?"}},
		})
		return err // every update of the turn has been printed
	}
	fmt.Println(acp.Classify(ask(context.Background())))
	// Output: startup
}

// A test of one's own agent, in one process.
func ExampleInProcess() {
	ctx := context.Background()
	client, agent := acp.InProcess(editor{}, func(client *acp.AgentConn) acpv1.Agent { return &echo{client: client} }, nil, nil)
	defer agent.Wait()
	defer client.Close()

	session, err := client.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	turn, err := client.Prompt(ctx, &acpv1.PromptRequest{
		SessionID: session.SessionID,
		Prompt:    []acpv1.ContentBlock{&acpv1.TextContent{Text: "hello"}, &acpv1.TextContent{Text: "world"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(turn.StopReason)
	// Output:
	// hello
	// world
	// end_turn
}

// patient is an agent whose turns take long.
type patient struct{ echo }

func (p *patient) Prompt(ctx context.Context, _ *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	select {
	case <-time.After(time.Hour):
		return &acpv1.PromptResponse{StopReason: acpv1.StopReasonEndTurn}, nil
	case <-ctx.Done():
		return nil, ctx.Err() // the client is told that the turn was cancelled
	}
}

// Cancelling a turn. The prompt returns in good order, with the stop reason "cancelled".
func ExampleClientConn_CancelPrompt() {
	ctx := context.Background()
	client, agent := acp.InProcess(editor{}, func(*acp.AgentConn) acpv1.Agent { return &patient{} }, nil, nil)
	defer agent.Wait()
	defer client.Close()

	time.AfterFunc(10*time.Millisecond, func() {
		if err := client.CancelPrompt(ctx, "session-1"); err != nil {
			fmt.Println(err)
		}
	})
	turn, err := client.Prompt(ctx, &acpv1.PromptRequest{SessionID: "session-1", Prompt: []acpv1.ContentBlock{&acpv1.TextContent{Text: "think"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(turn.StopReason)
	// Output: cancelled
}

// An extension method: its name starts with an underscore, its types are plain Go structs.
func ExampleHandleExtension() {
	type search struct {
		Query string `json:"query"`
	}
	type found struct {
		Files []string `json:"files"`
	}
	opts := &acp.Options{Extensions: []acp.Extension{
		acp.HandleExtension("_example.com/search", func(_ context.Context, p search) (found, error) {
			if p.Query == "" {
				return found{}, acp.Errorf(acp.CodeInvalidParams, "search for what?")
			}
			return found{Files: []string{p.Query + ".go"}}, nil
		}),
	}}
	ctx := context.Background()
	client, agent := acp.InProcess(editor{}, func(client *acp.AgentConn) acpv1.Agent { return &echo{client: client} }, nil, opts)
	defer agent.Wait()
	defer client.Close()

	result, err := acp.CallExtension[found](ctx, client, "_example.com/search", search{Query: "main"})
	fmt.Println(result.Files, err)

	_, err = acp.CallExtension[found](ctx, client, "_example.com/search", search{})
	var said *acp.Error
	if errors.As(err, &said) {
		fmt.Println(said.Code, said.Message)
	}
	// Output:
	// [main.go] <nil>
	// -32602 search for what?
}
