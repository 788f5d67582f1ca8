package acp_test

import (
	"context"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

type flooder struct {
	acpv1.UnimplementedAgent
	client *acp.AgentConn
	n      int
}

func (f *flooder) Prompt(ctx context.Context, p *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
	u := &acpv1.SessionNotification{SessionID: p.SessionID, Update: &acpv1.AgentMessageChunk{Content: &acpv1.TextContent{Text: "a small piece of an answer, as models stream them"}}}
	for range f.n {
		if err := f.client.SessionUpdate(ctx, u); err != nil {
			return nil, err
		}
	}
	return &acpv1.PromptResponse{StopReason: acpv1.StopReasonEndTurn}, nil
}

type counter struct {
	acpv1.UnimplementedClient
	n int
}

func (c *counter) SessionUpdate(context.Context, *acpv1.SessionNotification) error {
	c.n++
	return nil
}

// BenchmarkUpdates measures updates within one prompt, from the agent's call to the client's handler, over a pipe in memory and validated on both ends.
func BenchmarkUpdates(b *testing.B) {
	count := new(counter)
	client, _ := acp.InProcess(count, func(c *acp.AgentConn) acpv1.Agent { return &flooder{client: c, n: b.N} }, nil, nil)
	defer client.Close()
	b.ReportAllocs()
	b.ResetTimer()
	_, err := client.Prompt(b.Context(), &acpv1.PromptRequest{SessionID: "s", Prompt: []acpv1.ContentBlock{}})
	if err != nil {
		b.Fatal(err)
	}
	if count.n != b.N {
		b.Fatalf("handled %d updates, want %d", count.n, b.N)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}
