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

// What cannot be read as strict JSON, or has no envelope in order, may be answered by an error with the id null, once.
func TestRefusalsOfTheUnreadable(t *testing.T) {
	const refused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`
	for name, line := range map[string]string{
		"noise":                           `hello`,
		"a batch":                         `[{"jsonrpc":"2.0","method":"_x"}]`,
		"a notification with names twice": `{"jsonrpc":"2.0","method":"_x","params":{"a":1,"a":2}}`,
		"a request with names twice":      `{"jsonrpc":"2.0","id":5,"method":"_x","params":{"a":1,"a":2}}`,
		"a request without an id":         `{"jsonrpc":"2.0","method":"session/list","params":{}}`,
		"an id that is none":              `{"jsonrpc":"2.0","id":{},"method":"session/list","params":{}}`,
		"no version":                      `{"id":5,"method":"session/list","params":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := conform.New(&conform.Options{Closed: true})
			begin(t, c)
			if got := c.Frame(wire.ClientSide, []byte(line)); len(got) != 1 {
				t.Errorf("findings %v, want one about the line", got)
			}
			if got := c.Frame(wire.AgentSide, []byte(refused)); len(got) > 0 {
				t.Errorf("false alarm: %v", got)
			}
			if got := c.Frame(wire.AgentSide, []byte(refused)); len(got) != 1 {
				t.Errorf("findings %v, want one about the second refusal", got)
			}
			if got := c.End(); len(got) > 0 {
				t.Errorf("false alarm at the end: %v", got)
			}
		})
	}
}

// Of two requests with one id at the same time, an answer may be to either. RPC-6 is the fault, and no other comes of it.
func TestOneIDTwice(t *testing.T) {
	c := conform.New(&conform.Options{Closed: true})
	begin(t, c)
	for _, f := range []struct {
		from wire.Side
		line string
		want string
	}{
		{wire.ClientSide, `{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`, ""},
		{wire.ClientSide, `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}`, "RPC-6"},
		{wire.AgentSide, `{"jsonrpc":"2.0","id":7,"result":{"sessionId":"t"}}`, ""},
		{wire.AgentSide, `{"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn"}}`, ""},
	} {
		got := c.Frame(f.from, []byte(f.line))
		if f.want == "" && len(got) > 0 || f.want != "" && (len(got) != 1 || got[0].Rule != f.want) {
			t.Errorf("%s: findings %v, want %q", f.line, got, f.want)
		}
	}
	if got := c.End(); len(got) > 0 {
		t.Errorf("false alarm at the end: %v", got)
	}
}
