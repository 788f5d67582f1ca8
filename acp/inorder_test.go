package acp_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// placer notes the order in which prompts have their places. Those of the words "no" have none.
type placer struct {
	acpv1.UnimplementedAgent
	mu    sync.Mutex
	order []string
}

func (a *placer) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
	text, _ := acpv1.TextOf(p.Prompt[0])
	if text == "no" {
		return nil, acp.Errorf(acp.CodeInvalidParams, "no")
	}
	err := acp.InOrder(ctx, func() error {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.order = append(a.order, text)
		return nil
	})
	return &acpv1.PromptResponse{StopReason: acpv1.StopReasonEndTurn}, err
}

func TestInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := new(placer)
		client, conn := acp.InProcess(acpv1.UnimplementedClient{}, func(*acp.AgentConn) acpv1.Agent { return agent }, nil, nil)
		var want []string
		var all sync.WaitGroup
		for i := range 200 {
			text := string(rune('a' + i%26))
			if i%7 == 3 {
				text = "no"
			} else {
				want = append(want, text)
			}
			all.Go(func() {
				_, err := client.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: "s1", Prompt: acpv1.Text(text)})
				if (err != nil) != (text == "no") {
					t.Errorf("%s: %v", text, err)
				}
			})
			synctest.Wait() // so that the prompts are sent in order
		}
		all.Wait()
		if !slices.Equal(agent.order, want) {
			t.Errorf("places in the order %v, want %v", agent.order, want)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		<-client.Done()
		<-conn.Done()
	})
}
