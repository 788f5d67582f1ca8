package connection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var acpwireLibrary = Library{
	Name: Acpwire,
	InMemory: func(ctx context.Context) (*Session, error) {
		tally := new(Tally)
		conn, _ := acp.InProcess(&ourClient{tally: tally}, newOurAgent, nil, nil)
		return ourSession(ctx, conn, tally)
	},
	Spawn: func(ctx context.Context, command []string) (*Session, error) {
		agent, err := acp.Spawn(ctx, exec.Command(command[0], command[1:]...), nil)
		if err != nil {
			return nil, err
		}
		tally := new(Tally)
		s, err := ourSession(ctx, acp.NewClient(agent, &ourClient{tally: tally}, nil), tally)
		if err == nil {
			s.AgentPID = agent.PID()
		}
		return s, err
	},
	Serve: func(context.Context) error { return acp.NewAgent(acp.Stdio(), newOurAgent, nil).Wait() },
}

var unbuffered = Library{
	Name: AcpwireUnbuffered,
	InMemory: func(ctx context.Context) (*Session, error) {
		fromAgent, toClient := io.Pipe()
		fromClient, toAgent := io.Pipe()
		acp.NewAgent(acp.Duplex(fromClient, toClient), newOurAgent, nil)
		tally := new(Tally)
		return ourSession(ctx, acp.NewClient(acp.Duplex(fromAgent, toAgent), &ourClient{tally: tally}, nil), tally)
	},
}

func ourSession(ctx context.Context, conn *acp.ClientConn, tally *Tally) (*Session, error) {
	s := &Session{Tally: tally, Close: func() error {
		_ = conn.Close()
		return conn.Wait()
	}}
	if _, err := conn.Initialize(ctx, &acpv1.InitializeRequest{ClientInfo: info}); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	session, err := conn.NewSession(ctx, &acpv1.NewSessionRequest{Cwd: "/", MCPServers: []acpv1.MCPServer{}})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Prompt = func(ctx context.Context, updates string) error {
		r, err := conn.Prompt(ctx, &acpv1.PromptRequest{SessionID: session.SessionID, Prompt: acpv1.Text(updates)})
		if err == nil && r.StopReason != acpv1.StopReasonEndTurn {
			err = fmt.Errorf("the turn ended with %s", r.StopReason)
		}
		return err
	}
	return s, nil
}

type ourClient struct {
	acpv1.UnimplementedClient
	tally *Tally
}

func (c *ourClient) SessionUpdate(_ context.Context, n *acpv1.SessionNotification) error {
	if m, ok := n.Update.(*acpv1.AgentMessageChunk); ok {
		if text, ok := acpv1.TextOf(m.Content); ok {
			c.tally.add(text)
		}
	}
	return nil
}

type ourAgent struct {
	acpv1.UnimplementedAgent
	client *acp.AgentConn
}

func newOurAgent(client *acp.AgentConn) acpv1.Agent { return &ourAgent{client: client} }

func (a *ourAgent) Initialize(_ context.Context, r *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	return &acpv1.InitializeResponse{ProtocolVersion: acp.Negotiate(r.ProtocolVersion), AgentInfo: info}, nil
}

func (a *ourAgent) NewSession(context.Context, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	return &acpv1.NewSessionResponse{SessionID: session}, nil
}

// info is who both ends are.
var info = &acpv1.Implementation{Name: "bench", Version: "0"}

const session = "sess_5f0c2a9be41d4c83"

func (a *ourAgent) Prompt(ctx context.Context, r *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	prompt, _ := acpv1.TextOf(r.Prompt[0])
	n, err := updatesOf(prompt)
	if err != nil {
		return nil, err
	}
	for i := range n {
		if err := a.client.SessionUpdate(ctx, ourUpdate(r.SessionID, i)); err != nil {
			return nil, err
		}
	}
	return &acpv1.PromptResponse{StopReason: acpv1.StopReasonEndTurn}, nil
}

func ourUpdate(session acpv1.SessionID, i int) *acpv1.SessionNotification {
	return &acpv1.SessionNotification{SessionID: session, Update: acpv1.MessageText(texts[i%len(texts)])}
}

// frameBytes is the size of all frames of so many updates, with their line ends, as acpwire writes them. The other libraries write the same but for some
// escapes.
func frameBytes(updates int) (size int64) {
	const envelope = `{"jsonrpc":"2.0","method":"session/update","params":}` + "\n"
	var b []byte
	var cycle int64
	sizes := make([]int64, len(texts))
	for i := range texts {
		b, _ = wire.Append(b[:0], ourUpdate(session, i)) // cannot fail, and the connection would say so
		sizes[i] = int64(len(envelope) + len(b))
		cycle += sizes[i]
	}
	size = cycle * int64(updates/len(texts))
	for _, n := range sizes[:updates%len(texts)] {
		size += n
	}
	return size
}
