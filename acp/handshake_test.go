package acp_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// slowStart is an agent that takes its time to initialize, and tries to call the client meanwhile.
type slowStart struct {
	acpv1.UnimplementedAgent
	client   *acp.AgentConn
	callback error
}

func (a *slowStart) Initialize(ctx context.Context, _ *acpv1.InitializeRequest) (*acpv1.InitializeResponse, error) {
	time.Sleep(time.Second)
	_, a.callback = acp.CallExtension[any](ctx, a.client.Conn, "_test/hello", struct{}{})
	return &acpv1.InitializeResponse{}, nil
}

func (a *slowStart) NewSession(context.Context, *acpv1.NewSessionRequest) (*acpv1.NewSessionResponse, error) {
	if _, response := a.client.Handshake(); response == nil {
		return nil, acp.Errorf(acp.CodeInvalidRequest, "not initialized")
	}
	return &acpv1.NewSessionResponse{SessionID: "s1"}, nil
}

// A client may send more before initialize is answered; it is handled after it.
func TestRequestsBehindInitializeWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var handler *slowStart
		client, agent := acp.InProcess(acpv1.UnimplementedClient{}, func(c *acp.AgentConn) acpv1.Agent {
			handler = &slowStart{client: c}
			return handler
		}, nil, nil)
		initialized := make(chan error, 1)
		go func() {
			_, err := client.Initialize(t.Context(), nil)
			initialized <- err
		}()
		synctest.Wait()
		if _, err := client.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w"}); err != nil {
			t.Errorf("session/new behind initialize: %v", err)
		}
		if err := <-initialized; err != nil {
			t.Errorf("initialize: %v", err)
		}
		var outbound *acp.OutboundError
		if !errors.As(handler.callback, &outbound) {
			t.Errorf("calling the client from initialize: got %v, want an OutboundError", handler.callback)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		<-client.Done()
		<-agent.Done()
	})
}

// slowEditor counts what it was shown, slowly.
type slowEditor struct {
	acpv1.UnimplementedClient
	shown int
}

func (e *slowEditor) SessionUpdate(context.Context, *acpv1.SessionNotification) error {
	time.Sleep(time.Millisecond)
	e.shown++
	return nil
}

// leaver is an agent that says something and ends without an answer.
type leaver struct {
	acpv1.UnimplementedAgent
	client *acp.AgentConn
}

func (a *leaver) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	for range 100 {
		if err := a.client.SessionUpdate(ctx, &acpv1.SessionNotification{SessionID: p.SessionID, Update: acpv1.MessageText("bye")}); err != nil {
			return nil, err
		}
	}
	return nil, a.client.Close()
}

// When the peer ends without an answer, the call fails only after what the peer had sent was handled.
func TestCallFailsBehindUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e slowEditor
		client, agent := acp.InProcess(&e, func(c *acp.AgentConn) acpv1.Agent { return &leaver{client: c} }, nil, nil)
		_, err := client.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: "s1", Prompt: acpv1.Text("hi")})
		if !errors.Is(err, acp.ErrClosed) {
			t.Errorf("Prompt: got %v, want ErrClosed", err)
		}
		if e.shown != 100 {
			t.Errorf("%d updates had been handled when Prompt returned, want 100", e.shown)
		}
		<-client.Done()
		<-agent.Done()
	})
}
