package conform_test

import (
	"testing"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

// A client that an agent asks for a turn answers that it has no such method, and rightly: INIT-8 is about agents.
func TestBaselineIsForAgents(t *testing.T) {
	c := conform.New(&conform.Options{Only: []string{"INIT-8", "INIT-9"}, Partial: true})
	frames := []struct {
		from wire.Side
		line string
		want int
	}{
		{wire.AgentSide, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go on"}]}}`, 0},
		{wire.ClientSide, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, 0},
		{wire.ClientSide, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go on"}]}}`, 0},
		{wire.AgentSide, `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`, 1},
	}
	for _, f := range frames {
		if got := c.Frame(f.from, []byte(f.line)); len(got) != f.want {
			t.Errorf("%s: findings %v, want %d", f.line, got, f.want)
		}
	}
}
