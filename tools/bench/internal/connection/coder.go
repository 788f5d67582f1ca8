package connection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"

	coder "github.com/coder/acp-go-sdk"
)

var coderLibrary = Library{
	Name: Coder,
	InMemory: func(ctx context.Context) (*Session, error) {
		fromAgent, toClient := io.Pipe()
		fromClient, toAgent := io.Pipe()
		newCoderAgent(toClient, fromClient)
		return coderSession(ctx, toAgent, fromAgent, func() error { return errors.Join(toAgent.Close(), toClient.Close()) })
	},
	Spawn: func(ctx context.Context, command []string) (*Session, error) {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		s, err := coderSession(ctx, in, out, func() error {
			_ = in.Close()
			return cmd.Wait()
		})
		if err != nil {
			_ = in.Close()
			return nil, errors.Join(err, cmd.Wait())
		}
		s.AgentPID = cmd.Process.Pid
		return s, nil
	},
	Serve: func(context.Context) error {
		conn := newCoderAgent(os.Stdout, os.Stdin)
		<-conn.Done()
		return nil
	},
}

func coderSession(ctx context.Context, w io.Writer, r io.Reader, end func() error) (*Session, error) {
	client := &coderClient{tally: new(Tally)}
	silence()
	conn := coder.NewClientSideConnection(client, w, r)
	if _, err := conn.Initialize(ctx, coder.InitializeRequest{ProtocolVersion: coder.ProtocolVersionNumber}); err != nil {
		return nil, err
	}
	session, err := conn.NewSession(ctx, coder.NewSessionRequest{Cwd: "/", McpServers: []coder.McpServer{}})
	if err != nil {
		return nil, err
	}
	return &Session{
		Tally: client.tally,
		Prompt: func(ctx context.Context, updates string) error {
			r, err := conn.Prompt(ctx, coder.PromptRequest{SessionId: session.SessionId, Prompt: []coder.ContentBlock{coder.TextBlock(updates)}})
			if err == nil && r.StopReason != coder.StopReasonEndTurn {
				err = fmt.Errorf("the turn ended with %s", r.StopReason)
			}
			return err
		},
		Close: end,
	}, nil
}

// A coderClient has the methods of coder.Client; those that the agent never calls are those of the nil interface.
type coderClient struct {
	coder.Client
	tally *Tally
}

func (c *coderClient) SessionUpdate(_ context.Context, n coder.SessionNotification) error {
	if m := n.Update.AgentMessageChunk; m != nil && m.Content.Text != nil {
		c.tally.add(m.Content.Text.Text)
	}
	return nil
}

// A coderAgent has the methods of coder.Agent; those that the client never calls are those of the nil interface.
type coderAgent struct {
	coder.Agent
	client chan *coder.AgentSideConnection // comes after the connection has started
}

func newCoderAgent(w io.Writer, r io.Reader) *coder.AgentSideConnection {
	silence()
	a := &coderAgent{client: make(chan *coder.AgentSideConnection, 1)}
	conn := coder.NewAgentSideConnection(a, w, r)
	a.client <- conn
	return conn
}

// silence turns the default logger off. A connection's own SetLogger races with the goroutines that it has started by then.
var silence = sync.OnceFunc(func() { slog.SetDefault(slog.New(slog.DiscardHandler)) })

func (a *coderAgent) Initialize(context.Context, coder.InitializeRequest) (coder.InitializeResponse, error) {
	return coder.InitializeResponse{ProtocolVersion: coder.ProtocolVersionNumber, AuthMethods: []coder.AuthMethod{}}, nil
}

func (a *coderAgent) NewSession(context.Context, coder.NewSessionRequest) (coder.NewSessionResponse, error) {
	return coder.NewSessionResponse{SessionId: session}, nil
}

func (a *coderAgent) Prompt(ctx context.Context, r coder.PromptRequest) (coder.PromptResponse, error) {
	n, err := updatesOf(r.Prompt[0].Text.Text)
	if err != nil {
		return coder.PromptResponse{}, err
	}
	client := <-a.client
	defer func() { a.client <- client }()
	for i := range n {
		update := coder.SessionNotification{SessionId: r.SessionId, Update: coder.UpdateAgentMessageText(texts[i%len(texts)])}
		if err := client.SessionUpdate(ctx, update); err != nil {
			return coder.PromptResponse{}, err
		}
	}
	return coder.PromptResponse{StopReason: coder.StopReasonEndTurn}, nil
}
