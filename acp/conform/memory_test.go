package conform_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

func feed(t testing.TB, c *conform.Checker, from wire.Side, format string, args ...any) {
	t.Helper()
	if got := c.Frame(from, fmt.Appendf(nil, format, args...)); len(got) > 0 {
		t.Fatalf("false alarm: %v", got)
	}
}

// begin feeds a handshake and a new session.
func begin(t testing.TB, c *conform.Checker) {
	t.Helper()
	feed(t, c, wire.ClientSide, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},"clientCapabilities":{"terminal":true,"fs":{"readTextFile":true}}}}`)
	feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{"sessionCapabilities":{"close":{}}}}}`)
	feed(t, c, wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`)
}

// TestMemory feeds a long conversation in which everything comes to an end. What is kept must not grow with it, and what was forgotten must not raise alarms.
func TestMemory(t *testing.T) {
	const remember = 64
	c := conform.New(&conform.Options{Remember: remember})
	begin(t, c)
	var sizes []uint64
	for n := range 30000 {
		id := n + 2
		feed(t, c, wire.ClientSide, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}`, id)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":"x"}}}}`, n)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"x"}}}`, n)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","id":%d,"method":"terminal/create","params":{"sessionId":"s","command":"x"}}`, id)
		feed(t, c, wire.ClientSide, `{"jsonrpc":"2.0","id":%d,"result":{"terminalId":"x%d"}}`, id, n)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","id":%d,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x%d"}}`, id, n)
		feed(t, c, wire.ClientSide, `{"jsonrpc":"2.0","id":%d,"result":{}}`, id)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t%d","status":"completed"}}}`, n)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, id)
		if n > 5 {
			feed(t, c, wire.ClientSide, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`, n/2+2)
		}
		if n%10000 == 9999 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			sizes = append(sizes, m.HeapAlloc)
		}
	}
	if slices.Max(sizes) > sizes[0]+256<<10 {
		t.Errorf("the heap grows with the conversation: %d", sizes)
	}
	if got := c.End(); len(got) > 0 {
		t.Errorf("false alarm: %v", got)
	}
}

// TestMemoryOfLargeFrames remembers the ids of frames that are large for what is remembered of them. Decoded strings share the memory of their frame, so ids that were
// kept as they are would keep it all.
func TestMemoryOfLargeFrames(t *testing.T) {
	const frames, most = 4000, 1 << 20
	c := conform.New(nil)
	begin(t, c)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	text := strings.Repeat("x", 4000)
	for n := range frames {
		feed(t, c, wire.ClientSide, `{"jsonrpc":"2.0","id":"p%d","method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":%q}]}}`, n, text)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":%q}}}}`, n, text)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t%d","title":%q,"status":"completed"}}}`, n, text)
		feed(t, c, wire.AgentSide, `{"jsonrpc":"2.0","id":"p%d","result":{"stopReason":"end_turn"}}`, n)
	}
	if grown := int64(heap()) - int64(before); grown > frames*3*128+most {
		t.Errorf("%d frames of each kind hold %d bytes", frames, grown)
	}
	runtime.KeepAlive(c)
}

// BenchmarkChunk compares the cost of a streamed chunk with that of parsing it alone.
func BenchmarkChunk(b *testing.B) {
	chunk := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words more of what the agent has to say"}}}}`)
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(chunk)))
		p := acp.NewParser(acpv1.Surface, wire.AgentSide)
		var f acp.Frame
		for b.Loop() {
			p.Parse(chunk, &f)
		}
	})
	b.Run("rules", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(chunk)))
		c := conform.New(nil)
		begin(b, c)
		feed(b, c, wire.ClientSide, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}`)
		for b.Loop() {
			if len(c.Frame(wire.AgentSide, chunk)) > 0 {
				b.Fatal("false alarm")
			}
		}
	})
}
